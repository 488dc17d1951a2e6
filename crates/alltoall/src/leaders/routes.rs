//! The routes of node leaders: which ranks of two nodes send and receive the data between the nodes.
//!
//! All blocks between two nodes use one route, with a leader on each node. If a node has more ranks than
//! there are other nodes, the blocks for one of these nodes are divided by destination among several routes,
//! so that all ranks have about the same share. The routes of a node, in the order of the other nodes, are
//! assigned to its ranks cyclically. Every rank computes them from the placement of all ranks, by pure
//! functions.

use crate::vote::Vote;
use hcube_core::plan::Topology;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

/// Bytes of the votes of a node.
pub const VOTE_BYTES: usize = Vote::WORDS * size_of::<u64>();
/// Bytes of a length in a notice.
pub const LENGTH_BYTES: usize = size_of::<u32>();
/// Rounds for the longest blocks: an estimate. Trials compare exchanges of several rounds with another
/// algorithm.
pub const MAX_ROUNDS: usize = 8;
/// Maximum size of a block: the maximum of MPI counts.
const MAX_BLOCK_BYTES: usize = i32::MAX as usize;

/// A route between this rank's node and another one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Route {
    /// The other node.
    node: u32,
    /// Its number among the routes to that node.
    part: u32,
    parts: u32,
    /// Its leader on the other node, a rank; known to the leader on this one.
    pub peer: u32,
}

/// The routes of a node, seen from one of its ranks.
#[derive(Debug)]
pub struct Routes {
    topology: Arc<Topology>,
    /// The positions of the ranks of this node.
    home: Range<usize>,
    /// All routes of this node.
    all: Vec<Route>,
    /// Longest piece of a block that a round passes on.
    piece: usize,
    /// Longest block that leaders pass on.
    limit: usize,
}

/// Number of routes between nodes with these numbers of ranks.
fn parts(first: usize, second: usize, nodes: usize) -> usize {
    (first.min(second) / (nodes - 1)).max(1)
}

/// Routes of a node with this number of ranks, as all nodes have.
pub fn routes_to_all(ranks: usize, nodes: usize) -> usize {
    (nodes - 1) * parts(ranks, ranks, nodes)
}

/// One of the parts of a range, which differ by at most one in length.
fn part_of(range: &Range<usize>, part: usize, parts: usize) -> Range<usize> {
    range.start + part * range.len() / parts..range.start + (part + 1) * range.len() / parts
}

/// The positions of the ranks of a node.
fn positions(topology: &Topology, node: usize) -> Range<usize> {
    topology.positions(node..node + 1)
}

impl Routes {
    /// For two nodes or more. A notice has `slot` bytes, and every rank has `scratch` bytes for messages;
    /// both are the same on all ranks. `None` if they are not sufficient for any block.
    pub fn new(topology: impl Into<Arc<Topology>>, rank: usize, slot: usize, scratch: usize) -> Option<Self> {
        let topology = topology.into();
        let ranks_of_nodes = (0..topology.nodes()).map(|node| positions(&topology, node).len());
        let piece = max_piece(ranks_of_nodes, slot, scratch)?;
        let own_node = topology.node_of(topology.position(rank));
        let home = positions(&topology, own_node);
        let mut all = routes_of(&topology, own_node);
        let own = topology.position(rank) - home.start;
        for route in all.iter_mut().skip(own).step_by(home.len()) {
            route.peer = leader(&topology, route.node as usize, own_node, route.part as usize) as u32;
        }
        Some(Self {
            topology,
            home,
            all,
            piece,
            limit: piece.saturating_mul(MAX_ROUNDS).min(MAX_BLOCK_BYTES),
        })
    }

    /// The same for blocks of at most this size.
    pub fn up_to(self, bytes: usize) -> Self {
        Self { piece: self.piece.min(bytes), limit: self.limit.min(bytes), ..self }
    }

    /// The same with pieces of this length, for blocks of the same lengths.
    #[cfg(hcube_model)]
    pub fn in_pieces_of(self, bytes: usize) -> Self {
        Self { piece: bytes, ..self }
    }

    /// Whether it is the first of the routes to a node.
    pub fn is_first(route: &Route) -> bool {
        route.part == 0
    }

    /// Bytes of a message with the longest pieces.
    pub fn message_bytes(&self, route: &Route) -> usize {
        self.sources(route).len() * self.receivers(route).len() * self.piece
    }

    /// Longest block that leaders pass on; the same on all ranks.
    pub fn limit(&self) -> usize {
        self.limit
    }

    /// The bytes of each block that a round passes on; the same on all ranks.
    pub fn piece(&self, round: usize) -> Range<usize> {
        round * self.piece..(round + 1) * self.piece
    }

    /// Rounds that pass on blocks of up to `longest` bytes.
    pub fn rounds(&self, longest: usize) -> usize {
        longest.div_ceil(self.piece).max(1)
    }

    /// The routes that a rank of this node leads.
    pub fn led_by(&self, number: usize) -> impl Iterator<Item = &Route> {
        self.all.iter().skip(number).step_by(self.home.len())
    }

    /// The ranks of the other node to which blocks take a route.
    pub fn targets(&self, route: &Route) -> impl ExactSizeIterator<Item = usize> {
        let Route { node, part, parts, .. } = *route;
        let targets = part_of(&positions(&self.topology, node as usize), part as usize, parts as usize);
        targets.map(|position| self.topology.rank(position))
    }

    /// The ranks of the other node, whose blocks take a route.
    pub fn sources(&self, route: &Route) -> impl ExactSizeIterator<Item = usize> {
        positions(&self.topology, route.node as usize).map(|position| self.topology.rank(position))
    }

    /// The ranks of this node, by number, to which blocks take a route.
    pub fn receivers(&self, route: &Route) -> Range<usize> {
        part_of(&(0..self.home.len()), route.part as usize, route.parts as usize)
    }

    /// Bytes of a rank's notice in addition to its blocks: one length per route, and one more for each
    /// target.
    pub fn notice_bytes(&self) -> usize {
        lengths(self.all.len(), self.topology.size() - self.home.len())
    }

    /// Bytes of memory, with the placement of the ranks if `with_topology`: schedules may share it.
    pub fn bytes(&self, with_topology: bool) -> usize {
        size_of_val(&*self.all) + if with_topology { self.topology.bytes() } else { 0 }
    }
}

/// The routes of a node, without their peers.
fn routes_of(topology: &Topology, own: usize) -> Vec<Route> {
    let ranks = |node| positions(topology, node).len();
    let others = (0..topology.nodes()).filter(|&node| node != own);
    let of_node = |node| {
        let parts = parts(ranks(own), ranks(node), topology.nodes());
        (0..parts).map(move |part| Route {
            node: node as u32,
            part: part as u32,
            parts: parts as u32,
            peer: 0,
        })
    };
    others.flat_map(of_node).collect()
}

/// The rank that leads, on a node, a route to another one.
fn leader(topology: &Topology, node: usize, other: usize, part: usize) -> usize {
    let ranks = |node| positions(topology, node).len();
    let before = (0..other).filter(|&before| before != node);
    let number: usize = before.map(|before| parts(ranks(node), ranks(before), topology.nodes())).sum();
    let home = positions(topology, node);
    topology.rank(home.start + (number + part) % home.len())
}

/// Bytes of lengths in a notice.
fn lengths(routes: usize, targets: usize) -> usize {
    (routes + targets) * LENGTH_BYTES
}

/// Longest piece for which everything fits on every rank: its notice, the messages that it receives into its
/// second notice, and the messages that it sends. For two nodes or more.
pub fn max_piece(ranks_of_nodes: impl Iterator<Item = usize>, slot: usize, scratch: usize) -> Option<usize> {
    let mut nodes_by_ranks = BTreeMap::<usize, usize>::new();
    ranks_of_nodes.for_each(|ranks| *nodes_by_ranks.entry(ranks).or_default() += 1);
    let nodes: usize = nodes_by_ranks.values().sum();
    let size: usize = nodes_by_ranks.iter().map(|(ranks, nodes)| ranks * nodes).sum();
    let mut max_piece = MAX_BLOCK_BYTES;
    for &here in nodes_by_ranks.keys() {
        let (mut routes, mut blocks) = (0, 0);
        for (&there, &count) in &nodes_by_ranks {
            let others = if there == here { count - 1 } else { count };
            let parts = parts(here, there, nodes);
            routes += others * parts;
            if others > 0 {
                blocks = blocks.max(there * here.div_ceil(parts)).max(here * there.div_ceil(parts));
            }
        }
        let led = routes.div_ceil(here);
        // Of what a rank leads: lengths for all ranks of the node, votes, and messages; and its blocks for
        // them.
        let beside = led * (here * LENGTH_BYTES + VOTE_BYTES);
        let received = slot.min(scratch / 2).checked_sub(beside)? / (led * blocks + here - 1);
        let notice = slot.checked_sub(lengths(routes, size - here))? / (size - 1);
        max_piece = max_piece.min(received).min(notice);
    }
    Some(max_piece).filter(|&bytes| bytes > 0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use hcube_testing::sizes::{sizes, sizes_within};
    use proptest::prelude::*;

    /// Nodes of equal and of different sizes, in and out of the order of the ranks.
    fn topologies() -> impl Iterator<Item = Topology> {
        let even = (2..30).flat_map(|ranks| (1..8).map(move |each| (ranks, each)));
        let even = even.map(|(ranks, each)| (0..ranks).map(|rank| rank / each).collect::<Vec<u32>>());
        let cyclic = (4..20).map(|ranks| (0..ranks).map(|rank| rank % 3).collect());
        let uneven = (5..40).map(|ranks| (0..ranks).map(|rank: u32| rank.isqrt() % 4).collect());
        let all = even.chain(cyclic).chain(uneven);
        all.map(|numbers| Topology::from_node_numbers(&numbers, None)).filter(|found| found.nodes() > 1)
    }

    #[test]
    fn every_block_takes_one_route() {
        for topology in topologies() {
            let size = topology.size();
            let mut count = vec![0; size * size];
            let all: Vec<Routes> = (0..size)
                .map(|rank| Routes::new(topology.clone(), rank, 1 << 20, 1 << 20).expect("enough"))
                .collect();
            for rank in 0..size {
                let own = &all[rank];
                let number = topology.position(rank) - own.home.start;
                for route in own.led_by(number) {
                    // The peer leads the same route to this node, once.
                    let peer = &all[route.peer as usize];
                    let peer_number = topology.position(route.peer as usize) - peer.home.start;
                    let same = |other: &&Route| other.peer as usize == rank;
                    assert_eq!(peer.led_by(peer_number).filter(same).count(), 1, "{topology:?}");
                    let back = peer.led_by(peer_number).find(same).expect("counted");
                    let here: Vec<usize> = own.home.clone().map(|position| topology.rank(position)).collect();
                    assert!(peer.sources(back).eq(here.iter().copied()));
                    let received: Vec<usize> = own.receivers(route).map(|number| here[number]).collect();
                    assert!(peer.targets(back).eq(received));
                    for source in here {
                        own.targets(route).for_each(|target| count[source * size + target] += 1);
                    }
                }
            }
            let node = |rank| topology.node_of(topology.position(rank));
            for (pair, &count) in count.iter().enumerate() {
                let (from, to) = (pair / size, pair % size);
                assert_eq!(count, usize::from(node(from) != node(to)), "{from} to {to}, {topology:?}");
            }
        }
    }

    #[test]
    fn the_longest_piece_fits_everywhere() {
        for topology in topologies() {
            for memory in [300, 1000, 4096, 1 << 20] {
                for rank in 0..topology.size() {
                    let Some(routes) = Routes::new(topology.clone(), rank, memory, 2 * memory) else {
                        continue;
                    };
                    let block = routes.piece(0).len();
                    assert!(routes.notice_bytes() + (topology.size() - 1) * block <= memory, "{topology:?}");
                    let own = topology.position(rank) - routes.home.start;
                    let (mut sent, mut received) = (0, 0);
                    for route in routes.led_by(own) {
                        sent += routes.targets(route).len() * routes.home.len() * block;
                        let receivers = routes.receivers(route).len();
                        received += receivers * LENGTH_BYTES + VOTE_BYTES + routes.message_bytes(route);
                    }
                    received += (routes.home.len() - 1) * block;
                    assert!(sent <= memory && received <= memory, "{sent}, {received}: {topology:?}");
                }
            }
        }
    }

    #[test]
    fn all_ranks_lead_about_the_same() {
        let led = |ranks: u32, each: u32, rank: usize| {
            let numbers: Vec<u32> = (0..ranks).map(|rank| rank / each).collect();
            let topology = Topology::from_node_numbers(&numbers, None);
            let routes = Routes::new(topology, rank, 1 << 20, 1 << 20).expect("enough");
            routes.led_by(rank % each as usize).map(|route| routes.targets(route).len()).sum::<usize>()
        };
        // Two nodes of 8: each rank sends to one rank. 16 nodes of 8: 15 routes for 8 ranks.
        assert!((0..16).all(|rank| led(16, 8, rank) == 1));
        assert!((0..8).all(|rank| led(128, 8, rank) == if rank < 7 { 16 } else { 8 }));
        // Three nodes of 5: two routes to each.
        assert!((0..5).all(|rank| led(15, 5, rank) == [2, 3, 2, 3, 0][rank]));
    }

    /// On the machine of Hofmann and Rünger 2013, Juqueen with 16 ranks on each of 28,672 nodes, also where
    /// ranks are placed cyclically.
    #[test]
    fn routes_of_many_ranks_take_few_bytes() {
        const NODES: u32 = 28_672;
        let ranks = 16 * NODES;
        for numbers in
            [(0..ranks).map(|rank| rank / 16).collect(), (0..ranks).map(|rank| rank % NODES).collect()]
        {
            let numbers: Vec<u32> = numbers;
            let topology = Topology::from_node_numbers(&numbers, None);
            let routes = |memory| Routes::new(topology.clone(), 1, memory, memory);
            // A rank states a length for each other one.
            assert!(routes(1 << 20).is_none());
            let bytes = routes(64 << 20).expect("enough").bytes(true);
            assert!(bytes < 10 * ranks as usize, "{bytes} bytes");
        }
    }

    proptest! {
        #[test]
        fn pieces_fit_into_memory_of_any_size(
            nodes in proptest::collection::vec(sizes_within(1, 1 << 16), 2..6), slot in sizes(), scratch in sizes(),
        ) {
            let size: usize = nodes.iter().sum();
            let piece = max_piece(nodes.iter().copied(), slot, scratch);
            prop_assert!(piece.is_none_or(|piece| (1..=MAX_BLOCK_BYTES).contains(&piece)));
            if let Some(piece) = piece {
                prop_assert!((size as u128 - 1) * piece as u128 <= slot as u128);
            }
        }
    }
}
