//! A block of elements in the caller's memory, seen as the bytes that MPI would send of it.

use super::super::memory::Region;
use super::Datatype;
use super::copy::{Loop, Packed};
use super::layout::Layout;
use std::ffi::c_void;
use std::marker::PhantomData;

/// So many elements of a datatype in the caller's memory.
#[derive(Debug, Clone)]
pub struct Block<'a> {
    address: *mut u8,
    count: usize,
    bytes: usize,
    datatype: Datatype,
    /// How long the memory is there.
    alive: PhantomData<&'a ()>,
}

impl<'a> Block<'a> {
    /// `count` elements, the origin of the first at `address`.
    ///
    /// # Panics
    /// Where the elements have more bytes than an address can count.
    ///
    /// # Safety
    /// During `'a` the bytes that belong to the elements are memory as [`Region::new`] asks for it.
    pub unsafe fn new(address: *mut c_void, count: usize, datatype: &Datatype) -> Self {
        let bytes = datatype.size.checked_mul(count).filter(|&bytes| isize::try_from(bytes).is_ok());
        let bytes = bytes.unwrap_or_else(|| panic!("{count} elements of {} bytes", datatype.size));
        let address = address.cast::<u8>().wrapping_offset(datatype.placed.offset);
        Self { address, count, bytes, datatype: datatype.clone(), alive: PhantomData }
    }

    /// Packed bytes of all elements.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// The memory itself, where the packed bytes lie there one after the other in their order.
    pub fn region(&self) -> Option<Region<'a>> {
        let contiguous = match self.datatype.placed.layout {
            // A single element, or elements that follow one another.
            Layout::Run(size) => self.count == 1 || isize::try_from(size) == Ok(self.datatype.extent),
            _ => false,
        };
        // SAFETY: the promise of `new`, for the bytes of the elements alone.
        (contiguous || self.bytes == 0).then(|| unsafe { Region::new(self.address, self.bytes) })
    }

    /// Copies the packed bytes from `offset` on to `out`.
    ///
    /// # Panics
    /// Where these go beyond [`Self::bytes`].
    pub fn pack(&self, offset: usize, out: &mut [u8]) {
        // SAFETY: `out` can be written, and no reference to the block's memory exists by the promise of
        // `new`, so it lies elsewhere.
        unsafe { self.copy::<true>(offset, out.as_mut_ptr(), out.len()) };
    }

    /// Overwrites the packed bytes from `offset` on; gaps between the elements' bytes stay as they are.
    ///
    /// # Panics
    /// Where these go beyond [`Self::bytes`].
    pub fn unpack(&self, offset: usize, bytes: &[u8]) {
        // SAFETY: as `pack`; `bytes` is only read.
        unsafe { self.copy::<false>(offset, bytes.as_ptr().cast_mut(), bytes.len()) };
    }

    /// # Safety
    /// `length` bytes at `packed` can be written (`PACK`) or read and lie outside the block.
    unsafe fn copy<const PACK: bool>(&self, offset: usize, packed: *mut u8, length: usize) {
        assert!(
            offset.checked_add(length).is_some_and(|end| end <= self.bytes),
            "{length} bytes from {offset} of a block of {}",
            self.bytes
        );
        if length == 0 {
            return;
        }
        let Datatype { size, extent, ref placed, .. } = self.datatype;
        if self.region().is_some() {
            // One run, however many elements.
            let all = Loop { count: 1, stride: 0, size: self.bytes, inner: &Layout::Run(self.bytes) };
            // SAFETY: as below.
            unsafe { all.copy::<PACK>(self.address, offset, &mut Packed { at: packed, left: length }) };
            return;
        }
        let elements = Loop { count: self.count, stride: extent, size, inner: &placed.layout };
        // SAFETY: the caller's promise and that of `new`; the range was checked.
        unsafe { elements.copy::<PACK>(self.address, offset, &mut Packed { at: packed, left: length }) };
    }
}
