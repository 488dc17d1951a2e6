//! A real number of every vector of a batch, and complex numbers of them.
//!
//! Real and imaginary parts are in separate registers: a complex multiplication then needs no shuffles, and a
//! multiplication by i no instruction.

use super::LANES;
#[cfg(target_arch = "x86_64")]
use std::arch::x86_64::{_mm_loadu_pd, _mm_sfence, _mm_stream_pd};

/// [`LANES`] real numbers with their arithmetic.
///
/// A value exists only where the processor has the instructions of its type: what creates a first one needs a
/// proof.
pub trait Vector: Copy {
    /// The proof that the processor has the instructions.
    type Proof: Copy;
    /// The same number in all lanes.
    fn all(proof: Self::Proof, value: f64) -> Self;
    /// As [`all`](Self::all), if there is another value.
    fn like(self, value: f64) -> Self;
    /// From memory of this process.
    fn load(proof: Self::Proof, from: &[f64; LANES]) -> Self;
    /// To memory of this process.
    fn store(self, to: &mut [f64; LANES]);
    /// To memory of this process or others, past the cache where the processor can.
    ///
    /// # Safety
    /// The memory is aligned to 64 bytes, and may be written. [`fence`](Self::fence) precedes what tells
    /// others.
    unsafe fn stream(self, to: *mut [f64; LANES]);
    /// Orders what was streamed before all that follows.
    fn fence();
    /// The sum.
    fn add(self, other: Self) -> Self;
    /// The difference.
    fn sub(self, other: Self) -> Self;
    /// The product.
    fn mul(self, other: Self) -> Self;
    /// `self * factor + term`.
    fn mul_add(self, factor: Self, term: Self) -> Self;
    /// `term - self * factor`.
    fn mul_from(self, factor: Self, term: Self) -> Self;
    /// Real and imaginary parts of numbers that alternate.
    fn divide(proof: Self::Proof, pairs: &[f64; 2 * LANES]) -> [Self; 2];
    /// The converse of [`divide`](Self::divide).
    fn pair(parts: [Self; 2]) -> [Self; 2];
    /// Rows become columns.
    fn transpose(rows: [Self; LANES]) -> [Self; LANES];
}

/// On any processor, for the compiler to vectorise. `FUSED`: whether it has instructions for a product and a
/// sum.
#[derive(Debug, Clone, Copy)]
#[repr(align(64))]
pub struct Portable<const FUSED: bool>([f64; LANES]);

impl<const FUSED: bool> Portable<FUSED> {
    #[inline(always)]
    fn with(self, other: Self, operation: impl Fn(f64, f64) -> f64) -> Self {
        Self(std::array::from_fn(|lane| operation(self.0[lane], other.0[lane])))
    }
}

/// It needs no instructions that a processor may lack: without those that fuse, it is only slow.
impl<const FUSED: bool> Vector for Portable<FUSED> {
    type Proof = ();

    #[inline(always)]
    fn all((): (), value: f64) -> Self {
        Self([value; LANES])
    }

    #[inline(always)]
    fn like(self, value: f64) -> Self {
        Self([value; LANES])
    }

    #[inline(always)]
    fn load((): (), from: &[f64; LANES]) -> Self {
        Self(*from)
    }

    #[inline(always)]
    fn store(self, to: &mut [f64; LANES]) {
        *to = self.0;
    }

    #[inline(always)]
    unsafe fn stream(self, to: *mut [f64; LANES]) {
        #[cfg(target_arch = "x86_64")]
        for (part, pair) in self.0.as_chunks::<2>().0.iter().enumerate() {
            // SAFETY: the pair of numbers has the size of a register, and its place is aligned to one and may
            // be written, by the contract of this function; every x86-64 processor has these instructions.
            unsafe { _mm_stream_pd(to.cast::<f64>().add(2 * part), _mm_loadu_pd(pair.as_ptr())) };
        }
        #[cfg(not(target_arch = "x86_64"))]
        // SAFETY: may be written, by the contract of this function.
        unsafe {
            to.write(self.0);
        }
    }

    #[inline(always)]
    fn fence() {
        #[cfg(target_arch = "x86_64")]
        // SAFETY: every x86-64 processor has it.
        unsafe {
            _mm_sfence();
        }
    }

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        self.with(other, |one, other| one + other)
    }

    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        self.with(other, |one, other| one - other)
    }

    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        self.with(other, |one, other| one * other)
    }

    #[inline(always)]
    fn mul_add(self, factor: Self, term: Self) -> Self {
        Self(std::array::from_fn(|lane| match FUSED {
            true => self.0[lane].mul_add(factor.0[lane], term.0[lane]),
            false => self.0[lane] * factor.0[lane] + term.0[lane],
        }))
    }

    #[inline(always)]
    fn mul_from(self, factor: Self, term: Self) -> Self {
        Self(std::array::from_fn(|lane| match FUSED {
            true => (-self.0[lane]).mul_add(factor.0[lane], term.0[lane]),
            false => term.0[lane] - self.0[lane] * factor.0[lane],
        }))
    }

    #[inline(always)]
    fn divide((): (), pairs: &[f64; 2 * LANES]) -> [Self; 2] {
        [0, 1].map(|part| Self(std::array::from_fn(|lane| pairs[2 * lane + part])))
    }

    #[inline(always)]
    fn pair(parts: [Self; 2]) -> [Self; 2] {
        let half = |half: usize| Self(std::array::from_fn(|lane| parts[lane % 2].0[half + lane / 2]));
        [half(0), half(LANES / 2)]
    }

    #[inline(always)]
    fn transpose(rows: [Self; LANES]) -> [Self; LANES] {
        std::array::from_fn(|row| Self(std::array::from_fn(|column| rows[column].0[row])))
    }
}

/// A complex number of every vector of a batch, in memory.
#[derive(Debug, Clone, Copy, Default)]
#[repr(C, align(64))]
pub struct Row {
    /// The real parts.
    pub re: [f64; LANES],
    /// The imaginary parts.
    pub im: [f64; LANES],
}

/// Complex numbers of a row of a block, real and imaginary parts alternating.
#[derive(Debug, Clone, Copy, Default)]
#[repr(C, align(64))]
pub struct Pairs(pub [f64; 2 * LANES]);

impl Pairs {
    /// To registers: the first and the second half.
    #[inline(always)]
    pub fn load<V: Vector>(&self, proof: V::Proof) -> (V, V) {
        let (low, high) = self.0.split_at(LANES);
        let first = V::load(proof, low.try_into().expect("half of it"));
        (first, V::load(proof, high.try_into().expect("half of it")))
    }

    /// From registers.
    #[inline(always)]
    pub fn store<V: Vector>(&mut self, low: V, high: V) {
        let (first, second) = self.0.split_at_mut(LANES);
        low.store(first.try_into().expect("half of it"));
        high.store(second.try_into().expect("half of it"));
    }
}

/// The numbers of some of them.
pub fn flat(pairs: &[Pairs]) -> &[f64] {
    // SAFETY: `Pairs` is transparent except for its alignment, which divides its size.
    unsafe { std::slice::from_raw_parts(pairs.as_ptr().cast(), pairs.len() * 2 * LANES) }
}

/// The same in registers.
#[derive(Debug, Clone, Copy)]
pub struct Complex<V> {
    /// The real parts.
    pub re: V,
    /// The imaginary parts.
    pub im: V,
}

impl<V: Vector> Complex<V> {
    /// From memory.
    #[inline(always)]
    pub fn load(proof: V::Proof, row: &Row) -> Self {
        Self { re: V::load(proof, &row.re), im: V::load(proof, &row.im) }
    }

    /// To memory.
    #[inline(always)]
    pub fn store(self, row: &mut Row) {
        self.re.store(&mut row.re);
        self.im.store(&mut row.im);
    }

    /// The same number in all lanes.
    #[inline(always)]
    pub fn all(proof: V::Proof, value: [f64; 2]) -> Self {
        Self { re: V::all(proof, value[0]), im: V::all(proof, value[1]) }
    }

    /// The sum.
    #[inline(always)]
    pub fn plus(self, other: Self) -> Self {
        Self { re: self.re.add(other.re), im: self.im.add(other.im) }
    }

    /// The difference.
    #[inline(always)]
    pub fn minus(self, other: Self) -> Self {
        Self { re: self.re.sub(other.re), im: self.im.sub(other.im) }
    }

    /// The sum with a multiple by a real number.
    #[inline(always)]
    pub fn add_times(self, factor: V, other: Self) -> Self {
        Self { re: other.re.mul_add(factor, self.re), im: other.im.mul_add(factor, self.im) }
    }

    /// A multiple by a real number.
    #[inline(always)]
    pub fn scale(self, factor: V) -> Self {
        Self { re: self.re.mul(factor), im: self.im.mul(factor) }
    }

    /// The sum with `-i * other`.
    #[inline(always)]
    pub fn add_turned(self, other: Self) -> Self {
        Self { re: self.re.add(other.im), im: self.im.sub(other.re) }
    }

    /// The sum with `i * other`.
    #[inline(always)]
    pub fn sub_turned(self, other: Self) -> Self {
        Self { re: self.re.sub(other.im), im: self.im.add(other.re) }
    }

    /// The product.
    #[inline(always)]
    pub fn times(self, other: Self) -> Self {
        let (re, im) = (self.re.mul(other.re), self.re.mul(other.im));
        Self { re: self.im.mul_from(other.im, re), im: self.im.mul_add(other.re, im) }
    }

    /// Real and imaginary parts change places: the transform between two such changes is the backward one.
    #[inline(always)]
    pub fn swap_if(self, swap: bool) -> Self {
        if swap { Self { re: self.im, im: self.re } } else { self }
    }
}
