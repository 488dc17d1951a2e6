//! The cost model of the library with a machine's figures.

use hcube_core::machine::{self, Placement};
use hcube_random_access::Options;
use hcube_random_access::model::{Parts, Traffic, traffic};
use hcube_results::machine::{Link, Machine};
use hcube_results::numbers;

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
