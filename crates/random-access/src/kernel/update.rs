//! The update loop: exclusive-ors values into table words that are not in any cache.
//!
//! Idea: a *delay line*. For every value that enters the line its table word is prefetched, and the value
//! that entered [`DELAY_VALUES`] values earlier is applied, whose word has arrived meanwhile. The line
//! persists between calls, so the memory system stays busy between short lists and while new values are
//! generated and divided.
//! Restriction: values in the line have not been applied; [`DelayLine::flush`] applies them.
//! Cost: two words are moved within the first-level cache per update. Extra memory: 512 bytes.
//! Source: our own.

use crate::table::Index;

/// Number of values between the prefetch of a word and its update. The prefetch is into the second-level
/// cache, not the first, because it supports more outstanding misses (Zen 4, 2 MiB pages, two processes at
/// the same time: 0.11 GUP/s each without prefetch, 0.11 into the first level, 0.19 into the second; 24
/// values ahead 0.15, 48 to 64 best, 128 slightly less).
pub const DELAY_VALUES: usize = 48;

/// Places of the ring: a power of two above [`DELAY_VALUES`], so that the index wraps by a mask.
const RING_PLACES: usize = 64;

/// Values whose words are prefetched.
#[derive(Debug, Clone)]
pub struct DelayLine {
    ring: [u64; RING_PLACES],
    /// Values that have entered since the line was empty.
    arrived: usize,
}

/// The words that a rank owns, from global index `first` on.
#[derive(Debug)]
pub struct Words<'a> {
    /// The words.
    pub words: &'a mut [u64],
    /// Global index of the first of them.
    pub first: u64,
    /// Which word a value updates.
    pub index: Index,
    /// Values of other ranks that were routed here by a defect. They are not applied.
    pub foreign: u64,
}

impl Words<'_> {
    #[inline(always)]
    fn place(&self, value: u64) -> usize {
        self.index.of(value).wrapping_sub(self.first) as usize
    }

    #[inline(always)]
    fn prefetch(&self, value: u64) {
        prefetch(self.words.as_ptr().wrapping_add(self.place(value)));
    }

    #[inline(always)]
    fn apply(&mut self, value: u64) {
        match self.words.get_mut(self.place(value)) {
            Some(word) => {
                *word ^= value;
                #[cfg(test)]
                crate::audit::applied(value);
            }
            None => self.foreign += 1,
        }
    }
}

impl Default for DelayLine {
    fn default() -> Self {
        Self { ring: [0; RING_PLACES], arrived: 0 }
    }
}

impl DelayLine {
    /// Values that have entered and are not applied yet.
    pub fn waiting(&self) -> usize {
        self.arrived.min(DELAY_VALUES)
    }

    /// Values enter the line; those that entered [`DELAY_VALUES`] before are applied.
    pub fn update(&mut self, values: &[u64], words: &mut Words) {
        let (filling, values) = values.split_at(values.len().min(DELAY_VALUES - self.waiting()));
        for &value in filling {
            words.prefetch(value);
            self.ring[self.arrived % RING_PLACES] = value;
            self.arrived += 1;
        }
        for &value in values {
            words.prefetch(value);
            self.ring[self.arrived % RING_PLACES] = value;
            words.apply(self.ring[(self.arrived - DELAY_VALUES) % RING_PLACES]);
            self.arrived += 1;
        }
    }

    /// Applies all values in the line.
    pub fn flush(&mut self, words: &mut Words) {
        for number in self.arrived - self.waiting()..self.arrived {
            words.apply(self.ring[number % RING_PLACES]);
        }
        self.arrived = 0;
    }
}

/// Starts to load a line of memory into the cache; any address is harmless.
#[inline(always)]
fn prefetch(address: *const u64) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: a prefetch reads nothing and never faults.
    unsafe {
        std::arch::x86_64::_mm_prefetch::<{ std::arch::x86_64::_MM_HINT_T1 }>(address.cast());
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = address;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn applies_all_values_once_for_pieces_of_any_length() {
        let index = Index { shift: 3, mask: 255 };
        let values: Vec<u64> =
            (1..2000u64).map(|number| number.wrapping_mul(0x9e37_79b9_7f4a_7c15)).collect();
        let mut expected = vec![0; 256];
        values.iter().for_each(|&value| expected[index.of(value) as usize] ^= value);
        for length in [1, 2, 47, 48, 49, 63, 64, 65, 500, 2000] {
            let mut table = vec![0; 256];
            let mut words = Words { words: &mut table, first: 0, index, foreign: 0 };
            let mut line = DelayLine::default();
            for (number, piece) in values.chunks(length).enumerate() {
                line.update(piece, &mut words);
                assert!(line.waiting() <= DELAY_VALUES);
                if number % 3 == 2 {
                    line.flush(&mut words);
                    assert_eq!(line.waiting(), 0);
                }
            }
            line.flush(&mut words);
            line.flush(&mut words);
            assert_eq!((words.foreign, table), (0, expected.clone()), "pieces of {length}");
        }
    }

    #[test]
    fn applies_duplicates_and_counts_foreign_values() {
        let mut table = [0; 4];
        let mut words =
            Words { words: &mut table, first: 4, index: Index { shift: 0, mask: 15 }, foreign: 0 };
        let mut line = DelayLine::default();
        line.update(&[0x14, 0x24, 0x34, 0x15, 0x08, 0x03], &mut words);
        line.flush(&mut words);
        assert_eq!((words.foreign, table), (2, [0x14 ^ 0x24 ^ 0x34, 0x15, 0, 0]));
    }
}
