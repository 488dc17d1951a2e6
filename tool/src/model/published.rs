//! What Plimpton et al. 2006 have published for Red Storm, beside the model with that machine's figures.
//!
//! Their rounds take Q values, not Q/2, and values travel only in messages.

use super::round::Round;
use hcube_core::machine::{Parameters, Placement};
use hcube_random_access::options::DEFAULT_LOOK_AHEAD;
use hcube_random_access::{Mode, Options};
use hcube_results::published::{SWEEP_RANKS, TABLE_2, TABLE_4};
use serde::Serialize;

/// The options of the published rounds.
pub fn options(look_ahead: usize) -> Options {
    Options { mode: Mode::Message, look_ahead, relaxed: true, ..Options::default() }
}

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
    /// By the model of Plimpton et al. 2006.
    pub published_model_gups: Option<f64>,
    /// As measured.
    pub published_gups: f64,
}

impl Compared {
    /// Deviation of the prediction from the published model, as a share of the model's value.
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
    let compare = |source, ranks, look_ahead, published_gups, published_model_gups| {
        let placement = Placement { ranks, ranks_per_node: 1 };
        let gups = Round::new(parameters, &placement, &options(look_ahead)).gups();
        Compared { source, ranks, look_ahead, gups, published_model_gups, published_gups }
    };
    let over_ranks = TABLE_2
        .iter()
        .map(|rate| compare("Table 2", rate.ranks, DEFAULT_LOOK_AHEAD, rate.hypercube, rate.model));
    let over_look_ahead = TABLE_4
        .iter()
        .map(|&(look_ahead, rate)| compare("Table 4", SWEEP_RANKS, look_ahead as usize, rate, None));
    over_ranks.chain(over_look_ahead).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machine::parameters;
    use hcube_results::machine::Machine;
    use hcube_results::published::MACHINE;

    fn red_storm() -> Vec<Compared> {
        compare(&parameters(&Machine::find(MACHINE).expect("comes with hcube")))
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
