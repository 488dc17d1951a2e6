//! What simulations have found about BSP programs.

use hcube_results::bsp::prediction::Row;
use serde::Deserialize;

/// A simulated program, with its prediction.
#[derive(Debug, Clone, Deserialize)]
pub struct BspProgram {
    pub machine: String,
    pub ranks_per_node: usize,
    /// Whether the figures of the prediction are published; otherwise they follow from the links of the machine.
    pub figures_published: bool,
    #[serde(flatten)]
    pub row: Row,
    /// Simulated efficiency.
    pub simulated_percent: f64,
}

impl BspProgram {
    /// What is more than 0.
    pub fn positive(&self) -> [(&'static str, f64); 8] {
        let row = &self.row;
        [
            ("processes", row.processes as f64),
            ("ranks_per_node", self.ranks_per_node as f64),
            ("size", row.size as f64),
            ("parameter", row.parameter as f64),
            ("seconds.constant", row.seconds.constant),
            ("efficiency_percent.constant", row.efficiency_percent.constant),
            ("simulated_seconds", row.simulated_seconds.unwrap_or_default()),
            ("simulated_percent", self.simulated_percent),
        ]
    }
}
