//! The order of the ranks over which a schedule runs where the ranks know their nodes.
//!
//! Idea: by default it depends only on the nodes, and not on the placement of ranks. Hierarchical sets on a
//! power of two of nodes are over *positions* ([`Topology`]): no set cuts through a node, and placement node
//! by node has the schedule of the ranks. On other nodes, and for linear shift, ranks are *distributed*: the
//! first rank of each node, then the second rank of each. Then the partners of a rank in successive steps are
//! on different nodes, and all ports of nodes are busy until the end.
//!
//! Restrictions: nodes with the same number of ranks; on others the order is the order of the ranks. A
//! schedule that is requested is over ranks, as in its publication.
//! Cost: the steps of the schedule; no memory in addition to the placement of the ranks.
//! Source: our own. Simulated times: `hcube-lab simulate --sections placements`.

use super::super::options::Schedule;
use super::{hierarchical_sets, linear_shift};
use hcube_core::plan::Topology;
use std::sync::Arc;

/// The ranks on several equal nodes, in the orders of schedules.
#[derive(Debug)]
pub struct OnNodes {
    topology: Arc<Topology>,
    /// Ranks of each node.
    each: usize,
}

impl OnNodes {
    /// `None` where the order is the order of the ranks: on one node, with a rank on each, or on nodes with
    /// different numbers of ranks.
    pub fn new(topology: Arc<Topology>) -> Option<Self> {
        let each = topology.most_on_a_node();
        let is_equal = topology.fewest_on_a_node() == each;
        (topology.nodes() > 1 && each > 1 && is_equal).then_some(Self { topology, each })
    }

    /// The rank at a place, distributed.
    fn distributed(&self, place: usize) -> usize {
        let (number, node) = (place / self.topology.nodes(), place % self.topology.nodes());
        self.topology.rank(node * self.each + number)
    }

    /// The place of a rank, distributed.
    fn place(&self, rank: usize) -> usize {
        let position = self.topology.position(rank);
        position % self.each * self.topology.nodes() + position / self.each
    }

    /// As [`super::partners`] by default, or by linear shift.
    pub fn partners(self: &Arc<Self>, schedule: Schedule, rank: usize) -> Box<dyn Iterator<Item = usize>> {
        let (order, size) = (self.clone(), self.topology.size());
        if schedule == Schedule::LinearShift {
            let places = linear_shift::partners(self.place(rank), size);
            Box::new(places.map(move |place| order.distributed(place)))
        } else if self.topology.nodes().is_power_of_two() {
            let positions = hierarchical_sets::partners(self.topology.position(rank), size);
            Box::new(positions.map(move |position| order.topology.rank(position)))
        } else {
            let places = hierarchical_sets::partners(self.place(rank), size);
            Box::new(places.map(move |place| order.distributed(place)))
        }
    }

    /// The placement of the ranks.
    pub fn topology(&self) -> &Topology {
        &self.topology
    }
}
