//! Scratch memory of bounded size, in pieces.
//!
//! A piece belongs to the code that has taken it. As bytes and as a [`Region`] it is borrowed from the
//! scratch memory, so that the compiler checks its lifetime. Memory that MPI still accesses after the call
//! that started a transfer has returned cannot be borrowed. Such a piece is pinned ([`Scratch::lend`]): it is
//! neither reused nor freed until the caller has shown that the transfer is complete.

use super::Region;
use crate::atomic::{AtomicU64, Ordering};
use crate::error::{Error, Result};
use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::ops::Range;
use std::ptr::NonNull;

/// Pieces start at lines of the cache.
const LINE: usize = 64;

/// Scratch memory; pieces are taken and returned in any order.
///
/// A region of a piece does not outlive the memory:
///
/// ```compile_fail,E0505
/// use hcube_core::memory::scratch::Scratch;
/// let mut scratch = Scratch::new(64).unwrap();
/// let piece = scratch.take(64).unwrap();
/// let region = scratch.region(&piece);
/// drop(scratch);
/// region.write(&[1; 64]);
/// ```
///
/// nor the piece,
///
/// ```compile_fail,E0502
/// use hcube_core::memory::scratch::Scratch;
/// let mut scratch = Scratch::new(64).unwrap();
/// let piece = scratch.take(64).unwrap();
/// let region = scratch.region(&piece);
/// scratch.give(piece);
/// region.write(&[1; 64]);
/// ```
///
/// and no reference to the bytes exists beside it:
///
/// ```compile_fail,E0502
/// use hcube_core::memory::scratch::Scratch;
/// let mut scratch = Scratch::new(64).unwrap();
/// let piece = scratch.take(64).unwrap();
/// let region = scratch.region(&piece);
/// let bytes = scratch.bytes(&piece);
/// region.read(bytes);
/// ```
#[derive(Debug)]
pub struct Scratch {
    /// Tells it from all others of the process, also from those that lay at the same address before.
    number: u64,
    memory: NonNull<u8>,
    layout: Layout,
    /// Where the first line of the cache starts.
    start: usize,
    /// Taken pieces in ascending order.
    taken: Vec<Range<usize>>,
    /// How many of them are pinned.
    lent: usize,
    /// Where the highest piece ended that was ever taken.
    touched: usize,
}

// SAFETY: the memory belongs to this value and to pinned pieces, like the memory of a Vec; regions of it,
// which are not `Send`, are borrowed from this value or belong to a pinned piece that stays on its thread.
unsafe impl Send for Scratch {}

/// A piece of scratch memory that was taken. There is one of each: it cannot be copied.
#[derive(Debug)]
pub struct Piece {
    /// The number of its scratch memory.
    of: u64,
    /// Where it lies from the first line of the cache.
    range: Range<usize>,
    /// Its first byte.
    address: NonNull<u8>,
}

impl Piece {
    /// Bytes of it, at least the requested size.
    pub fn len(&self) -> usize {
        self.range.len()
    }

    /// Whether it has none.
    pub fn is_empty(&self) -> bool {
        self.range.is_empty()
    }
}

/// A piece of scratch memory that others may use at any time, MPI for example: its memory stays what it is
/// until [`Scratch::reclaim`], and for ever where that is never called.
#[derive(Debug)]
pub struct Lent(Piece);

impl Lent {
    /// The memory. Nothing else refers to it.
    pub fn region(&self) -> Region<'static> {
        // SAFETY: the piece was taken, so no other piece has these bytes, and its owner has exchanged it for
        // this value: no reference to them can be made, and the memory is not freed while a piece is pinned.
        unsafe { Region::new(self.0.address.as_ptr(), self.0.len()) }
    }
}

impl Scratch {
    /// Scratch memory of the given size, in whole lines; untouched pages cost nothing yet.
    ///
    /// # Errors
    /// [`Error::Memory`] if it cannot be allocated.
    pub fn new(bytes: usize) -> Result<Self> {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        // Zeroed memory of ordinary alignment comes from the kernel untouched; memory that is aligned
        // to more would be touched to zero it.
        let refused = || Error::Memory(format!("cannot allocate {bytes} bytes of extra memory"));
        let size = bytes.checked_next_multiple_of(LINE).and_then(|bytes| bytes.checked_add(LINE));
        let layout = size.and_then(|size| Layout::from_size_align(size, 1).ok()).ok_or_else(refused)?;
        // SAFETY: the layout has a size above 0.
        let memory = NonNull::new(unsafe { alloc_zeroed(layout) }).ok_or_else(refused)?;
        let start = memory.addr().get().next_multiple_of(LINE) - memory.addr().get();
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        Ok(Self { number, memory, layout, start, taken: Vec::new(), lent: 0, touched: 0 })
    }

    /// Size in bytes.
    pub fn size(&self) -> usize {
        self.layout.size() - LINE
    }

    /// Bytes from the start that pieces have ever had; the others were never touched.
    pub fn touched_bytes(&self) -> usize {
        self.touched
    }

    /// Takes the first free piece of at least this length, if there is one.
    pub fn take(&mut self, length: usize) -> Option<Piece> {
        // No range may be empty: two of them would be one.
        let length = length.max(1).checked_next_multiple_of(LINE)?;
        let mut start = 0;
        let mut position = self.taken.len();
        for (index, piece) in self.taken.iter().enumerate() {
            if piece.start - start >= length {
                position = index;
                break;
            }
            start = piece.end;
        }
        if length > self.size() - start {
            return None;
        }
        let range = start..start + length;
        self.taken.insert(position, range.clone());
        self.touched = self.touched.max(range.end);
        // SAFETY: `start` is less than a line, and the range lies inside the memory after it.
        let address = unsafe { self.memory.add(self.start + range.start) };
        Some(Piece { of: self.number, range, address })
    }

    /// Gives a piece back.
    ///
    /// # Panics
    /// Where it was taken from other scratch memory.
    pub fn give(&mut self, piece: Piece) {
        self.check(&piece);
        self.taken.retain(|taken| taken.start != piece.range.start);
    }

    /// The bytes of a piece: the last values written, by any owner.
    ///
    /// # Panics
    /// Where it was taken from other scratch memory.
    pub fn bytes(&mut self, piece: &Piece) -> &mut [u8] {
        self.check(piece);
        // SAFETY: inside the memory; other references to it and regions do not exist while this value is
        // borrowed, except regions of pinned pieces, which have other bytes. Bytes have no invalid values.
        unsafe { std::slice::from_raw_parts_mut(piece.address.as_ptr(), piece.len()) }
    }

    /// A piece as memory that is copied from and to.
    ///
    /// # Panics
    /// Where it was taken from other scratch memory.
    pub fn region(&self, piece: &Piece) -> Region<'_> {
        self.check(piece);
        // SAFETY: inside the memory, which lives and to which no reference is made while this value is
        // borrowed. The region stays on this thread, and so does the borrow: `Scratch` is not `Sync`.
        unsafe { Region::new(piece.address.as_ptr(), piece.len()) }
    }

    /// Pins a piece: for an operation that continues when the call that started it has returned.
    ///
    /// # Panics
    /// Where it was taken from other scratch memory.
    pub fn lend(&mut self, piece: Piece) -> Lent {
        self.check(&piece);
        self.lent += 1;
        Lent(piece)
    }

    /// Takes a pinned piece back.
    ///
    /// # Panics
    /// If it was pinned by other scratch memory.
    ///
    /// # Safety
    /// Nothing uses [`Lent::region`] any more, nor a copy or part of it: every transfer that was started
    /// with one has finished.
    pub unsafe fn reclaim(&mut self, lent: Lent) -> Piece {
        self.check(&lent.0);
        self.lent -= 1;
        lent.0
    }

    /// Whether a piece is one of this memory.
    fn check(&self, piece: &Piece) {
        assert_eq!(piece.of, self.number, "a piece of other scratch memory");
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // MPI may still use pinned pieces.
        if self.lent == 0 {
            // SAFETY: allocated in `new` with this layout; regions and bytes were borrowed from this value.
            unsafe { dealloc(self.memory.as_ptr(), self.layout) };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_fill_gaps_and_stay_apart() {
        let mut scratch = Scratch::new(256).expect("memory");
        let range = |piece: Option<Piece>| piece.map(|piece| piece.range);
        let mut pieces: Vec<_> = (0..4).map(|_| scratch.take(60).expect("room")).collect();
        let ranges: Vec<_> = pieces.iter().map(|piece| piece.range.clone()).collect();
        assert_eq!(ranges, [0..64, 64..128, 128..192, 192..256]);
        assert!(scratch.take(1).is_none() && scratch.take(0).is_none() && scratch.take(usize::MAX).is_none());
        scratch.give(pieces.remove(1));
        scratch.give(pieces.remove(1));
        assert!(scratch.take(129).is_none());
        let next = [(); 3].map(|()| range(scratch.take(64)));
        assert_eq!(next, [Some(64..128), Some(128..192), None]);
    }

    #[test]
    fn bytes_and_regions_of_a_piece_are_the_same_memory() {
        let mut scratch = Scratch::new(128).expect("memory");
        let (first, second) = (scratch.take(64).expect("room"), scratch.take(64).expect("room"));
        scratch.bytes(&second).fill(2);
        scratch.region(&first).write(&[1; 64]);
        let mut read = [0; 64];
        scratch.region(&second).read(&mut read);
        assert_eq!((scratch.bytes(&first)[..] == [1; 64], read), (true, [2; 64]));
    }

    /// Memory that an unfinished transfer may still write to is never reused.
    #[test]
    fn lent_memory_outlives_the_scratch_memory() {
        const SIZE: usize = 4096 - LINE;
        let mut scratch = Scratch::new(SIZE).expect("memory");
        let piece = scratch.take(SIZE).expect("room");
        let (region, first) = (scratch.lend(piece).region(), scratch.memory);
        assert!(scratch.take(1).is_none(), "a lent piece stays taken");
        drop(scratch);
        let others: Vec<Scratch> = (0..100).map(|_| Scratch::new(SIZE).expect("memory")).collect();
        assert!(others.iter().all(|other| other.memory != first), "lent memory was freed");
        region.write(&[7; SIZE]);
    }

    #[test]
    fn a_piece_that_was_reclaimed_is_free_again() {
        let mut scratch = Scratch::new(64).expect("memory");
        let piece = scratch.take(64).expect("room");
        let lent = scratch.lend(piece);
        // SAFETY: its region was never asked for.
        let piece = unsafe { scratch.reclaim(lent) };
        scratch.give(piece);
        assert_eq!((scratch.lent, scratch.take(64).is_some()), (0, true));
    }

    #[test]
    #[should_panic(expected = "other scratch memory")]
    fn a_piece_of_other_memory_is_refused() {
        let [mut one, mut other] = [(); 2].map(|()| Scratch::new(64).expect("memory"));
        let piece = other.take(64).expect("room");
        one.bytes(&piece).fill(1);
    }

    /// The allocator may hand out the address of memory that was freed again, for less of it.
    #[test]
    #[should_panic(expected = "other scratch memory")]
    fn a_piece_of_other_memory_that_lay_at_the_same_address_is_refused() {
        let mut one = Scratch::new(64).expect("memory");
        let own = one.take(64).expect("room");
        let Piece { of, .. } = Scratch::new(4096).expect("memory").take(4096).expect("room");
        one.bytes(&Piece { of, range: 0..4096, address: own.address });
    }
}
