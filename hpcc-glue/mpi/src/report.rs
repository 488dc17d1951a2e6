//! The output at `MPI_Finalize`.

use crate::collection::{self, Collected, PATIENCE, Total};
use crate::statistics::{Path, Statistics};
use crate::{mpi, next};
use serde::Serialize;
use std::collections::BTreeMap;
use std::error::Error;
use std::ffi::c_int;
use std::fmt::Write;

/// Around `MPI_Finalize` of the MPI library: collects the figures of all ranks, and rank 0 prints them.
pub fn report(statistics: &Statistics, forward: impl FnOnce() -> c_int) -> c_int {
    let world = mpi::world_size();
    collection::collect(&statistics.rows(), forward, |collected| print(statistics, collected, world))
}

fn print(statistics: &Statistics, Collected { totals, ranks }: Collected, world: usize) {
    let totals = totals.into_iter().filter(|total| total.row.calls > 0).collect::<Vec<_>>();
    if ranks < world {
        let these = if ranks == 1 { "rank 0".to_owned() } else { format!("{ranks} of {world} ranks") };
        eprintln!(
            "hcube: other ranks have not sent their statistics: HCUBE_STATS or LD_PRELOAD is not set there, or they \
             were not in MPI_Finalize {} s after rank 0; these are the figures of {these}",
            PATIENCE.as_secs()
        );
    }
    // One write: other ranks may print as well.
    eprint!("{}", table(&totals, ranks, statistics));
    if let Some(path) = &statistics.json
        && let Err(error) = write_json(path, &totals, ranks, statistics)
    {
        eprintln!("hcube: HCUBE_STATS=json:{path}: {error}");
    }
}

impl Total {
    fn operation(&self) -> String {
        format!("{}{}", self.row.function.name(), if self.row.in_place { " in place" } else { "" })
    }

    /// Why calls of this row were forwarded.
    fn reason(&self, statistics: &Statistics) -> Option<&'static str> {
        let by_library = self.row.path == Path::Library.name();
        statistics.reason(self.row.function, self.row.in_place).filter(|_| by_library)
    }

    fn seconds_max(&self) -> f64 {
        self.row.nanoseconds as f64 * 1e-9
    }

    fn seconds_mean(&self, ranks: usize) -> f64 {
        self.nanoseconds as f64 * 1e-9 / ranks as f64
    }

    /// Bytes sent to other ranks per second within these calls, in 10^6.
    fn megabytes_per_second(&self) -> f64 {
        if self.nanoseconds == 0 { 0.0 } else { self.row.bytes as f64 * 1e3 / self.nanoseconds as f64 }
    }
}

fn title(ranks: usize) -> String {
    let plural = if ranks == 1 { "" } else { "s" };
    format!("hcube {} in {}, {ranks} rank{plural}", env!("CARGO_PKG_VERSION"), next::library_name())
}

fn table(totals: &[Total], ranks: usize, statistics: &Statistics) -> String {
    if totals.is_empty() {
        return format!("{}: no all-to-all calls seen\n", title(ranks));
    }
    let head =
        ["operation", "path", "calls", "bytes sent", "max s", "mean s", "MB/s per rank", "extra memory"];
    let mut lines = vec![head.map(str::to_owned)];
    lines.extend(totals.iter().map(|total| {
        [
            total.operation(),
            total.row.path.to_owned(),
            total.row.calls.to_string(),
            total.row.bytes.to_string(),
            format!("{:.6}", total.seconds_max()),
            format!("{:.6}", total.seconds_mean(ranks)),
            format!("{:.1}", total.megabytes_per_second()),
            total.row.memory.to_string(),
        ]
    }));
    let widths: [usize; 8] =
        std::array::from_fn(|column| lines.iter().map(|line| line[column].len()).max().unwrap_or(0));
    let mut text = title(ranks) + "\n";
    for line in &lines {
        for (column, (cell, width)) in line.iter().zip(widths).enumerate() {
            let separator = if column == 0 { "" } else { "  " };
            let _ = if column < 2 {
                write!(text, "{separator}{cell:width$}")
            } else {
                write!(text, "{separator}{cell:>width$}")
            };
        }
        text.push('\n');
    }
    let mut reasons: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for total in totals {
        if let Some(reason) = total.reason(statistics) {
            reasons.entry(reason).or_default().push(total.operation());
        }
    }
    for (reason, operations) in reasons {
        let _ = writeln!(text, "forwarded to the MPI library ({reason}): {}", operations.join(", "));
    }
    text
}

/// What the file of `HCUBE_STATS=json:FILE` holds; README.md describes it.
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

fn write_json(
    path: &str,
    totals: &[Total],
    ranks: usize,
    statistics: &Statistics,
) -> Result<(), Box<dyn Error>> {
    let entry = |total: &Total| Entry {
        operation: total.row.function.name(),
        in_place: total.row.in_place,
        path: total.row.path,
        calls: total.row.calls,
        bytes: total.row.bytes,
        seconds_max: total.seconds_max(),
        seconds_mean: total.seconds_mean(ranks),
        memory_max: total.row.memory,
        reason: total.reason(statistics).unwrap_or_default(),
    };
    let rows = totals.iter().map(entry).collect();
    let file = File { hcube: env!("CARGO_PKG_VERSION"), mpi: next::library_name(), ranks, rows };
    Ok(std::fs::write(path, serde_json::to_string_pretty(&file)? + "\n")?)
}
