//! Lines of the cost model: what the library predicts from the stages of its production plans.

use hcube_core::machine::Placement;
use hcube_random_access::Options;
use hcube_tool::machine::Machine;
use hcube_tool::model::{Round, fit_warning, parameters};

/// In legends.
pub const NAME: &str = "cost model";

/// GUP/s of so many ranks, as many on each node as it has cores.
pub fn rate(machine: &Machine, ranks: usize, options: &Options) -> f64 {
    let placement = Placement { ranks, ranks_per_node: machine.cores };
    Round::new(&parameters(machine), &placement, options).gups()
}

/// Why predictions for a machine mean little, if so.
pub fn warning(machine: &Machine) -> Option<String> {
    machine.fit.as_ref().and_then(fit_warning)
}

/// Why nothing is predicted for several nodes of a machine, if so.
pub fn one_node_only(machine: &Machine) -> Option<&'static str> {
    machine.network_assumed.then_some(
        "Rates of many nodes like this machine are not predicted: it was calibrated on one node, so that its \
         network is not known.",
    )
}

/// The name of a line, which says so if it means little.
pub fn name(words: &str, machine: &Machine) -> String {
    let mark = if warning(machine).is_some() { ", bad fit" } else { "" };
    format!("{words}{mark}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use hcube_tool::machine::Fit;
    use hcube_tool::model::paper_options;
    use hcube_tool::published::{MACHINE, TABLE_2};

    #[test]
    fn the_papers_model_row() {
        let machine = Machine::find(MACHINE).expect("comes with hcube");
        let known = TABLE_2.iter().filter_map(|column| Some((column.ranks, column.model?)));
        for (ranks, published) in known {
            let rate = rate(&machine, ranks, &paper_options(1024));
            assert!((rate / published - 1.0).abs() < 0.02, "{ranks} ranks: {rate}, published {published}");
            // Two rounds of half as many values have twice as many messages.
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
