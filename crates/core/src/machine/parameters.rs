//! The cost model: a few parameters of a machine ([`Parameters`]), and the placement of ranks
//! ([`Placement`]). [`super::traffic`] computes the time of the stages of a plan; every system adds its own
//! model.
//!
//! Everything here is a pure function of these parameters: no communication, no clock.
//!
//! Assumptions: a message costs its latency, and its bytes over the bandwidth of its link. The ranks of a
//! node share the node's link to the network; a link inside a node belongs to one pair of ranks. All ranks
//! work at the same speed, and a stage takes the time of the rank with the most work.
//! Omitted: contention in the network and for the memory of a node, latency that depends on the distance,
//! oversubscribed cores, and the variance of the number of values in a message. Overlap with communication is
//! omitted for RandomAccess (predictions are pessimistic for networks with asynchronous progress), and
//! counted for the all-to-all exchange as its model describes.

use crate::plan::Topology;

/// A link between ranks of different nodes, or of one node.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Link {
    /// Seconds from the call of send to the return of receive for the shortest message.
    pub latency: f64,
    /// Bytes per second and direction.
    pub bandwidth: f64,
}

impl Link {
    /// Seconds to transfer bytes, without the latency.
    pub fn transfer(&self, bytes: f64) -> f64 {
        bytes / self.bandwidth
    }
}

/// The parameters of a machine.
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
    /// Seconds to put a value on one of two lists.
    pub divide: f64,
    /// Seconds to copy a byte.
    pub copy: f64,
}

/// Ranks on nodes: every node is filled before the next, in the order of ranks.
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

    /// Largest number of ranks on a node.
    pub fn max_on_node(&self) -> usize {
        self.ranks.min(self.ranks_per_node)
    }

    /// The topology for plans.
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
