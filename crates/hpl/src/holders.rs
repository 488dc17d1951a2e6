//! The holder of each panel on each node.
//!
//! Idea: the root holds a panel on its own node; on each other node the ranks take turns, so that receives,
//! memory and forwarding are distributed over them. The holder follows from the roots of the previous panels,
//! which all ranks know, without communication.
//!
//! Cost: arithmetic, O(nodes) for a holder; no communication.

use crate::options::Topology;
use crate::slots::Holder;
use crate::topology::{Route, route};
use hcube_core::plan;
use std::ops::Range;

/// The ranks of the row on their nodes, and the panels that were begun so far.
#[derive(Debug)]
pub struct Holders {
    topology: Topology,
    nodes: plan::Topology,
    /// This rank's node.
    node: usize,
    /// Panels that each rank of this node has begun as the root.
    turns: Vec<u64>,
    /// Panels with a root on each node.
    rooted: Vec<u64>,
}

impl Holders {
    /// Before the first panel.
    pub fn new(nodes: plan::Topology, rank: usize, topology: Topology) -> Self {
        let node = nodes.node_of(nodes.position(rank));
        let members = nodes.positions(node..node + 1).len();
        Self { topology, node, turns: vec![0; members], rooted: vec![0; nodes.nodes()], nodes }
    }

    /// Ranks of the row.
    pub fn ranks(&self) -> usize {
        self.nodes.size()
    }

    /// Nodes of the row.
    pub fn nodes(&self) -> usize {
        self.nodes.nodes()
    }

    /// The ranks of this rank's node, in node order.
    pub fn members(&self) -> Vec<usize> {
        self.positions(self.node).map(|position| self.nodes.rank(position)).collect()
    }

    fn positions(&self, node: usize) -> Range<usize> {
        self.nodes.positions(node..node + 1)
    }

    fn node_of(&self, rank: usize) -> usize {
        self.nodes.node_of(self.nodes.position(rank))
    }

    /// Where the next panel, with this number, is on this node.
    pub fn holder(&self, root: usize, number: u64) -> Holder {
        let members = self.positions(self.node);
        if self.node_of(root) == self.node {
            let member = self.nodes.position(root) - members.start;
            return Holder { member, received: false, turn: self.turns[member] };
        }
        let (before, members) = (number - self.rooted[self.node], members.len() as u64);
        Holder { member: (before % members) as usize, received: true, turn: before / members }
    }

    /// The rank of a node, not the root's, that receives the next panel.
    fn receiver(&self, node: usize, number: u64) -> usize {
        let members = self.positions(node);
        let member = (number - self.rooted[node]) % members.len() as u64;
        self.nodes.rank(members.start + member as usize)
    }

    /// The ranks from which and to which the holder of the next panel on this node passes it.
    pub fn route(&self, root: usize, number: u64) -> Route {
        let (first, nodes) = (self.node_of(root), self.nodes());
        let rank = |position: usize| match position {
            0 => root,
            position => self.receiver((first + position) % nodes, number),
        };
        let Route { parts, receives, sends, children } =
            route(self.topology, nodes, (self.node + nodes - first) % nodes);
        let ranks =
            |list: Vec<(usize, usize)>| list.into_iter().map(|(position, part)| (rank(position), part));
        Route {
            parts,
            receives: ranks(receives).collect(),
            sends: ranks(sends).collect(),
            children: children.into_iter().map(rank).collect(),
        }
    }

    /// Counts a panel as begun.
    pub fn count(&mut self, root: usize, holder: Holder) {
        let node = self.node_of(root);
        self.rooted[node] += 1;
        if !holder.received {
            self.turns[holder.member] += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All ranks see the same holders, with consecutive turns, and routes that fit.
    #[test]
    fn all_ranks_agree_on_the_holders() {
        for numbers in [&[0, 0, 2, 2, 4][..], &[0, 1, 0, 1, 0, 1], &[0, 1, 2], &[0, 0, 0]] {
            let nodes = plan::Topology::from_node_numbers(numbers, None);
            let mut ranks: Vec<Holders> =
                (0..numbers.len()).map(|rank| Holders::new(nodes.clone(), rank, Topology::Ring)).collect();
            for number in 0..50 {
                let root = (number * number) as usize % ranks.len();
                let holders: Vec<Holder> = ranks.iter().map(|seen| seen.holder(root, number)).collect();
                let rank_of = |rank: usize| ranks[rank].members()[holders[rank].member];
                for rank in 0..ranks.len() {
                    for mate in ranks[rank].members() {
                        assert_eq!(holders[rank], holders[mate], "panel {number}");
                    }
                    let route = ranks[rank].route(root, number);
                    for child in route.children {
                        assert_eq!(
                            rank_of(child),
                            child,
                            "panel {number}: sent to a rank that does not receive"
                        );
                        assert_eq!(ranks[child].route(root, number).receives, [(rank_of(rank), 0)]);
                    }
                }
                for (seen, holder) in ranks.iter_mut().zip(holders) {
                    seen.count(root, holder);
                }
            }
        }
    }
}
