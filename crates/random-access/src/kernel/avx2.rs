//! The inner loops in 256-bit vectors.

use super::portable;
use crate::stream::{Recurrence, Stream};
use crate::table::Index;
use std::arch::x86_64::{
    __m256i, _mm_cvtsi32_si128, _mm256_and_si256, _mm256_castsi256_pd, _mm256_cmpgt_epi64, _mm256_load_si256,
    _mm256_loadu_si256, _mm256_movemask_pd, _mm256_permutevar8x32_epi32, _mm256_set1_epi64x,
    _mm256_srl_epi64, _mm256_storeu_si256,
};

/// Words in a vector.
const WIDTH: usize = 4;

/// For every set of chosen words of a vector the permutation of 32-bit halves that moves them to
/// the front, in order.
#[repr(align(32))]
struct Fronts([[u32; 8]; 16]);

static FRONTS: Fronts = Fronts(fronts());

const fn fronts() -> [[u32; 8]; 16] {
    let mut table = [[0; 8]; 16];
    let mut chosen = 0;
    while chosen < 16 {
        let (mut word, mut front) = (0, 0);
        while word < WIDTH {
            if chosen >> word & 1 == 1 {
                table[chosen][front] = 2 * word as u32;
                table[chosen][front + 1] = 2 * word as u32 + 1;
                front += 2;
            }
            word += 1;
        }
        chosen += 1;
    }
    table
}

#[target_feature(enable = "avx2")]
pub fn generate<R: Recurrence>(stream: &mut Stream<R>, out: &mut [u64]) {
    portable::generate(stream, out);
}

#[target_feature(enable = "avx2")]
pub fn halve(values: &[u64], index: Index, bound: u64, low: &mut Vec<u64>, high: &mut Vec<u64>) {
    low.reserve(values.len() + WIDTH);
    high.reserve(values.len() + WIDTH);
    let shift = _mm_cvtsi32_si128(index.shift as i32);
    let mask = _mm256_set1_epi64x(index.mask as i64);
    // Indices and bounds are at most 2^60, so the signed comparison that AVX2 has is right.
    let bounds = _mm256_set1_epi64x(bound as i64);
    let (mut to_low, mut to_high) = (low.len(), high.len());
    let (low_start, high_start) = (low.as_mut_ptr(), high.as_mut_ptr());
    let blocks = values.chunks_exact(WIDTH);
    let rest = blocks.remainder();
    for block in blocks {
        // SAFETY: the block has WIDTH words; both vectors have room for all values and one vector
        // beyond their length, and together the ends move by WIDTH per block. FRONTS is aligned.
        unsafe {
            let block = _mm256_loadu_si256(block.as_ptr().cast());
            let at = _mm256_and_si256(_mm256_srl_epi64(block, shift), mask);
            let is_low = _mm256_movemask_pd(_mm256_castsi256_pd(_mm256_cmpgt_epi64(bounds, at))) as usize;
            let front = |chosen: usize| {
                let order = _mm256_load_si256(FRONTS.0[chosen].as_ptr().cast());
                _mm256_permutevar8x32_epi32(block, order)
            };
            _mm256_storeu_si256(low_start.add(to_low).cast::<__m256i>(), front(is_low));
            _mm256_storeu_si256(high_start.add(to_high).cast::<__m256i>(), front(!is_low & 15));
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
