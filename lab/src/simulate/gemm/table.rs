//! The table of products: communication of SUMMA over that of a row, beside the gain that was published.

use super::super::results::links;
use super::Gemm;
use hcube_gemm::model::paper::{MEASURED, ORDER};
use hcube_results::numbers::{bytes, time};
use hcube_results::table::Table;

/// What the paper has measured with the best number of groups, for the machine and the matrices of its Figure 9.
pub fn published(row: &Gemm) -> Option<f64> {
    let of_paper = row.machine == "bluegene-p" && row.order == ORDER && row.inner_block == 256;
    let measured = MEASURED.iter().find(|measured| of_paper && measured.ranks == row.ranks)?;
    Some(measured.gain)
}

/// SUMMA with the same matrices and the same broadcast, without shared panels.
fn summa<'a>(row: &Gemm, rows: &[&'a Gemm]) -> Option<&'a Gemm> {
    let same = |one: &Gemm| (one.ranks, one.order, one.k, one.inner_block, one.broadcast);
    rows.iter()
        .copied()
        .find(|other| other.algorithm == "summa" && other.ranks_sharing == 1 && same(other) == same(row))
}

/// Communication time of SUMMA over that of a row.
pub fn gain(row: &Gemm, rows: &[&Gemm]) -> Option<f64> {
    Some(summa(row, rows)?.communication_seconds / row.communication_seconds)
}

fn groups(row: &Gemm) -> String {
    match (row.groups(), row.algorithm) {
        (0, "auto") if row.path == "summa" => "chosen: 1".to_owned(),
        (0, "auto") => "chosen".to_owned(),
        (0, _) => "1".to_owned(),
        (groups, _) => format!("{groups} ({}x{})", row.group_rows, row.group_columns),
    }
}

/// The rows of a section on a machine.
pub fn render(rows: &[&Gemm]) -> String {
    let mut table = Table::new([
        "ranks",
        "per node",
        "grid",
        "n",
        "b",
        "panels",
        "broadcast",
        "groups",
        "panels of",
        "communication",
        "total",
        "gain",
        "published",
        "into a port",
        "errors",
        "links",
    ]);
    let none = || "-".to_owned();
    for row in rows {
        let (panels, all) = (row.k.div_ceil(row.inner_block), row.order.div_ceil(row.inner_block));
        table.row([
            row.ranks.to_string(),
            row.ranks_per_node.to_string(),
            format!("{}x{}", row.rows, row.columns),
            row.order.to_string(),
            row.inner_block.to_string(),
            format!("{panels} of {all}"),
            row.broadcast.to_owned(),
            groups(row),
            if row.ranks_sharing == 1 { "a rank" } else { "a node" }.to_owned(),
            time(row.communication_seconds),
            if row.multiply_ns > 0.0 { time(row.seconds) } else { none() },
            gain(row, rows).map_or_else(none, |gain| format!("{gain:.2}")),
            published(row).map_or_else(none, |gain| format!("{gain:.2}")),
            row.port_bytes.map_or_else(none, bytes),
            row.errors.to_string(),
            links(row.links_shared),
        ]);
    }
    table.render()
}
