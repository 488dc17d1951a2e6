//! Pages that a rank has touched in its part of shared memory, and which are therefore resident.

use super::slots::{NUMBER_BYTES, Slots};
use super::system_page;
use std::ops::Range;

/// The resident part of a rank's region: everything around the payloads, and the start of the payloads.
#[derive(Debug)]
pub(super) struct Resident {
    page: usize,
    /// Byte offsets in the contents of a slot.
    payload: usize,
    details: Range<usize>,
    /// Bytes of the largest payload of each slot so far.
    largest: [usize; 2],
    /// Bytes of all these pages.
    bytes: usize,
}

impl Resident {
    /// Only the common part of all notices: payloads start at `payload` in the contents of a slot, and are
    /// followed by these details.
    pub fn new(slots: &Slots, payload: usize, details: Range<usize>) -> Self {
        let mut new = Self { page: system_page::bytes(), payload, details, largest: [0; 2], bytes: 0 };
        new.count(slots);
        new
    }

    /// Bytes of all pages touched.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Notes the payload of a round.
    #[inline]
    pub fn note(&mut self, slots: &Slots, round: u64, payload: usize) {
        if payload > self.largest[(round & 1) as usize] {
            self.grow(slots, round, payload);
        }
    }

    #[cold]
    fn grow(&mut self, slots: &Slots, round: u64, payload: usize) {
        self.largest[(round & 1) as usize] = payload;
        self.count(slots);
    }

    fn count(&mut self, slots: &Slots) {
        let (own, Range { start: details, end }) = (slots.own(), self.details.clone());
        let region = slots.place(own, 0).min(slots.place(own, 1));
        let counters = own * slots.bytes_per_rank()..region;
        let of_slots = [0, 1].into_iter().flat_map(|slot| {
            let start = slots.place(own, slot as u64);
            let contents = start + NUMBER_BYTES;
            [start..contents + self.payload + self.largest[slot], contents + details..contents + end]
        });
        self.bytes = self.page * pages(std::iter::once(counters).chain(of_slots), self.page);
    }
}

/// Pages in which ranges lie, which ascend.
fn pages(ranges: impl Iterator<Item = Range<usize>>, page: usize) -> usize {
    let (mut count, mut next) = (0, 0);
    for range in ranges {
        let (first, end) = (next.max(range.start / page), range.end.div_ceil(page));
        count += end.saturating_sub(first);
        next = next.max(end);
    }
    count
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_counts_once() {
        let count = |ranges: &[Range<usize>]| pages(ranges.iter().cloned(), 100);
        assert_eq!(count(&[]), 0);
        assert_eq!(count(&[5..6, 7..99]), 1);
        assert_eq!(count(&[5..101, 150..160, 399..401]), 4);
        assert_eq!(count(&[100..200, 200..300]), 2);
    }
}
