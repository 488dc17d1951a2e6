//! The board of a team inside a node: memory in which each member publishes data for all others.
//!
//! Idea: a member writes to a slot of its part of the board, then the number of the turn to the first word;
//! waiting members poll these words of all members. A member that begins the next turn has finished the turn
//! before, so two alternating slots are enough. One turn takes as long as the last member needs to arrive.
//! Along a ring of links, each round waits for another member, which takes ⌈log2 S⌉ scheduling turns if
//! members share cores.
//!
//! Restrictions: all members are on one node, and are few or share cores: otherwise reading S - 1 words that
//! other cores have written is slower than reading ⌈log2 S⌉ of them. The team of all images on several nodes
//! has boards of the members of each node, which only one of them reads (`nodes`).
//! Cost: a word written and S - 1 words read per member and turn. Memory: a cache line and two slots per
//! member.
//! Source: our own; a central barrier with a word per member instead of a shared counter.

use super::ring::{Link, Ring, board_place, jump, place};
use crate::state::others::Others;
use crate::state::place::Place;
use hcube_core::atomic::{self, Ordering};
use hcube_core::comm::Comm;
use hcube_core::error::Result;
use hcube_core::memory::Region;
use hcube_core::onesided::Onesided;
use std::ops::Range;

/// Members of the largest team that has boards where each of them has a core.
const MAX_MEMBERS: usize = 8;
/// The same where members share cores.
const MAX_CROWDED: usize = 64;
/// Bytes of a slot, for the team of all images and for others: a piece of a block has a turn of all members,
/// and lines that the others have read are slower to write again than new ones. There may be many other
/// teams.
const WORLD_SLOT_BYTES: usize = if cfg!(hcube_model) { 256 } else { 512 << 10 };
const SLOT_BYTES: usize = if cfg!(hcube_model) { 256 } else { 8 << 10 };

/// Bytes before the slots: no two members write to the same line.
const HEAD_BYTES: usize = 128;
/// Where a board has the number of the last barrier that its member has called.
const BARRIER: usize = 0;
/// Bytes of a slot before its data: the number of the turn, which is in the same line as short data.
const TURN_BYTES: usize = size_of::<u64>();
const SLOTS: u64 = 2;
/// The offset of a board that is not offered.
const NONE: u64 = 0;

/// The boards of a team, seen from a member.
#[derive(Debug)]
pub(crate) struct Board {
    /// Of all members: the image, and where it has its board.
    boards: Box<[Place]>,
    /// This member.
    rank: usize,
    slot_bytes: usize,
    /// Turns and uses of slots so far; the same on all members.
    turns: u64,
    uses: u64,
}

impl Board {
    /// Memory for the board of a member, if a team of this size may have boards: its offset, and the bytes of
    /// a slot.
    pub(super) fn allocate<C: Comm>(
        size: usize,
        is_world: bool,
        shares_cores: bool,
        memory: &mut Onesided<C>,
    ) -> Option<(usize, usize)> {
        let most = if shares_cores { MAX_CROWDED } else { MAX_MEMBERS };
        if !(2..=most).contains(&size) || memory.node().len() < size {
            return None;
        }
        let slot_bytes = if is_world { WORLD_SLOT_BYTES } else { SLOT_BYTES };
        Self::allocate_one(slot_bytes, memory).ok().map(|at| (at, slot_bytes))
    }

    /// Memory for a board: its offset.
    pub(super) fn allocate_one<C: Comm>(slot_bytes: usize, memory: &mut Onesided<C>) -> Result<usize> {
        let at = memory.heap().allocate(HEAD_BYTES + SLOTS as usize * slot_bytes)?;
        let words = [at + BARRIER, at + HEAD_BYTES, at + HEAD_BYTES + slot_bytes];
        words.into_iter().for_each(|word| memory.own_word(word).store(0, Ordering::Relaxed));
        Ok(at)
    }

    /// Boards of all members.
    pub(super) fn new(boards: Box<[Place]>, rank: usize, slot_bytes: usize) -> Self {
        Self { boards, rank, slot_bytes, turns: 0, uses: 0 }
    }

    /// Number of members.
    pub fn size(&self) -> usize {
        self.boards.len()
    }

    /// Where this member has its board.
    pub(super) fn own(&self) -> usize {
        self.boards[self.rank].offset
    }

    /// Bytes of data in a slot.
    pub fn slot_bytes(&self) -> usize {
        self.slot_bytes - TURN_BYTES
    }

    /// Where each board has the current slot.
    fn slot_at(&self) -> usize {
        HEAD_BYTES + (self.uses % SLOTS) as usize * self.slot_bytes
    }

    /// The part of the current slot of a member, which has begun a turn, to be read.
    pub fn slot<'a, C: Comm>(&self, rank: usize, part: Range<usize>, memory: &'a Onesided<C>) -> Region<'a> {
        let slot = self.region(rank, part, memory);
        atomic::read(slot.address());
        slot
    }

    /// The part of the current slot of this member, to be written before it begins a turn.
    pub fn own_slot<'a, C: Comm>(&self, part: Range<usize>, memory: &'a Onesided<C>) -> Region<'a> {
        let slot = self.region(self.rank, part, memory);
        atomic::written(slot.address());
        slot
    }

    fn region<'a, C: Comm>(&self, rank: usize, part: Range<usize>, memory: &'a Onesided<C>) -> Region<'a> {
        debug_assert!(part.end <= self.slot_bytes());
        let Place { image, offset } = self.boards[rank];
        let begin = offset + self.slot_at() + TURN_BYTES;
        memory.here(image, begin + part.start, part.len()).expect("boards are on one node")
    }

    /// Turns that this member has begun.
    pub(super) fn turns(&self) -> u64 {
        self.turns
    }

    /// Takes the next slot, which is written before the turn begins.
    pub fn take_slot(&mut self) {
        self.uses += 1;
    }

    /// Begins a turn, the first or another one of the current slot: what this member has written there can be
    /// read. The number of the turn.
    pub fn begin_turn<C: Comm>(&mut self, memory: &Onesided<C>) -> u64 {
        self.turns += 1;
        memory.own_word(self.own() + self.slot_at()).store(self.turns, Ordering::Release);
        self.turns
    }

    /// Whether all members have begun a turn; `come`: those that are known to have.
    pub fn has_turn_come<C: Comm>(
        &self,
        turn: u64,
        come: &mut usize,
        (memory, others): (&Onesided<C>, &Others),
    ) -> Result<bool> {
        self.have_written(self.slot_at(), turn, come, (memory, others))
    }

    /// Says that this member has called a barrier.
    pub fn call_barrier<C: Comm>(&self, number: u64, memory: &Onesided<C>) {
        memory.own_word(self.own() + BARRIER).store(number, Ordering::Release);
    }

    /// Whether all members have called a barrier; `come`: those that are known to have.
    pub fn has_barrier_come<C: Comm>(
        &self,
        number: u64,
        come: &mut usize,
        (memory, others): (&Onesided<C>, &Others),
    ) -> Result<bool> {
        self.have_written(BARRIER, number, come, (memory, others))
    }

    fn have_written<C: Comm>(
        &self,
        word: usize,
        number: u64,
        come: &mut usize,
        (memory, others): (&Onesided<C>, &Others),
    ) -> Result<bool> {
        while let Some(&Place { image, offset }) = self.boards.get(*come) {
            // Words that an image has written before it was gone are valid.
            let gone = others.check(image);
            let written = memory.here_word(image, offset + word).expect("boards are on one node");
            if written.load(Ordering::Acquire) < number {
                return gone.map(|()| false);
            }
            *come += 1;
        }
        Ok(true)
    }
}

/// A board that a member offers to the others: its offset, and the bytes of a slot.
pub(crate) type Offer = Option<(usize, usize)>;

/// Before the members have met, which orders what they read afterwards: offers a board to the others.
pub(crate) fn offer<C: Comm>(ring: &Ring, shares_cores: bool, memory: &mut Onesided<C>) -> Offer {
    let offer = Board::allocate(ring.size(), false, shares_cores, memory);
    let offset = offer.map_or(NONE, |(offset, _)| offset as u64);
    memory.own_word(ring.block() + board_place(ring.powers())).store(offset, Ordering::Relaxed);
    offer
}

/// When all members have offered theirs: the boards of all, if all are on this node. `own`: this image.
///
/// # Errors
/// If a board cannot be freed.
pub(crate) fn take<C: Comm>(
    ring: &Ring,
    own: usize,
    offer: Offer,
    memory: &mut Onesided<C>,
) -> Result<Option<Board>> {
    let Some((offset, slot_bytes)) = offer else { return Ok(None) };
    let all: Option<Box<[Place]>> = (0..ring.size()).map(|rank| find(ring, own, rank, memory)).collect();
    match all {
        Some(boards) => Ok(Some(Board::new(boards, ring.rank(), slot_bytes))),
        None => memory.heap().free(offset).map(|()| None),
    }
}

/// The board of a member, along its chain of links from the image `own`.
fn find<C: Comm>(ring: &Ring, own: usize, rank: usize, memory: &Onesided<C>) -> Option<Place> {
    let read = |link: Link, at: usize| {
        memory.here_word(link.image, link.block + at).map(|word| word.load(Ordering::Relaxed))
    };
    let mut at = Link { image: own, block: ring.block() };
    for distance in ring.chain_to(rank) {
        let (power, direction) = jump(distance);
        at = Link::of(read(at, place(power, direction))?);
    }
    let offset = read(at, board_place(ring.powers())).filter(|&offset| offset != NONE)?;
    Some(Place { image: at.image, offset: offset as usize })
}
