//! Rounds of RandomAccess by the cost model of the library.

use hcube_core::machine::{Parameters, Placement};
use hcube_random_access::Options;
use hcube_random_access::model::{Parts, Traffic, traffic};
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
    pub fn new(parameters: &Parameters, placement: &Placement, options: &Options) -> Self {
        let traffic = traffic(placement, options.mode, options.dimensions);
        let barrier = options.look_ahead == 1 && !options.relaxed;
        let parts = traffic.round(parameters, options.round(), barrier);
        Self { traffic, parts, updates: (placement.ranks * options.round()) as u64 }
    }

    pub fn gups(&self) -> f64 {
        numbers::gups(self.updates, self.parts.total())
    }
}
