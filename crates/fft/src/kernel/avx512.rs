//! Vectors in registers of AVX-512.

use super::LANES;
use super::vector::Vector;
use hcube_core::machine::instructions::Avx512;
use std::arch::x86_64::{
    __m512d, _mm_sfence, _mm512_add_pd, _mm512_fmadd_pd, _mm512_fnmadd_pd, _mm512_loadu_pd, _mm512_mul_pd,
    _mm512_permutex2var_pd, _mm512_set1_pd, _mm512_setr_epi64, _mm512_shuffle_f64x2, _mm512_storeu_pd,
    _mm512_stream_pd, _mm512_sub_pd, _mm512_unpackhi_pd, _mm512_unpacklo_pd,
};

/// Eight numbers in a register.
#[derive(Debug, Clone, Copy)]
pub struct Wide(__m512d);

impl Vector for Wide {
    type Proof = Avx512;

    #[inline(always)]
    fn all(_: Avx512, value: f64) -> Self {
        // SAFETY: the processor has AVX-512F: the argument proves it, or here and below that a value exists.
        Self(unsafe { _mm512_set1_pd(value) })
    }

    #[inline(always)]
    fn like(self, value: f64) -> Self {
        // SAFETY: a value exists only where the processor has AVX-512F.
        Self(unsafe { _mm512_set1_pd(value) })
    }

    #[inline(always)]
    fn load(_: Avx512, from: &[f64; LANES]) -> Self {
        // SAFETY: the argument proves that the processor has AVX-512F; the array has the numbers of a
        // register.
        Self(unsafe { _mm512_loadu_pd(from.as_ptr()) })
    }

    #[inline(always)]
    fn store(self, to: &mut [f64; LANES]) {
        // SAFETY: a value exists only where the processor has AVX-512F; the array has the numbers of a
        // register.
        unsafe { _mm512_storeu_pd(to.as_mut_ptr(), self.0) }
    }

    #[inline(always)]
    unsafe fn stream(self, to: *mut [f64; LANES]) {
        // SAFETY: a value exists only where the processor has AVX-512F; the place is aligned to 64 bytes and
        // may be written.
        unsafe { _mm512_stream_pd(to.cast(), self.0) };
    }

    #[inline(always)]
    fn fence() {
        // SAFETY: every x86-64 processor has it.
        unsafe { _mm_sfence() };
    }

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        // SAFETY: a value exists only where the processor has AVX-512F.
        Self(unsafe { _mm512_add_pd(self.0, other.0) })
    }

    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        // SAFETY: a value exists only where the processor has AVX-512F.
        Self(unsafe { _mm512_sub_pd(self.0, other.0) })
    }

    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        // SAFETY: a value exists only where the processor has AVX-512F.
        Self(unsafe { _mm512_mul_pd(self.0, other.0) })
    }

    #[inline(always)]
    fn mul_add(self, factor: Self, term: Self) -> Self {
        // SAFETY: a value exists only where the processor has AVX-512F.
        Self(unsafe { _mm512_fmadd_pd(self.0, factor.0, term.0) })
    }

    #[inline(always)]
    fn mul_from(self, factor: Self, term: Self) -> Self {
        // SAFETY: a value exists only where the processor has AVX-512F.
        Self(unsafe { _mm512_fnmadd_pd(self.0, factor.0, term.0) })
    }

    #[inline(always)]
    fn divide(_: Avx512, pairs: &[f64; 2 * LANES]) -> [Self; 2] {
        // SAFETY: the argument proves that the processor has AVX-512F; the array has the numbers of two
        // registers.
        unsafe {
            let (low, high) = (_mm512_loadu_pd(pairs.as_ptr()), _mm512_loadu_pd(pairs.as_ptr().add(LANES)));
            let even = _mm512_setr_epi64(0, 2, 4, 6, 8, 10, 12, 14);
            let odd = _mm512_setr_epi64(1, 3, 5, 7, 9, 11, 13, 15);
            [Self(_mm512_permutex2var_pd(low, even, high)), Self(_mm512_permutex2var_pd(low, odd, high))]
        }
    }

    #[inline(always)]
    fn pair([re, im]: [Self; 2]) -> [Self; 2] {
        // SAFETY: a value exists only where the processor has AVX-512F.
        unsafe {
            let low = _mm512_setr_epi64(0, 8, 1, 9, 2, 10, 3, 11);
            let high = _mm512_setr_epi64(4, 12, 5, 13, 6, 14, 7, 15);
            [Self(_mm512_permutex2var_pd(re.0, low, im.0)), Self(_mm512_permutex2var_pd(re.0, high, im.0))]
        }
    }

    #[inline(always)]
    fn transpose(rows: [Self; LANES]) -> [Self; LANES] {
        let [Self(a), Self(b), Self(c), Self(d), Self(e), Self(f), Self(g), Self(h)] = rows;
        // SAFETY: a value exists only where the processor has AVX-512F.
        unsafe {
            // Pairs of rows: lanes of two numbers, of columns (0, 2, 4, 6) and (1, 3, 5, 7).
            let (ab, ba) = (_mm512_unpacklo_pd(a, b), _mm512_unpackhi_pd(a, b));
            let (cd, dc) = (_mm512_unpacklo_pd(c, d), _mm512_unpackhi_pd(c, d));
            let (ef, fe) = (_mm512_unpacklo_pd(e, f), _mm512_unpackhi_pd(e, f));
            let (gh, hg) = (_mm512_unpacklo_pd(g, h), _mm512_unpackhi_pd(g, h));
            // Four rows: columns (0, 4), (2, 6), (1, 5) and (3, 7).
            const LOW: i32 = 0x88;
            const HIGH: i32 = 0xdd;
            let (x, y) = (_mm512_shuffle_f64x2::<LOW>(ab, cd), _mm512_shuffle_f64x2::<LOW>(ef, gh));
            let (z, w) = (_mm512_shuffle_f64x2::<HIGH>(ab, cd), _mm512_shuffle_f64x2::<HIGH>(ef, gh));
            let (p, q) = (_mm512_shuffle_f64x2::<LOW>(ba, dc), _mm512_shuffle_f64x2::<LOW>(fe, hg));
            let (r, s) = (_mm512_shuffle_f64x2::<HIGH>(ba, dc), _mm512_shuffle_f64x2::<HIGH>(fe, hg));
            [
                Self(_mm512_shuffle_f64x2::<LOW>(x, y)),
                Self(_mm512_shuffle_f64x2::<LOW>(p, q)),
                Self(_mm512_shuffle_f64x2::<LOW>(z, w)),
                Self(_mm512_shuffle_f64x2::<LOW>(r, s)),
                Self(_mm512_shuffle_f64x2::<HIGH>(x, y)),
                Self(_mm512_shuffle_f64x2::<HIGH>(p, q)),
                Self(_mm512_shuffle_f64x2::<HIGH>(z, w)),
                Self(_mm512_shuffle_f64x2::<HIGH>(r, s)),
            ]
        }
    }
}
