//! The output at `MPI_Finalize`.

use crate::statistics::{COLLECTION, Path, Statistics, labels};
use hcube_drop_in::collection::Totals;
use hcube_drop_in::figures::Total;
use hcube_drop_in::mpi_library;
use hcube_drop_in::output::{columns, is_loaded, title};
use hcube_gemm::element::Element;
use serde::Serialize;
use std::ffi::c_int;
use std::fmt::Write;

/// Around `MPI_Finalize` of the MPI library: collects the figures of all ranks, and rank 0 prints them.
pub fn report(statistics: &Statistics, forward: impl FnOnce() -> c_int) -> c_int {
    COLLECTION.collect(&statistics.rows(), forward, |totals| print(statistics, &totals))
}

/// A row with its figures.
#[derive(Debug, Clone, Copy)]
struct Row {
    element: Element,
    path: Path,
    total: Total,
}

impl Row {
    fn routine(&self) -> String {
        format!("p{}gemm", self.element.letter())
    }
}

fn print(statistics: &Statistics, totals: &Totals) {
    let rows = labels().zip(&totals.rows).map(|((element, path), &total)| Row { element, path, total });
    let rows: Vec<Row> = rows.filter(|row| row.total.figures.calls > 0).collect();
    let ranks = totals.ranks;
    // That library writes its own statistics to the file.
    let suffix = if is_loaded("libhcube_preload.so") { ".pblas" } else { "" };
    let file = File {
        hcube: env!("CARGO_PKG_VERSION"),
        mpi: mpi_library::name(),
        ranks,
        rows: rows.iter().map(|row| Entry::of(row, ranks)).collect(),
    };
    statistics.output.print(totals, &table(&rows, ranks, &title(ranks)), suffix, &file);
}

/// Rows with the same routine and name of the path, as one.
fn merged(rows: &[Row]) -> Vec<Row> {
    let mut lines: Vec<Row> = Vec::new();
    for row in rows {
        match lines.last_mut() {
            Some(line) if (line.element, line.path.name()) == (row.element, row.path.name()) => {
                line.total.add(&row.total);
            }
            _ => lines.push(*row),
        }
    }
    lines
}

fn table(rows: &[Row], ranks: usize, title: &str) -> String {
    if rows.is_empty() {
        return format!("{title}: no matrix products seen\n");
    }
    let head = [
        "routine",
        "path",
        "calls",
        "Gflop",
        "GFLOP/s per rank",
        "max s",
        "mean s",
        "bytes to other nodes",
        "extra memory",
    ];
    let lines = merged(rows);
    let lines = lines.iter().map(|row| {
        let Total { figures, .. } = &row.total;
        [
            row.routine(),
            row.path.name().to_owned(),
            figures.calls.to_string(),
            format!("{:.3}", figures.flops as f64 * 1e-9),
            format!("{:.3}", row.total.gigaflops()),
            format!("{:.6}", row.total.seconds_max()),
            format!("{:.6}", row.total.seconds_mean(ranks)),
            figures.bytes.to_string(),
            figures.memory.to_string(),
        ]
    });
    let mut text = format!("{title}\n{}", columns(head, lines));
    for (reason, calls) in reasons(rows) {
        let _ = writeln!(text, "forwarded to ScaLAPACK ({reason}): {}", calls.join(", "));
    }
    text
}

/// The reasons why calls were forwarded to ScaLAPACK, with the routines and their calls.
fn reasons(rows: &[Row]) -> Vec<(&'static str, Vec<String>)> {
    let mut reasons: Vec<(&str, Vec<String>)> = Vec::new();
    for row in rows {
        let Some(reason) = row.path.reason() else { continue };
        let calls = row.total.figures.calls;
        let entry = format!("{} {calls} call{}", row.routine(), if calls == 1 { "" } else { "s" });
        match reasons.iter_mut().find(|(known, _)| *known == reason) {
            Some((_, entries)) => entries.push(entry),
            None => reasons.push((reason, vec![entry])),
        }
    }
    reasons
}

/// What the file of `HCUBE_STATS=json:FILE` holds.
#[derive(Serialize)]
struct File<'a> {
    hcube: &'a str,
    mpi: String,
    ranks: usize,
    rows: Vec<Entry<'a>>,
}

/// A row of it.
#[derive(Serialize)]
struct Entry<'a> {
    routine: String,
    path: &'a str,
    calls: u64,
    flops: u64,
    gflops_per_rank: f64,
    bytes: u64,
    seconds_max: f64,
    seconds_mean: f64,
    memory_max: u64,
    reason: &'a str,
}

impl Entry<'_> {
    fn of(row: &Row, ranks: usize) -> Self {
        let total = &row.total;
        Self {
            routine: row.routine(),
            path: row.path.name(),
            calls: total.figures.calls,
            flops: total.figures.flops,
            gflops_per_rank: total.gigaflops(),
            bytes: total.figures.bytes,
            seconds_max: total.seconds_max(),
            seconds_mean: total.seconds_mean(ranks),
            memory_max: total.figures.memory,
            reason: row.path.reason().unwrap_or_default(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::verdict::Reason;
    use hcube_drop_in::figures::Figures;
    use hcube_gemm::report::UsedPath;

    fn row(element: Element, path: Path, calls: u64) -> Row {
        let (flops, nanoseconds) = (4_000_000_000 * calls, 1_000_000_000 * calls);
        let figures = Figures { calls, flops, nanoseconds, bytes: 5, memory: 6 };
        Row { element, path, total: Total { figures, nanoseconds: 2 * nanoseconds } }
    }

    #[test]
    fn reasons_stand_below_the_table() {
        let left = |reason| Path::Library(reason);
        let rows = [
            row(Element::Double, Path::Hcube(UsedPath::SharedPanels), 2),
            row(Element::Double, left(Reason::Wide), 1),
            row(Element::Double, left(Reason::Chosen), 4),
            row(Element::DoubleComplex, left(Reason::Chosen), 3),
        ];
        let text = table(&rows, 2, "title");
        let lines: Vec<String> =
            text.lines().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ")).collect();
        assert_eq!(
            lines[2..],
            [
                "pdgemm shared-panels 2 8.000 2.000 2.000000 2.000000 5 6",
                "pdgemm library 5 20.000 2.000 4.000000 5.000000 10 6",
                "pzgemm library 3 12.000 2.000 3.000000 3.000000 5 6",
                "forwarded to ScaLAPACK (64-bit integers): pdgemm 1 call",
                "forwarded to ScaLAPACK (HCUBE_GEMM=library): pdgemm 4 calls, pzgemm 3 calls",
            ]
        );
        assert_eq!(table(&[], 2, "title"), "title: no matrix products seen\n");
    }
}
