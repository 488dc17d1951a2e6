//! Four words in a register of AVX2.

use super::vector::{Loop, Vector};
use hcube_core::machine::instructions::Avx2;
use std::arch::x86_64::{
    __m256i, _mm_cvtsi32_si128, _mm_cvtsi64_si128, _mm_cvtsi128_si64, _mm256_add_epi64, _mm256_and_si256,
    _mm256_andnot_si256, _mm256_blend_epi32, _mm256_castsi128_si256, _mm256_castsi256_si128,
    _mm256_cmpeq_epi64, _mm256_cvtepu8_epi64, _mm256_loadu_si256, _mm256_or_si256, _mm256_permute4x64_epi64,
    _mm256_set1_epi64x, _mm256_srli_epi64, _mm256_storeu_si256, _mm256_xor_si256,
};

/// Four words in a register.
#[derive(Debug, Clone, Copy)]
pub struct Wide(__m256i);

impl Vector for Wide {
    const LANES: usize = 4;
    type Proof = Avx2;

    fn execute(_: Avx2, work: impl Loop) {
        #[target_feature(enable = "avx2,fma")]
        fn run(work: impl Loop) {
            work.run();
        }
        // SAFETY: the argument proves that the processor has AVX2 and FMA.
        unsafe { run(work) }
    }

    #[inline(always)]
    fn gather(_: Avx2, word: impl Fn(usize) -> u64) -> Self {
        let words = [word(0), word(1), word(2), word(3)];
        // SAFETY: the processor has AVX2: the argument proves it, or here and below that a value exists. The
        // array has the words of a register.
        Self(unsafe { _mm256_loadu_si256(words.as_ptr().cast()) })
    }

    #[inline(always)]
    fn word(self, lane: usize) -> u64 {
        let mut words = [0; Self::LANES];
        // SAFETY: a value exists only where the processor has AVX2; the array has the words of a register.
        unsafe { _mm256_storeu_si256(words.as_mut_ptr().cast(), self.0) };
        words[lane]
    }

    #[inline(always)]
    fn spread(_: Avx2, bytes: u64, bit: u32) -> Self {
        // SAFETY: the argument proves that the processor has AVX2.
        Self(unsafe {
            let bit = _mm256_set1_epi64x(1 << bit);
            let lanes = _mm256_cvtepu8_epi64(_mm_cvtsi32_si128(bytes as u32 as i32));
            _mm256_cmpeq_epi64(_mm256_and_si256(lanes, bit), bit)
        })
    }

    #[inline(always)]
    fn differ(a: Self, b: Self) -> Self {
        // SAFETY: a value exists only where the processor has AVX2.
        Self(unsafe { _mm256_xor_si256(a.0, b.0) })
    }

    #[inline(always)]
    fn or_differ(self, a: Self, b: Self) -> Self {
        // SAFETY: a value exists only where the processor has AVX2.
        Self(unsafe { _mm256_or_si256(self.0, _mm256_xor_si256(a.0, b.0)) })
    }

    #[inline(always)]
    fn next_row(self, differs: Self, carry: Self) -> (Self, Self) {
        let (v, d) = (self.0, differs.0);
        // SAFETY: a value exists only where the processor has AVX2.
        unsafe {
            let sum = _mm256_add_epi64(_mm256_add_epi64(v, _mm256_andnot_si256(d, v)), carry.0);
            let row = _mm256_or_si256(sum, _mm256_and_si256(v, d));
            let carry = _mm256_srli_epi64::<63>(_mm256_andnot_si256(_mm256_and_si256(d, sum), v));
            (Self(row), Self(carry))
        }
    }

    #[inline(always)]
    fn shift_in(self, first: u64) -> (Self, u64) {
        // SAFETY: a value exists only where the processor has AVX2.
        unsafe {
            const LAST_FIRST: i32 = 0b10_01_00_11;
            const FIRST_WORD: i32 = 0b11;
            let rotated = _mm256_permute4x64_epi64::<LAST_FIRST>(self.0);
            let last = _mm_cvtsi128_si64(_mm256_castsi256_si128(rotated)) as u64;
            let first = _mm256_castsi128_si256(_mm_cvtsi64_si128(first as i64));
            (Self(_mm256_blend_epi32::<FIRST_WORD>(rotated, first)), last)
        }
    }
}
