//! Memory that the ranks of a node fill and read together, with counters of progress per rank.
//!
//! Idea: the writers and readers of every location follow from arguments that all ranks know, so ranks need
//! not tell each other what they have written, only how many of the agreed pieces
//! ([`CountedMemory::counter`]). The memory itself has no structure here. Without shared memory a rank has
//! private memory of this kind, so that algorithms need no second path.
//!
//! Memory that is not used for a while can be freed ([`CountedMemory::leave`]).
//!
//! Cost: four pairs of cache lines per rank, in whole pages, and the memory.

use super::LINE_PAIR;
use super::absence::Absence;
use super::huge_pages::{self, HUGE_PAGE_BYTES, Kind};
use super::segment::{self, Segment};
use super::slots::pages_may_be_refused;
use super::system_page;
#[cfg(hcube_model)]
use crate::atomic;
use crate::atomic::{AtomicU64, Ordering};
use crate::comm::{Comm, agree};
use crate::error::{Error, Result};
use crate::memory::Region;
use crate::progress::{Progress, wait::Patience};
use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::ops::Range;
use std::ptr::NonNull;

/// Regions start at pages, so that transfers of other ranks never share one.
const PAGE: usize = 4096;

/// The counters of a rank.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Counter {
    /// Pieces whose own part it has written.
    Written,
    /// Pieces to which it adds nothing more, its own part and what it receives from other nodes.
    Complete,
    /// Pieces of which it has written a product.
    Multiplied,
    /// Pieces that it does not use any more.
    Released,
}

/// Counters of a rank.
const COUNTERS: usize = 4;

/// The source of the memory.
#[derive(Debug)]
enum Origin {
    Shared(Segment),
    Own(NonNull<u8>, Layout),
}

/// The memory, seen from one of the ranks that use it.
#[derive(Debug)]
pub struct CountedMemory {
    origin: Origin,
    ranks: usize,
    own: usize,
    capacity: usize,
    /// See [`CountedMemory::has_large_pages`].
    large_pages: bool,
}

// SAFETY: the memory belongs to this value, as that of a Vec does, or to the process, as a `Segment` does.
unsafe impl Send for CountedMemory {}

// SAFETY: through a shared reference only atomics and addresses can be reached; `region` has its own
// contract.
unsafe impl Sync for CountedMemory {}

/// Bytes before the regions: the counters, and the cell of those who are away.
const fn head(ranks: usize) -> usize {
    ((ranks * COUNTERS + 1) * LINE_PAIR).next_multiple_of(PAGE)
}

/// The part of the memory that a rank provides, in whole pages: so that it is near it and filled with zeros
/// once.
fn part(rank: usize, ranks: usize, length: usize, unit: usize) -> Range<usize> {
    let units = length.div_ceil(unit) as u128;
    let bound =
        |rank: usize| ((units * rank as u128 / ranks as u128) as usize).saturating_mul(unit).min(length);
    bound(rank)..bound(rank + 1)
}

/// Bytes of the memory with its counters; whole huge pages if it has one.
fn length(ranks: usize, capacity: usize, large: bool) -> Result<usize> {
    let unit = if large && capacity >= HUGE_PAGE_BYTES { HUGE_PAGE_BYTES } else { PAGE };
    head(ranks)
        .checked_add(capacity)
        .and_then(|length| length.checked_next_multiple_of(unit))
        .filter(|&length| isize::try_from(length).is_ok())
        .ok_or_else(|| too_large(capacity))
}

fn too_large(capacity: usize) -> Error {
    Error::Memory(format!("panels of {capacity} bytes"))
}

impl CountedMemory {
    /// Collective over `comm`: memory for each node, all zero. `ranks` are the ranks of this rank's node, in
    /// node order; every rank of `comm` calls it, with the same capacity in bytes on a node.
    ///
    /// # Errors
    /// On all ranks of `comm`, if a rank cannot reach the shared memory of its node, or the node has too
    /// little memory.
    pub fn share<C: Comm + ?Sized>(comm: &C, ranks: &[usize], capacity: usize) -> Result<Self> {
        Self::share_with(comm, ranks, capacity, false)
    }

    /// Collective: as [`share`](Self::share), in huge pages if the system provides any, for memory that is
    /// accessed with large strides.
    ///
    /// # Errors
    /// As [`share`](Self::share).
    pub fn share_large<C: Comm + ?Sized>(comm: &C, ranks: &[usize], capacity: usize) -> Result<Self> {
        if comm.size() > 1 {
            return Self::share_with(comm, ranks, capacity, true);
        }
        Self::own_large(capacity)
    }

    /// Local: memory of one rank, all zero, in huge pages if the system provides any: for private memory it
    /// does so on demand.
    ///
    /// # Errors
    /// Where the system has no memory left.
    pub fn own_large(capacity: usize) -> Result<Self> {
        let length = length(1, capacity, true)?;
        let segment = Segment::own(length)?;
        segment.prefer_huge_pages(0..length);
        segment.provide(0..length)?;
        let large_pages =
            length < HUGE_PAGE_BYTES || segment.is_aligned() && huge_pages::are_on_demand(Kind::Private);
        Ok(Self { origin: Origin::Shared(segment), ranks: 1, own: 0, capacity, large_pages })
    }

    fn share_with<C: Comm + ?Sized>(comm: &C, ranks: &[usize], capacity: usize, large: bool) -> Result<Self> {
        let own = ranks.iter().position(|&rank| rank == comm.rank()).expect("a rank is on its own node");
        let length = agree(comm, length(ranks.len(), capacity, large))?;
        let layout = ranks.iter().fold(capacity as u64, |sum, &rank| {
            // Fibonacci hashing, with a rotation so that the order counts.
            (sum.rotate_left(23) ^ rank as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15)
        });
        let segment = segment::share(comm, ranks, length, layout)?;
        let part = part(own, ranks.len(), length, if large { HUGE_PAGE_BYTES } else { PAGE });
        if large {
            segment.prefer_huge_pages(0..length);
        }
        agree(comm, segment.provide(part.clone()))?;
        let mut has_small = [0];
        if large {
            let is_huge = segment.collapse(part).is_complete() && segment.is_aligned();
            let is_large = length < HUGE_PAGE_BYTES || is_huge || huge_pages::are_on_demand(Kind::Shared);
            has_small = [i64::from(!is_large)];
            comm.all_reduce_max(&mut has_small)?;
        }
        segment.populate();
        let large_pages = large && has_small == [0];
        Ok(Self { origin: Origin::Shared(segment), ranks: ranks.len(), own, capacity, large_pages })
    }

    /// Local: memory of one rank, all zero.
    ///
    /// # Errors
    /// Where the system has no memory left.
    pub fn own(capacity: usize) -> Result<Self> {
        let length = head(1).checked_add(capacity).ok_or_else(|| too_large(capacity))?;
        let layout = Layout::from_size_align(length, PAGE).map_err(|_| too_large(capacity))?;
        // SAFETY: the layout has a size, that of the counters at least.
        let address = NonNull::new(unsafe { alloc_zeroed(layout) }).ok_or_else(|| too_large(capacity))?;
        let origin = Origin::Own(address, layout);
        Ok(Self { origin, ranks: 1, own: 0, capacity, large_pages: false })
    }

    /// The memory of each of some ranks of a model.
    #[cfg(hcube_model)]
    pub fn of_model(scene: &mut atomic::model::Scene, ranks: usize, capacity: usize) -> Vec<Self> {
        let length = head(ranks) + capacity;
        let place = scene.memory(length);
        let origin = || Origin::Shared(Segment::of_model(place, length));
        (0..ranks).map(|own| Self { origin: origin(), ranks, own, capacity, large_pages: false }).collect()
    }

    /// Ranks that use it.
    pub fn ranks(&self) -> usize {
        self.ranks
    }

    /// This rank's number among them.
    pub fn own_number(&self) -> usize {
        self.own
    }

    /// Bytes of it.
    pub fn capacity(&self) -> usize {
        self.capacity
    }

    /// Whether accesses with large strides find their pages in few entries of the translation lookaside
    /// buffer: on huge pages, as far as the kernel provides them, or in memory that is shorter than one. The
    /// same on all ranks that share it.
    pub fn has_large_pages(&self) -> bool {
        self.large_pages
    }

    fn address(&self) -> NonNull<u8> {
        match &self.origin {
            Origin::Shared(segment) => segment.address(),
            Origin::Own(address, _) => *address,
        }
    }

    /// This rank does not use the memory until it [comes back](Self::come_back), and no rank waits for any of
    /// its accesses. When all ranks have left, the pages of the memory are returned to the system; its
    /// contents may be lost.
    pub fn leave(&self) {
        // Pages that were refused when they are used again would end the process.
        if pages_may_be_refused() {
            return;
        }
        let begin = head(self.ranks);
        self.absence().leave(self.ranks as u64, || match &self.origin {
            Origin::Shared(segment) => segment.give_back(begin..begin + self.capacity / PAGE * PAGE),
            Origin::Own(address, _) => {
                let start = address.addr().get() + begin;
                let pages = system_page::inside(&(start..start + self.capacity), system_page::bytes());
                let first = address.as_ptr().with_addr(pages.start).cast();
                // SAFETY: whole pages of this memory, whose contents are not in use: no rank that uses it is
                // there.
                unsafe { libc::madvise(first, pages.len(), libc::MADV_DONTNEED) };
            }
        });
    }

    /// This rank uses the memory again, after it had left; `pause` is called while another rank frees the
    /// pages.
    pub fn come_back(&self, pause: impl FnMut()) {
        if pages_may_be_refused() {
            return;
        }
        self.absence().come_back(pause);
        if let Origin::Shared(segment) = &self.origin {
            // Commits all pages instead of page by page. If memory is missing, the first use fails.
            let bytes = head(self.ranks) + self.capacity;
            drop(segment.provide(part(self.own, self.ranks, bytes, PAGE)));
        }
    }

    fn absence(&self) -> Absence<'_> {
        let offset = self.ranks * COUNTERS * LINE_PAIR;
        // SAFETY: in the head of the memory, aligned to a line; all ranks access it as an atomic.
        Absence::new(unsafe { self.address().add(offset).cast::<AtomicU64>().as_ref() })
    }

    /// A counter of a rank; only that rank changes it, and stores it with release order after what it stands
    /// for.
    ///
    /// # Panics
    /// For a rank that does not use this memory.
    #[inline]
    pub fn counter(&self, rank: usize, counter: Counter) -> &AtomicU64 {
        assert!(rank < self.ranks, "rank {rank} of {}", self.ranks);
        let offset = (rank * COUNTERS + counter as usize) * LINE_PAIR;
        // SAFETY: in the head of the memory, aligned to a line; all ranks access it as an atomic.
        unsafe { self.address().add(offset).cast::<AtomicU64>().as_ref() }
    }

    /// Waits until all ranks that use this memory have called it with the same number, which is larger than
    /// in the call before, or with a larger one: all see what each of them has written before. Counts by
    /// [`Counter::Written`].
    pub fn meet<P: Progress + ?Sized>(&self, number: u64, patience: Patience, comm: &P) {
        self.counter(self.own, Counter::Written).store(number, Ordering::Release);
        for rank in 0..self.ranks {
            let counter = self.counter(rank, Counter::Written);
            let mut wait = patience.wait();
            while counter.load(Ordering::Acquire) < number {
                wait.pause(comm);
            }
        }
    }

    /// Some of the bytes. Ranks agree by counters on who writes which of them when; a region of bytes that
    /// another rank is writing reads some of the old and some of the new ones.
    ///
    /// # Panics
    /// Where the range is not inside.
    pub fn region(&self, range: Range<usize>) -> Region<'_> {
        // SAFETY: inside the memory, which lives as long as this value is borrowed; only regions refer to
        // these bytes.
        unsafe { Region::new(self.place(range.clone()), range.len()) }
    }

    /// Where some of the bytes begin.
    ///
    /// # Panics
    /// Where the range is not inside.
    pub fn place(&self, range: Range<usize>) -> *mut u8 {
        assert!(
            range.start <= range.end && range.end <= self.capacity,
            "{range:?} of {} bytes",
            self.capacity
        );
        self.address().as_ptr().wrapping_add(head(self.ranks) + range.start)
    }
}

impl Drop for CountedMemory {
    fn drop(&mut self) {
        if let Origin::Own(address, layout) = self.origin {
            // SAFETY: allocated with this layout by `own`, and freed once; regions of it borrow this value.
            unsafe { dealloc(address.as_ptr(), layout) };
        }
    }
}

#[cfg(hcube_model)]
pub mod model;
#[cfg(test)]
mod tests;
