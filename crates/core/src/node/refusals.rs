//! Refusals on a notice board ([`super::board`]): a rank takes part in a round without anything to exchange, and does not
//! wait for the others, who may never call.
//!
//! Idea: a rank may post only after it has seen the notices of all others in its current round. Where some are missing,
//! a refusal is noted ahead of its round: a counter says up to which round this rank has refused, and a ring of
//! entries, made of counters, holds what it has to say. Only a rank that has just refused may do so ahead, so others
//! look at the counter only after a refusal of that rank, or of their own. The rank itself goes through these rounds
//! before it posts its next notice, and reads no notice until then, so others need not wait for it before they reuse
//! a slot.
//!
//! Restrictions: of more than [`MAX_ENTRIES`] refusals ahead, the later ones have no text, and must have one tag; before
//! one with another tag the rank has to wait.
//! Cost: one store per word of an entry. Memory per rank: 4.2 KiB. Source: our own.

use super::slots::Slots;
use std::sync::atomic::Ordering;

/// The longest text of a refusal ahead in bytes.
const MAX_TEXT_BYTES: usize = 248;
/// Entries of the ring.
const RING: u64 = 16;
/// Refusals ahead that have an entry: others may still read those of the current round and of the one before.
const MAX_ENTRIES: u64 = RING - 2;

/// The counter of the last round that a rank has refused ahead.
const REFUSED: usize = 1;
/// The counter of the tag of refusals without entry.
const TAG: usize = 2;
/// The counter where the ring starts.
const FIRST_ENTRY: usize = 3;
/// Words of an entry: its round, its tag, and its text.
const ENTRY_WORDS: usize = 2 + MAX_TEXT_BYTES / size_of::<u64>();
/// Counters of a region, with that of the board itself.
pub(super) const COUNTERS: usize = FIRST_ENTRY + RING as usize * ENTRY_WORDS;

/// The first counter of the entry for a round.
fn entry_of(round: u64) -> usize {
    FIRST_ENTRY + (round % RING) as usize * ENTRY_WORDS
}

/// What a rank says of a refusal ahead.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Refusal {
    /// The number that tells what was refused.
    pub tag: u64,
    /// Why, as far as it fits, and zeros; `None` for one of too many.
    pub text: Option<[u8; MAX_TEXT_BYTES]>,
}

/// What a rank knows of refusals.
#[derive(Debug)]
pub(super) struct Refusals {
    /// Whether the last notice of each rank was a refusal, or may have been one.
    last: Vec<bool>,
    /// Whether that of any rank was.
    any: bool,
    /// Rounds after the current one that this rank has refused.
    ahead: u64,
    /// The last round that this rank has refused without entry, if any, and its tag.
    without_entry: Option<(u64, u64)>,
}

impl Refusals {
    pub fn new(ranks: usize) -> Self {
        Self { last: vec![false; ranks], any: false, ahead: 0, without_entry: None }
    }

    /// Whether any rank, this one included, may have refused in its last notice.
    #[inline(always)]
    pub fn any(&self) -> bool {
        self.any
    }

    /// Whether the last notice of a rank was a refusal, or may have been one.
    #[inline]
    pub fn of(&self, rank: usize) -> bool {
        self.last[rank]
    }

    /// Whether this rank has refused further rounds.
    pub fn has_further(&self) -> bool {
        self.ahead > 0
    }

    /// Goes on to the next of these rounds.
    pub fn begin_next(&mut self) {
        self.ahead -= 1;
    }

    /// Notes whether the last notice of a rank is a refusal.
    #[inline]
    pub fn note(&mut self, rank: usize, is_refusal: bool) {
        if is_refusal || self.any {
            self.change(rank, is_refusal);
        }
    }

    #[cold]
    #[inline(never)]
    fn change(&mut self, rank: usize, is_refusal: bool) {
        self.last[rank] = is_refusal;
        self.any = self.last.contains(&true);
    }

    /// Whether a rank has refused a round ahead or is in a later one: others go on while this rank refuses ahead.
    #[cold]
    pub fn has_passed(&self, slots: &Slots, rank: usize, round: u64) -> bool {
        if !self.last[rank] && !self.last[slots.own()] {
            return false;
        }
        let later = || (0..2).any(|slot| slots.last_published(rank, slot) >= round);
        // Acquire: what the rank wrote to its entry before is seen by what follows.
        slots.counter(rank, REFUSED).load(Ordering::Acquire) >= round || later()
    }

    /// Refuses the next round ahead of the current one; false where others have to answer first.
    #[cold]
    pub fn refuse_ahead(&mut self, slots: &Slots, current: u64, tag: u64, text: &[u8]) -> bool {
        let (own, round) = (slots.own(), current + self.ahead + 1);
        if self.ahead < MAX_ENTRIES {
            let mut bytes = [0; MAX_TEXT_BYTES];
            let length = text.len().min(MAX_TEXT_BYTES);
            bytes[..length].copy_from_slice(&text[..length]);
            let words = bytes.chunks_exact(size_of::<u64>());
            let words = words.map(|word| u64::from_ne_bytes(word.try_into().expect("eight bytes")));
            for (at, word) in (entry_of(round)..).zip([round, tag].into_iter().chain(words)) {
                slots.counter(own, at).store(word, Ordering::Relaxed);
            }
        } else {
            // Others may still read the tag of the current round and of the one before.
            if self.without_entry.is_some_and(|(last, its_tag)| last + 1 >= current && its_tag != tag) {
                return false;
            }
            slots.counter(own, TAG).store(tag, Ordering::Relaxed);
            self.without_entry = Some((round, tag));
        }
        self.ahead += 1;
        // Release: whoever sees the round sees its entry.
        slots.counter(own, REFUSED).store(round, Ordering::Release);
        true
    }
}

/// What a rank says of a round that it has refused ahead.
pub(super) fn read(slots: &Slots, rank: usize, round: u64) -> Refusal {
    let word = |counter: usize| slots.counter(rank, counter).load(Ordering::Relaxed);
    let at = entry_of(round);
    if word(at) != round {
        return Refusal { tag: word(TAG), text: None };
    }
    let mut text = [0; MAX_TEXT_BYTES];
    for (number, part) in text.chunks_exact_mut(size_of::<u64>()).enumerate() {
        part.copy_from_slice(&word(at + 2 + number).to_ne_bytes());
    }
    Refusal { tag: word(at + 1), text: Some(text) }
}
