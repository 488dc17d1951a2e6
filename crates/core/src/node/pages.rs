//! Memory of one process on huge pages, where the kernel makes them on demand: long vectors then need few entries of
//! the translation lookaside buffer.

use super::huge_pages::HUGE_PAGE_BYTES;
use super::segment::Segment;
use crate::error::{Error, Result};

/// Numbers that start at a huge page, all zero at first.
#[derive(Debug)]
pub struct Pages {
    segment: Segment,
    /// Bytes before the first number.
    start: usize,
    elements: usize,
}

// SAFETY: the memory belongs to this value, as that of a Vec does.
unsafe impl Send for Pages {}

impl Pages {
    /// Memory for `elements` numbers, provided by the kernel at once.
    ///
    /// # Errors
    /// [`Error::Memory`].
    pub fn new(elements: usize) -> Result<Self> {
        let refused = || Error::Memory(format!("{elements} numbers of {} bytes", size_of::<f64>()));
        let bytes = elements.checked_mul(size_of::<f64>()).ok_or_else(refused)?;
        let length = bytes
            .checked_next_multiple_of(HUGE_PAGE_BYTES)
            .and_then(|bytes| bytes.checked_add(HUGE_PAGE_BYTES))
            .filter(|&length| isize::try_from(length).is_ok())
            .ok_or_else(refused)?;
        let segment = Segment::own(length)?;
        let address = segment.address().addr().get();
        let start = address.next_multiple_of(HUGE_PAGE_BYTES) - address;
        let range = start..start + bytes.next_multiple_of(HUGE_PAGE_BYTES);
        segment.prefer_huge_pages(range.clone());
        segment.provide(range)?;
        Ok(Self { segment, start, elements })
    }

    /// The numbers.
    pub fn elements(&mut self) -> &mut [f64] {
        // SAFETY: the segment is longer, was zero at first, is mapped as long as this value lives, and nobody else uses
        // it; the place is aligned.
        unsafe {
            let first = self.segment.address().add(self.start).cast::<f64>();
            std::slice::from_raw_parts_mut(first.as_ptr(), self.elements)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_zero_and_aligned() {
        for elements in [0, 1, 1000, HUGE_PAGE_BYTES / 8, HUGE_PAGE_BYTES / 8 + 1, 1_000_000] {
            let mut pages = Pages::new(elements).expect("memory");
            let numbers = pages.elements();
            assert_eq!((numbers.len(), numbers.as_ptr().addr() % HUGE_PAGE_BYTES), (elements, 0));
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
