//! Where the parts of a notice lie in a slot.

use super::super::LINE_PAIR;
use super::super::slots::{self, NUMBER_BYTES};
use super::{DETAILS, WORDS};

/// The end of the words of a notice, where its bounds start.
pub(super) const WORDS_END: usize = WORDS * size_of::<u64>();
/// A line of the cache.
const LINE: usize = 64;
/// Smallest capacity.
const MIN_CAPACITY_BYTES: usize = 256;
/// Largest capacity: bounds are 32-bit numbers.
const MAX_CAPACITY_BYTES: usize = 1 << 31;

/// Byte offsets in the contents of a slot.
#[derive(Debug, Clone, Copy)]
pub(super) struct Layout {
    pub bounds_end: usize,
    /// Where a payload starts that ends in the line of the bounds' end.
    short: usize,
    /// Where a longer one starts: at the next line.
    pub payload: usize,
    pub details: usize,
    pub details_end: usize,
    pub capacity: usize,
}

impl Layout {
    pub fn new(ranks: usize, capacity: usize) -> Self {
        // The number comes before the contents.
        let round = |bytes: usize| (NUMBER_BYTES + bytes).next_multiple_of(LINE) - NUMBER_BYTES;
        let capacity = capacity.clamp(MIN_CAPACITY_BYTES, MAX_CAPACITY_BYTES).next_multiple_of(LINE_PAIR);
        let bounds_end = WORDS_END + (ranks + 1) * size_of::<u32>();
        let short = bounds_end.next_multiple_of(size_of::<u64>());
        let payload = round(short);
        let details = payload + capacity;
        let details_end = details + (DETAILS + ranks) * size_of::<u64>();
        Self { bounds_end, short, payload, details, details_end, capacity }
    }

    /// Where a payload of this size starts.
    #[inline]
    pub fn start(self, bytes: usize) -> usize {
        if bytes <= self.payload - self.short { self.short } else { self.payload }
    }

    /// The bytes of a notice for rank `own` of `ranks`.
    #[inline]
    pub fn bytes(self, notice: &[u8], own: usize, ranks: usize) -> &[u8] {
        let bounds = slots::numbers::<u32>(&notice[WORDS_END..self.bounds_end]);
        let [from, to, all] = [own, own + 1, ranks].map(|number| bounds[number] as usize);
        assert!(from <= to && to <= all && all <= self.capacity, "the notice board of this node is damaged");
        &notice[self.start(all)..][from..to]
    }
}
