//! Refusals on a notice board ([`super::board`]): a rank takes part in a round without data, and does not
//! wait for the others, who may never call.
//!
//! Idea: a rank may post only after it has seen the notices of all others in its current round. If some are
//! missing, a refusal is recorded ahead of its round: a counter tells up to which round this rank has
//! refused, and two rings of counters contain the details: a tag for each refusal, and the texts of the first
//! ones. Only a rank that has just refused may refuse ahead, so others read the counter only after a refusal
//! of that rank, or of their own. The rank itself goes through these rounds before it posts its next notice,
//! and reads no notice until then, so others need not wait for it before they reuse a slot.
//!
//! Restrictions: of more than [`MAX_TEXTS`] refusals ahead, the later ones have no text; a rank that has
//! refused [`MAX_AHEAD`] rounds ahead has to wait.
//! Cost: one store per word of a text. Memory per rank: 8.2 KiB. Source: our own.

use super::slots::Slots;
use crate::atomic::Ordering;

/// The longest text of a refusal ahead in bytes.
const MAX_TEXT_BYTES: usize = if cfg!(hcube_model) { 8 } else { 248 };
/// Texts in their ring, and tags in theirs; in a model few, so that they are used again.
const TEXTS: u64 = if cfg!(hcube_model) { 3 } else { 16 };
const TAGS: u64 = if cfg!(hcube_model) { 4 } else { 512 };
/// Refusals ahead that have a text: others may still read refusals of the current round and of the one
/// before.
const MAX_TEXTS: u64 = TEXTS - 2;
/// Refusals ahead.
const MAX_AHEAD: u64 = TAGS - 2;

/// The counter of the last round that a rank has refused ahead.
const REFUSED: usize = 1;
/// The counters where the rings start.
const FIRST_TAG: usize = 2;
const FIRST_TEXT: usize = FIRST_TAG + TAGS as usize;
/// Words of a text, with its round.
const TEXT_WORDS: usize = 1 + MAX_TEXT_BYTES / size_of::<u64>();
/// Counters of a region, including the counter of the board itself.
pub(super) const COUNTERS: usize = FIRST_TEXT + TEXTS as usize * TEXT_WORDS;

/// The counter of the tag for a round.
fn tag_of(round: u64) -> usize {
    FIRST_TAG + (round % TAGS) as usize
}

/// The first counter of the text for a round.
fn text_of(round: u64) -> usize {
    FIRST_TEXT + (round % TEXTS) as usize * TEXT_WORDS
}

/// The details of a refusal ahead.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Refusal {
    /// The number that identifies what was refused.
    pub tag: u64,
    /// Why, as far as it fits, and zeros; `None` for one of too many.
    pub text: Option<[u8; MAX_TEXT_BYTES]>,
}

/// A rank's knowledge of refusals.
#[derive(Debug)]
pub(super) struct Refusals {
    /// Whether the last notice of each rank was a refusal, or may have been one.
    last: Vec<bool>,
    /// Whether the state of any rank was.
    any: bool,
    /// Rounds after the current one that this rank has refused.
    ahead: u64,
}

impl Refusals {
    pub fn new(ranks: usize) -> Self {
        Self { last: vec![false; ranks], any: false, ahead: 0 }
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

    /// Records whether the last notice of a rank is a refusal.
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

    /// Whether a rank has refused a round ahead or is in a later one: others continue while this rank refuses
    /// ahead.
    #[cold]
    pub fn has_passed(&self, slots: &Slots, rank: usize, round: u64) -> bool {
        if !self.last[rank] && !self.last[slots.own()] {
            return false;
        }
        // The slot of a round that the rank has posted holds this notice or a later one.
        let later = || slots.last_published(rank, round) >= round;
        // Acquire: the tag and the text that the rank wrote before are seen by what follows.
        slots.counter(rank, REFUSED).load(Ordering::Acquire) >= round || later()
    }

    /// Refuses the next round ahead of the current one; false where others have to answer first.
    #[cold]
    pub fn refuse_ahead(&mut self, slots: &Slots, current: u64, tag: u64, text: &[u8]) -> bool {
        if self.ahead == MAX_AHEAD {
            return false;
        }
        let (own, round) = (slots.own(), current + self.ahead + 1);
        slots.counter(own, tag_of(round)).store(tag, Ordering::Relaxed);
        if self.ahead < MAX_TEXTS {
            let mut bytes = [0; MAX_TEXT_BYTES];
            let length = text.len().min(MAX_TEXT_BYTES);
            bytes[..length].copy_from_slice(&text[..length]);
            let words = bytes.chunks_exact(size_of::<u64>());
            let words = words.map(|word| u64::from_ne_bytes(word.try_into().expect("eight bytes")));
            for (at, word) in (text_of(round)..).zip(std::iter::once(round).chain(words)) {
                slots.counter(own, at).store(word, Ordering::Relaxed);
            }
        }
        self.ahead += 1;
        // Release: a rank that reads the round sees its tag and text.
        slots.counter(own, REFUSED).store(round, Ordering::Release);
        true
    }
}

/// The details of a round that a rank has refused ahead.
pub(super) fn read(slots: &Slots, rank: usize, round: u64) -> Refusal {
    let word = |counter: usize| slots.counter(rank, counter).load(Ordering::Relaxed);
    let (tag, at) = (word(tag_of(round)), text_of(round));
    if word(at) != round {
        return Refusal { tag, text: None };
    }
    let mut text = [0; MAX_TEXT_BYTES];
    for (number, part) in text.chunks_exact_mut(size_of::<u64>()).enumerate() {
        part.copy_from_slice(&word(at + 1 + number).to_ne_bytes());
    }
    Refusal { tag, text: Some(text) }
}

#[cfg(hcube_model)]
pub mod model;
