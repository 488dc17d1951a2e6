//! The plan of one rank: its stages, for the selected routing.

use super::stage::Stage;
use super::topology::Topology;
use super::{halving, three_hop};

/// How values are to be routed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Routing {
    /// Number of message stages d, or 0 for log2, as the hypercube has; more than log2 is log2.
    pub dimensions: usize,
    /// Three hops instead of the hypercube between nodes.
    pub three_hop: bool,
}

/// The stages of one rank.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    /// In the order in which they are run. Ranks of small parts may have fewer than others.
    pub stages: Vec<Stage>,
}

impl Plan {
    /// The plan of `rank`.
    pub fn new(topology: &Topology, rank: usize, routing: Routing) -> Self {
        let stages = match routing {
            Routing { three_hop: true, .. } => three_hop::stages(topology, rank),
            Routing { dimensions, .. } => halving::stages(topology, rank, dimensions),
        };
        Self { stages }
    }
}
