//! `hcube model`: predicted times of RandomAccess and the in-place exchange on a machine that a file describes, by
//! the cost model of the library. Never starts MPI.

mod arguments;
mod predict;
mod published;
mod report;

pub use arguments::Arguments;
pub use published::options as paper_options;

use crate::session::{self, Failure};
use hcube_core::machine;
use hcube_core::machine::Placement;
use hcube_random_access::Options;
use hcube_random_access::model::{Parts, Traffic, traffic};
use hcube_results::machine::{Fit, Link, Machine};
use hcube_results::numbers;
use predict::Results;
use std::process::ExitCode;

/// Predicts, prints, writes.
pub fn run(arguments: &Arguments) -> ExitCode {
    session::without_mpi(|| predict(arguments))
}

fn predict(arguments: &Arguments) -> Result<(), Failure> {
    arguments.json.check().map_err(|error| error.to_string())?;
    let machine = arguments.machine()?;
    let ranks = arguments.ranks(&machine)?;
    if let Some(warning) = arguments.warning(&machine) {
        eprintln!("hcube model: warning: {warning}");
    }
    let results = Results::new(arguments, &machine, &ranks);
    if arguments.json.tables() {
        print!("{}", report::text(&results, arguments.compares()));
    }
    arguments.json.write(&results)
}

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

/// A round of RandomAccess: what the plans move, and what that costs on a machine.
#[derive(Debug)]
pub struct Round {
    /// Messages and words.
    pub traffic: Traffic,
    /// Seconds.
    pub parts: Parts,
    updates: u64,
}

impl Round {
    /// With the mode, the dimensions, the look-ahead and the rule of these options.
    pub fn new(parameters: &machine::Parameters, placement: &Placement, options: &Options) -> Self {
        let traffic = traffic(placement, options.mode, options.dimensions);
        let barrier = options.look_ahead == 1 && !options.relaxed;
        let parts = traffic.round(parameters, options.round(), barrier);
        Self { traffic, parts, updates: (placement.ranks * options.round()) as u64 }
    }

    /// The rate.
    pub fn gups(&self) -> f64 {
        numbers::gups(self.updates, self.parts.total())
    }
}

/// The machine's figures in the units of the library.
pub fn parameters(machine: &Machine) -> machine::Parameters {
    let link =
        |link: &Link| machine::Link { latency: 1e-6 * link.latency_us, bandwidth: 1e9 * link.bandwidth_gb_s };
    machine::Parameters {
        network: link(&machine.network),
        node: link(&machine.node),
        generate: 1e-9 * machine.costs.generate_ns,
        update: 1e-9 * machine.costs.update_ns,
        divide: 1e-9 * machine.costs.divide_ns,
        copy: 1e-9 * machine.costs.copy_ns,
    }
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
