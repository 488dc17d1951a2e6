//! The free ranges of a part of the heap: best fit, adjacent free ranges are joined.
//!
//! Idea: the free ranges are sorted by start and by length; the smallest sufficient range is taken, and of
//! equal ones the range with the lowest start, so that ranks which allocate and free in the same order get
//! the same ranges. Allocated ranges are stored separately, by their start. The memory itself is not
//! accessed: other ranks write to it.
//!
//! Cost: O(log n) for n ranges; 100 bytes per range, in memory of the process. Source: best fit (Knuth 1973,
//! §2.5).

use crate::error::{Error, Result};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// The ranges of a part of the heap.
#[derive(Debug, Clone)]
pub struct Ranges {
    /// Free ranges: begin and length.
    free: BTreeMap<usize, usize>,
    /// The same: length and begin.
    by_length: BTreeSet<(usize, usize)>,
    /// Allocated ranges: begin and length.
    used: BTreeMap<usize, usize>,
    /// Bytes in allocated ranges.
    used_bytes: usize,
}

impl Ranges {
    /// All of the range is free.
    pub fn new(range: Range<usize>) -> Self {
        let mut ranges =
            Self { free: BTreeMap::new(), by_length: BTreeSet::new(), used: BTreeMap::new(), used_bytes: 0 };
        ranges.put(range.start, range.len());
        ranges
    }

    fn put(&mut self, begin: usize, length: usize) {
        if length > 0 {
            self.free.insert(begin, length);
            self.by_length.insert((length, begin));
        }
    }

    fn take(&mut self, begin: usize) -> usize {
        let length = self.free.remove(&begin).expect("a free range");
        self.by_length.remove(&(length, begin));
        length
    }

    /// Allocates `length` bytes, at least one, from a multiple of `alignment` on, a power of two.
    ///
    /// # Errors
    /// [`Error::Memory`] if no free range is long enough.
    pub fn allocate(&mut self, length: usize, alignment: usize) -> Result<usize> {
        let length = length.max(1);
        let fits = |&&(free, begin): &&(usize, usize)| {
            begin.checked_next_multiple_of(alignment).is_some_and(|at| at - begin <= free - length)
        };
        let Some(&(_, free_begin)) = self.by_length.range((length, 0)..).find(fits) else {
            let longest = self.by_length.last().map_or(0, |&(longest, _)| longest);
            return Err(Error::Memory(format!(
                "{length} bytes in the heap of this image: {} are in use, and {longest} are free in one piece",
                self.used_bytes
            )));
        };
        let free_length = self.take(free_begin);
        let begin = free_begin.next_multiple_of(alignment);
        self.put(free_begin, begin - free_begin);
        self.put(begin + length, free_begin + free_length - (begin + length));
        self.used.insert(begin, length);
        self.used_bytes += length;
        Ok(begin)
    }

    /// Frees the range that begins there, if one does.
    pub fn free(&mut self, begin: usize) -> Option<Range<usize>> {
        let length = self.used.remove(&begin)?;
        self.used_bytes -= length;
        let (mut low, mut high) = (begin, begin + length);
        if let Some((&before, &its_length)) = self.free.range(..begin).next_back()
            && before + its_length == begin
        {
            self.take(before);
            low = before;
        }
        if self.free.contains_key(&high) {
            high += self.take(high);
        }
        self.put(low, high - low);
        Some(begin..begin + length)
    }

    /// The length of what begins there.
    pub fn length(&self, begin: usize) -> Option<usize> {
        self.used.get(&begin).copied()
    }

    /// Bytes that are allocated.
    pub fn used(&self) -> usize {
        self.used_bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hcube_testing::sizes::sizes;
    use proptest::prelude::*;

    #[test]
    fn the_smallest_range_that_fits_is_taken_and_neighbours_are_joined() {
        let mut ranges = Ranges::new(100..1100);
        let all: Vec<usize> = (0..10).map(|_| ranges.allocate(100, 1).expect("room")).collect();
        assert_eq!(all, (0..10).map(|number| 100 + 100 * number).collect::<Vec<_>>());
        assert!(ranges.allocate(1, 1).is_err());
        for index in [1, 3, 4] {
            assert!(ranges.free(all[index]).is_some());
        }
        assert_eq!(ranges.allocate(100, 1), Ok(200));
        assert_eq!(ranges.allocate(150, 1), Ok(400));
        assert_eq!(ranges.free(400), Some(400..550));
        assert_eq!((ranges.free(400), ranges.free(101)), (None, None));
    }

    #[test]
    fn errors_name_what_is_in_use() {
        let mut ranges = Ranges::new(0..1000);
        ranges.allocate(900, 64).expect("room");
        let error = ranges.allocate(101, 1).expect_err("no room").to_string();
        assert!(error.contains("101 bytes") && error.contains("900 are in use"), "{error}");
        assert!(ranges.allocate(usize::MAX, 1 << 20).is_err());
    }

    proptest! {
        /// Ranges do not overlap, nothing is lost, and all memory is joined again.
        #[test]
        fn random_lives(steps in proptest::collection::vec((1..5000_usize, 0..8_u32, any::<bool>()), 1..300)) {
            let whole = 64..200_000;
            let mut ranges = Ranges::new(whole.clone());
            let mut living: Vec<Range<usize>> = Vec::new();
            for (length, alignment, frees) in steps {
                if frees && !living.is_empty() {
                    let range = living.swap_remove(length % living.len());
                    prop_assert_eq!(ranges.free(range.start), Some(range));
                } else if let Ok(begin) = ranges.allocate(length, 1 << alignment) {
                    let range = begin..begin + length;
                    prop_assert!(begin % (1 << alignment) == 0 && begin >= whole.start && range.end <= whole.end);
                    prop_assert!(living.iter().all(|other| other.end <= begin || other.start >= range.end));
                    living.push(range);
                }
                prop_assert_eq!(ranges.used(), living.iter().map(Range::len).sum::<usize>());
            }
            for range in living {
                ranges.free(range.start);
            }
            prop_assert_eq!(ranges.allocate(whole.len(), 1), Ok(whole.start));
        }
    }

    proptest! {
        #[test]
        fn a_range_of_any_size_is_allocated_where_it_fits(
            bounds in [sizes(), sizes()], length in sizes(), alignment in 0..usize::BITS,
        ) {
            let whole = bounds[0].min(bounds[1])..bounds[0].max(bounds[1]);
            let alignment = 1_usize << alignment;
            let begin = (whole.start as u128).next_multiple_of(alignment as u128);
            let fits = begin + length.max(1) as u128 <= whole.end as u128;
            let mut ranges = Ranges::new(whole.clone());
            let found = ranges.allocate(length, alignment);
            prop_assert_eq!(found.clone().ok().map(|at| at as u128), fits.then_some(begin));
            if let Ok(at) = found {
                ranges.free(at);
            }
            prop_assert_eq!(ranges.allocate(whole.len(), 1).is_ok(), !whole.is_empty());
        }
    }
}
