//! What Plimpton et al. 2006 have published for Red Storm, beside the model with that machine's figures.
//!
//! Their rounds take Q values, not Q/2, and values travel by messages alone.

use hcube::model::random_access::Traffic;
use hcube::model::{Parameters, Placement};
use hcube::random_access::Mode;
use serde::Serialize;

/// The machine's name.
pub const MACHINE: &str = "red-storm";

/// A published run.
#[derive(Debug, Clone, Copy)]
pub struct Row {
    /// Ranks, each a node.
    pub ranks: usize,
    look_ahead: usize,
    /// GUP/s as measured.
    measured: f64,
    /// GUP/s by the model of the paper.
    model: Option<f64>,
}

const fn row(ranks: usize, look_ahead: usize, measured: f64, model: Option<f64>) -> Row {
    Row { ranks, look_ahead, measured, model }
}

/// Rates over the number of ranks.
pub const TABLE_2: [Row; 11] = [
    row(1, 1024, 0.0180, Some(0.0180)),
    row(4, 1024, 0.0377, Some(0.0333)),
    row(16, 1024, 0.0930, Some(0.0867)),
    row(64, 1024, 0.273, Some(0.257)),
    row(200, 1024, 0.567, None),
    row(256, 1024, 0.858, Some(0.817)),
    row(300, 1024, 0.739, None),
    row(1024, 1024, 2.81, Some(2.71)),
    row(4096, 1024, 9.25, Some(9.26)),
    row(8192, 1024, 17.24, Some(17.26)),
    row(10240, 1024, 19.72, None),
];

/// Rates over the look-ahead.
const TABLE_4: [Row; 10] = [
    row(32, 1, 0.000627, None),
    row(32, 4, 0.00193, None),
    row(32, 16, 0.00704, None),
    row(32, 64, 0.0262, None),
    row(32, 256, 0.0803, None),
    row(32, 1024, 0.158, None),
    row(32, 2048, 0.189, None),
    row(32, 4096, 0.210, None),
    row(32, 8192, 0.223, None),
    row(32, 32768, 0.212, None),
];

/// A published run and what the model says about it.
#[derive(Debug, Clone, Serialize)]
pub struct Compared {
    /// Where it is from.
    pub source: &'static str,
    /// Ranks, each a node.
    pub ranks: usize,
    /// Values per round.
    pub look_ahead: usize,
    /// Predicted here.
    pub gups: f64,
    /// By the model of the paper.
    pub published_model_gups: Option<f64>,
    /// As measured.
    pub published_gups: f64,
}

impl Compared {
    /// Deviation of the prediction from the paper's model, as a share of that.
    pub fn off_model(&self) -> Option<f64> {
        self.published_model_gups.map(|published| self.gups / published - 1.0)
    }

    /// Deviation of the prediction from what was measured, as a share of that.
    pub fn off_measured(&self) -> f64 {
        self.gups / self.published_gups - 1.0
    }
}

/// All published runs with the prediction.
pub fn compare(parameters: &Parameters) -> Vec<Compared> {
    let compare = |source, row: &Row| {
        let placement = Placement { ranks: row.ranks, ranks_per_node: 1 };
        let round = Traffic::new(&placement, Mode::Message, 0).round(parameters, row.look_ahead, false);
        Compared {
            source,
            ranks: row.ranks,
            look_ahead: row.look_ahead,
            gups: crate::numbers::gups((row.ranks * row.look_ahead) as u64, round.total()),
            published_model_gups: row.model,
            published_gups: row.measured,
        }
    };
    let second = TABLE_2.iter().map(|row| compare("Table 2", row));
    second.chain(TABLE_4.iter().map(|row| compare("Table 4", row))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machine::Machine;

    fn red_storm() -> Vec<Compared> {
        compare(&super::super::parameters(&Machine::find(MACHINE).expect("comes with hcube")))
    }

    #[test]
    fn the_model_row_of_the_paper_to_two_per_cent() {
        let deviations: Vec<(usize, f64)> =
            red_storm().iter().filter_map(|one| Some((one.ranks, one.off_model()?))).collect();
        assert_eq!(deviations.len(), 8);
        assert!(deviations.iter().all(|(_, deviation)| deviation.abs() < 0.02), "{deviations:?}");
    }

    /// What the count of messages is worth where halves are odd.
    #[test]
    fn measured_rates_of_odd_sizes_to_five_per_cent() {
        let odd: Vec<Compared> = red_storm()
            .into_iter()
            .filter(|one| one.source == "Table 2" && !one.ranks.is_power_of_two())
            .collect();
        assert_eq!(odd.len(), 3);
        let deviations: Vec<f64> = odd.iter().map(Compared::off_measured).collect();
        assert!(deviations.iter().all(|deviation| deviation.abs() < 0.05), "{deviations:?}");
    }
}
