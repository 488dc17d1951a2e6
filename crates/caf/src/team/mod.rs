//! Teams: subsets of images, on rings of links.
//!
//! Idea: member j of a team of size S is linked to the members (j ± 2^i) mod S, for every i with 2^i < S. A link names the
//! image and where that image keeps its own links, in a block of its heap that others read. No image knows all members.
//! The members that no link gives are looked up along chains of links ([`chain`], `lookup`); the team of all images needs
//! no lookups.
//!
//! Cost: 39 words per power of two on each image: two links, which are kept in the heap (2 words) and outside of it (4), the
//! word of the barrier, and two slots of 16 words for reductions; and what was looked up.
//! Source: Jin et al. 2011, §II-A and Figure 1.

pub(crate) mod board;
pub mod chain;
mod lookup;
pub(crate) mod network;
mod split;
mod stack;
#[cfg(test)]
mod tests;

use crate::coarray::Place;
use hcube_core::comm::Comm;
use hcube_core::error::Result;
use hcube_core::onesided::Onesided;
use std::collections::HashMap;

/// A link to another member, or to the member itself in a team of one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Link {
    /// The image.
    pub image: usize,
    /// Offset of the block with its links, in its heap.
    pub block: usize,
}

impl Link {
    fn word(self) -> u64 {
        Place { image: self.image, offset: self.block }.word()
    }

    fn of(word: u64) -> Self {
        let Place { image, offset: block } = Place::of(word);
        Self { image, block }
    }
}

/// Indices of the two links of a power of two.
pub(crate) const FORWARD: usize = 0;
/// As above.
pub(crate) const BACKWARD: usize = 1;
/// Words of a block per power of two: two links, and the word of the barrier.
const WORDS: usize = 3;
const BARRIER: usize = 2;

/// Bytes of a slot for words of a reduction, of which a block has two per power of two: those of a reduction are used while
/// somebody may still read those of the one before.
const SLOT_BYTES: usize = 128;
const SLOTS: usize = 2;
/// Words of a slot beside the turn.
pub(crate) const SLOT_WORDS: usize = SLOT_BYTES / size_of::<u64>() - 1;

/// Where a block has a link, or the word of the barrier.
const fn place(power: usize, word: usize) -> usize {
    (power * WORDS + word) * size_of::<u64>()
}

/// Where the block of a team with links for `powers` powers of two has the offset of its board.
const fn board_place(powers: usize) -> usize {
    place(powers, 0)
}

/// Where it has a slot.
const fn slot(powers: usize, power: usize, turn: u64) -> usize {
    let first = (board_place(powers) + size_of::<u64>()).next_multiple_of(SLOT_BYTES);
    first + (power * SLOTS + turn as usize % SLOTS) * SLOT_BYTES
}

/// A team, seen from one of its members.
#[derive(Debug)]
pub struct Team {
    /// The same on all members, and on no other team.
    pub(crate) id: u64,
    /// The identities of the teams from which it was split.
    pub(crate) ancestors: Vec<u64>,
    rank: usize,
    size: usize,
    /// The team of all images, whose members are known without lookups.
    is_world: bool,
    /// Offset of this member's block in its heap.
    block: usize,
    /// Forward and backward, by powers of two.
    links: Vec<[Link; 2]>,
    /// Members that were looked up.
    members: HashMap<usize, usize>,
    /// Collective operations so far, and reductions by slots.
    operations: u64,
    turns: u64,
    pub(crate) barrier: crate::barrier::Progress,
    /// Where it has boards.
    pub(crate) board: Option<board::Board>,
    /// Coarrays that live in it.
    pub(crate) coarrays: usize,
}

impl Team {
    /// The team of all images: links without messages. Its block lies at the same offset on all images, because it is allocated
    /// by all of them at the same time.
    pub(crate) fn world<C: Comm>(rank: usize, size: usize, memory: &mut Onesided<C>) -> Result<Self> {
        let block = Self::allocate(size, memory)?;
        let links = (0..chain::links(size) as usize).map(|power| {
            let distance = (1 << power) % size;
            [(rank + distance) % size, (rank + size - distance) % size].map(|image| Link { image, block })
        });
        Ok(Self::new(0, rank, size, block, links.collect(), true, memory))
    }

    /// A block for the links of a member.
    fn allocate<C: Comm>(size: usize, memory: &mut Onesided<C>) -> Result<usize> {
        let powers = chain::links(size) as usize;
        let bytes = slot(powers, powers, 0).max(size_of::<u64>());
        let block = memory.heap().allocate(bytes)?;
        memory.own(block, bytes).write(&vec![0; bytes]);
        Ok(block)
    }

    /// A team whose links are known, which it publishes.
    fn new<C: Comm>(
        id: u64,
        rank: usize,
        size: usize,
        block: usize,
        links: Vec<[Link; 2]>,
        is_world: bool,
        memory: &Onesided<C>,
    ) -> Self {
        for (power, pair) in links.iter().enumerate() {
            for (direction, link) in pair.iter().enumerate() {
                let word = memory.own_word(block + place(power, direction));
                word.store(link.word(), std::sync::atomic::Ordering::Release);
            }
        }
        let (members, barrier) = (HashMap::new(), crate::barrier::Progress::default());
        Self {
            id,
            ancestors: Vec::new(),
            rank,
            size,
            is_world,
            block,
            links,
            members,
            operations: 0,
            turns: 0,
            barrier,
            board: None,
            coarrays: 0,
        }
    }

    /// Gives the block and the board back.
    pub(crate) fn release<C: Comm>(&self, memory: &mut Onesided<C>) -> Result<()> {
        self.board.as_ref().map_or(Ok(()), |board| memory.heap().free(board.own()))?;
        memory.heap().free(self.block)
    }

    /// A number that is the same on all members, and that no other team has.
    pub fn identity(&self) -> u64 {
        self.id
    }

    /// This member's rank.
    #[inline]
    pub fn rank(&self) -> usize {
        self.rank
    }

    /// Number of members of the team of all images.
    pub(crate) fn size_of_world(&self) -> Option<usize> {
        self.is_world.then_some(self.size)
    }

    /// Number of members.
    #[inline]
    pub fn size(&self) -> usize {
        self.size
    }

    /// Notes the team from which this one was split.
    fn descend_from(&mut self, parent: &Self) {
        self.ancestors = [&parent.ancestors[..], &[parent.id]].concat();
    }

    /// Powers of two that have links.
    pub(crate) fn powers(&self) -> usize {
        self.links.len()
    }

    /// A link to the member at distance 2^`power`.
    #[inline]
    pub(crate) fn link(&self, power: usize, direction: usize) -> Link {
        self.links[power][direction]
    }

    /// The word of the barrier that others write here, and where a linked member has its own.
    pub(crate) fn barrier_word(&self, power: usize) -> usize {
        self.block + place(power, BARRIER)
    }

    /// Where a linked member has that word.
    pub(crate) fn barrier_word_at(link: Link, power: usize) -> usize {
        link.block + place(power, BARRIER)
    }

    /// The slot that the member behind writes in a turn.
    pub(crate) fn slot(&self, power: usize, turn: u64) -> usize {
        self.block + slot(self.powers(), power, turn)
    }

    /// Where the linked member ahead has that slot.
    pub(crate) fn slot_ahead(&self, power: usize, turn: u64) -> (usize, usize) {
        let Link { image, block } = self.link(power, FORWARD);
        (image, block + slot(self.powers(), power, turn))
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

    /// Words that this image keeps for the team, without what was looked up.
    pub fn words(&self) -> usize {
        let link = size_of::<Link>() / size_of::<u64>();
        self.links.len() * (WORDS + SLOTS * (1 + SLOT_WORDS) + 2 * link)
    }
}
