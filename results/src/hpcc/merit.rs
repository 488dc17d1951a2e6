//! Figures of merit, and their values in pairs of runs.

use crate::numbers::median;
use serde::{Deserialize, Serialize};

/// A figure of HPCC's summary.
#[derive(Debug, PartialEq, Eq)]
pub struct Merit {
    /// The name in HPCC's result file.
    pub key: &'static str,
    /// The benchmark, in tables and pictures.
    pub title: &'static str,
    pub unit: &'static str,
    /// Whether hcube replaces what is measured; the others are the control.
    pub replaced: bool,
    /// From HPCC's unit to this one.
    factor: u32,
}

const fn replaced(key: &'static str, title: &'static str, unit: &'static str) -> Merit {
    Merit { key, title, unit, replaced: true, factor: 1 }
}

const fn kept(key: &'static str, title: &'static str, unit: &'static str) -> Merit {
    Merit { replaced: false, ..replaced(key, title, unit) }
}

/// In the order of tables and pictures: the global benchmarks first.
pub const MERITS: [Merit; 11] = [
    Merit { factor: 1000, ..replaced("HPL_Tflops", "HPL", "GFLOP/s") },
    replaced("MPIFFT_Gflops", "MPIFFT", "GFLOP/s"),
    replaced("MPIRandomAccess_GUPs", "MPIRandomAccess", "GUP/s"),
    replaced("MPIRandomAccess_LCG_GUPs", "MPIRandomAccess LCG", "GUP/s"),
    replaced("PTRANS_GBs", "PTRANS", "GB/s"),
    replaced("StarSTREAM_Triad", "StarSTREAM triad", "GB/s"),
    replaced("SingleSTREAM_Triad", "SingleSTREAM triad", "GB/s"),
    replaced("StarFFT_Gflops", "StarFFT", "GFLOP/s"),
    replaced("SingleFFT_Gflops", "SingleFFT", "GFLOP/s"),
    kept("StarDGEMM_Gflops", "StarDGEMM", "GFLOP/s"),
    kept("StarRandomAccess_GUPs", "StarRandomAccess", "GUP/s"),
];

/// Pairs from which a speed-up is stated.
pub const MIN_PAIRS: usize = 3;

impl Merit {
    /// The value, from the value in HPCC's result file; `None` where HPCC has not measured it.
    pub fn value(&self, measured: f64) -> Option<f64> {
        Some(measured * f64::from(self.factor)).filter(|value| value.is_finite() && *value > 0.0)
    }
}

/// A figure of merit on a number of ranks.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Compared {
    /// The name in HPCC's result file.
    pub key: String,
    pub ranks: usize,
    /// Values of stock HPCC, a run each.
    pub stock: Vec<f64>,
    /// Values with hcube, a run each, in the order of the runs of stock HPCC with which they are pairs.
    pub hcube: Vec<f64>,
}

impl Compared {
    /// What it measures; `None` for a name that is unknown here.
    pub fn merit(&self) -> Option<&'static Merit> {
        MERITS.iter().find(|merit| merit.key == self.key)
    }

    /// Whether hcube replaces what is measured. HPL on one rank has no other rank to broadcast to.
    pub fn is_replaced(&self) -> bool {
        self.merit().is_some_and(|merit| merit.replaced && (merit.title != "HPL" || self.ranks > 1))
    }

    /// The value with hcube over the value of stock HPCC, for each pair.
    pub fn pairs(&self) -> Vec<f64> {
        self.stock.iter().zip(&self.hcube).map(|(stock, hcube)| hcube / stock).collect()
    }

    /// The median over the pairs; `None` where they are too few.
    pub fn speed_up(&self) -> Option<f64> {
        let pairs = self.pairs();
        (pairs.len() >= MIN_PAIRS).then(|| median(&pairs))
    }
}
