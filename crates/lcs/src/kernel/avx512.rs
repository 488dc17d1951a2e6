//! Eight words in a register of AVX-512, with logic of three operands.

use super::vector::{Loop, Vector};
use hcube_core::machine::instructions::Avx512;
use std::arch::x86_64::{
    __m512i, _mm_cvtsi64_si128, _mm_cvtsi128_si64, _mm512_add_epi64, _mm512_alignr_epi64,
    _mm512_andnot_si512, _mm512_castsi512_si128, _mm512_cvtepu8_epi64, _mm512_loadu_si512,
    _mm512_mask_set1_epi64, _mm512_movm_epi64, _mm512_set1_epi64, _mm512_srli_epi64, _mm512_storeu_si512,
    _mm512_ternarylogic_epi64, _mm512_test_epi64_mask, _mm512_xor_si512,
};

/// Eight words in a register.
#[derive(Debug, Clone, Copy)]
pub struct Wide(__m512i);

/// The operands of `_mm512_ternarylogic_epi64` as tables of their values: the same formula of these is its
/// constant.
const A: i32 = 0b1111_0000;
const B: i32 = 0b1100_1100;
const C: i32 = 0b1010_1010;

impl Vector for Wide {
    const LANES: usize = 8;
    type Proof = Avx512;

    fn execute(_: Avx512, work: impl Loop) {
        #[target_feature(enable = "avx512f,avx512dq,avx2,fma")]
        fn run(work: impl Loop) {
            work.run();
        }
        // SAFETY: the argument proves that the processor has AVX-512F, AVX-512DQ, AVX2 and FMA.
        unsafe { run(work) }
    }

    #[inline(always)]
    fn gather(_: Avx512, word: impl Fn(usize) -> u64) -> Self {
        let words = [word(0), word(1), word(2), word(3), word(4), word(5), word(6), word(7)];
        // SAFETY: the processor has AVX-512F and AVX-512DQ: the argument proves it, or here and below that a
        // value exists. The array has the words of a register.
        Self(unsafe { _mm512_loadu_si512(words.as_ptr().cast()) })
    }

    #[inline(always)]
    fn word(self, lane: usize) -> u64 {
        let mut words = [0; Self::LANES];
        // SAFETY: a value exists only where the processor has AVX-512F and AVX-512DQ; the array has the words
        // of a register.
        unsafe { _mm512_storeu_si512(words.as_mut_ptr().cast(), self.0) };
        words[lane]
    }

    #[inline(always)]
    fn spread(_: Avx512, bytes: u64, bit: u32) -> Self {
        // SAFETY: the argument proves that the processor has AVX-512F and AVX-512DQ.
        Self(unsafe {
            let lanes = _mm512_cvtepu8_epi64(_mm_cvtsi64_si128(bytes as i64));
            _mm512_movm_epi64(_mm512_test_epi64_mask(lanes, _mm512_set1_epi64(1 << bit)))
        })
    }

    #[inline(always)]
    fn differ(a: Self, b: Self) -> Self {
        // SAFETY: a value exists only where the processor has AVX-512F and AVX-512DQ.
        Self(unsafe { _mm512_xor_si512(a.0, b.0) })
    }

    #[inline(always)]
    fn or_differ(self, a: Self, b: Self) -> Self {
        // SAFETY: a value exists only where the processor has AVX-512F and AVX-512DQ.
        Self(unsafe { _mm512_ternarylogic_epi64::<{ A | B ^ C }>(self.0, a.0, b.0) })
    }

    #[inline(always)]
    fn next_row(self, differs: Self, carry: Self) -> (Self, Self) {
        let (v, d) = (self.0, differs.0);
        // SAFETY: a value exists only where the processor has AVX-512F and AVX-512DQ.
        unsafe {
            let sum = _mm512_add_epi64(_mm512_add_epi64(v, _mm512_andnot_si512(d, v)), carry.0);
            let row = _mm512_ternarylogic_epi64::<{ A | B & C }>(sum, v, d);
            let carry = _mm512_srli_epi64::<63>(_mm512_ternarylogic_epi64::<{ A & !(B & C) }>(v, d, sum));
            (Self(row), Self(carry))
        }
    }

    #[inline(always)]
    fn shift_in(self, first: u64) -> (Self, u64) {
        // SAFETY: a value exists only where the processor has AVX-512F and AVX-512DQ.
        unsafe {
            let rotated = _mm512_alignr_epi64::<7>(self.0, self.0);
            let last = _mm_cvtsi128_si64(_mm512_castsi512_si128(rotated)) as u64;
            (Self(_mm512_mask_set1_epi64(rotated, 1, first as i64)), last)
        }
    }
}
