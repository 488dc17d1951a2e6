//! The placement of panels in the memory of a domain, one after the other around a ring.
//!
//! Idea: all ranks of a domain compute the same offsets for the same panels, call after call. A place is
//! overwritten when all panels in it have been released, which the readers' counters tell. A rank may
//! therefore leave a call while other ranks still read the last panels; the next use of the place waits for
//! them, and no rank waits at the end of a call.
//!
//! Cost: for each panel a check of those that may still be in use; a record of each of them. Source: our own.

use std::ops::Range;

/// The bytes of a panel, and what must be released before they are written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PanelRange {
    /// Number of the panel among all that were placed in this memory, from 0.
    pub number: u64,
    /// Bytes of the memory.
    pub range: Range<usize>,
    /// Panels whose release must be waited for, from 0 up to this number.
    pub after: u64,
    /// Whether what lay there before had the same places in it, so that only readers of these places count.
    pub same_layout: bool,
}

/// A panel that was placed.
#[derive(Debug, Clone)]
struct Placed {
    number: u64,
    range: Range<usize>,
    /// The call that it belongs to.
    call: u64,
}

/// The ring.
#[derive(Debug, Clone, Default)]
pub struct Ring {
    capacity: usize,
    /// Where the last panel ended.
    end: usize,
    /// Number of the next panel.
    next: u64,
    call: u64,
    /// Panels that may still be in use, in the order of numbers.
    placed: Vec<Placed>,
}

impl Ring {
    /// A ring in memory of this size in which nothing was placed.
    pub fn new(capacity: usize) -> Self {
        Self { capacity, ..Self::default() }
    }

    /// Begins a call: all of its panels have the same layout.
    pub fn begin_call(&mut self) {
        self.call += 1;
    }

    /// Places the next panel.
    ///
    /// # Panics
    /// Where it is larger than the memory.
    pub fn place(&mut self, bytes: usize) -> PanelRange {
        assert!(bytes <= self.capacity, "a panel of {bytes} bytes in {}", self.capacity);
        let start = if bytes <= self.capacity - self.end { self.end } else { 0 };
        let range = start..start + bytes;
        let (number, call) = (self.next, self.call);
        let overlaps = |placed: &&Placed| placed.range.start < range.end && range.start < placed.range.end;
        let after = self.placed.iter().filter(overlaps).map(|placed| placed.number + 1).max().unwrap_or(0);
        let same_layout =
            self.placed.iter().filter(overlaps).all(|placed| placed.call == call && placed.range == range);
        // No rank waits for panels that this panel covers any more: a wait for this panel includes them.
        self.placed.retain(|placed| !(range.start <= placed.range.start && placed.range.end <= range.end));
        self.placed.push(Placed { number, range: range.clone(), call });
        (self.end, self.next) = (range.end, number + 1);
        PanelRange { number, range, after, same_layout }
    }

    /// Notes that all ranks have released the panels below a number.
    pub fn settle(&mut self, released: u64) {
        self.placed.retain(|placed| placed.number >= released);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn equal_panels_go_around() {
        let mut ring = Ring::new(100);
        ring.begin_call();
        let places: Vec<PanelRange> = (0..7).map(|_| ring.place(30)).collect();
        let starts: Vec<usize> = places.iter().map(|place| place.range.start).collect();
        assert_eq!(starts, [0, 30, 60, 0, 30, 60, 0]);
        assert_eq!(places.iter().map(|place| place.after).collect::<Vec<_>>(), [0, 0, 0, 1, 2, 3, 4]);
        assert!(places.iter().all(|place| place.same_layout));
        ring.begin_call();
        let next = ring.place(30);
        assert_eq!((next.range, next.after, next.same_layout), (30..60, 5, false));
    }

    proptest! {
        /// Byte by byte.
        #[test]
        fn a_place_is_taken_again_after_all_that_lay_there(
            panels in proptest::collection::vec((1usize..60, any::<bool>(), any::<bool>()), 1..60),
        ) {
            let mut ring = Ring::new(60);
            let mut last = vec![0u64; 60];
            let mut settled = 0;
            for (bytes, new_call, settle) in panels {
                if new_call {
                    ring.begin_call();
                }
                let place = ring.place(bytes);
                let expected = place.range.clone().map(|byte| last[byte]).max().unwrap_or(0);
                prop_assert!(place.after >= expected || expected <= settled, "{:?} {}", place, expected);
                prop_assert!(place.after <= place.number);
                for byte in place.range.clone() {
                    last[byte] = place.number + 1;
                }
                if settle {
                    settled = settled.max(place.after);
                    ring.settle(settled);
                }
            }
        }
    }
}
