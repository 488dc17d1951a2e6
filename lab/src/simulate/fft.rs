//! Fourier transforms: the rows, and how a short transform is simulated as a long one.
//!
//! Vectors of the machines do not fit into the memory of this one. A simulated rank has `scale` times fewer numbers, on a
//! machine with `scale` times less bandwidth whose copies and levels of butterflies take `scale` times as long; the levels that a
//! shorter part lacks are charged in addition. Messages are therefore as many and take as long as those of the long vector,
//! except that binary exchange cuts a part into 16 strips and the long one into more. Data is real, and every number of the
//! result is compared.

pub mod cases;
pub mod table;

use crate::records::Record;
use hcube_fft::COMPLEX;
use serde::Serialize;

/// Ranks up to which those of a transform share links and the ports of nodes that receive.
pub const MAX_RANKS_SHARING: usize = 64;

/// A transform by one algorithm.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Transform {
    pub section: &'static str,
    pub machine: String,
    pub ranks: usize,
    pub ranks_per_node: usize,
    /// `six-step` or `binary-exchange`.
    pub algorithm: &'static str,
    /// Complex numbers of a rank.
    pub part: usize,
    /// Those in the simulation are fewer by this factor.
    pub scale: usize,
    /// Simulated.
    pub seconds: f64,
    /// Of these, exchanges and waits on the rank where they take longest.
    pub exchange_seconds: f64,
    pub gflops: f64,
    /// Wrong numbers.
    pub errors: u64,
    pub links_shared: bool,
    pub published_gflops: Option<f64>,
    /// Time of a number in a level of butterflies.
    #[serde(skip)]
    pub level_ns: f64,
}

impl Transform {
    /// In the form that the driver reads.
    pub fn text(&self) -> String {
        let Self { algorithm, part, scale, level_ns, .. } = self;
        let (part, levels, level) = (part / scale, scale.ilog2(), level_ns * *scale as f64);
        format!("algorithm={algorithm},part={part},levels={levels},level={level}")
    }

    /// Takes the figures that the driver has printed.
    pub fn fill(&mut self, record: &Record) -> Result<(), String> {
        self.seconds = record.number("seconds")?;
        self.exchange_seconds = record.number("exchanges")?;
        self.errors = record.count("errors")?;
        let length = (self.part * self.ranks) as f64;
        // HPCC's count of operations.
        self.gflops = 5e-9 * length * length.log2() / self.seconds;
        Ok(())
    }

    /// Nanoseconds that a rank adds to its pauses, where it waits for messages of many others: a block's way alone out of a
    /// node of this bandwidth. Other messages are on that way at the same time, so no wait becomes much longer.
    pub fn rest_ns(&self, bandwidth_gb_s: f64) -> f64 {
        if self.algorithm == "six-step" && self.ranks > MAX_RANKS_SHARING {
            (COMPLEX * self.part / self.ranks) as f64 / bandwidth_gb_s
        } else {
            0.0
        }
    }

    /// Bytes of a simulation for a rank: both ends, and what the algorithms keep.
    pub fn bytes_per_rank(&self) -> u64 {
        (self.part / self.scale * 6 * COMPLEX) as u64 + (512 << 10)
    }
}
