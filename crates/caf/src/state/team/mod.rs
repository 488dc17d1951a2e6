//! Teams: subsets of images, on rings of links.
//!
//! Idea: member j of a team of size S has links to the members (j ± 2^i) mod S, for every i with 2^i < S. A
//! link contains the image and the location of that image's links, in a block of its heap that other images
//! read. No image knows all members. Members without a direct link are looked up along chains of links
//! ([`chain`]); the team of all images needs no lookups.
//!
//! Cost: 39 words per power of two on each image: two links, which are stored in the heap (2 words) and
//! outside of it (4), the word of the barrier, and two slots of 16 words for reductions; and cached lookups.
//! Source: Jin et al. 2011, §II-A and Figure 1.

mod barrier;
pub(crate) mod board;
pub mod chain;
pub(crate) mod network;
pub(crate) mod nodes;
pub(crate) mod ring;
pub(crate) mod teams;
#[cfg(test)]
mod tests;

use crate::state::others::Others;
use crate::state::place::Place;
use barrier::{Barriers, Meeting};
use board::Board;
use hcube_core::comm::Comm;
use hcube_core::error::{Error, Result};
use hcube_core::onesided::Onesided;
use hcube_core::plan::Topology;
use nodes::Nodes;
use ring::{Link, Ring};
use std::collections::HashMap;

/// A team, seen from one of its members.
#[derive(Debug)]
pub struct Team {
    /// The same on all members, and on no other team.
    id: u64,
    /// The identities of the teams from which it was split.
    ancestors: Vec<u64>,
    ring: Ring,
    /// The team of all images, whose members are known without lookups.
    is_world: bool,
    /// Cached lookups of members.
    members: HashMap<usize, usize>,
    /// Collective operations so far, and reductions by slots.
    operations: u64,
    turns: u64,
    barriers: Barriers,
    /// Where it has boards.
    board: Option<Board>,
    /// Where it is the team of all images, on several nodes, one of which has several.
    nodes: Option<Nodes>,
}

impl Team {
    /// The team of all images: links without messages. Its block lies at the same offset on all images,
    /// because it is allocated by all of them at the same time.
    pub(crate) fn world<C: Comm>(rank: usize, size: usize, memory: &mut Onesided<C>) -> Result<Self> {
        let block = Ring::allocate(size, memory)?;
        let links = (0..chain::links(size) as usize).map(|power| {
            let distance = (1 << power) % size;
            [(rank + distance) % size, (rank + size - distance) % size].map(|image| Link { image, block })
        });
        let ring = Ring::new(rank, size, block, links.collect(), memory);
        Ok(Self { is_world: true, ..Self::new(0, ring) })
    }

    /// A team whose links are known.
    pub(crate) fn new(id: u64, ring: Ring) -> Self {
        Self {
            id,
            ancestors: Vec::new(),
            ring,
            is_world: false,
            members: HashMap::new(),
            operations: 0,
            turns: 0,
            barriers: Barriers::default(),
            board: None,
            nodes: None,
        }
    }

    /// The team was split from another one.
    pub(crate) fn descend_from(self, parent: &Self) -> Self {
        Self { ancestors: [&parent.ancestors[..], &[parent.id]].concat(), ..self }
    }

    /// Collective over all images, which do it at the same time: boards for the team of all images, if it may
    /// have them.
    pub(crate) fn open_boards<C: Comm>(&mut self, shares_cores: bool, memory: &mut Onesided<C>) {
        let size = self.size();
        if let Some((offset, slot_bytes)) = Board::allocate(size, true, shares_cores, memory) {
            let boards = (0..size).map(|image| Place { image, offset }).collect();
            self.board = Some(Board::new(boards, self.rank(), slot_bytes));
        }
    }

    /// Collective over all images, which do it at the same time: the nodes of the team of all images.
    ///
    /// # Errors
    /// If this image has no memory.
    pub(crate) fn open_nodes<C: Comm>(
        &mut self,
        topology: &Topology,
        memory: &mut Onesided<C>,
    ) -> Result<()> {
        self.nodes = Nodes::allocate(self.rank(), topology, memory)?;
        Ok(())
    }

    /// Gives the block and the board back.
    pub(crate) fn release<C: Comm>(&self, memory: &mut Onesided<C>) -> Result<()> {
        self.board.as_ref().map_or(Ok(()), |board| memory.heap().free(board.own()))?;
        memory.heap().free(self.ring.block())
    }

    /// A number that is the same on all members, and that no other team has.
    pub fn identity(&self) -> u64 {
        self.id
    }

    /// The identities of this team and of the teams from which it was split.
    #[inline]
    pub(crate) fn lineage(&self) -> impl Iterator<Item = u64> {
        std::iter::once(self.id).chain(self.ancestors.iter().copied())
    }

    /// This member's rank.
    #[inline]
    pub fn rank(&self) -> usize {
        self.ring.rank()
    }

    /// Number of members.
    #[inline]
    pub fn size(&self) -> usize {
        self.ring.size()
    }

    /// Number of members of the team of all images.
    pub(crate) fn size_of_world(&self) -> Option<usize> {
        self.is_world.then_some(self.size())
    }

    /// Its ring.
    #[inline]
    pub(crate) fn ring(&self) -> &Ring {
        &self.ring
    }

    /// The members have met, and have boards or not.
    pub(crate) fn set_board(&mut self, board: Option<Board>) {
        self.board = board;
    }

    /// Its boards, if it has them.
    pub(crate) fn board(&self) -> Option<&Board> {
        self.board.as_ref()
    }

    /// As [`Self::board`], to be changed.
    pub(crate) fn board_mut(&mut self) -> Option<&mut Board> {
        self.board.as_mut()
    }

    /// Its nodes, where it is the team of all images and on several.
    pub(crate) fn nodes(&self) -> Option<&Nodes> {
        self.nodes.as_ref()
    }

    /// As [`Self::nodes`], to be changed.
    pub(crate) fn nodes_mut(&mut self) -> Option<&mut Nodes> {
        self.nodes.as_mut()
    }

    /// The image of a member, if no link has to be read.
    ///
    /// # Errors
    /// [`Error::Argument`] for a rank that no member has.
    #[inline]
    pub(crate) fn known(&self, rank: usize) -> Result<Option<usize>> {
        if rank >= self.size() {
            return Err(self.no_member(rank));
        }
        if self.is_world { Ok(Some(rank)) } else { Ok(self.looked_up(rank)) }
    }

    fn looked_up(&self, rank: usize) -> Option<usize> {
        self.members.get(&rank).copied()
    }

    #[cold]
    fn no_member(&self, rank: usize) -> Error {
        Error::argument("image", rank, format!("0 to {}, the members of the team", self.size() - 1))
    }

    /// Whether all members are known.
    pub(crate) fn are_all_known(&self) -> bool {
        self.is_world || self.members.len() == self.size()
    }

    /// Caches the image of a member.
    pub(crate) fn remember(&mut self, rank: usize, image: usize) {
        self.members.insert(rank, image);
    }

    /// The turn of the next reduction by slots; the same on all members.
    pub(crate) fn next_turn(&mut self) -> u64 {
        self.turns += 1;
        self.turns
    }

    /// The number of the next collective operation; the same on all members.
    pub(crate) fn next_operation(&mut self) -> u64 {
        self.operations += 1;
        self.operations
    }

    /// What [`Self::next_operation`] will return.
    pub(crate) fn upcoming(&self) -> u64 {
        self.operations + 1
    }

    /// Calls a barrier: its number.
    pub(crate) fn call_barrier(&mut self) -> u64 {
        self.barriers.call()
    }

    /// Barriers that were called.
    pub(crate) fn barriers_called(&self) -> u64 {
        self.barriers.called()
    }

    /// Goes on with the barriers. Whether the one with this number has ended.
    pub(crate) fn advance_barriers<C: Comm>(
        &mut self,
        number: u64,
        memory: &mut Onesided<C>,
        others: &Others,
    ) -> Result<bool> {
        let meeting = match (&self.board, &self.nodes) {
            (Some(board), _) => Meeting::Board(board),
            (None, Some(nodes)) => Meeting::Nodes(nodes),
            (None, None) => Meeting::Ring(&self.ring),
        };
        self.barriers.advance(number, meeting, memory, others)
    }

    /// Words of this image for the team, without cached lookups.
    pub fn words(&self) -> usize {
        self.ring.words()
    }
}
