//! Whether the elements of a section lie in a coarray, for subscripts of any size.
//!
//! Idea: offsets that exceed 64 bits become the least and the largest number ([`crate::index`]), which no
//! coarray has. After the check, all offsets and sizes of the section are exact.

use super::{Extent, Section};
use crate::failure::{Failure, Result};
use crate::index::elements;
use hcube_core::error::Error;
use std::ops::Range;
use std::ptr;

/// No object has more bytes.
const MAX_BYTES: usize = isize::MAX as usize;

/// Bytes of an array with these extents.
///
/// # Errors
/// [`Error::Memory`] if no object has as many bytes.
pub fn array_bytes(extents: &[usize], element: usize) -> Result<usize> {
    let bytes = elements(extents.iter().copied()).checked_mul(element).filter(|&bytes| bytes <= MAX_BYTES);
    bytes.ok_or_else(|| Error::Memory(format!("an array {extents:?} of elements of {element} bytes")).into())
}

impl Extent {
    /// The distances of the first and of the last element in memory. There is one.
    fn bounds(&self) -> (isize, isize) {
        match &self.table {
            Some(table) => {
                let all = || table.iter().copied();
                (all().min().unwrap_or(0), all().max().unwrap_or(0))
            }
            None => {
                let last = (self.count as i128 - 1) * self.stride as i128;
                let last = last.clamp(isize::MIN as i128, isize::MAX as i128) as isize;
                (last.min(0), last.max(0))
            }
        }
    }
}

impl Section {
    /// The offsets of the first byte and of the end from the base; none if there are no elements. The least
    /// and the largest number stand for offsets that exceed 64 bits.
    pub fn bounds(&self) -> Range<isize> {
        if self.count() == 0 {
            return 0..0;
        }
        let bounds = self.extents.iter().map(Extent::bounds);
        let (low, high) = bounds.fold((0_isize, 0_isize), |(low, high), (first, last)| {
            (low.saturating_add(first), high.saturating_add(last))
        });
        low..high.saturating_add_unsigned(self.element)
    }

    /// Whether bytes of both are between the first and the last byte of the other.
    pub fn overlaps(&self, other: &Self) -> bool {
        let (one, two) = (self.range(ptr::null()), other.range(ptr::null()));
        one.start < two.end && two.start < one.end
    }

    /// The offsets of the first byte and of the end of the elements from an address on. The least and the
    /// largest number stand for offsets that exceed 64 bits.
    pub fn range(&self, from: *const u8) -> Range<isize> {
        let bounds = self.bounds();
        let first = (self.base.addr() as isize).wrapping_sub(from.addr() as isize);
        first.saturating_add(bounds.start)..first.saturating_add(bounds.end)
    }

    /// The error `outside` of their range where elements do not lie in the given bytes from an address on; an
    /// error where the elements have more bytes than any object, because a vector subscript repeats them.
    pub fn check_inside(
        &self,
        part: *const u8,
        bytes: usize,
        outside: impl FnOnce(Range<isize>) -> Failure,
    ) -> Result<()> {
        let range = self.range(part);
        let is_inside = range.start >= 0 && usize::try_from(range.end).is_ok_and(|end| end <= bytes);
        if !is_inside && !self.bounds().is_empty() {
            return Err(outside(range));
        }
        if self.bytes() > MAX_BYTES {
            let extents: Vec<usize> = self.extents().iter().map(|extent| extent.count).collect();
            let text = format!("a section {extents:?} of elements of {} bytes: expected fewer", self.element);
            return Err(Failure::new(text));
        }
        Ok(())
    }

    /// An error where elements lie at places that are no addresses, as those behind a pointer that was never
    /// associated.
    pub fn check_addresses(&self) -> Result<()> {
        self.check_inside(ptr::null(), MAX_BYTES - 1, |range| {
            Failure::new(format!("memory from {:#x} on: expected the target of a pointer", range.start))
        })
    }
}
