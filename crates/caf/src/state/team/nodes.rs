//! The nodes of the team of all images: on each of them, one member waits for other nodes.
//!
//! Idea: the members of a node publish what they contribute on boards of their node. The first of them, its
//! *leader*, polls the boards, takes part for all of them along a ring of links between the leaders, and
//! publishes the result for the others. With S members on N nodes, ⌈log2 N⌉ N messages pass between nodes
//! instead of up to ⌈log2 S⌉ S.
//!
//! A member writes to its board for a turn when it has the result of the turn before, and the leader has read
//! all boards when it publishes a result: two alternating slots are enough, as for the results. After a turn
//! that has ended with an error, a member writes no more: others may still read what it has written for it.
//!
//! Restrictions: only of the team of all images, which knows where its members are; other teams use their
//! rings.
//! Cost: ⌈log2 N⌉ messages of a leader, a word written per member and turn, read by the leader, and one read
//! by all others. Memory: a block of a ring of N members, 5 slots and 128 bytes.
//! Source: our own; boards and rings as in `board` and `ring`.

use super::board::Board;
use super::chain;
use super::ring::{Link, Ring, SLOT_BYTES};
use crate::state::others::Others;
use crate::state::place::Place;
use hcube_core::atomic::{self, Ordering};
use hcube_core::comm::Comm;
use hcube_core::error::Result;
use hcube_core::memory::{bytes_of, bytes_of_mut};
use hcube_core::onesided::Onesided;
use hcube_core::plan::Topology;
use std::sync::Arc;

/// Where a block has the number of the last barrier that has ended.
const RELEASED: usize = 0;
/// Bytes of a slot of a board and of a result: the turn, and words.
pub(crate) const NODE_SLOT_BYTES: usize = SLOT_BYTES;
/// Slots of results.
const SLOTS: u64 = 2;
/// Bytes of a block: each part has lines of its own.
const BLOCK_BYTES: usize = (1 + SLOTS as usize) * NODE_SLOT_BYTES;

/// The nodes, seen from a member.
#[derive(Debug)]
pub(crate) struct Nodes {
    topology: Arc<Topology>,
    /// Of the members of this node.
    board: Board,
    leader: usize,
    /// Where each leader has its block.
    block: usize,
    /// The ring of the leaders, on leaders.
    ring: Option<Ring>,
    /// The last turn whose result this member has.
    ended: u64,
}

impl Nodes {
    /// Collective over all images, which do it at the same time, so that all have their memory at the same
    /// offsets; none on one node, and none if each node has one member.
    pub fn allocate<C: Comm>(
        own: usize,
        topology: &Topology,
        memory: &mut Onesided<C>,
    ) -> Result<Option<Self>> {
        if topology.nodes() == 1 || topology.most_on_a_node() == 1 {
            return Ok(None);
        }
        let node = topology.node_of(topology.position(own));
        let mates: Vec<usize> = topology.positions(node..node + 1).map(|at| topology.rank(at)).collect();
        let offset = Board::allocate_one(NODE_SLOT_BYTES, memory)?;
        let block = memory.heap().allocate(BLOCK_BYTES)?;
        for word in (RELEASED..BLOCK_BYTES).step_by(NODE_SLOT_BYTES) {
            memory.own_word(block + word).store(0, Ordering::Relaxed);
        }
        let of_ring = Ring::allocate(topology.nodes(), memory)?;
        let rank = mates.iter().position(|&mate| mate == own).expect("a member of its node");
        let links = leader_links(topology, node).into_iter();
        let links = links.map(|pair| pair.map(|image| Link { image, block: of_ring })).collect();
        let ring = (rank == 0).then(|| Ring::new(node, topology.nodes(), of_ring, links, memory));
        let leader = mates[0];
        let boards = mates.into_iter().map(|image| Place { image, offset }).collect();
        let board = Board::new(boards, rank, NODE_SLOT_BYTES);
        Ok(Some(Self { topology: Arc::new(topology.clone()), board, leader, block, ring, ended: 0 }))
    }

    /// Where the members are.
    pub fn topology(&self) -> &Arc<Topology> {
        &self.topology
    }

    /// The board of the members of this node.
    pub fn board(&self) -> &Board {
        &self.board
    }

    /// As [`Self::board`], to be changed.
    pub fn board_mut(&mut self) -> &mut Board {
        &mut self.board
    }

    /// This member has the result of a turn.
    pub fn note_result(&mut self, turn: u64) {
        self.ended = turn;
    }

    /// Whether this member has the results of all turns that it has begun.
    pub fn has_all_results(&self) -> bool {
        self.ended == self.board.turns()
    }

    /// The ring of the leaders, if this member is one.
    pub fn ring(&self) -> Option<&Ring> {
        self.ring.as_ref()
    }

    /// Of a leader: the others of its node may leave a barrier.
    pub fn release<C: Comm>(&self, barrier: u64, memory: &Onesided<C>) {
        memory.own_word(self.block + RELEASED).store(barrier, Ordering::Release);
    }

    /// Whether the leader has released this node from a barrier.
    pub fn is_released<C: Comm>(
        &self,
        barrier: u64,
        (memory, others): (&Onesided<C>, &Others),
    ) -> Result<bool> {
        self.has_written(RELEASED, barrier, (memory, others))
    }

    /// Of a leader: publishes the result of a turn.
    pub fn publish<C: Comm>(&self, turn: u64, words: &[i64], memory: &Onesided<C>) {
        let slot = self.block + result_at(turn);
        let bytes = bytes_of(words);
        let into = memory.own(slot + size_of::<u64>(), bytes.len());
        atomic::written(into.address());
        into.write(bytes);
        memory.own_word(slot).store(turn, Ordering::Release);
    }

    /// Reads the result of a turn, if the leader has published it. Returns whether it has.
    pub fn read_result<C: Comm>(
        &self,
        turn: u64,
        words: &mut [i64],
        (memory, others): (&Onesided<C>, &Others),
    ) -> Result<bool> {
        let slot = result_at(turn);
        if !self.has_written(slot, turn, (memory, others))? {
            return Ok(false);
        }
        let bytes = bytes_of_mut(words);
        let place = self.block + slot + size_of::<u64>();
        let from = memory.here(self.leader, place, bytes.len()).expect("the leader is on this node");
        atomic::read(from.address());
        from.read(bytes);
        Ok(true)
    }

    /// Whether the leader has written this number, or a later one, to a word of its block.
    fn has_written<C: Comm>(
        &self,
        word: usize,
        number: u64,
        (memory, others): (&Onesided<C>, &Others),
    ) -> Result<bool> {
        // Words that the leader has written before it was gone are valid.
        let gone = others.check(self.leader);
        let word = memory.here_word(self.leader, self.block + word).expect("the leader is on this node");
        if word.load(Ordering::Acquire) >= number { Ok(true) } else { gone.map(|()| false) }
    }
}

/// Where a block has the result of a turn.
const fn result_at(turn: u64) -> usize {
    (1 + (turn % SLOTS) as usize) * NODE_SLOT_BYTES
}

/// The leaders at distances of powers of two from a node, forward and backward.
fn leader_links(topology: &Topology, node: usize) -> Vec<[usize; 2]> {
    let nodes = topology.nodes();
    let leader = |node: usize| topology.rank(topology.positions(node..node + 1).start);
    let links = (0..chain::links(nodes) as usize).map(|power| {
        let distance = (1 << power) % nodes;
        [leader((node + distance) % nodes), leader((node + nodes - distance) % nodes)]
    });
    links.collect()
}
