//! A block of elements in the caller's memory, viewed as the bytes that MPI would send.

use super::super::Region;
use super::super::copy::copy_nonoverlapping;
use super::super::grid::Grid;
use super::super::streaming;
use super::Datatype;
use super::copy::{Loop, Packed};
use super::layout::{Builder, Placed};
use std::ffi::c_void;
use std::marker::PhantomData;

/// Bytes in the caller's memory: elements of a datatype, or of a grid.
#[derive(Debug, Clone)]
pub struct Block<'a> {
    address: *mut u8,
    bytes: usize,
    form: Form,
    /// How long the memory is there.
    alive: PhantomData<&'a ()>,
}

/// How the bytes lie in memory.
#[derive(Debug, Clone)]
enum Form {
    /// They follow one another in order.
    Contiguous,
    /// As elements of a datatype.
    Typed { count: usize, datatype: Datatype },
    /// As the elements of a grid.
    Grid(Grid),
}

impl<'a> Block<'a> {
    /// Bytes that follow one another.
    #[inline]
    pub fn contiguous(region: Region<'a>) -> Self {
        Self { address: region.address(), bytes: region.len(), form: Form::Contiguous, alive: PhantomData }
    }

    /// `count` elements, the origin of the first at `address`.
    ///
    /// # Panics
    /// Where the elements have more bytes than an address can count.
    ///
    /// # Safety
    /// During `'a` the bytes that belong to the elements are memory as [`Region::new`] requires.
    pub unsafe fn new(address: *mut c_void, count: usize, datatype: &Datatype) -> Self {
        let bytes = datatype.size.checked_mul(count).filter(|&bytes| isize::try_from(bytes).is_ok());
        let bytes = bytes.unwrap_or_else(|| panic!("{count} elements of {} bytes", datatype.size));
        let address = address.cast::<u8>().wrapping_offset(datatype.placed.offset);
        let contiguous = bytes == 0 || datatype.is_dense() || count == 1 && datatype.is_one_run();
        let form =
            if contiguous { Form::Contiguous } else { Form::Typed { count, datatype: datatype.clone() } };
        Self { address, bytes, form, alive: PhantomData }
    }

    /// The elements of a grid that begins with a region.
    ///
    /// # Panics
    /// Where an element lies outside the region, or elements have more bytes than an address can count.
    pub fn grid(region: Region<'a>, grid: Grid) -> Self {
        let bytes = grid.bytes().filter(|_| grid.end().is_some_and(|end| end <= region.len()));
        let bytes = bytes.unwrap_or_else(|| panic!("{grid:?} in {} bytes", region.len()));
        Self { address: region.address(), bytes, form: Form::Grid(grid), alive: PhantomData }
    }

    /// One of several contiguous blocks. `None` if their size exceeds the address space, or for a grid.
    pub fn joined(blocks: Vec<Self>) -> Option<Self> {
        let mut blocks: Vec<Self> = blocks.into_iter().filter(|block| block.bytes > 0).collect();
        let first = match blocks.len() {
            // SAFETY: a region without bytes.
            0 => return Some(Self::contiguous(unsafe { Region::new(std::ptr::null_mut(), 0) })),
            1 => return blocks.pop(),
            _ => blocks[0].address,
        };
        let mut all = Builder::default();
        for block in &blocks {
            let elements = match &block.form {
                Form::Contiguous => Placed::run(block.bytes),
                Form::Typed { count, datatype } => {
                    let one = Placed { offset: 0, layout: datatype.placed.layout.clone() };
                    one.repeated(*count, datatype.extent)?
                }
                Form::Grid(_) => return None,
            };
            all.push(elements.moved((block.address as isize).wrapping_sub(first as isize))?)?;
        }
        let placed = all.finish()?;
        let datatype = Datatype::new(placed.bytes(), 0, false, placed);
        // SAFETY: exactly the bytes of these blocks, which are memory by the contracts of what made them.
        Some(unsafe { Self::new(first.cast(), 1, &datatype) })
    }

    /// Packed bytes of all elements.
    #[inline]
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Where the first byte is that the first element describes.
    pub fn address(&self) -> *mut u8 {
        self.address
    }

    /// The memory itself, where the packed bytes lie there one after the other in their order.
    #[inline]
    pub fn region(&self) -> Option<Region<'a>> {
        let contiguous = matches!(self.form, Form::Contiguous);
        // SAFETY: exactly the bytes of the elements, which are memory by the contracts of `new` and of the
        // region given to `contiguous`.
        contiguous.then(|| unsafe { Region::new(self.address, self.bytes) })
    }

    /// Calls `each` with address and length of the runs that the packed bytes consist of, in their order.
    ///
    /// # Panics
    /// For a grid.
    pub fn runs(&self, mut each: impl FnMut(*mut u8, usize)) {
        match &self.form {
            Form::Contiguous if self.bytes == 0 => {}
            Form::Contiguous => each(self.address, self.bytes),
            Form::Typed { count, datatype } => {
                for number in 0..*count as isize {
                    let start = self.address.wrapping_offset(datatype.extent.wrapping_mul(number));
                    datatype.placed.layout.runs(start, &mut each);
                }
            }
            Form::Grid(_) => panic!("runs of a grid"),
        }
    }

    /// Copies the packed bytes from `offset` on to `out`.
    ///
    /// # Panics
    /// Where these go beyond [`Self::bytes`].
    #[inline]
    pub fn pack(&self, offset: usize, out: &mut [u8]) {
        // SAFETY: `out` can be written, and no reference to the block's memory exists by the contract of
        // `Region::new`, so it lies elsewhere.
        unsafe { self.copy::<true, false>(offset, out.as_mut_ptr(), out.len()) };
    }

    /// Overwrites the packed bytes from `offset` on; bytes between the elements stay unchanged.
    ///
    /// # Panics
    /// Where these go beyond [`Self::bytes`].
    #[inline]
    pub fn unpack(&self, offset: usize, bytes: &[u8]) {
        // SAFETY: no reference to the memory of the block exists, hence not `bytes`, which is only read.
        unsafe { self.copy::<false, false>(offset, bytes.as_ptr().cast_mut(), bytes.len()) };
    }

    /// As [`Self::pack`], past the cache where the bytes follow one another.
    ///
    /// # Panics
    /// As [`Self::pack`].
    pub fn pack_streaming(&self, offset: usize, out: &mut [u8]) {
        match self.region() {
            Some(region) => streaming::read_streaming(region.part(offset..offset + out.len()), out),
            None => self.pack(offset, out),
        }
    }

    /// As [`Self::unpack`], with streaming stores where many bytes follow one another.
    ///
    /// # Panics
    /// As [`Self::unpack`].
    pub fn unpack_streaming(&self, offset: usize, bytes: &[u8]) {
        match self.region() {
            Some(region) => streaming::write_streaming(region.part(offset..offset + bytes.len()), bytes),
            None => {
                // SAFETY: no reference to the memory of the block exists, hence not `bytes`, which is only
                // read.
                unsafe { self.copy::<false, true>(offset, bytes.as_ptr().cast_mut(), bytes.len()) };
                streaming::finish();
            }
        }
    }

    /// # Safety
    /// `length` bytes at `packed` can be written (`PACK`) or read and lie outside the block.
    #[inline]
    unsafe fn copy<const PACK: bool, const STREAM: bool>(
        &self,
        offset: usize,
        packed: *mut u8,
        length: usize,
    ) {
        assert!(
            offset.checked_add(length).is_some_and(|end| end <= self.bytes),
            "{length} bytes from {offset} of a block of {}",
            self.bytes
        );
        if length == 0 {
            return;
        }
        // SAFETY: the elements are memory by the contracts of `new` and of the region given to `contiguous`
        // or `grid`, the packed bytes by that of this function; the range was checked.
        unsafe {
            if let Form::Contiguous = self.form {
                let memory = self.address.wrapping_add(offset);
                let (from, to) = if PACK { (memory, packed) } else { (packed, memory) };
                copy_nonoverlapping(from, to, length);
            } else {
                self.copy_elements::<PACK, STREAM>(offset, packed, length);
            }
        }
    }

    /// The part of [`Self::copy`] that is too long to be in line with its callers.
    ///
    /// # Safety
    /// As [`Self::copy`], for a range of the block that was checked.
    #[inline(never)]
    unsafe fn copy_elements<const PACK: bool, const STREAM: bool>(
        &self,
        offset: usize,
        packed: *mut u8,
        length: usize,
    ) {
        // SAFETY: the range is inside the block, whose elements and packed bytes can be accessed and do not
        // overlap.
        unsafe {
            match &self.form {
                Form::Contiguous => {}
                Form::Typed { count, datatype } => {
                    let Datatype { size, extent, ref placed, .. } = *datatype;
                    let elements = Loop { count: *count, stride: extent, size, inner: &placed.layout };
                    elements.copy::<PACK, STREAM>(
                        self.address,
                        offset,
                        &mut Packed { at: packed, left: length },
                    );
                }
                Form::Grid(grid) => grid.copy::<PACK>(self.address, offset, packed, length),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Past the cache or not, the same bytes change, wherever runs begin and a part of the block begins and
    /// ends.
    #[test]
    fn streaming_changes_the_same_bytes() {
        for (run, stride) in [(100, 130), (512, 515), (700, 700 + 64), (2048, 4096)] {
            let runs = Placed::run(run).repeated(5, stride).and_then(|plane| plane.repeated(3, 6 * stride));
            let datatype = Datatype::new(15 * run, 0, false, runs.expect("small"));
            let bytes: Vec<u8> = (0..15 * run).map(|index| (index % 251) as u8).collect();
            for (offset, length) in [(0, 15 * run), (1, 14 * run), (run / 2, 7 * run + 13), (3 * run, 1)] {
                let [plain, streamed] = [false, true].map(|streaming| {
                    let mut memory = vec![0xee_u8; 18 * stride as usize + 1];
                    // Not at a line of the cache.
                    let start = memory[1..].as_mut_ptr();
                    // SAFETY: all elements lie in the memory, to which nothing else refers meanwhile.
                    let block = unsafe { Block::new(start.cast(), 1, &datatype) };
                    let part = &bytes[offset..offset + length];
                    match streaming {
                        true => block.unpack_streaming(offset, part),
                        false => block.unpack(offset, part),
                    }
                    memory
                });
                assert!(plain == streamed, "runs of {run}, {length} bytes from {offset}");
                assert_eq!(
                    plain.iter().filter(|&&byte| byte != 0xee).count(),
                    length - bytes[offset..offset + length].iter().filter(|&&byte| byte == 0xee).count()
                );
            }
        }
    }
}
