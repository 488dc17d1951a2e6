//! The layout of a notice in a slot.

use super::super::LINE_PAIR;
use super::super::slots::{self, NUMBER_BYTES};

/// Words of a notice that are read with its number.
pub const WORDS: usize = 2;
/// Words of its details before the addresses.
pub const DETAILS: usize = 2;
/// The end of the words of a notice, where its bounds start.
pub(super) const WORDS_END: usize = WORDS * size_of::<u64>();
/// A line of the cache.
pub(super) const LINE: usize = 64;
/// The bytes of a line, which numbers can be read from.
#[repr(align(8))]
pub(super) struct Line(pub [u8; LINE]);
/// Smallest capacity.
const MIN_CAPACITY_BYTES: usize = 256;
/// Largest capacity: bounds are 32-bit numbers.
const MAX_CAPACITY_BYTES: usize = 1 << 31;

/// Byte offsets in the contents of a slot.
#[derive(Debug, Clone, Copy)]
pub(super) struct Layout {
    pub bounds_end: usize,
    /// Where a payload starts that ends in the line of the bounds' end.
    pub short: usize,
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

#[cfg(test)]
mod tests {
    use super::*;
    use hcube_testing::sizes::{sizes, sizes_within};
    use proptest::prelude::*;

    #[test]
    fn a_rank_keeps_to_its_own_part() {
        for ranks in [1, 2, 7, 64, 200] {
            for capacity in [0, 1000, 1 << 20] {
                let layout = Layout::new(ranks, capacity);
                let room = layout.payload - layout.short;
                let ends =
                    [WORDS_END + (ranks + 1) * 4, layout.short + room, layout.payload + layout.capacity];
                let starts = [layout.bounds_end, layout.payload, layout.details];
                assert!(ends.iter().zip(starts).all(|(&end, start)| end <= start), "{layout:?}");
                assert!(layout.bounds_end <= layout.short && layout.short.is_multiple_of(8), "{layout:?}");
                assert_eq!(layout.details_end, layout.details + (DETAILS + ranks) * 8);
                let lines = [layout.payload, layout.details].map(|place| NUMBER_BYTES + place);
                assert!(lines.iter().all(|place| place.is_multiple_of(LINE)), "{layout:?}");
                // A short payload ends with the line of the bounds, a longer one starts there.
                assert!(room < LINE && layout.capacity >= capacity, "{layout:?}");
                assert_eq!([room, room + 1].map(|bytes| layout.start(bytes)), [layout.short, layout.payload]);
            }
        }
    }

    proptest! {
        /// As many ranks as MPI has, and any capacity, of which bounds of 32 bits reach the end.
        #[test]
        fn notices_of_any_size_have_exact_places(ranks in sizes_within(1, i32::MAX as usize), capacity in sizes()) {
            let layout = Layout::new(ranks, capacity);
            prop_assert!(layout.capacity >= capacity.min(1 << 31) && u32::try_from(layout.capacity).is_ok());
            prop_assert_eq!(layout.bounds_end as u128, 16 + 4 * (ranks as u128 + 1));
            prop_assert_eq!(layout.details as u128, layout.payload as u128 + layout.capacity as u128);
            prop_assert_eq!(layout.details_end as u128, layout.details as u128 + 8 * (ranks as u128 + 2));
            prop_assert!(layout.short >= layout.bounds_end && layout.payload >= layout.short);
        }
    }
}
