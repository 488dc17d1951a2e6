//! The cost model: a few figures of a machine ([`Parameters`]), and where ranks lie ([`Placement`]).
//!
//! [`super::traffic`] has the time of the stages of a plan; every system adds a model of its own.
//!
//! Everything here is a pure function of a few figures of the machine ([`Parameters`]) and of where ranks
//! lie ([`Placement`]); no communication, no clock.
//!
//! Assumptions: a message costs its latency and its bytes over the bandwidth of its link. The ranks of a
//! node share the node's link to the network; links inside a node belong to a pair of ranks each. All
//! ranks work at the same speed, and a stage takes as long as it takes the rank with the most to do.
//! Left out: contention inside the network and for the memory of a node, latency that depends on the
//! distance, waiting for a core where there are more ranks than cores, chance in the number of values
//! that a message carries. What communication overlaps with is left out in RandomAccess (so predictions
//! are pessimistic where the network works on its own), and counted as its model says in the all-to-all exchange.

use crate::plan::Topology;

/// Messages between nodes or inside one.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Link {
    /// From the call of send to the return of receive for the shortest message, in seconds.
    pub latency: f64,
    /// Bytes per second and direction.
    pub bandwidth: f64,
}

impl Link {
    /// Seconds for bytes, without the latency.
    pub fn transfer(&self, bytes: f64) -> f64 {
        bytes / self.bandwidth
    }
}

/// The figures of a machine.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Parameters {
    /// Messages between nodes.
    pub network: Link,
    /// Messages between ranks of a node.
    pub node: Link,
    /// Seconds to generate a value.
    pub generate: f64,
    /// Seconds to apply a value to the local part of the table.
    pub update: f64,
    /// Seconds to look at a value and put it on one of two lists.
    pub divide: f64,
    /// Seconds to copy a byte.
    pub copy: f64,
}

/// Ranks on nodes: as many on each as fit, in the order of ranks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Placement {
    /// Ranks, 1 or more.
    pub ranks: usize,
    /// Ranks that a node holds, 1 or more; the last may hold fewer.
    pub ranks_per_node: usize,
}

impl Placement {
    /// Number of nodes.
    pub fn nodes(&self) -> usize {
        self.ranks.div_ceil(self.ranks_per_node)
    }

    /// Most ranks of any node.
    pub fn most_on_node(&self) -> usize {
        self.ranks.min(self.ranks_per_node)
    }

    /// As the plans want it.
    pub fn topology(&self) -> Topology {
        let numbers: Vec<u32> = (0..self.ranks).map(|rank| (rank / self.ranks_per_node) as u32).collect();
        Topology::from_node_numbers(&numbers, None)
    }

    /// Whether two ranks lie on one node.
    pub fn same_node(&self, one: usize, other: usize) -> bool {
        one / self.ranks_per_node == other / self.ranks_per_node
    }
}

/// ceil(log2(count)).
pub fn log2(count: usize) -> u32 {
    count.next_power_of_two().trailing_zeros()
}

/// Figures of no machine in particular, for tests.
pub const EXAMPLE: Parameters = Parameters {
    network: Link { latency: 2e-6, bandwidth: 3e9 },
    node: Link { latency: 0.5e-6, bandwidth: 5e9 },
    generate: 1e-9,
    update: 20e-9,
    divide: 3e-9,
    copy: 0.2e-9,
};
