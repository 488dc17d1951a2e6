//! A notice board in shared memory: every rank of a node posts a notice per round (a few words, an
//! address for each other rank, and bytes for each of them) and reads those of the others. One round
//! is one store by each rank and one load per other rank; no locks, no barrier.
//!
//! Notices are double-buffered: a rank that posts round n + 2 has seen everybody's round n + 1, and
//! whoever has posted that has read round n. So nobody waits for readers.
//!
//! Memory per rank: two slots of the capacity and 32 bytes per rank of the node.

use super::segment::{self, Segment};
use super::wait::Patience;
use crate::comm::Comm;
use crate::error::Result;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

/// Flags of different ranks never share a line of the cache.
const LINE: usize = 64;
/// Words of a notice.
pub const WORDS: usize = 6;
/// The end of the number and the words of a notice: where its bounds start.
const HEADER: usize = (1 + WORDS) * size_of::<u64>();

/// Byte offsets in the region of one rank.
#[derive(Debug, Clone, Copy)]
struct Layout {
    addresses: usize,
    notice: usize,
    payload: usize,
    capacity: usize,
    region: usize,
}

impl Layout {
    fn new(ranks: usize, capacity: usize) -> Self {
        let round = |bytes: usize| bytes.next_multiple_of(LINE);
        let addresses = round(HEADER + (ranks + 1) * size_of::<u32>());
        let notice = addresses + round(ranks * size_of::<u64>());
        let (payload, capacity) = (LINE + 2 * notice, round(capacity));
        Self { addresses, notice, payload, capacity, region: payload + 2 * capacity }
    }
}

/// The board of a node, seen from one of its ranks.
#[derive(Debug)]
pub struct Board {
    segment: Segment,
    layout: Layout,
    ranks: usize,
    own: usize,
    round: u64,
}

/// The notice of this rank while it is written.
#[derive(Debug)]
pub struct Draft<'a> {
    /// An address for every rank of the node.
    pub addresses: &'a mut [u64],
    /// Bytes `bounds[i] .. bounds[i + 1]` of the payload are for rank i.
    pub bounds: &'a mut [u32],
    /// Bytes.
    pub payload: &'a mut [u8],
}

impl Board {
    /// Collective over `comm`: one board for each node; see [`segment::share`].
    pub fn create<C: Comm + ?Sized>(comm: &C, ranks: &[usize], capacity: usize) -> Result<Self> {
        let own = ranks.iter().position(|&rank| rank == comm.rank()).expect("a rank is on its own node");
        let layout = Layout::new(ranks.len(), capacity);
        let segment = segment::share(comm, ranks, layout.region * ranks.len())?;
        Ok(Self { segment, layout, ranks: ranks.len(), own, round: 0 })
    }

    /// This rank's number on the node.
    pub fn own(&self) -> usize {
        self.own
    }

    /// Ranks of the node.
    pub fn ranks(&self) -> usize {
        self.ranks
    }

    /// Bytes that a payload can hold.
    pub fn capacity(&self) -> usize {
        self.layout.capacity
    }

    /// Bytes of one rank.
    pub fn bytes_per_rank(&self) -> usize {
        self.layout.region
    }

    /// Posts the notice of the next round.
    pub fn post(&mut self, words: [u64; WORDS], fill: impl FnOnce(Draft<'_>)) {
        self.round += 1;
        let notice = self.notice(self.own);
        let payload = self.payload(self.own);
        // SAFETY: this rank's own region; the slot was read by all others two rounds ago (see the
        // module's comment), so this rank alone accesses it until the number is stored. The parts
        // do not overlap.
        unsafe {
            let start = self.segment.address().add(notice);
            start.add(size_of::<u64>()).cast::<[u64; WORDS]>().write(words);
            fill(Draft {
                addresses: std::slice::from_raw_parts_mut(
                    start.add(self.layout.addresses).cast().as_ptr(),
                    self.ranks,
                ),
                bounds: std::slice::from_raw_parts_mut(start.add(HEADER).cast().as_ptr(), self.ranks + 1),
                payload: std::slice::from_raw_parts_mut(
                    self.segment.address().add(payload).as_ptr(),
                    self.layout.capacity,
                ),
            });
        }
        self.number(notice).store(self.round, Ordering::Release);
    }

    /// Whether a rank has posted its notice of this round.
    pub fn has_posted(&self, rank: usize) -> bool {
        self.number(self.notice(rank)).load(Ordering::Acquire) == self.round
    }

    /// Waits until a rank has posted its notice of this round.
    pub fn wait_for<C: Comm + ?Sized>(&self, rank: usize, patience: Patience, comm: &C) {
        let mut wait = patience.wait();
        while !self.has_posted(rank) {
            wait.pause(comm);
        }
    }

    /// The words of a rank's notice. Call after it has been seen by [`Self::has_posted`].
    pub fn words(&self, rank: usize) -> [u64; WORDS] {
        // SAFETY: posted, so its writer changes it no more before this rank has posted twice.
        unsafe {
            let start = self.segment.address().add(self.notice(rank));
            start.add(size_of::<u64>()).cast::<[u64; WORDS]>().read()
        }
    }

    /// The address that a rank has posted for this one; as [`Self::words`].
    pub fn address(&self, rank: usize) -> u64 {
        // SAFETY: as `words`.
        unsafe {
            let start = self.segment.address().add(self.notice(rank) + self.layout.addresses);
            start.cast::<u64>().add(self.own).read()
        }
    }

    /// The bytes that a rank has posted for this one; as [`Self::words`].
    pub fn bytes(&self, rank: usize) -> &[u8] {
        let range = self.bounds(rank);
        // SAFETY: as `words`; the range has been checked against the slot.
        unsafe {
            let start = self.segment.address().add(self.payload(rank));
            std::slice::from_raw_parts(start.as_ptr().add(range.start), range.len())
        }
    }

    fn bounds(&self, rank: usize) -> Range<usize> {
        // SAFETY: as `words`.
        let bounds = unsafe {
            let start = self.segment.address().add(self.notice(rank) + HEADER).cast::<u32>();
            start.add(self.own).cast::<[u32; 2]>().read()
        };
        let range = bounds[0] as usize..bounds[1] as usize;
        assert!(
            range.start <= range.end && range.end <= self.layout.capacity,
            "the notice board of this node is damaged"
        );
        range
    }

    /// Says that this rank has finished what the round's notices led to.
    pub fn finish(&self) {
        self.finished(self.own).store(self.round, Ordering::Release);
    }

    /// Whether a rank has finished this round.
    pub fn has_finished(&self, rank: usize) -> bool {
        self.finished(rank).load(Ordering::Acquire) >= self.round
    }

    /// Waits until all ranks of the node have finished this round.
    pub fn wait_for_all_finished<C: Comm + ?Sized>(&self, patience: Patience, comm: &C) {
        let mut wait = patience.wait();
        for rank in 0..self.ranks {
            while !self.has_finished(rank) {
                wait.pause(comm);
            }
        }
    }

    fn notice(&self, rank: usize) -> usize {
        rank * self.layout.region + LINE + (self.round % 2) as usize * self.layout.notice
    }

    fn payload(&self, rank: usize) -> usize {
        rank * self.layout.region + self.layout.payload + (self.round % 2) as usize * self.layout.capacity
    }

    fn number(&self, notice: usize) -> &AtomicU64 {
        // SAFETY: inside the segment, aligned to a line, an atomic.
        unsafe { self.segment.address().add(notice).cast::<AtomicU64>().as_ref() }
    }

    fn finished(&self, rank: usize) -> &AtomicU64 {
        // SAFETY: the first line of a rank's region, an atomic.
        unsafe { self.segment.address().add(rank * self.layout.region).cast::<AtomicU64>().as_ref() }
    }
}
