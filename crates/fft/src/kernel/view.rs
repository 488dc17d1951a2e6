//! Memory of the caller and of the node, viewed as numbers.

use super::LANES;
use super::vector::Vector;
use hcube_core::memory::Region;
use std::ops::Range;

/// Bytes of a line of the cache.
const LINE: usize = LANES * size_of::<f64>();

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
    fn count(self) -> usize {
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
        assert!(at <= self.count() && N <= self.count() - at, "{N} numbers at {at} of {}", self.count());
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

    /// Copies a cache line in, with streaming stores if it is aligned.
    #[inline(always)]
    pub fn stream<V: Vector>(self, at: usize, numbers: V) {
        let place = self.place::<LANES>(at);
        if place.addr().is_multiple_of(LINE) {
            // SAFETY: inside the region, whose bytes can be written, and aligned.
            unsafe { numbers.stream(place) };
        } else {
            let mut plain = [0.0; LANES];
            numbers.store(&mut plain);
            self.write(at, plain);
        }
    }

    /// Copies numbers in, with streaming stores for whole cache lines.
    #[inline(always)]
    pub fn stream_all<V: Vector>(self, at: usize, numbers: &[f64], proof: V::Proof) {
        let past = self.place::<0>(at).addr() % LINE / size_of::<f64>();
        let head = ((LANES - past) % LANES).min(numbers.len());
        let (head, lines) = numbers.split_at(head);
        for (number, &value) in head.iter().enumerate() {
            self.write(at + number, [value]);
        }
        let at = at + head.len();
        let (lines, tail) = lines.as_chunks::<LANES>();
        for (number, line) in lines.iter().enumerate() {
            self.stream(at + LANES * number, V::load(proof, line));
        }
        let at = at + LANES * lines.len();
        for (number, &value) in tail.iter().enumerate() {
            self.write(at + number, [value]);
        }
    }

    /// Copies `count` complex numbers out, followed by zeros.
    #[inline(always)]
    pub fn read_pairs<const N: usize>(self, at: usize, count: usize) -> [f64; N] {
        if 2 * count == N {
            return self.read(at);
        }
        let mut pairs = [0.0; N];
        for (number, value) in pairs.iter_mut().enumerate().take(2 * count) {
            [*value] = self.read(at + number);
        }
        pairs
    }
}
