//! A reserve for allocations of this library when the process gets no more memory from the system: programs
//! run with limits of their address space (`ulimit -v`), and when all of it is in use, the MPI library still
//! exchanges data.
//!
//! Idea: if hcube cannot allocate memory on one rank, it is not used on any rank, but ranks need a few bytes
//! for messages to agree on that. The allocator of this library therefore has a reserve in the library's own
//! data, which is mapped when it is loaded and is not resident until it is used. Large allocations are not
//! taken from the reserve: they fail, and all ranks learn of it.
//!
//! Cost: none as long as the system has memory. In the reserve, a search among up to 1024 flags.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::UnsafeCell;
use std::ptr::{NonNull, null_mut};
use std::sync::atomic::{AtomicBool, Ordering};

/// Bytes of a unit: the maximum alignment that is requested.
const UNIT: usize = 256;
const UNITS: usize = 1024;
/// The largest allocation from the reserve, in units: the text in which the MPI library describes itself.
const MAX_UNITS: usize = 256;

#[repr(align(256))]
struct Memory(UnsafeCell<[u8; UNIT * UNITS]>);

/// The system's allocator, with a reserve.
pub struct Reserve {
    memory: Memory,
    /// Whether a unit is taken; by the thread that holds the lock.
    taken: UnsafeCell<[bool; UNITS]>,
    locked: AtomicBool,
}

// SAFETY: `taken` is reached only under the lock (`with_taken`), and the bytes of a unit only by its owner.
unsafe impl Sync for Reserve {}

impl Reserve {
    pub const fn new() -> Self {
        Self {
            memory: Memory(UnsafeCell::new([0; UNIT * UNITS])),
            taken: UnsafeCell::new([false; UNITS]),
            locked: AtomicBool::new(false),
        }
    }

    fn with_taken<T>(&self, work: impl FnOnce(&mut [bool; UNITS]) -> T) -> T {
        while self.locked.swap(true, Ordering::Acquire) {
            std::thread::yield_now();
        }
        // SAFETY: one thread at a time holds the lock.
        let result = work(unsafe { &mut *self.taken.get() });
        self.locked.store(false, Ordering::Release);
        result
    }

    fn units(layout: Layout) -> Option<usize> {
        let units = layout.size().div_ceil(UNIT);
        (units <= MAX_UNITS && layout.align() <= UNIT).then_some(units)
    }

    fn begin(&self) -> *mut u8 {
        self.memory.0.get().cast()
    }

    /// Memory of the reserve; null if it has none.
    fn take(&self, layout: Layout) -> *mut u8 {
        let Some(units) = Self::units(layout) else { return null_mut() };
        let first = self.with_taken(|taken| {
            let first = (0..=UNITS - units).find(|&first| !taken[first..first + units].contains(&true))?;
            taken[first..first + units].fill(true);
            Some(first)
        });
        first.map_or(null_mut(), |first| self.begin().wrapping_add(first * UNIT))
    }

    fn owns(&self, address: *mut u8) -> bool {
        (self.begin().addr()..self.begin().addr() + UNIT * UNITS).contains(&address.addr())
    }

    fn give(&self, address: *mut u8, layout: Layout) {
        let (first, units) = ((address.addr() - self.begin().addr()) / UNIT, layout.size().div_ceil(UNIT));
        self.with_taken(|taken| taken[first..first + units].fill(false));
    }
}

// SAFETY: memory comes from the system's allocator, or consists of units of the reserve that nobody else has:
// it has the size and alignment of the layout.
unsafe impl GlobalAlloc for Reserve {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the layout has bytes, as `GlobalAlloc` demands of its callers.
        NonNull::new(unsafe { System.alloc(layout) }).map_or_else(|| self.take(layout), NonNull::as_ptr)
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the layout has bytes, as `GlobalAlloc` demands of its callers.
        if let Some(found) = NonNull::new(unsafe { System.alloc_zeroed(layout) }) {
            return found.as_ptr();
        }
        let found = self.take(layout);
        if !found.is_null() {
            // SAFETY: units that were just taken, at least as long.
            unsafe { found.write_bytes(0, layout.size()) };
        }
        found
    }

    unsafe fn dealloc(&self, address: *mut u8, layout: Layout) {
        if self.owns(address) {
            return self.give(address, layout);
        }
        // SAFETY: it came from `alloc` with this layout, and not from the reserve.
        unsafe { System.dealloc(address, layout) }
    }

    unsafe fn realloc(&self, address: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        let units = |size: usize| size.div_ceil(UNIT);
        if self.owns(address) && size > 0 && units(size) <= units(layout.size()) {
            let (first, rest) =
                ((address.addr() - self.begin().addr()) / UNIT, units(size)..units(layout.size()));
            self.with_taken(|taken| taken[first + rest.start..first + rest.end].fill(false));
            return address;
        }
        if !self.owns(address) {
            // SAFETY: it came from `alloc` with this layout, and not from the reserve; the new size is valid.
            let moved = unsafe { System.realloc(address, layout, size) };
            if !moved.is_null() {
                return moved;
            }
        }
        // SAFETY: the new size is valid by the contract of this function, which the new layout keeps; the old
        // memory is copied up to the smaller size, and then freed.
        unsafe {
            let new = Layout::from_size_align_unchecked(size, layout.align());
            let moved = self.alloc(new);
            if !moved.is_null() {
                moved.copy_from_nonoverlapping(address, layout.size().min(size));
                self.dealloc(address, layout);
            }
            moved
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn layout(size: usize) -> Layout {
        Layout::from_size_align(size, 8).expect("valid")
    }

    #[test]
    fn pieces_are_apart_and_used_again() {
        static RESERVE: Reserve = Reserve::new();
        let sizes = [1, UNIT, UNIT + 1, 10 * UNIT, MAX_UNITS * UNIT];
        let pieces = sizes.map(|size| (RESERVE.take(layout(size)), size));
        for (number, &(piece, size)) in pieces.iter().enumerate() {
            assert!(RESERVE.owns(piece) && piece.addr() % UNIT == 0);
            // SAFETY: a piece of this size, which nobody else has.
            unsafe { piece.write_bytes(number as u8, size) };
        }
        for (number, &(piece, size)) in pieces.iter().enumerate() {
            // SAFETY: a piece of this size, all of which was written above.
            let bytes = unsafe { std::slice::from_raw_parts(piece, size) };
            assert!(bytes.iter().all(|&byte| byte == number as u8), "{size} bytes");
        }
        for (piece, size) in pieces {
            RESERVE.give(piece, layout(size));
        }
        assert_eq!(sizes.map(|size| RESERVE.take(layout(size))), pieces.map(|(piece, _)| piece));
    }

    #[test]
    fn large_pieces_and_those_beyond_the_reserve_are_refused() {
        static RESERVE: Reserve = Reserve::new();
        assert!(RESERVE.take(layout(MAX_UNITS * UNIT + 1)).is_null());
        assert!(RESERVE.take(Layout::from_size_align(8, 2 * UNIT).expect("valid")).is_null());
        let pieces: Vec<_> = (0..UNITS / MAX_UNITS).map(|_| RESERVE.take(layout(MAX_UNITS * UNIT))).collect();
        assert!(pieces.iter().all(|piece| !piece.is_null()) && RESERVE.take(layout(1)).is_null());
        RESERVE.give(pieces[1], layout(MAX_UNITS * UNIT));
        assert_eq!(RESERVE.take(layout(1)), pieces[1]);
    }

    #[test]
    fn memory_moves_from_the_reserve_to_the_system_with_its_contents() {
        static RESERVE: Reserve = Reserve::new();
        let piece = RESERVE.take(layout(3));
        // SAFETY: a piece of this size; what moves is freed with its layout.
        unsafe {
            piece.copy_from_nonoverlapping([1, 2, 3].as_ptr(), 3);
            let moved = RESERVE.realloc(piece, layout(3), 1000);
            assert!(!RESERVE.owns(moved));
            assert_eq!(std::slice::from_raw_parts(moved, 3), [1, 2, 3]);
            RESERVE.dealloc(moved, layout(1000));
        }
        assert_eq!(RESERVE.take(layout(3)), piece, "the piece was given back");
    }
}
