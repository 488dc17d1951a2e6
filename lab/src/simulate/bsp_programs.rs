//! BSP programs on simulated machines: matrix products and longest common subsequences of Krusche 2005, beside their
//! predicted and published efficiencies.
//!
//! A prediction is that of `hcube bsp predict --costs corrected`: it has the gaps and latencies that the thesis has measured
//! for its machines. Their network in the simulation is derived from these figures. Other machines have no such figures;
//! [`figures`] derives them from their links. All operations are computed, whatever they cost in the simulation. The grid
//! of a subsequence has a barrier after each block, as in the thesis, and an entry takes the time of the standard algorithm,
//! although it is computed, and travels, as a bit.

pub mod cases;
pub mod figures;
pub mod table;

use crate::records::Record;
use hcube_core::machine::work::Unit;
use hcube_lcs::work::ENTRY;
use hcube_matmul::MULTIPLY_ADD;
use hcube_results::bsp::prediction::Row;
use hcube_tool::bsp::program::{Program, SYMBOLS};
use serde::Serialize;

/// Ranks from which problems are larger than those of the thesis, and ranks that wait look less often.
pub const MIN_RANKS_LARGE: usize = 256;

/// A program with its prediction.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct BspProgram {
    pub section: &'static str,
    pub machine: String,
    pub ranks_per_node: usize,
    /// Whether gaps and latencies are in the machine's file; otherwise they follow from its links.
    pub figures_published: bool,
    #[serde(flatten)]
    pub row: Row,
    /// Per cent.
    pub simulated_percent: f64,
    pub links_shared: bool,
    #[serde(skip)]
    pub program: Program,
}

impl BspProgram {
    /// The driver that runs it.
    pub fn driver(&self) -> &'static str {
        match self.program {
            Program::Matmul => "matmul",
            Program::Llcs => "lcs",
        }
    }

    /// Its operation, and the nanoseconds that it takes.
    pub fn operation(&self) -> (Unit, f64) {
        let unit = match self.program {
            Program::Matmul => MULTIPLY_ADD,
            Program::Llcs => ENTRY,
        };
        (unit, self.row.operation_ns)
    }

    /// Nanoseconds that a rank adds to its pauses: a sixteenth of the time that a block takes out of a node of this bandwidth
    /// while all of its ranks send, or a microsecond, which is a small part of a superstep.
    pub fn rest_ns(&self, bandwidth_gb_s: f64) -> f64 {
        let &Row { processes, size, parameter, .. } = &self.row;
        match self.program {
            _ if processes < MIN_RANKS_LARGE => 0.0,
            Program::Matmul => {
                let bytes = size_of::<f64>() * size.div_ceil(parameter).pow(2) * self.ranks_per_node;
                bytes as f64 / bandwidth_gb_s / 16.0
            }
            Program::Llcs => 1000.0,
        }
    }

    /// In the form that the driver reads.
    pub fn text(&self) -> String {
        let &Row { processes, size, parameter, .. } = &self.row;
        match self.program {
            Program::Matmul => format!("n={size},blocks={parameter}"),
            Program::Llcs => {
                let block_rows = parameter * processes;
                format!(
                    "length={size},symbols={SYMBOLS},alpha={parameter},block_rows={block_rows},barriers=1"
                )
            }
        }
    }

    /// Takes the figures that the driver has printed.
    pub fn fill(&mut self, record: &Record) -> Result<(), String> {
        let seconds = record.number("seconds")?;
        self.row.simulated_seconds = Some(seconds);
        self.row.errors = Some(record.count("errors")?);
        self.simulated_percent = self.row.efficiency_percent.constant * self.row.seconds.constant / seconds;
        Ok(())
    }

    /// Wrong elements, or ranks with a wrong length.
    pub fn errors(&self) -> u64 {
        self.row.errors.unwrap_or_default()
    }

    /// Bytes of a simulation per rank: three matrices and three blocks; or the strings, their symbols and bits in block
    /// columns, and both strings on the rank that computes the length without a grid.
    pub fn bytes_per_rank(&self) -> u64 {
        let &Row { processes, size, parameter, .. } = &self.row;
        let bytes = match self.program {
            Program::Matmul => {
                let block = size.div_ceil(parameter).pow(2);
                3 * size_of::<f64>() * block * (1 + parameter.pow(2).div_ceil(processes))
            }
            Program::Llcs => (16 * size).div_ceil(processes),
        };
        bytes as u64
    }
}
