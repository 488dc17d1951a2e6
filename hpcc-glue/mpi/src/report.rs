//! What the user gets to see at `MPI_Finalize`.

use crate::statistics::{Path, Row, Statistics};
use crate::{mpi, next};
use std::collections::BTreeMap;
use std::fmt::Write;

/// Seconds that a rank waits in `MPI_Finalize` for the figures of others. A rank that has no statistics
/// (another environment, no preloaded library) never sends any.
const PATIENCE: f64 = 10.0;

/// A row with the figures of all ranks that were heard of.
struct Total {
    /// Calls and bytes are sums over ranks, time is the largest of a rank, memory as well.
    row: Row,
    /// Time of all ranks together.
    nanoseconds: u64,
}

/// Collective over `MPI_COMM_WORLD` as far as its ranks take part: sums up, and rank 0 writes.
pub fn report(statistics: &Statistics) {
    let rows = statistics.rows();
    let own: Vec<Total> = rows.iter().map(|&row| Total { row, nanoseconds: row.nanoseconds }).collect();
    let summed = totals(&rows);
    if mpi::world_rank() != 0 {
        return;
    }
    let world = mpi::world_size();
    let heard = if summed.is_some() { world } else { 1 };
    let totals = summed.unwrap_or(own).into_iter().filter(|total| total.row.calls > 0).collect::<Vec<_>>();
    if heard < world {
        eprintln!(
            "hcube: {PATIENCE} s after MPI_Finalize on rank 0 other ranks have not sent their statistics: not \
             there yet, or HCUBE_STATS or LD_PRELOAD is not set there; these are the figures of rank 0"
        );
    }
    // One write: other ranks may print as well.
    eprint!("{}", table(&totals, heard, statistics));
    if let Some(path) = &statistics.json
        && let Err(error) = std::fs::write(path, json(&totals, heard, statistics))
    {
        eprintln!("hcube: HCUBE_STATS=json:{path}: {error}");
    }
}

/// Collective: the figures of all ranks, on rank 0; `None` where they do not come.
fn totals(rows: &[Row]) -> Option<Vec<Total>> {
    let summands = rows.iter().flat_map(|row| [row.calls, row.bytes, row.nanoseconds]).collect();
    let values = rows.iter().flat_map(|row| [row.nanoseconds, row.memory]).collect();
    let (sums, maxima) = mpi::reduce(summands, values, PATIENCE)?;
    let figures = sums.chunks_exact(3).zip(maxima.chunks_exact(2));
    let total = |(row, (sum, largest)): (&Row, (&[u64], &[u64]))| Total {
        row: Row { calls: sum[0], bytes: sum[1], nanoseconds: largest[0], memory: largest[1], ..*row },
        nanoseconds: sum[2],
    };
    Some(rows.iter().zip(figures).map(total).collect())
}

impl Total {
    fn operation(&self) -> String {
        format!("{}{}", self.row.function.name(), if self.row.in_place { " in place" } else { "" })
    }

    /// Why calls of this row were not hcube's.
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

    /// What a rank has sent to others in a second of its calls, in units of 10^6 bytes.
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
            let gap = if column == 0 { "" } else { "  " };
            let _ = if column < 2 {
                write!(text, "{gap}{cell:width$}")
            } else {
                write!(text, "{gap}{cell:>width$}")
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
        let _ = writeln!(text, "left to the library ({reason}): {}", operations.join(", "));
    }
    text
}

/// The form is described in README.md. Nothing in it needs escaping but the names of libraries.
fn json(totals: &[Total], ranks: usize, statistics: &Statistics) -> String {
    let rows: Vec<String> = totals
        .iter()
        .map(|total| {
            let reason = total.reason(statistics).unwrap_or_default();
            format!(
                "    {{\"operation\": {:?}, \"in_place\": {}, \"path\": {:?}, \"calls\": {}, \"bytes\": {}, \
                 \"seconds_max\": {:.9}, \"seconds_mean\": {:.9}, \"memory_max\": {}, \"reason\": {reason:?}}}",
                total.row.function.name(),
                total.row.in_place,
                total.row.path,
                total.row.calls,
                total.row.bytes,
                total.seconds_max(),
                total.seconds_mean(ranks),
                total.row.memory,
            )
        })
        .collect();
    format!(
        "{{\n  \"hcube\": {:?},\n  \"mpi\": {:?},\n  \"ranks\": {ranks},\n  \"rows\": [\n{}\n  ]\n}}\n",
        env!("CARGO_PKG_VERSION"),
        next::library_name(),
        rows.join(",\n")
    )
}
