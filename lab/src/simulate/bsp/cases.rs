//! The supersteps of a place.

use super::super::place::Place;
use super::super::results::{Batch, Case};
use super::Superstep;

/// Puts of a process in a superstep.
const PUTS: [usize; 3] = [0, 1, 64];
/// Bytes of a put.
const BYTES: usize = 8;

/// The simulations of a place. All loads of a number of ranks share one.
pub fn batches(place: &Place<'_>) -> Vec<Batch> {
    place.batches(|place, ranks| {
        let case = |puts, by| {
            Case::Bsp(Superstep {
                section: place.section.name(),
                machine: place.machine.name.clone(),
                ranks,
                ranks_per_node: place.ranks_per_node,
                by,
                puts,
                bytes: BYTES,
                seconds: 0.0,
                errors: 0,
                links_shared: true,
                copy_ns: place.machine.costs.copy_ns,
            })
        };
        PUTS.into_iter().flat_map(|puts| ["hcube", "library"].map(|by| case(puts, by))).collect()
    })
}
