//! The slot protocol in shared memory: numbered pieces, each written by one rank of a node and read by all
//! others. [`Board`](super::board::Board) and [`Mailbox`](super::mailbox::Mailbox) use it.
//!
//! Idea: every rank owns a region of the segment with a few counters and a ring of slots. It writes piece n
//! into slot n modulo the number of slots and then stores n as the number of the slot (release). A rank that
//! loads n (acquire) may read the contents until it releases the piece; the user of the protocol defines how
//! the writer learns of that. With at least two slots (double buffering) a rank writes a piece while others
//! still read the previous one. No locks, no barrier, no copy on the reading side.
//!
//! Cost: one store per piece by the writer and one load by each reader that finds it. Memory per rank: the
//! counters and the slots, each rounded up to whole lines, so that flags of different ranks never share a
//! cache line. Number and contents share a line: a short piece costs one transfer of a line between cores.
//! Pages become resident at first use or, if the kernel might refuse them then, immediately.

use super::segment::{self, Segment};
use crate::atomic::{self, AtomicU64, Ordering};
use crate::comm::Comm;
use crate::error::{Error, Result};
use std::ptr::NonNull;
use std::sync::OnceLock;

/// Bytes of the number before the contents of a slot.
pub(super) const NUMBER_BYTES: usize = size_of::<AtomicU64>();

/// Bytes of the smallest page.
const PAGE_BYTES: usize = 4096;

/// Whether the kernel may refuse a page of shared memory when it is touched first, by a signal that ends the
/// process: if it never overcommits memory (`vm.overcommit_memory` = 2), it counts those pages one by one.
pub(super) fn pages_may_be_refused() -> bool {
    static MAY_BE_REFUSED: OnceLock<bool> = OnceLock::new();
    let read = || std::fs::read("/proc/sys/vm/overcommit_memory").is_ok_and(|mode| mode.starts_with(b"2"));
    *MAY_BE_REFUSED.get_or_init(read)
}

/// Sizes of the region of one rank; the same on all ranks of a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Layout {
    /// Bytes that counters and slots are aligned to: a power of two.
    line: usize,
    /// The start of the first slot, after the counters.
    first_slot: usize,
    /// Bytes from slot to slot.
    slot: usize,
    /// Slots less one; their number is a power of two.
    mask: u64,
    counters: usize,
    contents: usize,
    region: usize,
}

impl Layout {
    /// `counters`, and `slots` slots (rounded up to a power of two) of `contents` bytes, in lines of `line`
    /// bytes.
    ///
    /// # Errors
    /// [`Error::Memory`] for more bytes than an address space has.
    pub fn new(line: usize, counters: usize, slots: usize, contents: usize) -> Result<Self> {
        assert!(line.is_power_of_two() && line >= NUMBER_BYTES && slots > 0);
        let round = |bytes: usize| bytes.checked_next_multiple_of(line);
        let sizes = || {
            let slots = slots.checked_next_power_of_two()?;
            let first_slot = round(counters.checked_mul(size_of::<AtomicU64>())?)?;
            let slot = round(contents.checked_add(NUMBER_BYTES)?)?;
            let region = slot.checked_mul(slots)?.checked_add(first_slot)?;
            let mask = slots as u64 - 1;
            Some(Self { line, first_slot, slot, mask, counters, contents, region })
        };
        sizes().ok_or_else(|| Error::Memory(format!("{slots} slots of {contents} bytes: too large")))
    }

    /// Bytes of one rank.
    pub fn region(self) -> usize {
        self.region
    }

    /// A number that identifies this layout for these ranks.
    fn fingerprint(self, ranks: &[usize]) -> u64 {
        let Self { line, first_slot, slot, mask, counters, contents, .. } = self;
        let sizes = [line, first_slot, slot, mask as usize, counters, contents];
        sizes.iter().chain(ranks).fold(0, |sum: u64, &size| {
            // Fibonacci hashing, with a rotation so that the order counts.
            (sum.rotate_left(23) ^ size as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15)
        })
    }
}

/// The slots of a node, seen from one of its ranks.
#[derive(Debug)]
pub(super) struct Slots {
    segment: Segment,
    layout: Layout,
    ranks: usize,
    own: usize,
}

impl Slots {
    /// Collective over `comm`: slots for each node, all zero. `ranks` are the ranks of this rank's node, in
    /// node order; every rank of `comm` calls it.
    ///
    /// # Errors
    /// On all ranks of `comm`, if a rank cannot reach the shared memory of its node, if the system has no
    /// memory for it, or if a rank has another layout or list of ranks: two ranks would write to one region.
    pub fn create<C: Comm + ?Sized>(comm: &C, ranks: &[usize], layout: Layout) -> Result<Self> {
        Self::create_with(comm, ranks, layout, pages_may_be_refused())
    }

    /// As [`Self::create`]; `provided`: with memory for all pages.
    fn create_with<C: Comm + ?Sized>(
        comm: &C,
        ranks: &[usize],
        layout: Layout,
        provided: bool,
    ) -> Result<Self> {
        let own = ranks.iter().position(|&rank| rank == comm.rank()).expect("a rank is on its own node");
        let length = layout.region.saturating_mul(ranks.len());
        // Each rank its own, so that pages are near it.
        let begin = layout.region.saturating_mul(own);
        let pages = begin / PAGE_BYTES * PAGE_BYTES..begin.saturating_add(layout.region);
        let prepare = |segment: &Segment| if provided { segment.provide(pages) } else { Ok(()) };
        let segment = segment::share_with(comm, ranks, length, layout.fingerprint(ranks), prepare)?;
        Ok(Self { segment, layout, ranks: ranks.len(), own })
    }

    /// The slots of each of some ranks in the memory of a model.
    #[cfg(hcube_model)]
    pub fn of_model(scene: &mut atomic::model::Scene, ranks: usize, layout: Layout) -> Vec<Self> {
        let length = layout.region * ranks;
        let place = scene.memory(length);
        let slots = |own| Self { segment: Segment::of_model(place, length), layout, ranks, own };
        (0..ranks).map(slots).collect()
    }

    /// Ranks of the node.
    #[inline]
    pub fn ranks(&self) -> usize {
        self.ranks
    }

    /// This rank's number on the node.
    #[inline]
    pub fn own(&self) -> usize {
        self.own
    }

    /// Bytes of one rank.
    pub fn bytes_per_rank(&self) -> usize {
        self.layout.region
    }

    /// Maps the regions of all ranks.
    pub fn populate(&self) {
        self.segment.populate();
    }

    /// The contents of this rank's slot for a piece, with what was written there before.
    ///
    /// # Safety
    /// No other rank reads this slot: all have released the piece that it held, and the piece to come is not
    /// published yet.
    #[inline]
    pub unsafe fn own_contents(&mut self, piece: u64) -> &mut [u8] {
        // SAFETY: only this rank writes to its region of the segment, and no other reads it now; `&mut self`
        // keeps this rank from a second reference.
        unsafe { self.own_memory(piece).as_mut() }
    }

    /// The contents of this rank's slot for a piece as memory, while other slots are read.
    #[inline]
    pub fn own_memory(&self, piece: u64) -> NonNull<[u8]> {
        let start = self.place(self.own, piece) + NUMBER_BYTES;
        // SAFETY: inside this rank's region of the segment.
        let start = unsafe { self.segment.address().add(start) };
        atomic::written(start.as_ptr());
        NonNull::slice_from_raw_parts(start, self.layout.contents)
    }

    /// Publishes this rank's piece, including the flag.
    #[inline]
    pub fn publish(&mut self, piece: u64, flag: bool) {
        atomic::written(self.own_memory(piece).cast().as_ptr());
        // Release: a rank that reads the number sees the contents written before it.
        self.number(self.own, piece).store(piece << 1 | u64::from(flag), Ordering::Release);
    }

    /// The flag of a rank's piece, once that is published.
    #[inline]
    pub fn published(&self, rank: usize, piece: u64) -> Option<bool> {
        self.poll(rank, piece)()
    }

    /// The last piece that a rank has published in the slot for a piece.
    pub fn last_published(&self, rank: usize, piece: u64) -> u64 {
        // Acquire: as in `poll`.
        self.number(rank, piece).load(Ordering::Acquire) >> 1
    }

    /// [`Self::published`], to be polled.
    #[inline]
    pub fn poll(&self, rank: usize, piece: u64) -> impl Fn() -> Option<bool> {
        let number = self.number(rank, piece);
        move || {
            // Acquire: what the writer wrote before it stored this number is seen by what follows.
            let number = number.load(Ordering::Acquire);
            (number >> 1 == piece).then_some(number & 1 == 1)
        }
    }

    /// The contents of a rank's piece.
    ///
    /// # Safety
    /// [`Self::published`] has found the piece, and this rank has not released it: the writer does not
    /// write to the slot as long as the result lives.
    #[inline]
    pub unsafe fn contents(&self, rank: usize, piece: u64) -> &[u8] {
        let start = self.place(rank, piece) + NUMBER_BYTES;
        // SAFETY: inside the segment; nobody writes to the slot before this rank has released the piece.
        unsafe {
            let start = self.segment.address().add(start).as_ptr();
            atomic::read(start);
            std::slice::from_raw_parts(start, self.layout.contents)
        }
    }

    /// A counter in a rank's region.
    #[inline]
    pub fn counter(&self, rank: usize, counter: usize) -> &AtomicU64 {
        assert!(rank < self.ranks && counter < self.layout.counters);
        let offset = rank * self.layout.region + counter * size_of::<AtomicU64>();
        // SAFETY: inside the segment, aligned to 8 bytes as regions are; all ranks access it as an atomic.
        unsafe { self.segment.address().add(offset).cast::<AtomicU64>().as_ref() }
    }

    #[inline]
    fn number(&self, rank: usize, piece: u64) -> &AtomicU64 {
        // SAFETY: inside the segment, aligned to a line; all ranks access it as an atomic.
        unsafe { self.segment.address().add(self.place(rank, piece)).cast::<AtomicU64>().as_ref() }
    }

    /// Where the slot of a rank's piece starts in the segment.
    #[inline]
    pub fn place(&self, rank: usize, piece: u64) -> usize {
        assert!(rank < self.ranks, "rank {rank} of {}", self.ranks);
        rank * self.layout.region
            + self.layout.first_slot
            + (piece & self.layout.mask) as usize * self.layout.slot
    }
}

/// A number type.
///
/// # Safety
/// Every bit pattern is a value of the type, and none of its bytes is padding.
pub(super) unsafe trait Plain {}
// SAFETY: an integer.
unsafe impl Plain for u32 {}
// SAFETY: an integer.
unsafe impl Plain for u64 {}

/// Bytes as numbers.
///
/// # Panics
/// For bytes that are not aligned, or not whole numbers.
#[inline]
pub(super) fn numbers<T: Plain>(bytes: &[u8]) -> &[T] {
    let first = bytes.as_ptr().cast::<T>();
    assert!(
        first.is_aligned() && bytes.len().is_multiple_of(size_of::<T>()),
        "bytes that are not whole numbers"
    );
    // SAFETY: aligned, inside the bytes, and any bytes are a value of the type, as `Plain` tells.
    unsafe { std::slice::from_raw_parts(first, bytes.len() / size_of::<T>()) }
}

/// As [`numbers`], to be written.
#[inline]
pub(super) fn numbers_mut<T: Plain>(bytes: &mut [u8]) -> &mut [T] {
    let first = bytes.as_mut_ptr().cast::<T>();
    assert!(
        first.is_aligned() && bytes.len().is_multiple_of(size_of::<T>()),
        "bytes that are not whole numbers"
    );
    // SAFETY: as `numbers`; and any value of the type is bytes.
    unsafe { std::slice::from_raw_parts_mut(first, bytes.len() / size_of::<T>()) }
}

/// The number that starts at an offset.
#[inline]
pub(super) fn u32_at(bytes: &[u8], offset: usize) -> u32 {
    u32::from_ne_bytes(bytes[offset..][..size_of::<u32>()].try_into().expect("the bytes of a number"))
}

/// The number that starts at an offset.
#[inline]
pub(super) fn u64_at(bytes: &[u8], offset: usize) -> u64 {
    u64::from_ne_bytes(bytes[offset..][..size_of::<u64>()].try_into().expect("the bytes of a number"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::comm::threads;
    use hcube_testing::sizes::{sizes, sizes_within};
    use proptest::prelude::*;

    #[test]
    fn regions_are_whole_lines_and_hold_what_they_must() {
        for line in [64, 128] {
            for (counters, slots, contents) in [(0, 1, 0), (1, 2, 248), (9, 3, 1000), (300, 4, 4096)] {
                let layout = Layout::new(line, counters, slots, contents).expect("small");
                let Layout { first_slot, slot, mask, region, .. } = layout;
                assert!(
                    [first_slot, slot, region].iter().all(|size| size.is_multiple_of(line)),
                    "{layout:?}"
                );
                assert!(first_slot >= 8 * counters && slot >= NUMBER_BYTES + contents, "{layout:?}");
                assert!(mask + 1 >= slots as u64 && region == first_slot + (mask as usize + 1) * slot);
            }
        }
        for (counters, slots, contents) in [(usize::MAX, 1, 0), (0, usize::MAX, 8), (0, 2, usize::MAX - 8)] {
            assert!(Layout::new(64, counters, slots, contents).is_err(), "more than an address space");
        }
    }

    #[test]
    fn another_layout_on_one_rank_is_refused_on_all() {
        let refused = threads::run(3, 3, |comm| {
            let contents = if comm.rank() == 1 { 120 } else { 56 };
            let layout = Layout::new(64, 1, 2, contents).expect("small");
            Slots::create(comm, &[0, 1, 2], layout).is_err()
        });
        assert_eq!(refused, [true; 3]);
    }

    #[test]
    fn another_order_of_ranks_on_one_rank_is_refused_on_all() {
        let refused = threads::run(3, 3, |comm| {
            // Ranks 1 and 2 would own the same region.
            let ranks = if comm.rank() == 1 { [0, 2, 1] } else { [0, 1, 2] };
            let layout = Layout::new(64, 1, 2, 56).expect("small");
            Slots::create(comm, &ranks, layout).is_err()
        });
        assert_eq!(refused, [true; 3]);
    }

    /// The pages of a segment that exist.
    fn pages(slots: &Slots) -> usize {
        let length = slots.ranks() * slots.bytes_per_rank();
        let mut pages = vec![0u8; length.div_ceil(PAGE_BYTES)];
        // SAFETY: asks for the whole mapping, with an entry for each page.
        let code =
            unsafe { libc::mincore(slots.segment.address().as_ptr().cast(), length, pages.as_mut_ptr()) };
        assert_eq!(code, 0);
        pages.iter().filter(|&&page| page & 1 != 0).count()
    }

    #[test]
    fn memory_is_provided_where_it_may_be_refused() {
        for ranks in [1, 2, 3, 5] {
            let all: Vec<usize> = (0..ranks).collect();
            for provided in [false, true] {
                let found = threads::run(ranks, ranks, |comm| {
                    let layout = Layout::new(64, 1, 2, 50_000).expect("small");
                    let slots = Slots::create_with(comm, &all, layout, provided).expect("shared memory");
                    let found = pages(&slots);
                    comm.barrier().expect("no errors");
                    (found, slots.bytes_per_rank())
                });
                for (found, bytes) in found {
                    let expected = if provided { (ranks * bytes).div_ceil(PAGE_BYTES) } else { 0 };
                    assert_eq!(found, expected, "{ranks} ranks");
                }
            }
        }
    }

    #[test]
    #[should_panic(expected = "a rank panicked")]
    fn a_rank_outside_of_the_node_is_refused() {
        threads::run(1, 1, |comm| {
            let layout = Layout::new(64, 1, 1, 8).expect("small");
            Slots::create(comm, &[0], layout).expect("shared memory").published(1, 1)
        });
    }

    proptest! {
        #[test]
        fn regions_of_any_size_are_exact_or_refused(
            counters in sizes(), slots in sizes_within(1, usize::MAX), contents in sizes(),
        ) {
            let line = |bytes: u128| bytes.next_multiple_of(64);
            let first_slot = line(counters as u128 * 8);
            let slot = line(contents as u128 + NUMBER_BYTES as u128);
            // Both are below 2^68.
            let region = slot * (slots as u128).next_power_of_two().min(1 << 60) + first_slot;
            let is_possible = region <= usize::MAX as u128 && slots <= 1 << 60;
            let layout = Layout::new(64, counters, slots, contents);
            prop_assert_eq!(layout.ok().map(|layout| layout.region() as u128), is_possible.then_some(region));
        }
    }
}
