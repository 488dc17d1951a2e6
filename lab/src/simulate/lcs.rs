//! Lengths of longest common subsequences: the rows.
//!
//! The simulated computation and the predicted one have the same grid, which is chosen here by the cost model with the
//! figures of the machine's file. The strings are random. The simulator computes every entry of the matrix, so that a
//! simulation takes the time of the whole computation on one core.
//!
//! Long strings: the second one is `scale` times shorter in the simulation, on a machine with `scale` times less bandwidth
//! where an entry takes `scale` times as long. Blocks, supersteps and messages are as many, and each takes the time that it has
//! for the whole strings, except that messages consist of whole words.

pub mod cases;
pub mod table;

use crate::records::Record;
use hcube_lcs::cost::{self, Machine, Problem};
use hcube_lcs::grid::Grid;
use hcube_lcs::packed::Packing;
use hcube_results::machine;
use serde::Serialize;

/// Symbols of the strings: as many as nucleotides.
pub const SYMBOLS: usize = 4;
/// Nanoseconds of an entry where the file of a machine does not say it: between that of words and that of vectors.
const DEFAULT_ENTRY_NS: f64 = 0.02;

/// How a grid came about, and how its supersteps end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Variant {
    /// The grid with the shortest prediction; a superstep ends for a rank when it has the messages for the next.
    Chosen,
    /// As many block rows as block columns, and no barriers.
    Square,
    /// As many block rows as block columns; each block of a rank on a diagonal is a superstep that ends with a barrier.
    Thesis,
}

impl Variant {
    /// In tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::Chosen => "chosen",
            Self::Square => "square",
            Self::Thesis => "thesis",
        }
    }
}

/// A computation.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Subsequence {
    pub section: &'static str,
    pub machine: String,
    pub ranks: usize,
    pub ranks_per_node: usize,
    /// Of each of the two strings.
    pub length: usize,
    /// The second string is shorter in the simulation by this factor.
    pub scale: usize,
    pub symbols: usize,
    pub variant: Variant,
    /// Block columns of each rank.
    pub alpha: usize,
    pub block_rows: usize,
    /// By the cost model.
    pub predicted_seconds: f64,
    /// Simulated.
    pub seconds: f64,
    /// The time of all entries, divided by that of all ranks.
    pub predicted_efficiency: f64,
    pub efficiency: f64,
    /// The length of the longest common subsequence of the simulated strings.
    pub subsequence: u64,
    /// Ranks that have found another length than a rank without a grid.
    pub errors: u64,
    pub links_shared: bool,
    /// Seconds of all entries on one rank.
    #[serde(skip)]
    pub serial_seconds: f64,
}

/// Nanoseconds of an entry of the matrix on a machine.
pub fn entry_ns(machine: &machine::Machine) -> f64 {
    Some(machine.costs.entry_ns).filter(|&cost| cost > 0.0).unwrap_or(DEFAULT_ENTRY_NS)
}

impl Subsequence {
    /// In the form that the driver reads.
    pub fn text(&self) -> String {
        let Self { length, scale, symbols, alpha, block_rows, .. } = self;
        let rows = length / scale;
        let barriers = u8::from(self.variant == Variant::Thesis);
        format!(
            "length={length},rows={rows},symbols={symbols},alpha={alpha},block_rows={block_rows},barriers={barriers}"
        )
    }

    /// Takes the figures that the driver has printed.
    pub fn fill(&mut self, record: &Record) -> Result<(), String> {
        self.seconds = record.number("seconds")?;
        self.subsequence = record.count("subsequence")?;
        self.errors = record.count("errors")?;
        self.efficiency = self.efficiency_of(self.seconds);
        Ok(())
    }

    fn efficiency_of(&self, seconds: f64) -> f64 {
        self.serial_seconds / (self.ranks as f64 * seconds)
    }

    /// Bytes of a simulation per rank: the strings, their symbols and bits in block columns, and both strings on the rank that
    /// computes the length without a grid.
    pub fn bytes_per_rank(&self) -> u64 {
        (16 * self.length).div_ceil(self.ranks) as u64
    }
}

/// What the cost model has as input.
pub fn problem(length: usize) -> Problem {
    Problem { columns: length, rows: length, bits: 1 + Packing::new(SYMBOLS).bits() }
}

/// Predicted seconds.
pub fn predicted(length: usize, variant: Variant, grid: &Grid, machine: &Machine) -> f64 {
    let problem = problem(length);
    match variant {
        Variant::Thesis => {
            let machine = machine.with_barriers(grid.ranks);
            cost::thesis_seconds(length, problem.bits, grid.ranks, grid.alpha, &machine)
        }
        Variant::Chosen | Variant::Square => cost::seconds(&problem, grid, machine),
    }
}
