//! How far predictions from a machine's figures can be relied on.

use super::{Fit, Machine};

/// Mean error of a fit, in percent, above which predictions mean little: three times what figures usually
/// move by from run to run.
const MAX_MEAN_ERROR: f64 = 30.0;

impl Fit {
    /// How well the figures agree with what they were fitted to.
    pub fn line(&self) -> String {
        let Self { largest_error_percent, mean_error_percent, samples } = self;
        format!(
            "error of the fit: largest {largest_error_percent:.1} %, mean {mean_error_percent:.1} % over {samples} measurements"
        )
    }

    /// The warning on predictions from a bad fit.
    pub fn warning(&self) -> Option<String> {
        (self.mean_error_percent > MAX_MEAN_ERROR).then(|| {
            format!(
                "predictions from this calibration mean little: the mean error of its fit is {:.0} %, expected \
                 {MAX_MEAN_ERROR:.0} % or less; the model misses even what it was fitted to by this much, so it cannot \
                 distinguish algorithms that differ by less; probe with at most as many ranks as cores and nothing else \
                 running",
                self.mean_error_percent
            )
        })
    }
}

impl Machine {
    /// The warning on predictions for these numbers of ranks, which need several nodes, from a network that
    /// was not measured.
    pub fn network_warning(&self, ranks: impl IntoIterator<Item = usize>) -> Option<String> {
        let ranks: Vec<String> = ranks.into_iter().map(|ranks| ranks.to_string()).collect();
        (self.network_assumed && !ranks.is_empty()).then(|| {
            format!(
                "the network was not measured: predictions for {} ranks, which need several nodes, assume for it \
                 the speed of messages inside a node, and the error of the fit does not hold for them; probe with ranks \
                 on several nodes, or write the network's figures into the file without network_assumed",
                ranks.join(", ")
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bad_fits_are_said() {
        let fit = |mean_error_percent| Fit { largest_error_percent: 500.0, mean_error_percent, samples: 19 };
        assert_eq!(fit(29.9).warning(), None);
        let warning = fit(31.4).warning().expect("a bad fit");
        assert!(warning.contains("31 %") && warning.contains("as many ranks as cores"), "{warning}");
    }

    #[test]
    fn networks_that_nobody_has_measured_are_said() {
        let mut machine = Machine::find("juropa").expect("comes with hcube");
        assert_eq!(machine.network_warning([64, 1024]), None);
        machine.network_assumed = true;
        assert_eq!(machine.network_warning([]), None);
        let warning = machine.network_warning([64, 1024]).expect("several nodes");
        assert!(warning.contains("not measured: predictions for 64, 1024 ranks"), "{warning}");
    }
}
