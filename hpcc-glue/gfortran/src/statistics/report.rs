//! The output at the end.

use super::advice::{element_wise, requests};
use super::{ARE_WANTED, OUTPUT, Path, STATISTICS, labels};
use crate::statement::kind::Kind;
use hcube_core::comm::Comm;
use hcube_core::error::Result;
use hcube_core::mpi::MpiComm;
use hcube_drop_in::figures::{Counters, Figures, Total};
use hcube_drop_in::mpi_library;
use hcube_drop_in::output::{Output, columns, is_loaded};
use serde::Serialize;
use std::fmt::Write;
use std::sync::atomic::Ordering;

/// A row with its values.
#[derive(Debug, Clone, Copy)]
struct Row {
    kind: Kind,
    path: Path,
    total: Total,
}

/// The statistics of all images.
#[derive(Debug)]
struct Report {
    images: usize,
    /// From begin to end, of the slowest image.
    seconds: f64,
    /// Those with statements; the kinds that take the most time first.
    rows: Vec<Row>,
    /// Element-wise gets and puts.
    element_wise: [(Kind, u64); 2],
}

/// Called when all images have ended: adds their statistics, and the first image that has statistics prints
/// them; without the statistics of others if a process has ended before.
///
/// # Errors
/// Errors of MPI.
pub fn report(comm: &MpiComm, is_complete: bool) -> Result<()> {
    let are_wanted = ARE_WANTED.swap(false, Ordering::Relaxed);
    let (rank, size) = (comm.rank(), comm.size());
    let mut printing = [if are_wanted { rank as u64 } else { size as u64 }];
    if is_complete {
        comm.all_reduce(&mut printing, hcube_core::comm::reduction::Operation::Min)?;
        if printing[0] == size as u64 {
            return Ok(());
        }
    }
    let own = STATISTICS.with_borrow(|all| {
        let rows: Vec<Figures> = all.rows.iter().map(Counters::figures).collect();
        (rows, [all.elements.gets, all.elements.puts])
    });
    let nanoseconds = OUTPUT.get().map_or(0, |(_, begin)| begin.elapsed().as_nanos() as u64);
    let sums = own.0.iter().flat_map(|row| [row.calls, row.bytes, row.nanoseconds]).chain(own.1);
    let mut sums: Vec<u64> = sums.collect();
    let mut maxima: Vec<u64> = own.0.iter().map(|row| row.nanoseconds).chain([nanoseconds]).collect();
    if is_complete {
        comm.all_reduce_sum(&mut sums)?;
        comm.all_reduce_max(&mut maxima)?;
    }
    if let Some((output, _)) = OUTPUT.get().filter(|_| printing[0] == rank as u64) {
        let report = Report::of(if is_complete { size } else { 1 }, &sums, &maxima);
        if !is_complete {
            eprintln!("hcube: a process has ended early: statistics of image {} only", rank + 1);
        }
        report.print(output);
    }
    Ok(())
}

impl Report {
    fn of(images: usize, sums: &[u64], maxima: &[u64]) -> Self {
        let mut rows: Vec<Row> = labels()
            .zip(sums.chunks_exact(3).zip(maxima))
            .map(|((kind, path), (sum, &nanoseconds))| {
                let figures = Figures { calls: sum[0], bytes: sum[1], nanoseconds, ..Figures::default() };
                Row { kind, path, total: Total { figures, nanoseconds: sum[2] } }
            })
            .filter(|row| row.total.figures.calls > 0)
            .collect();
        rows.sort_by_key(|row| std::cmp::Reverse(row.total.nanoseconds));
        let elements = &sums[labels().count() * 3..];
        let seconds = maxima.last().map_or(0.0, |&nanoseconds| nanoseconds as f64 * 1e-9);
        Self { images, seconds, rows, element_wise: [(Kind::Get, elements[0]), (Kind::Put, elements[1])] }
    }

    /// Statements of a kind, on all paths or on one.
    fn calls(&self, kind: Kind, path: Option<Path>) -> u64 {
        let rows =
            self.rows.iter().filter(|row| row.kind == kind && path.is_none_or(|path| row.path == path));
        rows.map(|row| row.total.figures.calls).sum()
    }

    /// An advice: its kind, the statement, the number of statements, and the line.
    fn advice(&self) -> Vec<Advice> {
        let mut all = Vec::new();
        for (kind, count) in self.element_wise.into_iter().filter(|&(_, count)| count > 0) {
            let text = element_wise(kind, count, self.calls(kind, None));
            all.push(Advice { kind: "element-wise", statement: kind.name(), count, text });
        }
        for kind in [Kind::Get, Kind::Put] {
            let count = self.calls(kind, Some(Path::Request));
            if count > 0 {
                let text = requests(kind, count);
                all.push(Advice { kind: "requests", statement: kind.name(), count, text });
            }
        }
        all
    }

    fn print(&self, output: &Output) {
        let file = File {
            hcube: env!("CARGO_PKG_VERSION"),
            mpi: mpi_library::name(),
            images: self.images,
            seconds: self.seconds,
            rows: self.rows.iter().map(|row| row.entry(self.images)).collect(),
            advice: self.advice(),
        };
        let has_others = ["libhcube_preload.so", "libhcube_pblas.so"].into_iter().any(is_loaded);
        output.write(&self.table(), if has_others { ".caf" } else { "" }, &file);
    }

    fn table(&self) -> String {
        let images = if self.images == 1 { "1 image".to_owned() } else { format!("{} images", self.images) };
        let within: f64 = self.rows.iter().map(|row| row.total.seconds_mean(self.images)).sum();
        let mut text = format!(
            "hcube {} in {}, {images}: {:.3} s, of which {within:.3} s on average in coarray statements\n",
            env!("CARGO_PKG_VERSION"),
            mpi_library::name(),
            self.seconds
        );
        let head = ["statement", "path", "count", "bytes", "max s", "mean s", "us each", "MB/s per image"];
        text.push_str(&columns(head, self.rows.iter().map(|row| row.cells(self.images))));
        for advice in self.advice() {
            let _ = writeln!(text, "{}", advice.text);
        }
        text
    }
}

impl Row {
    /// Microseconds of a statement.
    fn microseconds(&self) -> f64 {
        self.total.nanoseconds as f64 * 1e-3 / self.total.figures.calls as f64
    }

    fn cells(&self, images: usize) -> [String; 8] {
        let Total { figures, .. } = &self.total;
        [
            self.kind.name().to_owned(),
            self.path.name().to_owned(),
            figures.calls.to_string(),
            figures.bytes.to_string(),
            format!("{:.6}", self.total.seconds_max()),
            format!("{:.6}", self.total.seconds_mean(images)),
            format!("{:.3}", self.microseconds()),
            if figures.bytes == 0 {
                "-".to_owned()
            } else {
                format!("{:.1}", self.total.megabytes_per_second())
            },
        ]
    }

    fn entry(&self, images: usize) -> Entry {
        Entry {
            statement: self.kind.name(),
            path: self.path.name(),
            count: self.total.figures.calls,
            bytes: self.total.figures.bytes,
            seconds_max: self.total.seconds_max(),
            seconds_mean: self.total.seconds_mean(images),
        }
    }
}

/// The contents of the file of `HCUBE_STATS=json:FILE`.
#[derive(Serialize)]
struct File {
    hcube: &'static str,
    mpi: String,
    images: usize,
    seconds: f64,
    rows: Vec<Entry>,
    advice: Vec<Advice>,
}

/// A row of it.
#[derive(Serialize)]
struct Entry {
    statement: &'static str,
    path: &'static str,
    count: u64,
    bytes: u64,
    seconds_max: f64,
    seconds_mean: f64,
}

/// An advice.
#[derive(Serialize)]
struct Advice {
    kind: &'static str,
    statement: &'static str,
    count: u64,
    text: String,
}
