//! Series of the cost model, which predicts rates from the stages of the library's plans.

use hcube_core::machine::Placement;
use hcube_random_access::Options;
use hcube_results::machine::{Fit, Machine};
use hcube_tool::machine::parameters;
use hcube_tool::model::round::Round;

/// In legends.
pub const NAME: &str = "cost model";

/// Predicted GUP/s with one rank on each core.
pub fn rate(machine: &Machine, ranks: usize, options: &Options) -> f64 {
    let placement = Placement { ranks, ranks_per_node: machine.cores };
    Round::new(&parameters(machine), &placement, options).gups()
}

/// A warning if the predictions for a machine are inaccurate.
pub fn warning(machine: &Machine) -> Option<String> {
    machine.fit.as_ref().and_then(Fit::warning)
}

/// The reason if several nodes of a machine cannot be predicted.
pub fn one_node_only(machine: &Machine) -> Option<&'static str> {
    machine.network_assumed.then_some(
        "Rates of many nodes like this machine are not predicted: it was calibrated on one node, so its network \
         is not known.",
    )
}

/// The name of a series, with a mark if it is inaccurate.
pub fn name(words: &str, machine: &Machine) -> String {
    let mark = if warning(machine).is_some() { ", bad fit" } else { "" };
    format!("{words}{mark}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use hcube_results::published::{MACHINE, TABLE_2};
    use hcube_tool::model::paper_options;

    #[test]
    fn the_papers_model_row() {
        let machine = Machine::find(MACHINE).expect("comes with hcube");
        let known = TABLE_2.iter().filter_map(|column| Some((column.ranks, column.model?)));
        for (ranks, published) in known {
            let rate = rate(&machine, ranks, &paper_options(1024));
            assert!((rate / published - 1.0).abs() < 0.02, "{ranks} ranks: {rate}, published {published}");
            // Rounds of half the values need twice the messages.
            let strict = super::rate(&machine, ranks, &Options::default());
            assert!(ranks == 1 || strict < 0.95 * rate, "{ranks} ranks: {strict} strict, {rate} relaxed");
        }
    }

    #[test]
    fn bad_fits_are_marked() {
        let mut machine = Machine::find(MACHINE).expect("comes with hcube");
        assert_eq!(name("line", &machine), "line");
        machine.fit = Some(Fit { largest_error_percent: 900.0, mean_error_percent: 150.0, samples: 19 });
        assert_eq!(name("line", &machine), "line, bad fit");
    }
}
