//! Memory of one process on huge pages, if the kernel allocates them on demand: long vectors then need few
//! entries of the translation lookaside buffer.

use super::huge_pages::HUGE_PAGE_BYTES;
use super::segment::Segment;
use crate::error::{Error, Result};
use crate::memory::Region;

/// Numbers, all zero at first; those that fill a huge page start at one.
#[derive(Debug)]
pub struct Pages {
    segment: Segment,
    elements: usize,
}

// SAFETY: the memory belongs to this value, as that of a Vec does.
unsafe impl Send for Pages {}

impl Pages {
    /// Memory for `elements` numbers, committed by the kernel immediately.
    ///
    /// # Errors
    /// [`Error::Memory`].
    pub fn new(elements: usize) -> Result<Self> {
        let refused = || Error::Memory(format!("{elements} numbers of {} bytes", size_of::<f64>()));
        let bytes = elements.checked_mul(size_of::<f64>()).ok_or_else(refused)?;
        let unit = if bytes < HUGE_PAGE_BYTES { PAGE } else { HUGE_PAGE_BYTES };
        let length = bytes
            .max(1)
            .checked_next_multiple_of(unit)
            .filter(|&length| isize::try_from(length).is_ok())
            .ok_or_else(refused)?;
        let segment = Segment::own(length)?;
        segment.prefer_huge_pages(0..length);
        segment.provide(0..length)?;
        Ok(Self { segment, elements })
    }

    /// The numbers.
    pub fn elements(&mut self) -> &mut [f64] {
        // SAFETY: the segment is longer, was zero at first, is mapped as long as this value lives, and nobody
        // else uses it; a mapping is aligned to a page.
        unsafe {
            let first = self.segment.address().cast::<f64>();
            std::slice::from_raw_parts_mut(first.as_ptr(), self.elements)
        }
    }

    /// Their bytes.
    pub fn region(&mut self) -> Region<'_> {
        // SAFETY: the bytes of the mapping, which nobody else uses while this value is borrowed.
        unsafe { Region::new(self.segment.address().as_ptr(), self.elements * size_of::<f64>()) }
    }
}

/// Bytes of the smallest page.
const PAGE: usize = 4096;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_zero_and_aligned() {
        for elements in [0, 1, 1000, HUGE_PAGE_BYTES / 8, HUGE_PAGE_BYTES / 8 + 1, 1_000_000] {
            let mut pages = Pages::new(elements).expect("memory");
            assert_eq!(pages.region().len(), 8 * elements);
            let numbers = pages.elements();
            let alignment = if 8 * elements < HUGE_PAGE_BYTES { PAGE } else { HUGE_PAGE_BYTES };
            assert_eq!((numbers.len(), numbers.as_ptr().addr() % alignment), (elements, 0));
            assert!(numbers.iter().all(|&number| number == 0.0));
            numbers.fill(1.0);
        }
    }

    #[test]
    fn no_memory_is_an_error() {
        for elements in [usize::MAX, usize::MAX / 8, usize::MAX / 16] {
            assert!(Pages::new(elements).is_err(), "{elements}");
        }
    }
}
