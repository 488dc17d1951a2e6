//! Supersteps of BSP programs: the rows.
//!
//! Processes put words to processes that a hash selects, as in fine-grained BSP programs. The competitor is what a BSP
//! library does with functions of MPI: everybody tells everybody the number of bytes (`MPI_Alltoall`), and data follows in
//! a message to each process for which there is any; a superstep without data is `MPI_Barrier`.

pub mod cases;
pub mod table;

use crate::records::Record;
use serde::Serialize;

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
    pub fn load(&self) -> (usize, usize, usize, usize) {
        (self.ranks, self.ranks_per_node, self.puts, self.bytes)
    }
}
