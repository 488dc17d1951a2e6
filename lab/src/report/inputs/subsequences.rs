//! What simulations have found about longest common subsequences.

use serde::Deserialize;

/// A simulated computation.
#[derive(Debug, Clone, Deserialize)]
pub struct Subsequence {
    pub machine: String,
    pub ranks: usize,
    pub ranks_per_node: usize,
    /// Of each of the two strings.
    pub length: usize,
    /// `chosen`, `square` or `thesis`.
    pub variant: String,
    pub alpha: usize,
    pub block_rows: usize,
    pub predicted_seconds: f64,
    pub seconds: f64,
    pub predicted_efficiency: f64,
    pub efficiency: f64,
    /// Ranks with a wrong length.
    pub errors: u64,
}

impl Subsequence {
    /// What is more than 0.
    pub fn positive(&self) -> [(&'static str, f64); 8] {
        [
            ("ranks", self.ranks as f64),
            ("length", self.length as f64),
            ("alpha", self.alpha as f64),
            ("block_rows", self.block_rows as f64),
            ("predicted_seconds", self.predicted_seconds),
            ("seconds", self.seconds),
            ("predicted_efficiency", self.predicted_efficiency),
            ("efficiency", self.efficiency),
        ]
    }
}
