//! The inner loops in 512-bit vectors.

use super::portable;
use crate::stream::{Recurrence, Stream};
use crate::table::Index;
use std::arch::x86_64::{
    __m512i, _mm_cvtsi32_si128, _mm512_and_si512, _mm512_cmplt_epu64_mask, _mm512_loadu_si512,
    _mm512_maskz_compress_epi64, _mm512_set1_epi64, _mm512_srl_epi64, _mm512_storeu_si512,
};

/// Words in a vector.
const WIDTH: usize = 8;

#[target_feature(enable = "avx512f,avx512dq")]
pub fn generate<R: Recurrence>(stream: &mut Stream<R>, out: &mut [u64]) {
    portable::generate(stream, out);
}

/// Compress in a register and a full store, not a compressing store: a compressing store is microcode on
/// some processors (Zen 4: over 100 cycles).
#[target_feature(enable = "avx512f,avx512dq")]
pub fn halve(values: &[u64], index: Index, bound: u64, low: &mut Vec<u64>, high: &mut Vec<u64>) {
    low.reserve(values.len() + WIDTH);
    high.reserve(values.len() + WIDTH);
    let shift = _mm_cvtsi32_si128(index.shift as i32);
    let mask = _mm512_set1_epi64(index.mask as i64);
    let bounds = _mm512_set1_epi64(bound as i64);
    let (mut to_low, mut to_high) = (low.len(), high.len());
    let (low_start, high_start) = (low.as_mut_ptr(), high.as_mut_ptr());
    let blocks = values.chunks_exact(WIDTH);
    let rest = blocks.remainder();
    for block in blocks {
        // SAFETY: the block has WIDTH words; both vectors have room for all values and one vector
        // beyond their length, and together the ends move by WIDTH per block.
        unsafe {
            let block = _mm512_loadu_si512(block.as_ptr().cast());
            let at = _mm512_and_si512(_mm512_srl_epi64(block, shift), mask);
            let is_low = _mm512_cmplt_epu64_mask(at, bounds);
            _mm512_storeu_si512(
                low_start.add(to_low).cast::<__m512i>(),
                _mm512_maskz_compress_epi64(is_low, block),
            );
            _mm512_storeu_si512(
                high_start.add(to_high).cast::<__m512i>(),
                _mm512_maskz_compress_epi64(!is_low, block),
            );
            let count = is_low.count_ones() as usize;
            to_low += count;
            to_high += WIDTH - count;
        }
    }
    // SAFETY: that many elements have been written.
    unsafe {
        low.set_len(to_low);
        high.set_len(to_high);
    }
    portable::halve(rest, index, bound, low, high);
}
