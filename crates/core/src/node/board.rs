//! A notice board in shared memory: in each round, every rank of a node posts a notice (two words, bytes for
//! each other rank, and optional details) and reads the notices of the others.
//!
//! Idea: two slots per rank (`slots.rs`). A rank posts round n + 1 only after it has seen the notices of all
//! others in round n and has read everything it needs of them. A rank that posts round n + 2 therefore knows
//! that no rank reads round n any more, and no rank waits for readers.
//! Restriction: all ranks of the node take part in every round.
//!
//! Cost: a round is one store by each rank and one load per other rank; no locks, no barrier. Number, words,
//! bounds and a payload of a few bytes share a cache line on small nodes, so that a small exchange costs one
//! transfer of a line between cores. A longer payload has separate lines, which are written
//! first: other ranks poll the line of the number, and each poll takes it away from the writer (256 bytes on
//! 2 ranks with a payload that began in that line: 0.58 us for an exchange, now 0.48). Memory per rank: two
//! slots of the capacity, about 24 bytes per rank of the node, and 8.2 KiB for refusals.

mod layout;
mod notices;

use super::LINE_PAIR;
use super::refusals::{self, Refusal, Refusals};
use super::resident::Resident;
use super::slots::{self, Slots};
use crate::atomic::Ordering;
use crate::comm::Comm;
use crate::error::Result;
use crate::progress::{Progress, wait::Patience};
use layout::{LINE, Layout, Line, WORDS_END};

pub use layout::{DETAILS, WORDS};
pub use notices::Notices;

/// Bytes of the tag of a refusal.
const TAG_BYTES: usize = size_of::<u64>();

/// The board of a node, seen from one of its ranks.
#[derive(Debug)]
pub struct Board {
    slots: Slots,
    layout: Layout,
    resident: Resident,
    /// Whether all ranks have mapped the whole board.
    populated: bool,
    round: u64,
    /// The last round in which the notice of each rank was read.
    seen: Vec<u64>,
    /// Number of ranks whose notice of this round has not been read.
    unseen: usize,
    refusals: Refusals,
    /// The bounds of this rank's notice while it is written.
    bounds: Vec<u32>,
}

/// The counter of a rank's region: the last round that it has finished, and in the lowest bit whether it was
/// complete.
const FINISHED: usize = 0;

/// The notice of this rank while it is written.
#[derive(Debug)]
pub struct Draft<'a> {
    /// Bytes `bounds[i] .. bounds[i + 1]` of the payload are for rank i; all 0 at first.
    pub bounds: &'a mut [u32],
    /// The requested size, with old contents.
    pub payload: &'a mut [u8],
    /// [`DETAILS`] words and an address for every rank of the node, with old contents.
    pub details: &'a mut [u64],
}

impl Board {
    /// Collective over `comm`: one board for each node. `ranks` are the ranks of this rank's node, in node
    /// order; every rank of `comm` calls it, with the same capacity on a node.
    ///
    /// # Errors
    /// On all ranks of `comm`, if a rank cannot reach the shared memory of its node.
    pub fn create<C: Comm + ?Sized>(comm: &C, ranks: &[usize], capacity: usize) -> Result<Self> {
        let layout = Layout::new(ranks.len(), capacity);
        let slots = slots::Layout::new(LINE_PAIR, refusals::COUNTERS, 2, layout.details_end)?;
        Ok(Self::on(Slots::create(comm, ranks, slots)?, layout))
    }

    /// The board of each of some ranks in the memory of a model.
    #[cfg(hcube_model)]
    pub fn of_model(scene: &mut crate::atomic::model::Scene, ranks: usize, capacity: usize) -> Vec<Self> {
        let layout = Layout::new(ranks, capacity);
        let slots = slots::Layout::new(LINE_PAIR, refusals::COUNTERS, 2, layout.details_end);
        let slots = Slots::of_model(scene, ranks, slots.expect("small"));
        slots.into_iter().map(|slots| Self::on(slots, layout)).collect()
    }

    /// The board on slots for notices of this layout, before the first round.
    fn on(slots: Slots, layout: Layout) -> Self {
        let ranks = slots.ranks();
        let resident = Resident::new(&slots, layout.payload, layout.details..layout.details_end);
        let (seen, bounds) = (vec![0; ranks], vec![0; ranks + 1]);
        let (populated, round, unseen, refusals) = (false, 0, 0, Refusals::new(ranks));
        Self { slots, layout, resident, populated, round, seen, unseen, refusals, bounds }
    }

    /// This rank's number on the node.
    #[inline]
    pub fn own(&self) -> usize {
        self.slots.own()
    }

    /// Ranks of the node.
    #[inline]
    pub fn ranks(&self) -> usize {
        self.slots.ranks()
    }

    /// Bytes that a payload can hold.
    pub fn capacity(&self) -> usize {
        self.layout.capacity
    }

    /// Bytes of this rank's part that it has touched, in whole pages.
    pub fn resident_bytes(&self) -> usize {
        if self.populated { self.slots.bytes_per_rank() } else { self.resident.bytes() }
    }

    /// Maps the parts of all ranks. For all ranks of the node at the same time, before they exchange much:
    /// the kernel divides each page among those that have mapped it, and maps pages around one that is read,
    /// so that shares would differ by a factor of two.
    #[inline]
    pub fn populate(&mut self) {
        if !self.populated {
            self.slots.populate();
            self.populated = true;
        }
    }

    /// Posts the notice of the next round, with a payload of the given size.
    ///
    /// # Panics
    /// For a payload above the capacity, and before the notices of all ranks in this round have been read.
    #[inline]
    pub fn post(&mut self, words: [u64; WORDS], bytes: usize, fill: impl FnOnce(Draft<'_>)) {
        self.post_flagged(words, bytes, false, |draft, _| fill(draft));
    }

    /// As [`Self::post`], if the notice depends on the notices of this round, which `fill` may read while it
    /// writes.
    ///
    /// # Panics
    /// As [`Self::post`].
    pub fn post_reading(
        &mut self,
        words: [u64; WORDS],
        bytes: usize,
        fill: impl FnOnce(Draft<'_>, Notices<'_>),
    ) {
        self.post_flagged(words, bytes, false, fill);
    }

    /// As [`Self::post`], with a flag that distinguishes a refusal from other notices.
    #[inline]
    fn post_flagged(
        &mut self,
        words: [u64; WORDS],
        bytes: usize,
        is_refusal: bool,
        fill: impl FnOnce(Draft<'_>, Notices<'_>),
    ) {
        let layout = self.layout;
        assert!(bytes <= layout.capacity, "{bytes} bytes for a board of {}", layout.capacity);
        assert!(
            self.unseen == 0 && !self.refusals.has_further(),
            "a round begins before all have read the previous one"
        );
        let notices = Notices { slots: &self.slots, layout, round: self.round };
        self.round += 1;
        // This rank as well, until its notice is complete.
        self.unseen = self.slots.ranks();
        // SAFETY: every other rank was seen in the round before this one. Either it has posted that round,
        // and had read all earlier rounds, which this slot held; or it has refused it ahead, and reads
        // nothing until it has gone through it (`notice` and `Refusals`). This rank makes no other reference
        // to it: `notices` are in the slots of the round before.
        let contents = unsafe { self.slots.own_memory(self.round).as_mut() };
        let (head, rest) = contents.split_at_mut(layout.bounds_end);
        let (payload, details) = rest.split_at_mut(layout.details - layout.bounds_end);
        let (short, payload) =
            payload[layout.short - layout.bounds_end..].split_at_mut(layout.payload - layout.short);
        let is_short = bytes <= short.len();
        let mut line = Line([0; LINE]);
        let payload = if is_short { &mut line.0[..bytes] } else { &mut payload[..bytes] };
        self.bounds.fill(0);
        fill(Draft { bounds: &mut self.bounds, payload, details: slots::numbers_mut(details) }, notices);
        // The whole line in one store, and last, because other ranks poll it.
        let (head, bounds) = head.split_at_mut(WORDS_END);
        if is_short {
            let length = short.len();
            slots::numbers_mut::<u64>(short).copy_from_slice(slots::numbers(&line.0[..length]));
        }
        slots::numbers_mut(bounds).copy_from_slice(&self.bounds);
        slots::numbers_mut(head).copy_from_slice(&words);
        self.slots.publish(self.round, is_refusal);
        self.resident.note(&self.slots, self.round, bytes);
        self.unseen -= 1;
        let own = self.slots.own();
        self.seen[own] = self.round;
        self.refusals.note(own, is_refusal);
    }

    /// Whether a rank has posted its notice of this round.
    #[inline]
    pub fn has_posted(&mut self, rank: usize) -> bool {
        if self.seen[rank] == self.round {
            return true;
        }
        let posted = self.poll(rank);
        if let Some(is_refusal) = posted {
            self.see(rank, is_refusal);
        }
        posted.is_some()
    }

    /// Waits until a rank has posted its notice of this round.
    #[inline]
    pub fn wait_for<P: Progress + ?Sized>(&mut self, rank: usize, patience: Patience, comm: &P) {
        if self.seen[rank] == self.round {
            return;
        }
        if self.refusals.any() {
            return self.wait_for_refusing(rank, patience, comm);
        }
        let is_refusal = {
            // Where the number stands is computed once: each poll more delays the answer.
            let (poll, mut wait) = (self.slots.poll(rank, self.round), patience.wait());
            loop {
                match poll() {
                    Some(is_refusal) => break is_refusal,
                    None => wait.pause(comm),
                }
            }
        };
        self.see(rank, is_refusal);
    }

    /// As [`Self::wait_for`], where ranks may refuse ahead.
    #[cold]
    #[inline(never)]
    fn wait_for_refusing<P: Progress + ?Sized>(&mut self, rank: usize, patience: Patience, comm: &P) {
        let mut wait = patience.wait();
        while !self.has_posted(rank) {
            wait.pause(comm);
        }
    }

    /// Whether the notice of a rank in this round is a refusal, once it is posted or refused ahead.
    #[inline]
    fn poll(&self, rank: usize) -> Option<bool> {
        let posted = self.slots.published(rank, self.round);
        if posted.is_some() || !self.refusals.any() {
            return posted;
        }
        self.refusals.has_passed(&self.slots, rank, self.round).then_some(true)
    }

    /// Waits for the notices of this round that have not been read, if any. A rank that needs none of them
    /// may return and wait here before it posts the next. Goes through the rounds that this rank has refused
    /// ahead.
    #[inline]
    pub fn see_all<P: Progress + ?Sized>(&mut self, patience: Patience, comm: &P) {
        if self.unseen > 0 || self.refusals.has_further() {
            self.see_refused_rounds(patience, comm);
        }
    }

    #[cold]
    fn see_refused_rounds<P: Progress + ?Sized>(&mut self, patience: Patience, comm: &P) {
        loop {
            (0..self.ranks()).for_each(|rank| self.wait_for(rank, patience, comm));
            if !self.refusals.has_further() {
                return;
            }
            self.begin_refused_round();
        }
    }

    /// Goes on to the next round that this rank has refused ahead, after all notices of the current one have
    /// been read.
    fn begin_refused_round(&mut self) {
        self.refusals.begin_next();
        self.round += 1;
        self.unseen = self.ranks() - 1;
        let own = self.own();
        // Its last notice remains a refusal: see `refuse`.
        self.seen[own] = self.round;
    }

    /// Takes part in the next round with a refusal, ahead of it if notices of this round are missing. `tag`
    /// tells what is refused, `text` why. Local, except after hundreds of refusals ahead, and if this rank
    /// has not read all notices of a round in which it has posted one.
    #[cold]
    pub fn refuse<P: Progress + ?Sized>(
        &mut self,
        words: [u64; WORDS],
        (tag, text): (u64, &[u8]),
        patience: Patience,
        comm: &P,
    ) {
        if !self.refusals.of(self.own()) {
            // Others do not expect a refusal ahead after a notice.
            self.see_all(patience, comm);
        }
        while self.refusals.has_further() && self.all_have_posted() {
            self.begin_refused_round();
        }
        let is_next = !self.refusals.has_further() && self.all_have_posted();
        if !is_next && self.refusals.refuse_ahead(&self.slots, self.round, tag, text) {
            return;
        }
        self.see_all(patience, comm);
        let text = &text[..text.len().min(self.capacity() - TAG_BYTES)];
        self.post_flagged(words, TAG_BYTES + text.len(), true, |draft, _| {
            let (head, room) = draft.payload.split_at_mut(TAG_BYTES);
            head.copy_from_slice(&tag.to_ne_bytes());
            room.copy_from_slice(text);
            draft.bounds[1..].fill((TAG_BYTES + text.len()) as u32);
        });
    }

    fn all_have_posted(&mut self) -> bool {
        (0..self.ranks()).filter(|&rank| !self.has_posted(rank)).count() == 0
    }

    /// Whether a rank, whose notice of this round has been read, has refused the round ahead, so that it has
    /// no notice.
    #[inline(always)]
    pub fn is_refused_ahead(&self, rank: usize) -> bool {
        self.refusals.any() && self.refusals.of(rank) && self.slots.published(rank, self.round).is_none()
    }

    /// Tag and text of a rank's refusal of this round.
    ///
    /// # Panics
    /// For a rank that was not seen in this round, or has not refused it.
    pub fn refusal(&self, rank: usize) -> (u64, Option<Vec<u8>>) {
        assert!(self.seen[rank] == self.round && self.refusals.of(rank), "no refusal was seen");
        if self.is_refused_ahead(rank) {
            let Refusal { tag, text } = refusals::read(&self.slots, rank, self.round);
            return (tag, text.map(Vec::from));
        }
        let (tag, text) = self.all_bytes(rank).split_at(TAG_BYTES);
        (u64::from_ne_bytes(tag.try_into().expect("the bytes of a tag")), Some(text.to_owned()))
    }

    #[inline]
    fn see(&mut self, rank: usize, is_refusal: bool) {
        self.seen[rank] = self.round;
        self.refusals.note(rank, is_refusal);
        self.unseen -= 1;
    }

    /// A rank's notice of this round.
    #[inline]
    fn notice(&self, rank: usize) -> &[u8] {
        assert!(self.seen[rank] == self.round, "a notice is read before it was seen");
        assert!(
            !self.refusals.any() || !(self.refusals.has_further() || self.is_refused_ahead(rank)),
            "a refusal ahead has no notice"
        );
        // SAFETY: seen and not refused ahead, so it is published. This rank releases it by posting its own
        // next notice or refusing ahead, for which the result must have ended: both borrow the board mutably.
        unsafe { self.slots.contents(rank, self.round) }
    }

    /// The words of a rank's notice.
    ///
    /// # Panics
    /// As every access to a notice: before [`Self::has_posted`] or [`Self::wait_for`] has found it.
    #[inline]
    pub fn words(&self, rank: usize) -> [u64; WORDS] {
        let notice = self.notice(rank);
        std::array::from_fn(|word| slots::u64_at(notice, word * size_of::<u64>()))
    }

    /// The detail with this number of a rank's notice.
    #[inline]
    pub fn detail(&self, rank: usize, number: usize) -> u64 {
        slots::u64_at(self.notice(rank), self.layout.details + number * size_of::<u64>())
    }

    /// The address that a rank has posted for this one.
    #[inline]
    pub fn address(&self, rank: usize) -> u64 {
        self.detail(rank, DETAILS + self.own())
    }

    /// The bytes that a rank has posted for this one.
    #[inline]
    pub fn bytes(&self, rank: usize) -> &[u8] {
        self.layout.bytes(self.notice(rank), self.own(), self.ranks())
    }

    /// The bytes that a rank has posted for all.
    pub fn all_bytes(&self, rank: usize) -> &[u8] {
        let (notice, layout) = (self.notice(rank), self.layout);
        let all = slots::u32_at(notice, WORDS_END + self.ranks() * size_of::<u32>()) as usize;
        assert!(all <= layout.capacity, "the notice board of this node is damaged");
        &notice[layout.start(all)..][..all]
    }

    /// Announces that this rank has finished the work of the round, and whether it is complete.
    pub fn finish(&self, complete: bool) {
        // Release: a rank that reads it may use the memory that this rank has read and written for the round.
        let word = self.round << 1 | u64::from(complete);
        self.slots.counter(self.own(), FINISHED).store(word, Ordering::Release);
    }

    /// Once a rank has finished this round: whether it is complete there.
    pub fn finished(&self, rank: usize) -> Option<bool> {
        let word = self.slots.counter(rank, FINISHED).load(Ordering::Acquire);
        (word >> 1 >= self.round).then_some(word & 1 == 1)
    }
}

#[cfg(hcube_model)]
pub mod model;
#[cfg(test)]
mod tests;
