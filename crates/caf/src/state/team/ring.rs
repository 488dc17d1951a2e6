//! The ring of links of a team, and the block of the heap in which a member publishes its links.
//!
//! A block has, for each power of two: two links and the word of the barrier; then the offset of the board;
//! then two slots for the words of reductions per power of two.

use super::chain;
use crate::state::place::Place;
use hcube_core::atomic::Ordering;
use hcube_core::comm::Comm;
use hcube_core::error::Result;
use hcube_core::onesided::Onesided;

/// A link to another member, or to the member itself in a team of one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Link {
    /// The image.
    pub image: usize,
    /// Offset of the block with its links, in its heap.
    pub block: usize,
}

impl Link {
    /// The link in a word, which other images can read.
    pub fn word(self) -> u64 {
        Place { image: self.image, offset: self.block }.word()
    }

    /// The link that a word holds.
    pub fn of(word: u64) -> Self {
        let Place { image, offset: block } = Place::of(word);
        Self { image, block }
    }
}

/// Indices of the two links of a power of two.
pub(crate) const FORWARD: usize = 0;
/// As above.
pub(crate) const BACKWARD: usize = 1;
/// Words of a block per power of two: two links, and the word of the barrier.
pub(crate) const WORDS: usize = 3;
const BARRIER: usize = 2;

/// Bytes of a slot for the words of a reduction. A block has two slots per power of two, because one
/// reduction is in progress while other members may still read the words of the previous one.
pub(super) const SLOT_BYTES: usize = 128;
const SLOTS: usize = 2;
/// Words of a slot in addition to the turn.
pub(crate) const SLOT_WORDS: usize = SLOT_BYTES / size_of::<u64>() - 1;

/// Where a block has a link, or the word of the barrier.
pub(crate) const fn place(power: usize, word: usize) -> usize {
    (power * WORDS + word) * size_of::<u64>()
}

/// Where the block of a team with links for `powers` powers of two has the offset of its board.
pub(super) const fn board_place(powers: usize) -> usize {
    place(powers, 0)
}

/// Where it has a slot.
pub(super) const fn slot(powers: usize, power: usize, turn: u64) -> usize {
    let first = (board_place(powers) + size_of::<u64>()).next_multiple_of(SLOT_BYTES);
    first + (power * SLOTS + turn as usize % SLOTS) * SLOT_BYTES
}

/// The power and the direction of a jump.
pub(crate) fn jump(distance: i64) -> (usize, usize) {
    (distance.unsigned_abs().trailing_zeros() as usize, if distance > 0 { FORWARD } else { BACKWARD })
}

/// A member's place on the ring, and its links.
#[derive(Debug)]
pub(crate) struct Ring {
    rank: usize,
    size: usize,
    /// Offset of this member's block in its heap.
    block: usize,
    /// Forward and backward, by powers of two.
    links: Vec<[Link; 2]>,
}

impl Ring {
    /// A block for the links of a member.
    pub fn allocate<C: Comm>(size: usize, memory: &mut Onesided<C>) -> Result<usize> {
        let powers = chain::links(size) as usize;
        let bytes = slot(powers, powers, 0).max(size_of::<u64>());
        let block = memory.heap().allocate(bytes)?;
        let words = (0..=board_place(powers)).step_by(size_of::<u64>());
        let turns =
            (0..powers).flat_map(|power| (0..SLOTS as u64).map(move |turn| slot(powers, power, turn)));
        words.chain(turns).for_each(|word| memory.own_word(block + word).store(0, Ordering::Relaxed));
        Ok(block)
    }

    /// A member whose links are known, which it writes for others. The members meet before they read them.
    pub fn new<C: Comm>(
        rank: usize,
        size: usize,
        block: usize,
        links: Vec<[Link; 2]>,
        memory: &Onesided<C>,
    ) -> Self {
        for (power, pair) in links.iter().enumerate() {
            for (direction, link) in pair.iter().enumerate() {
                memory.own_word(block + place(power, direction)).store(link.word(), Ordering::Relaxed);
            }
        }
        Self { rank, size, block, links }
    }

    #[inline]
    pub fn rank(&self) -> usize {
        self.rank
    }

    #[inline]
    pub fn size(&self) -> usize {
        self.size
    }

    /// Offset of this member's block in its heap.
    pub fn block(&self) -> usize {
        self.block
    }

    /// Powers of two that have links.
    pub fn powers(&self) -> usize {
        self.links.len()
    }

    /// All links, forward and backward, by powers of two.
    pub fn links(&self) -> &[[Link; 2]] {
        &self.links
    }

    /// A link to the member at distance 2^`power`.
    #[inline]
    pub fn link(&self, power: usize, direction: usize) -> Link {
        self.links[power][direction]
    }

    /// Jumps along links to another member.
    pub fn chain_to(&self, rank: usize) -> Vec<i64> {
        chain::shortest(self.size, (rank + self.size - self.rank) % self.size)
    }

    /// The word of the barrier that others write here.
    pub fn barrier_word(&self, power: usize) -> usize {
        self.block + place(power, BARRIER)
    }

    /// Where a linked member has that word.
    pub fn barrier_word_at(link: Link, power: usize) -> usize {
        link.block + place(power, BARRIER)
    }

    /// The slot that the member behind writes in a turn.
    pub fn slot(&self, power: usize, turn: u64) -> usize {
        self.block + slot(self.powers(), power, turn)
    }

    /// Where the linked member ahead has that slot.
    pub fn slot_ahead(&self, power: usize, turn: u64) -> (usize, usize) {
        let Link { image, block } = self.link(power, FORWARD);
        (image, block + slot(self.powers(), power, turn))
    }

    /// Words that the image keeps for it.
    pub fn words(&self) -> usize {
        let link = size_of::<Link>() / size_of::<u64>();
        self.links.len() * (WORDS + SLOTS * (1 + SLOT_WORDS) + 2 * link)
    }
}
