//! Memory of the caller and of the node, seen as numbers.

use hcube_core::memory::Region;
use std::ops::Range;

/// Numbers of 64 bits in a region; they need not be aligned.
#[derive(Debug, Clone, Copy)]
pub struct View<'a>(Region<'a>);

impl<'a> View<'a> {
    /// The numbers of a region.
    pub fn of(region: Region<'a>) -> Self {
        Self(region)
    }

    /// How many.
    #[inline(always)]
    pub fn len(self) -> usize {
        self.0.len() / size_of::<f64>()
    }

    /// Some of them.
    ///
    /// # Panics
    /// Where they are not inside.
    pub fn part(self, range: Range<usize>) -> Self {
        Self(self.0.part(range.start * size_of::<f64>()..range.end * size_of::<f64>()))
    }

    /// The address of some numbers.
    #[inline(always)]
    fn place<const N: usize>(self, at: usize) -> *mut [f64; N] {
        assert!(at <= self.len() && N <= self.len() - at, "{N} numbers at {at} of {}", self.len());
        self.0.address().wrapping_add(at * size_of::<f64>()).cast()
    }

    /// Copies numbers out.
    ///
    /// # Panics
    /// Where they are not inside, as the others.
    #[inline(always)]
    pub fn read<const N: usize>(self, at: usize) -> [f64; N] {
        // SAFETY: inside the region, whose bytes can be read, as by `Region::read`.
        unsafe { self.place::<N>(at).read_unaligned() }
    }

    /// Copies numbers in.
    #[inline(always)]
    pub fn write<const N: usize>(self, at: usize, numbers: [f64; N]) {
        // SAFETY: inside the region, whose bytes can be written, as by `Region::write`.
        unsafe { self.place::<N>(at).write_unaligned(numbers) };
    }

    /// Copies `count` complex numbers out, and zeros behind them.
    #[inline(always)]
    pub fn read_pairs<const N: usize>(self, at: usize, count: usize) -> [f64; N] {
        if 2 * count == N {
            return self.read(at);
        }
        let mut pairs = [0.0; N];
        for number in 0..(2 * count).min(N) {
            [pairs[number]] = self.read(at + number);
        }
        pairs
    }

    /// Copies the first `count` complex numbers in.
    #[inline(always)]
    pub fn write_pairs<const N: usize>(self, at: usize, pairs: [f64; N], count: usize) {
        if 2 * count == N {
            return self.write(at, pairs);
        }
        for number in 0..(2 * count).min(N) {
            self.write(at + number, [pairs[number]]);
        }
    }
}
