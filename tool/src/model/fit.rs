//! How far predictions from a machine's figures can be relied on.

use hcube_core::machine::Placement;
use hcube_results::machine::{Fit, Machine};

/// How well the figures agree with what they were fitted to.
pub fn fit_line(fit: &Fit) -> String {
    let Fit { largest_error_percent, mean_error_percent, samples } = fit;
    format!(
        "error of the fit: largest {largest_error_percent:.1} %, mean {mean_error_percent:.1} % over {samples} measurements"
    )
}

/// Mean error of a fit, in percent, above which predictions mean little: three times what figures usually move
/// by from run to run.
const MAX_MEAN_ERROR: f64 = 30.0;

/// The warning on predictions from a bad fit.
pub fn fit_warning(fit: &Fit) -> Option<String> {
    (fit.mean_error_percent > MAX_MEAN_ERROR).then(|| {
        format!(
            "predictions from this calibration mean little: the mean error of its fit is {:.0} %, expected \
             {MAX_MEAN_ERROR:.0} % or less; the model misses even what it was fitted to by this much, so it cannot \
             distinguish algorithms that differ by less; probe with at most as many ranks as cores and nothing else running",
            fit.mean_error_percent
        )
    })
}

/// The warning on predictions for several nodes from a network that was not measured.
pub fn network_warning(machine: &Machine, placements: &[Placement]) -> Option<String> {
    let several = placements.iter().filter(|placement| placement.nodes() > 1);
    let ranks: Vec<String> = several.map(|placement| placement.ranks.to_string()).collect();
    (machine.network_assumed && !ranks.is_empty()).then(|| {
        format!(
            "the network was not measured: predictions for {} ranks, which need several nodes, assume that it is as \
             fast as messages inside a node, and the error of the fit does not hold for them; probe with ranks on \
             several nodes, or write the network's figures into the file without network_assumed",
            ranks.join(", ")
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bad_fits_are_said() {
        let fit = |mean_error_percent| Fit { largest_error_percent: 500.0, mean_error_percent, samples: 19 };
        assert_eq!(fit_warning(&fit(29.9)), None);
        let warning = fit_warning(&fit(31.4)).expect("a bad fit");
        assert!(warning.contains("31 %") && warning.contains("as many ranks as cores"), "{warning}");
    }

    #[test]
    fn networks_that_nobody_has_measured_are_said() {
        let mut machine = Machine::find("juropa").expect("comes with hcube");
        let placements = [8, 64, 1024].map(|ranks| Placement { ranks, ranks_per_node: 8 });
        assert_eq!(network_warning(&machine, &placements), None);
        machine.network_assumed = true;
        assert_eq!(network_warning(&machine, &placements[..1]), None);
        let warning = network_warning(&machine, &placements).expect("several nodes");
        assert!(warning.contains("not measured: predictions for 64, 1024 ranks"), "{warning}");
    }
}
