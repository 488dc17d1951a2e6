//! The update loop: exclusive-ors values into table words that are in no cache.
//!
//! Idea: a *delay line*. When a value comes in, its table word is asked for, and the value that came in
//! [`DELAY`] values before is applied, whose word has arrived by now. The line is kept between calls,
//! so the memory system stays busy across the borders of short lists and while new values are
//! generated and divided.
//! Restrictions: values in the line are not applied yet; [`DelayLine::flush`] applies them.
//! Cost: two words moved within the first-level cache per update.

use crate::table::Index;

/// How many values a word is asked for ahead of its update. Into the second-level cache, not the
/// first: it keeps more misses in the air (Zen 4, 2 MiB pages, two processes at once: 0.11 GUP/s each
/// without asking, 0.11 into the first level, 0.19 into the second; 24 values ahead 0.15, 48 to 64
/// best, 128 slightly less).
pub const DELAY: usize = 48;

/// Places of the ring: a power of two above [`DELAY`], so that wrapping is a mask.
const RING: usize = 64;

/// Values whose words have been asked for.
#[derive(Debug, Clone)]
pub struct DelayLine {
    ring: [u64; RING],
    /// Values that have come in since the line was empty.
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
    /// Values that have come here and do not belong here: a defect of the routing. Not applied.
    pub strangers: u64,
}

impl Words<'_> {
    #[inline(always)]
    fn place(&self, value: u64) -> usize {
        self.index.of(value).wrapping_sub(self.first) as usize
    }

    #[inline(always)]
    fn ask(&self, value: u64) {
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
            None => self.strangers += 1,
        }
    }
}

impl Default for DelayLine {
    fn default() -> Self {
        Self { ring: [0; RING], arrived: 0 }
    }
}

impl DelayLine {
    /// Values that have come in and are not applied yet.
    pub fn waiting(&self) -> usize {
        self.arrived.min(DELAY)
    }

    /// Takes values in; those that came in [`DELAY`] before are applied.
    pub fn update(&mut self, values: &[u64], words: &mut Words) {
        let (filling, values) = values.split_at(values.len().min(DELAY - self.waiting()));
        for &value in filling {
            words.ask(value);
            self.ring[self.arrived % RING] = value;
            self.arrived += 1;
        }
        for &value in values {
            words.ask(value);
            self.ring[self.arrived % RING] = value;
            words.apply(self.ring[(self.arrived - DELAY) % RING]);
            self.arrived += 1;
        }
    }

    /// Applies everything that has come in.
    pub fn flush(&mut self, words: &mut Words) {
        for number in self.arrived - self.waiting()..self.arrived {
            words.apply(self.ring[number % RING]);
        }
        self.arrived = 0;
    }
}

/// Asks for a line of memory without waiting for it; any address is harmless.
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
    fn applies_all_values_once_whatever_the_pieces() {
        let index = Index { shift: 3, mask: 255 };
        let values: Vec<u64> =
            (1..2000u64).map(|number| number.wrapping_mul(0x9e37_79b9_7f4a_7c15)).collect();
        let mut expected = vec![0; 256];
        values.iter().for_each(|&value| expected[index.of(value) as usize] ^= value);
        for length in [1, 2, 47, 48, 49, 63, 64, 65, 500, 2000] {
            let mut table = vec![0; 256];
            let mut words = Words { words: &mut table, first: 0, index, strangers: 0 };
            let mut line = DelayLine::default();
            for (number, piece) in values.chunks(length).enumerate() {
                line.update(piece, &mut words);
                assert!(line.waiting() <= DELAY);
                if number % 3 == 2 {
                    line.flush(&mut words);
                    assert_eq!(line.waiting(), 0);
                }
            }
            line.flush(&mut words);
            line.flush(&mut words);
            assert_eq!((words.strangers, table), (0, expected.clone()), "pieces of {length}");
        }
    }

    #[test]
    fn applies_duplicates_and_counts_strangers() {
        let mut table = [0; 4];
        let mut words =
            Words { words: &mut table, first: 4, index: Index { shift: 0, mask: 15 }, strangers: 0 };
        let mut line = DelayLine::default();
        line.update(&[0x14, 0x24, 0x34, 0x15, 0x08, 0x03], &mut words);
        line.flush(&mut words);
        assert_eq!((words.strangers, table), (2, [0x14 ^ 0x24 ^ 0x34, 0x15, 0, 0]));
    }
}
