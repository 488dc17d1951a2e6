//! A heap per node: memory of all its ranks, mapped by all of them at one address.
//!
//! Idea: the segment has a part for each rank, in which only that rank allocates and frees (`ranges`), so
//! ranks do not wait for each other. A location is a rank of the node and an offset in its part; its address
//! is the same on all ranks of the node, and an offset has a meaning for ranks of other nodes. Ranks that
//! allocate in the same order have the same offsets. Other ranks access a location with ordinary loads and
//! stores, and words with atomic ones.
//!
//! Restrictions: a part has a fixed range of addresses, far larger than the memory of a rank ([`part`]);
//! memory is committed with allocations, and returned to the system when an allocation of `GIVE_BACK` bytes
//! or more is freed. Without shared memory a rank has a private heap ([`Heap::own`]).
//!
//! Cost: no message; 100 bytes per allocation in memory of the process. Large allocations start at a page and
//! some cache lines, whose number follows from the number of the page, and take up to two pages more: arrays
//! of the same length that all start at a page boundary would compete for the same sets of the cache in loops
//! over several of them (Jin et al. 2011, §IV-B2, lost a quarter of STREAM's rate).
//! Source: Jin et al. 2011, §II; the common address is our own.

mod provided;
mod ranges;

use super::LINE_PAIR;
use super::segment::{self, Segment, one_address};
use crate::atomic::AtomicU64;
use crate::comm::Comm;
use crate::error::{Error, Result};
use crate::memory::Region;
use provided::Provided;
use ranges::Ranges;
use std::collections::BTreeMap;

/// Bytes of a page.
const PAGE: usize = 4096;
/// Address range of a part, unless the process is limited.
const MAX_PART: usize = 1 << 40;
/// Address range of a node's parts together, out of the address space of a process with 47 address bits.
const MAX_TOTAL: usize = 1 << 44;
/// Less is not worth a heap.
const MIN_PART: usize = 16 << 20;
/// Allocations from which memory is returned to the system when they are freed.
const GIVE_BACK: usize = 1 << 20;
/// Allocations that begin at a page and some pairs of lines.
const LARGE: usize = 16 << 10;
/// Number of different beginnings.
const STAGGERED: usize = 16;

/// The heap of a node, seen from one of its ranks.
#[derive(Debug)]
pub struct Heap {
    segment: Segment,
    /// Bytes of a part.
    part: usize,
    ranks: usize,
    own: usize,
    ranges: Ranges,
    /// Where the ranges of large allocations begin, by their offset.
    staggered: BTreeMap<usize, usize>,
    /// Pages of the segment.
    provided: Provided,
}

/// Address range for the part of a rank, where a node has `ranks` of them: within what the limits of this
/// process permit, in which `heaps` lie (several if ranks are simulated).
#[must_use]
pub fn part(ranks: usize, heaps: usize) -> usize {
    let limit = (segment::max_bytes() / 4).min(MAX_TOTAL) / (ranks * heaps);
    let bytes = limit.clamp(MIN_PART, MAX_PART);
    bytes - bytes % PAGE
}

impl Heap {
    /// Collective over `comm`: a heap for each node. `ranks` are the ranks of this rank's node, in node
    /// order; every rank of `comm` calls it. The address range `part` of a rank is the same on a node; see
    /// [`part`].
    ///
    /// # Errors
    /// On all ranks of `comm`, if the ranks of a node cannot share memory at one address.
    pub fn share<C: Comm + ?Sized>(comm: &C, ranks: &[usize], part: usize) -> Result<Self> {
        let own = ranks.iter().position(|&rank| rank == comm.rank()).expect("a rank is on its own node");
        let segment = one_address::share(comm, ranks, part * ranks.len())?;
        segment.without_dump();
        Ok(Self::new(segment, part, ranks.len(), own))
    }

    /// Local: a heap of one rank.
    ///
    /// # Errors
    /// Where the process may not have the address range, not even a small one.
    pub fn own(mut part: usize) -> Result<Self> {
        loop {
            match Segment::own(part) {
                Ok(segment) => return Ok(Self::new(segment, part, 1, 0)),
                // A system that never promises more memory than it has (vm.overcommit_memory = 2) counts all
                // of it.
                Err(_) if part > MIN_PART => part = (part / 2).max(MIN_PART).next_multiple_of(PAGE),
                Err(error) => return Err(error),
            }
        }
    }

    /// Local: a heap of one rank with an address range of this length.
    ///
    /// # Errors
    /// Where the process may not have it.
    pub fn exactly(part: usize) -> Result<Self> {
        Ok(Self::new(Segment::own(part)?, part, 1, 0))
    }

    /// The heaps of a node of a model, with parts of this length, a multiple of a page.
    #[cfg(hcube_model)]
    pub fn of_model(scene: &mut crate::atomic::model::Scene, ranks: usize, part: usize) -> Vec<Self> {
        let memory = scene.memory(ranks * part);
        let heap = |own| Self::new(Segment::of_model(memory, ranks * part), part, ranks, own);
        (0..ranks).map(heap).collect()
    }

    fn new(segment: Segment, part: usize, ranks: usize, own: usize) -> Self {
        Self {
            segment,
            part,
            ranks,
            own,
            ranges: Ranges::new(0..part),
            staggered: BTreeMap::new(),
            provided: Provided::default(),
        }
    }

    /// Bytes of the address range of a rank's part.
    #[inline]
    pub fn part(&self) -> usize {
        self.part
    }

    /// Ranks that share it.
    pub fn ranks(&self) -> usize {
        self.ranks
    }

    /// This rank's number among them.
    #[inline]
    pub fn own_number(&self) -> usize {
        self.own
    }

    /// Local: allocates `length` bytes in this rank's part, aligned to a pair of cache lines, and returns
    /// their offset. They are not initialised.
    ///
    /// # Errors
    /// [`Error::Memory`] where the address range or the memory is used up.
    pub fn allocate(&mut self, length: usize) -> Result<usize> {
        if length < LARGE {
            return self.provided(length, LINE_PAIR);
        }
        let pages = length.saturating_add((STAGGERED - 1) * LINE_PAIR).div_ceil(PAGE);
        // An odd number of pages, so that neighbours of the same length are staggered differently.
        let begin = self.provided((pages | 1).saturating_mul(PAGE), PAGE)?;
        // A function only of the range: images with the same range have the same offset, independently of
        // earlier allocations.
        let offset = begin + begin / PAGE % STAGGERED * LINE_PAIR;
        self.staggered.insert(offset, begin);
        Ok(offset)
    }

    /// Local: as [`Self::allocate`], of which memory comes with its first use.
    ///
    /// # Errors
    /// [`Error::Memory`] where the address range is used up.
    pub fn reserve(&mut self, length: usize) -> Result<usize> {
        let begin = self.ranges.allocate(length, PAGE)?;
        self.staggered.insert(begin, begin);
        Ok(begin)
    }

    /// A range for which the kernel has given memory.
    fn provided(&mut self, length: usize, alignment: usize) -> Result<usize> {
        let begin = self.ranges.allocate(length, alignment)?;
        let first = self.own * self.part;
        let pages = (first + begin) / PAGE * PAGE..(first + begin + length).next_multiple_of(PAGE);
        if !self.provided.has(&pages) {
            self.segment.provide(pages.clone()).inspect_err(|_| {
                self.ranges.free(begin);
            })?;
            self.provided.add(pages);
        }
        Ok(begin)
    }

    /// Local: frees what [`Self::allocate`] has returned.
    ///
    /// # Errors
    /// [`Error::Argument`] if nothing is allocated there.
    pub fn free(&mut self, offset: usize) -> Result<()> {
        // The range of a large one begins at a page, which is not its offset.
        let is_small = |&offset: &usize| self.ranges.length(offset).is_some_and(|length| length < LARGE);
        let begin = self.staggered.remove(&offset).or(Some(offset).filter(is_small));
        let Some(freed) = begin.and_then(|begin| self.ranges.free(begin)) else {
            return Err(Error::argument("offset", offset, "the offset of an allocation in the heap"));
        };
        let first = self.own * self.part;
        let pages = (first + freed.start).next_multiple_of(PAGE)..(first + freed.end) / PAGE * PAGE;
        if freed.len() >= GIVE_BACK {
            self.provided.remove(&pages);
            self.segment.give_back(pages);
        }
        Ok(())
    }

    /// Bytes that this rank has allocated.
    pub fn used(&self) -> usize {
        self.ranges.used()
    }

    /// The address of a range in the part of a rank, the same on all ranks of the node.
    ///
    /// # Panics
    /// Where the range is not in the part.
    #[inline]
    pub fn address(&self, rank: usize, offset: usize, length: usize) -> *mut u8 {
        let end = offset.checked_add(length);
        assert!(
            rank < self.ranks && end.is_some_and(|end| end <= self.part),
            "{length} bytes at offset {offset} of rank {rank} in a heap of {} parts of {} bytes",
            self.ranks,
            self.part
        );
        self.segment.address().as_ptr().wrapping_add(rank * self.part + offset)
    }

    /// The rank and the offset of an address in the heap.
    #[inline]
    pub fn place(&self, address: *const u8) -> Option<(usize, usize)> {
        let distance = address.addr().checked_sub(self.segment.address().addr().get())?;
        (distance < self.part * self.ranks).then(|| (distance / self.part, distance % self.part))
    }

    /// A range in the part of a rank. Other ranks may write to it at any time, as to every region.
    ///
    /// # Panics
    /// As [`Self::address`].
    #[inline]
    pub fn region(&self, rank: usize, offset: usize, length: usize) -> Region<'_> {
        // SAFETY: in the mapping, which lives as long as the borrow; only regions and atomics refer to it.
        unsafe { Region::new(self.address(rank, offset, length), length) }
    }

    /// A word in the part of a rank, for atomic operations.
    ///
    /// # Panics
    /// As [`Self::address`], and where the offset is no multiple of 8.
    #[inline]
    pub fn word(&self, rank: usize, offset: usize) -> &AtomicU64 {
        assert!(offset.is_multiple_of(size_of::<u64>()), "a word at offset {offset}");
        let address = self.address(rank, offset, size_of::<u64>()).cast::<u64>();
        // SAFETY: in the mapping, aligned; only regions, whose accesses are those of the program, and atomics
        // refer to it.
        unsafe { AtomicU64::from_ptr(address) }
    }
}

#[cfg(test)]
mod tests;
