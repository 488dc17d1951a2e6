//! The order of the ranks over which a schedule runs where the ranks know their nodes.
//!
//! Idea: by default it depends only on the shape of the nodes, and not on the placement of ranks. Hierarchical
//! sets on a power of two of equal nodes are over *positions* ([`Topology`]): no set cuts through a node, and
//! placement node by node has the schedule of the ranks. In all other cases ranks are *dealt*: the first rank
//! of each node, then the second rank of each, nodes with more ranks first. Then the partners of a rank in
//! successive steps are on different nodes, and all ports of nodes are busy until the end. Sets that end at
//! nodes keep the ports of some nodes idle unless their number is a power of two.
//!
//! Restrictions: none. A schedule that is requested is over ranks, as in its publication.
//! Cost: the steps of the schedule; 4 bytes for each node and for each rank of the largest node.
//! Source: our own. Simulated (machines juropa and juqueen, 8 and 16 ranks per node, minimum of memory; shared
//! memory inside nodes unless stated), over the time of the schedule over ranks: hierarchical sets, dealt, 0.89
//! on 3 nodes, 0.98 on 6, 0.96 on 7.5; only messages 0.90, 0.95, 0.95; 3 nodes of juqueen, only messages, 0.82.
//! Sets of whole nodes, only messages: 1.20, 1.06 and 1.19. On 4 and 8 nodes, placed in turn, over positions:
//! 0.95 to 0.99. Linear shift, dealt, on 3 to 8 nodes: 0.85 to 0.95.

use super::super::options::Schedule;
use super::{hierarchical_sets, linear_shift};
use hcube_core::plan::Topology;
use std::sync::Arc;

/// The ranks on several nodes, in the orders of schedules.
#[derive(Debug)]
pub struct OnNodes {
    topology: Arc<Topology>,
    /// The nodes, the largest first, equal ones in their order.
    nodes: Vec<u32>,
    /// Where the ranks with each number in their node start, dealt; their number at the end.
    starts: Vec<u32>,
}

impl OnNodes {
    /// `None` where the order is the order of the ranks: on one node, or with a rank on each.
    pub fn new(topology: Arc<Topology>) -> Option<Self> {
        let most = topology.most_on_a_node();
        if topology.nodes() < 2 || most < 2 {
            return None;
        }
        let ranks_of = |node: u32| topology.positions(node as usize..node as usize + 1).len();
        let mut nodes: Vec<u32> = (0..topology.nodes() as u32).collect();
        nodes.sort_by_key(|&node| std::cmp::Reverse(ranks_of(node)));
        let with_more = |number: usize| nodes.partition_point(|&node| ranks_of(node) > number) as u32;
        let mut starts = vec![0];
        starts.extend((0..most).scan(0, |end, number| {
            *end += with_more(number);
            Some(*end)
        }));
        Some(Self { topology, nodes, starts })
    }

    /// The rank at a place, dealt.
    fn dealt(&self, place: usize) -> usize {
        let number = self.starts.partition_point(|&start| start as usize <= place) - 1;
        let node = self.nodes[place - self.starts[number] as usize] as usize;
        self.topology.rank(self.topology.positions(node..node + 1).start + number)
    }

    /// The place of a rank, dealt.
    fn place(&self, rank: usize) -> usize {
        let position = self.topology.position(rank);
        let node = self.topology.node_of(position);
        let number = position - self.topology.positions(node..node + 1).start;
        let turn = self.nodes.iter().position(|&other| other as usize == node).expect("every node is there");
        self.starts[number] as usize + turn
    }

    /// Whether hierarchical sets consist of whole nodes.
    fn sets_of_nodes(&self) -> bool {
        let topology = &self.topology;
        topology.nodes().is_power_of_two() && topology.fewest_on_a_node() == topology.most_on_a_node()
    }

    /// As [`super::partners`] by default, or by linear shift.
    pub fn partners(self: &Arc<Self>, schedule: Schedule, rank: usize) -> Box<dyn Iterator<Item = usize>> {
        let (order, size) = (self.clone(), self.topology.size());
        if schedule == Schedule::LinearShift {
            let places = linear_shift::partners(self.place(rank), size);
            Box::new(places.map(move |place| order.dealt(place)))
        } else if self.sets_of_nodes() {
            let positions = hierarchical_sets::partners(self.topology.position(rank), size);
            Box::new(positions.map(move |position| order.topology.rank(position)))
        } else {
            let places = hierarchical_sets::partners(self.place(rank), size);
            Box::new(places.map(move |place| order.dealt(place)))
        }
    }

    /// Bytes of its own lists.
    pub fn bytes(&self) -> usize {
        size_of_val(&*self.nodes) + size_of_val(&*self.starts)
    }

    /// The placement of the ranks.
    pub fn topology(&self) -> &Topology {
        &self.topology
    }
}
