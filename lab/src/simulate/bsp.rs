//! Supersteps of BSP programs.
//!
//! Processes put words to processes that a hash selects, as in fine-grained BSP programs. The competitor is
//! what a BSP library does with functions of MPI: everybody tells everybody the number of bytes
//! (`MPI_Alltoall`), and data follows in a message to each process for which there is any; a superstep
//! without data is `MPI_Barrier`.

use super::columns::{Layout, Line, both, maybe, printed, shown};
use super::place::Place;
use super::row::{Batch, Outcome, Row, Site};
use crate::records::Record;
use hcube_results::numbers::time;
use hcube_results::plot::Evidence::Simulated;
use serde::{Deserialize, Serialize};

/// Puts of a process in a superstep.
const PUTS: [usize; 3] = [0, 1, 64];
/// Bytes of a put.
const BYTES: usize = 8;

/// Supersteps with the same load.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Superstep {
    #[serde(flatten)]
    pub site: Site,
    /// `hcube`, or `library` for functions of MPI.
    pub by: String,
    /// Of each process.
    pub puts: usize,
    /// Of a put.
    pub bytes: usize,
    /// Simulated, of one superstep.
    pub seconds: f64,
    #[serde(flatten)]
    pub outcome: Outcome,
    /// Time of a byte that the driver copies.
    #[serde(skip)]
    copy_ns: f64,
}

impl Row for Superstep {
    fn driver(&self) -> (&'static str, Option<String>) {
        ("bsp", None)
    }

    fn text(&self) -> String {
        let Self { by, puts, bytes, copy_ns, .. } = self;
        format!("by={by},puts={puts},bytes={bytes},copy={copy_ns}")
    }

    fn fill(&mut self, record: &Record) -> Result<(), String> {
        self.seconds = record.number("seconds")?;
        Ok(())
    }

    fn place(&self) -> (&Site, &Outcome) {
        (&self.site, &self.outcome)
    }

    fn outcome(&mut self) -> &mut Outcome {
        &mut self.outcome
    }

    fn positive(&self) -> Vec<(&'static str, f64)> {
        let figures = vec![("bytes", self.bytes as f64), ("seconds", self.seconds)];
        [self.site.positive(), figures].concat()
    }

    /// The memory that a rank registers, and the buffer of the competitor, which is as large.
    fn bytes_per_rank(&self) -> u64 {
        (2 * self.site.ranks * self.puts * (self.bytes + size_of::<u64>())) as u64
    }
}

/// The simulations of a place. All loads of a number of ranks share one.
pub fn batches(place: &Place<'_>) -> Vec<Batch<Superstep>> {
    place.batches(|ranks| {
        let case = |puts, by: &str| Superstep {
            site: place.site(ranks),
            by: by.to_owned(),
            puts,
            bytes: BYTES,
            copy_ns: place.machine.costs.copy_ns,
            ..Superstep::default()
        };
        PUTS.into_iter().flat_map(|puts| ["hcube", "library"].map(|by| case(puts, by))).collect()
    })
}

/// hcube and the competitor share a line.
pub const LAYOUT: Layout<Superstep> = Layout {
    title: "BSP programs",
    columns: &[
        both(["ranks", "processes"], None, |line| line.row.site.ranks.to_string()),
        both(["per node", "per node"], None, |line| line.row.site.ranks_per_node.to_string()),
        both(["puts", "puts"], None, |line| line.row.puts.to_string()),
        both(["bytes", "bytes"], None, |line| line.row.bytes.to_string()),
        both(["hcube", "hcube"], Some(Simulated), |line| time(line.row.seconds)),
        both(["library", "MPI library"], Some(Simulated), |line| {
            maybe(library(line), |library| time(library.seconds))
        }),
        printed("speed-up", |line| maybe(speed_up(line), |ratio| format!("{ratio:.2}"))),
        shown("speed-up", Some(Simulated), |line| maybe(speed_up(line), |ratio| format!("×{ratio:.2}"))),
        printed("errors", |line| {
            (line.row.outcome.errors + library(line).map_or(0, |library| library.outcome.errors)).to_string()
        }),
    ],
    has_line: |line| line.row.by == "hcube",
};

/// The competitor with the same load.
fn library<'a>(line: &Line<'a, Superstep>) -> Option<&'a Superstep> {
    let load = |row: &Superstep| (row.site.clone(), row.puts, row.bytes);
    line.all.iter().copied().find(|other| other.by == "library" && load(other) == load(line.row))
}

fn speed_up(line: &Line<'_, Superstep>) -> Option<f64> {
    Some(library(line)?.seconds / line.row.seconds)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(by: &str, puts: usize, seconds: f64) -> Superstep {
        Superstep { by: by.to_owned(), puts, bytes: 8, seconds, copy_ns: 0.25, ..Superstep::default() }
    }

    #[test]
    fn hcube_and_the_library_share_a_line() {
        assert_eq!(row("hcube", 64, 0.0).text(), "by=hcube,puts=64,bytes=8,copy=0.25");
        let rows = [row("hcube", 0, 1e-6), row("library", 0, 3e-6), row("hcube", 1, 2e-6)];
        let text = LAYOUT.render(&rows.iter().collect::<Vec<_>>());
        let lines: Vec<Vec<&str>> = text.lines().map(|line| line.split_whitespace().collect()).collect();
        assert_eq!(lines.len(), 3, "{text}");
        assert!(lines[1].contains(&"3.00") && lines[2].contains(&"-"), "{text}");
    }
}
