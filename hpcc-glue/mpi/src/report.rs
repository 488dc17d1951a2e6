//! The output at `MPI_Finalize`.

use crate::statistics::{COLLECTION, Label, Path, Statistics, labels};
use hcube_drop_in::collection::Totals;
use hcube_drop_in::figures::Total;
use hcube_drop_in::mpi_library;
use hcube_drop_in::output::{columns, is_loaded, title};
use serde::Serialize;
use std::collections::BTreeMap;
use std::ffi::c_int;
use std::fmt::Write;

/// Around `MPI_Finalize` of the MPI library: collects the statistics of all ranks, and rank 0 prints them.
pub fn report(statistics: &Statistics, forward: impl FnOnce() -> c_int) -> c_int {
    COLLECTION.collect(&statistics.rows(), forward, |totals| print(statistics, &totals))
}

/// A row with its figures.
struct Row {
    label: Label,
    total: Total,
}

fn print(statistics: &Statistics, totals: &Totals) {
    let rows = labels().zip(&totals.rows).map(|(label, &total)| Row { label, total });
    let rows: Vec<Row> = rows.filter(|row| row.total.figures.calls > 0).collect();
    let ranks = totals.ranks;
    statistics.output.print(
        totals,
        &table(&rows, ranks, statistics),
        "",
        &File {
            hcube: env!("CARGO_PKG_VERSION"),
            mpi: mpi_library::name(),
            ranks,
            rows: rows.iter().map(|row| row.entry(ranks, statistics)).collect(),
        },
    );
}

impl Row {
    fn operation(&self) -> String {
        format!("{}{}", self.label.function.name(), if self.label.in_place { " in place" } else { "" })
    }

    /// Why calls of this row were forwarded.
    fn reason(&self, statistics: &Statistics) -> Option<&'static str> {
        let Label { function, in_place, path } = self.label;
        statistics.reason(function, in_place).filter(|_| path == Path::Library)
    }

    fn entry<'a>(&self, ranks: usize, statistics: &Statistics) -> Entry<'a> {
        let Self { label, total } = self;
        Entry {
            operation: label.function.name(),
            in_place: label.in_place,
            path: label.path.name(),
            calls: total.figures.calls,
            bytes: total.figures.bytes,
            seconds_max: total.seconds_max(),
            seconds_mean: total.seconds_mean(ranks),
            memory_max: total.figures.memory,
            reason: self.reason(statistics).unwrap_or_default(),
        }
    }
}

fn table(rows: &[Row], ranks: usize, statistics: &Statistics) -> String {
    if rows.is_empty() {
        let others =
            if is_loaded("libhcube_fftw") { " in MPI; the transpositions of FFTW follow" } else { "" };
        return format!("{}: no all-to-all calls seen{others}\n", title(ranks));
    }
    let head =
        ["operation", "path", "calls", "bytes sent", "max s", "mean s", "MB/s per rank", "extra memory"];
    let lines = rows.iter().map(|row| {
        let Row { label, total } = row;
        [
            row.operation(),
            label.path.name().to_owned(),
            total.figures.calls.to_string(),
            total.figures.bytes.to_string(),
            format!("{:.6}", total.seconds_max()),
            format!("{:.6}", total.seconds_mean(ranks)),
            format!("{:.1}", total.megabytes_per_second()),
            total.figures.memory.to_string(),
        ]
    });
    let mut text = title(ranks) + "\n" + &columns(head, lines);
    let mut reasons: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for row in rows {
        if let Some(reason) = row.reason(statistics) {
            reasons.entry(reason).or_default().push(row.operation());
        }
    }
    for (reason, operations) in reasons {
        let _ = writeln!(text, "forwarded to the MPI library ({reason}): {}", operations.join(", "));
    }
    text
}

/// The contents of the file of `HCUBE_STATS=json:FILE`; README.md describes it.
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
    operation: &'a str,
    in_place: bool,
    path: &'a str,
    calls: u64,
    bytes: u64,
    seconds_max: f64,
    seconds_mean: f64,
    memory_max: u64,
    reason: &'a str,
}
