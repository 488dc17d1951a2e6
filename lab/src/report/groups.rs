//! SUMMA and HSUMMA on simulated machines: communication over the number of groups.

use super::inputs::{Inputs, Product, Source};
use super::section::Section;
use super::shared::machine_title;
use super::table::{Table, cell};
use hcube_gemm::model::paper::{MEASURED, ORDER};
use hcube_results::numbers::time;
use hcube_results::plot::Evidence::{Published, Simulated};
use hcube_results::plot::{Axis, Chart, Scale, Series, looks, plain};

/// What the products of a line have in common.
type Setting<'a> = (&'a str, usize, usize, usize);

fn setting(product: &Product) -> Setting<'_> {
    (&product.machine, product.ranks, product.inner_block, product.k.div_ceil(product.inner_block))
}

/// Products over the number of groups, in which all ranks send messages.
fn swept(inputs: &Inputs) -> Vec<&Product> {
    let products = inputs.simulated.iter().flat_map(|simulated| &simulated.gemm);
    products.filter(|product| ["groups", "latency"].contains(&product.section.as_str())).collect()
}

/// Communication time of SUMMA over that of a product.
fn gain(product: &Product, all: &[&Product]) -> Option<f64> {
    let same = |one: &Product| (one.broadcast.clone(), one.ranks_sharing);
    let is_summa = |other: &&&Product| {
        other.algorithm == "summa" && setting(other) == setting(product) && same(other) == same(product)
    };
    Some(all.iter().find(is_summa)?.communication_seconds / product.communication_seconds)
}

/// Gains over the number of groups, beside those that were published.
pub fn groups(inputs: &Inputs) -> Section {
    let mut section = Section::new(
        "groups",
        "Groups of HSUMMA",
        "Communication time of SUMMA over that of HSUMMA by the number of groups, on models of machines; local \
         products take no time. As in Figures 5, 6, 8 and 9 of Quintin, Hasanov and Lastovetsky 2013, panels travel \
         by scatter and all-gather, and all ranks send messages. Unlike there, three panels are under way at a time.",
    );
    let all = swept(inputs);
    let mut settings: Vec<Setting<'_>> = Vec::new();
    for product in &all {
        if !settings.contains(&setting(product)) {
            settings.push(setting(product));
        }
    }
    let series = settings.iter().enumerate().map(|(number, &known)| {
        let (machine, ranks, block, panels) = known;
        let own = all.iter().filter(|product| setting(product) == known);
        let points = own.filter_map(|product| {
            Some(((product.group_rows * product.group_columns).max(1) as f64, gain(product, &all)?))
        });
        let name =
            format!("{}, {ranks} ranks, b = {block}, panels: {panels}", machine_title(inputs, machine));
        Series::new(name, Simulated, looks::numbered(number), points.collect::<Vec<_>>())
    });
    section.chart(Chart {
        title: "Communication of SUMMA / HSUMMA".to_owned(),
        x: Axis::new("groups", Scale::Log2, plain),
        y: Axis::new("gain, higher is better", Scale::Linear, |gain| format!("{gain:.2}")),
        series: series.collect(),
        reference: Some(1.0),
        file: Some("gemm-groups"),
    });
    section.table(table(inputs, &all));
    section.lacks(all.is_empty(), "matrix products on large machines, simulated", Source::Simulate);
    section
}

fn table(inputs: &Inputs, all: &[&Product]) -> Table {
    let mut table = Table::new(
        "Products over the number of groups",
        [
            ("machine", None),
            ("ranks", None),
            ("n", None),
            ("b", None),
            ("panels", None),
            ("groups", None),
            ("communication", Some(Simulated)),
            ("total", Some(Simulated)),
            ("gain", Some(Simulated)),
            ("best gain", Some(Published)),
        ],
    );
    for product in all {
        let of_paper = product.machine == "bluegene-p" && product.order == ORDER;
        let published = MEASURED.iter().find(|measured| of_paper && measured.ranks == product.ranks);
        table.row([
            machine_title(inputs, &product.machine).to_owned(),
            product.ranks.to_string(),
            product.order.to_string(),
            product.inner_block.to_string(),
            product.k.div_ceil(product.inner_block).to_string(),
            format!("{}×{}", product.group_rows.max(1), product.group_columns.max(1)),
            time(product.communication_seconds),
            time(product.seconds),
            cell(gain(product, all), |gain| format!("{gain:.2}")),
            cell(published, |measured| format!("{:.2}", measured.gain)),
        ]);
    }
    table
}
