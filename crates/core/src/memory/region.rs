//! Memory of the caller without Rust's guarantees: other processes of the node and MPI read and write it, and
//! two regions may overlap. It is therefore never a slice, only copied from and to.

use super::copy;
use std::marker::PhantomData;
use std::ops::Range;

/// Bytes of the caller's memory, which may be read and written during `'a`. A copy of this value is the same
/// memory. For a send buffer, too: the owner of the region must not write to it.
///
/// It stays on its thread, so two copies are never written concurrently:
///
/// ```compile_fail,E0277
/// use hcube_core::memory::Region;
/// fn on_any_thread<T: Send>(_: T) {}
/// let mut memory = [0u8; 8];
/// // SAFETY: the memory is borrowed for the life of the region.
/// on_any_thread(unsafe { Region::new(memory.as_mut_ptr(), 8) });
/// ```
///
/// ```compile_fail,E0277
/// use hcube_core::memory::Region;
/// fn by_any_thread<T: Sync>(_: T) {}
/// let mut memory = [0u8; 8];
/// // SAFETY: the memory is borrowed for the life of the region.
/// by_any_thread(unsafe { Region::new(memory.as_mut_ptr(), 8) });
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Region<'a> {
    address: *mut u8,
    length: usize,
    /// How long the memory is there.
    alive: PhantomData<&'a ()>,
}

impl<'a> Region<'a> {
    /// The bytes from `address` on.
    ///
    /// # Safety
    /// During `'a`, and until every transfer has finished that was started with this region or one made from
    /// it, this library, MPI and other processes of the node may read the bytes, and write them where such a
    /// region is written; no Rust reference to them is used meanwhile, and no other thread of this process
    /// touches them. Two regions that overlap are used by one thread. No bytes: any address.
    pub unsafe fn new(address: *mut u8, length: usize) -> Self {
        Self { address, length, alive: PhantomData }
    }

    /// Memory that is borrowed exclusively, so that it is not accessed otherwise during `'a`.
    pub fn of(bytes: &'a mut [u8]) -> Self {
        Self { address: bytes.as_mut_ptr(), length: bytes.len(), alive: PhantomData }
    }

    /// Where it begins.
    #[inline]
    pub fn address(self) -> *mut u8 {
        self.address
    }

    /// Its bytes.
    #[inline]
    pub fn len(self) -> usize {
        self.length
    }

    /// The bytes themselves.
    ///
    /// # Safety
    /// Nobody writes them while the result is used, and all have been written before.
    #[inline]
    pub unsafe fn bytes(self) -> &'a [u8] {
        // SAFETY: readable by the contract of `new`, and unchanged by that of this function.
        unsafe { std::slice::from_raw_parts(self.address, self.length) }
    }

    /// The bytes themselves, to be written.
    ///
    /// # Safety
    /// Nobody else uses them while the result is used, and all have been written before.
    #[inline]
    pub unsafe fn bytes_mut(self) -> &'a mut [u8] {
        // SAFETY: writable by the contract of `new`, and used by nobody else by that of this function.
        unsafe { std::slice::from_raw_parts_mut(self.address, self.length) }
    }

    /// Whether it has none.
    pub fn is_empty(self) -> bool {
        self.length == 0
    }

    /// Whether both have a byte in common.
    #[inline]
    pub fn overlaps(self, other: Region<'_>) -> bool {
        let [begin, end] = self.bounds();
        let [other_begin, other_end] = other.bounds();
        begin.max(other_begin) < end.min(other_end)
    }

    /// Where it begins and ends.
    #[inline]
    fn bounds(self) -> [usize; 2] {
        let begin = self.address.addr();
        [begin, begin.saturating_add(self.length)]
    }

    /// A part of it.
    ///
    /// # Panics
    /// Where the range is not inside.
    #[inline]
    pub fn part(self, range: Range<usize>) -> Self {
        assert!(range.start <= range.end && range.end <= self.length, "{range:?} of {} bytes", self.length);
        Self { address: self.address.wrapping_add(range.start), length: range.len(), alive: PhantomData }
    }

    /// Copies all of it.
    ///
    /// # Panics
    /// Where the lengths differ.
    #[inline]
    pub fn read(self, out: &mut [u8]) {
        assert_eq!(self.length, out.len(), "bytes of the region and of the copy");
        // SAFETY: by the contract of `new` the bytes can be read and no reference, hence not `out`, refers
        // to them.
        unsafe { copy::copy_nonoverlapping(self.address, out.as_mut_ptr(), out.len()) };
    }

    /// Appends a copy of all of it.
    #[inline]
    pub fn append_to(self, out: &mut Vec<u8>) {
        out.reserve(self.length);
        // SAFETY: by the contract of `new` the bytes can be read and no reference, hence not `out`, refers to
        // them; `out` has room for as many after its length, and contains them afterwards.
        unsafe {
            copy::copy_nonoverlapping(
                self.address,
                out.spare_capacity_mut().as_mut_ptr().cast(),
                self.length,
            );
            out.set_len(out.len() + self.length);
        }
    }

    /// Overwrites all of it.
    ///
    /// # Panics
    /// Where the lengths differ.
    #[inline]
    pub fn write(self, bytes: &[u8]) {
        assert_eq!(self.length, bytes.len(), "bytes of the region and to be written");
        // SAFETY: by the contract of `new` the bytes can be written and no reference, hence not `bytes`,
        // refers to them.
        unsafe { copy::copy_nonoverlapping(bytes.as_ptr(), self.address, bytes.len()) };
    }

    /// Overwrites all of it with another region, which does not overlap it.
    ///
    /// # Panics
    /// Where the lengths differ.
    #[inline]
    pub fn copy_from(self, other: Region<'_>) {
        other.copy_to(self);
    }

    /// Copies all of it to another region, which may overlap it.
    ///
    /// # Panics
    /// Where the lengths differ.
    #[inline]
    pub fn copy_to(self, other: Region<'_>) {
        assert_eq!(self.length, other.length, "bytes of the two regions");
        // SAFETY: by the contract of `new` both can be read and written; `copy` permits overlap.
        unsafe { copy::copy_short(self.address, other.address, self.length) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hcube_testing::sizes::sizes;
    use proptest::prelude::*;

    fn region(memory: &mut [u8]) -> Region<'_> {
        // SAFETY: the memory is borrowed for the life of the region.
        unsafe { Region::new(memory.as_mut_ptr(), memory.len()) }
    }

    #[test]
    fn parts_are_read_written_and_copied() {
        let mut memory = [1u8, 2, 3, 4, 5, 6];
        let all = region(&mut memory);
        let mut middle = [0; 2];
        all.part(2..5).part(1..3).read(&mut middle);
        assert_eq!(middle, [4, 5]);
        let mut copy = vec![0];
        all.part(4..6).append_to(&mut copy);
        all.part(6..6).append_to(&mut copy);
        assert_eq!(copy, [0, 5, 6]);
        all.part(0..2).write(&[7, 8]);
        all.part(0..4).copy_to(all.part(1..5));
        assert_eq!((all.len(), all.part(6..6).is_empty(), all.is_empty()), (6, true, false));
        assert_eq!(memory, [7, 7, 8, 3, 4, 6]);
    }

    #[test]
    #[should_panic(expected = "2..7 of 6 bytes")]
    fn a_part_outside_is_refused() {
        region(&mut [0; 6]).part(2..7);
    }

    #[test]
    #[should_panic(expected = "bytes of the region")]
    fn lengths_must_be_equal() {
        region(&mut [0; 6]).write(&[0; 5]);
    }

    proptest! {
        /// Regions end below 2^64.
        #[test]
        fn regions_overlap_where_they_have_a_byte_in_common(
            begins in [sizes(), sizes()], lengths in [sizes(), sizes()],
        ) {
            let region = |number: usize| {
                let length = lengths[number].min(usize::MAX - begins[number]);
                // SAFETY: never accessed.
                unsafe { Region::new(std::ptr::without_provenance_mut(begins[number]), length) }
            };
            let (one, other) = (region(0), region(1));
            let ends = [one, other].map(|region| region.address().addr() + region.len());
            let common = ends[0].min(ends[1]) as i128 - begins[0].max(begins[1]) as i128;
            prop_assert_eq!(one.overlaps(other), common > 0);
            prop_assert_eq!(other.overlaps(one), common > 0);
        }

        #[test]
        fn a_part_of_any_region_begins_and_ends_where_its_range_does(
            begin in sizes(), bounds in [sizes(), sizes(), sizes()],
        ) {
            let mut bounds = bounds;
            bounds.sort_unstable();
            let [start, end, length] = bounds;
            // SAFETY: never accessed.
            let region = unsafe { Region::new(std::ptr::without_provenance_mut(begin), length) };
            let part = region.part(start..end);
            prop_assert_eq!((part.address().addr(), part.len()), (begin.wrapping_add(start), end - start));
        }
    }
}
