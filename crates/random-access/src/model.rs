//! Predicted time of RandomAccess: the routing of a mode, and the cost of its rounds.
//! [`hcube_core::machine::traffic`] has idea, assumptions and source.

use crate::Mode;
use hcube_core::machine::Placement;
use hcube_core::plan::{Routing, three_hop};

pub use hcube_core::machine::traffic::{Flow, Load, Parts, Traffic};

/// The mode that is used where `mode` was requested: what [`Mode::Auto`] selects, and messages for every mode
/// where nodes have a single rank. Those on coarrays are not modelled and count as messages.
pub fn resolve(placement: &Placement, mode: Mode) -> Mode {
    let (shared, several) = (placement.max_on_node() > 1, placement.nodes() > 1);
    match mode {
        _ if !shared => Mode::Message,
        Mode::Message | Mode::Events | Mode::Spawn => Mode::Message,
        Mode::ThreeHop if several => Mode::ThreeHop,
        Mode::Auto if several && three_hop::worthwhile(&placement.topology()) => Mode::ThreeHop,
        _ => Mode::Node,
    }
}

/// The traffic of a round for these ranks.
pub fn traffic(placement: &Placement, mode: Mode, dimensions: usize) -> Traffic {
    let mode = resolve(placement, mode);
    Traffic::new(placement, mode != Mode::Message, Routing { dimensions, three_hop: mode == Mode::ThreeHop })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modes_resolve_by_placement() {
        for (ranks, ranks_per_node, mode, expected) in [
            (8, 1, Mode::Auto, Mode::Message),
            (8, 1, Mode::ThreeHop, Mode::Message),
            (8, 8, Mode::Auto, Mode::Node),
            (8, 8, Mode::ThreeHop, Mode::Node),
            (8, 100, Mode::Message, Mode::Message),
            (64, 2, Mode::Auto, Mode::ThreeHop),
            (512, 2, Mode::Auto, Mode::Node),
            (16, 4, Mode::Auto, Mode::ThreeHop),
            (16, 4, Mode::Node, Mode::Node),
        ] {
            assert_eq!(
                resolve(&Placement { ranks, ranks_per_node }, mode),
                expected,
                "{ranks} {ranks_per_node}"
            );
        }
    }
}
