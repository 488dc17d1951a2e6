//! Supersteps of BSP programs: rows, cases and table.
//!
//! Processes put words to processes that a hash selects, as in fine-grained BSP programs. The competitor is what a BSP
//! library does with functions of MPI: everybody tells everybody the number of bytes (`MPI_Alltoall`), and data follows in
//! a message to each process for which there is any; a superstep without data is `MPI_Barrier`.

use super::results::{Batch, Case, links};
use super::sections::Place;
use crate::records::Record;
use hcube_results::numbers::time;
use hcube_results::table::Table;
use serde::Serialize;

/// Puts of a process in a superstep.
const PUTS: [usize; 3] = [0, 1, 64];
/// Bytes of a put.
const BYTES: usize = 8;

/// Supersteps with the same load.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Superstep {
    pub section: &'static str,
    pub machine: String,
    pub ranks: usize,
    pub ranks_per_node: usize,
    /// `hcube`, or `library` for functions of MPI.
    pub by: &'static str,
    /// Of each process.
    pub puts: usize,
    /// Of a put.
    pub bytes: usize,
    /// Simulated, of one superstep.
    pub seconds: f64,
    /// Wrong words.
    pub errors: u64,
    pub links_shared: bool,
    /// Time of a byte that the driver copies.
    #[serde(skip)]
    pub copy_ns: f64,
}

impl Superstep {
    /// In the form that the driver reads.
    pub fn text(&self) -> String {
        let Self { by, puts, bytes, copy_ns, .. } = self;
        format!("by={by},puts={puts},bytes={bytes},copy={copy_ns}")
    }

    /// Takes the figures that the driver has printed.
    pub fn fill(&mut self, record: &Record) -> Result<(), String> {
        self.seconds = record.number("seconds")?;
        self.errors = record.count("errors")?;
        Ok(())
    }

    /// Bytes of a simulation for the memory that a rank registers and the buffer of the competitor, which is as large.
    pub fn bytes_per_rank(&self) -> u64 {
        (2 * self.ranks * self.puts * (self.bytes + size_of::<u64>())) as u64
    }

    /// What is compared.
    fn load(&self) -> (usize, usize, usize, usize) {
        (self.ranks, self.ranks_per_node, self.puts, self.bytes)
    }
}

/// The simulations of a place. All loads of a number of ranks share one.
pub fn batches(place: &Place<'_>) -> Vec<Batch> {
    place.batches(|place, ranks| {
        let case = |puts, by| {
            Case::Bsp(Superstep {
                section: place.section.name(),
                machine: place.machine.name.clone(),
                ranks,
                ranks_per_node: place.ranks_per_node,
                by,
                puts,
                bytes: BYTES,
                seconds: 0.0,
                errors: 0,
                links_shared: true,
                copy_ns: place.machine.costs.copy_ns,
            })
        };
        PUTS.into_iter().flat_map(|puts| ["hcube", "library"].map(|by| case(puts, by))).collect()
    })
}

/// The rows of a section on a machine; hcube and the competitor share a line.
pub fn render(rows: &[&Superstep]) -> String {
    let mut table =
        Table::new(["ranks", "per node", "puts", "bytes", "hcube", "library", "speed-up", "errors", "links"]);
    for row in rows.iter().filter(|row| row.by == "hcube") {
        let library = rows.iter().find(|other| other.by == "library" && other.load() == row.load());
        let none = || "-".to_owned();
        table.row([
            row.ranks.to_string(),
            row.ranks_per_node.to_string(),
            row.puts.to_string(),
            row.bytes.to_string(),
            time(row.seconds),
            library.map_or_else(none, |library| time(library.seconds)),
            library.map_or_else(none, |library| format!("{:.2}", library.seconds / row.seconds)),
            (row.errors + library.map_or(0, |library| library.errors)).to_string(),
            links(row.links_shared),
        ]);
    }
    table.render()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(by: &'static str, puts: usize, seconds: f64) -> Superstep {
        Superstep {
            section: "supersteps",
            machine: "juropa".to_owned(),
            ranks: 64,
            ranks_per_node: 8,
            by,
            puts,
            bytes: 8,
            seconds,
            errors: 0,
            links_shared: true,
            copy_ns: 0.25,
        }
    }

    #[test]
    fn hcube_and_the_library_share_a_line() {
        assert_eq!(row("hcube", 64, 0.0).text(), "by=hcube,puts=64,bytes=8,copy=0.25");
        let rows = [row("hcube", 0, 1e-6), row("library", 0, 3e-6), row("hcube", 1, 2e-6)];
        let text = render(&rows.iter().collect::<Vec<_>>());
        let lines: Vec<Vec<&str>> = text.lines().map(|line| line.split_whitespace().collect()).collect();
        assert_eq!(lines.len(), 3, "{text}");
        assert!(lines[1].contains(&"3.00") && lines[2].contains(&"-"), "{text}");
    }
}
