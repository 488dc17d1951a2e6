//! Refusals: notices by which a rank takes part in a round without anything to exchange, and does not wait for the
//! others.
//!
//! Idea: a rank may post only after it has seen the notices of all others in its current round. A refusal must not wait
//! for that, because the others may never call. So where some notices are missing, a refusal is noted ahead of its
//! round: a counter says up to which round this rank has refused, and a ring of entries, made of counters, holds what
//! it has to say. Only a rank that has just refused may do so ahead, so the others look at the counter only after a
//! refusal. The rank itself goes through these rounds before it posts its next notice ([`Board::see_all`]). It has read
//! no notice since its first refusal, so others need not wait for it before they reuse a slot.
//!
//! Restriction: of more than [`MAX_ENTRIES`] refusals ahead, the later ones have no entry.
//! Cost: one store per word of an entry. Memory per rank: 4.2 KiB. Source: our own.

use super::{Board, WORDS};
use std::sync::atomic::Ordering;

/// Bytes of an entry.
pub const ENTRY_BYTES: usize = 256;
/// Entries of the ring.
const RING: u64 = 16;
/// Refusals ahead that have an entry: others may still read those of the current round and of the one before.
const MAX_ENTRIES: u64 = RING - 2;

/// The counter of the last round that this rank has refused ahead.
const REFUSED: usize = 1;
/// The counter where the ring starts.
const FIRST_ENTRY: usize = 2;
/// Words of an entry: its round, and its bytes.
const ENTRY_WORDS: usize = 1 + ENTRY_BYTES / size_of::<u64>();
/// Counters of a region.
pub(super) const COUNTERS: usize = FIRST_ENTRY + RING as usize * ENTRY_WORDS;

/// The first counter of the entry for a round.
fn entry_of(round: u64) -> usize {
    FIRST_ENTRY + (round % RING) as usize * ENTRY_WORDS
}

impl Board {
    /// Local: takes part in the next round with a refusal, now or ahead. `entry` is what others read of it.
    ///
    /// # Panics
    /// For an entry above [`ENTRY_BYTES`].
    #[cold]
    pub fn refuse(&mut self, words: [u64; WORDS], entry: &[u8]) {
        while (0..self.ranks()).filter(|&rank| !self.has_posted(rank)).count() == 0 && self.ahead > 0 {
            self.begin_refused_round();
        }
        if self.unseen == 0 {
            self.post_flagged(words, entry.len(), true, |draft| {
                draft.payload.copy_from_slice(entry);
                draft.bounds[1..].fill(entry.len() as u32);
            });
            return;
        }
        self.ahead += 1;
        let (own, round) = (self.own(), self.round + self.ahead);
        if self.ahead <= MAX_ENTRIES {
            let mut bytes = [0; ENTRY_BYTES];
            bytes[..entry.len()].copy_from_slice(entry);
            let words = bytes.chunks_exact(size_of::<u64>());
            let words = words.map(|word| u64::from_ne_bytes(word.try_into().expect("eight bytes")));
            for (at, word) in (entry_of(round)..).zip(std::iter::once(round).chain(words)) {
                self.slots.counter(own, at).store(word, Ordering::Relaxed);
            }
        }
        // Release: whoever sees the round sees its entry.
        self.slots.counter(own, REFUSED).store(round, Ordering::Release);
    }

    /// Notes whether the last notice of a rank is a refusal.
    #[inline]
    pub(super) fn note_kind(&mut self, rank: usize, is_refusal: bool) {
        if is_refusal || self.any_refused {
            self.change_kind(rank, is_refusal);
        }
    }

    #[cold]
    #[inline(never)]
    fn change_kind(&mut self, rank: usize, is_refusal: bool) {
        self.refused[rank] = is_refusal;
        self.any_refused = self.refused.contains(&true);
    }

    /// Whether a rank has refused this round ahead or is in a later one: others go on while this rank refuses ahead.
    #[cold]
    pub(super) fn has_passed(&self, rank: usize) -> bool {
        if !self.refused[rank] && !self.refused[self.own()] {
            return false;
        }
        let later = || (0..2).any(|slot| self.slots.last_published(rank, slot) >= self.round);
        // Acquire: what the rank wrote to its entry before is seen by what follows.
        self.slots.counter(rank, REFUSED).load(Ordering::Acquire) >= self.round || later()
    }

    /// Goes on to the next round that this rank has refused ahead, after all notices of the current one were seen.
    pub(super) fn begin_refused_round(&mut self) {
        self.ahead -= 1;
        self.round += 1;
        self.unseen = self.ranks() - 1;
        let own = self.own();
        self.seen[own] = self.round;
        self.note_kind(own, true);
    }

    /// Whether a rank, which was seen in this round, has refused it ahead, so that it has no notice.
    #[inline(always)]
    pub fn is_refused_ahead(&self, rank: usize) -> bool {
        self.any_refused && self.refused[rank] && self.slots.published(rank, self.round).is_none()
    }

    /// The entry of a rank that has refused this round ahead, if it has one.
    pub fn refusal_ahead(&self, rank: usize) -> Option<[u8; ENTRY_BYTES]> {
        let at = entry_of(self.round);
        let word = |number: usize| self.slots.counter(rank, at + number).load(Ordering::Relaxed);
        let mut bytes = [0; ENTRY_BYTES];
        for (number, part) in bytes.chunks_exact_mut(size_of::<u64>()).enumerate() {
            part.copy_from_slice(&word(1 + number).to_ne_bytes());
        }
        (word(0) == self.round).then_some(bytes)
    }
}
