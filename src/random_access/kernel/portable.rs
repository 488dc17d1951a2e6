//! The inner loops without instructions of a particular processor.

use crate::random_access::stream::{Recurrence, Stream};
use crate::random_access::table::Index;

/// How far ahead the update loop asks for table words. Beyond about 32 the lines displace each
/// other before use; the gain over the processor's own overlap is a few per cent.
const PREFETCH: usize = 24;

/// Which part of the table an index lies in, for several contiguous parts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Bins {
    /// Equal parts of 2^shift words, the first with the given number.
    Shift {
        /// log2 of the length of a part.
        shift: u32,
        /// Number of the first part, counted in parts from the start of the table.
        first: u64,
    },
    /// Upper bounds of all parts but the last.
    Bounds(Vec<u64>),
}

impl Bins {
    /// Parts of 2^`shift` words each, starting with number `first`.
    pub fn shift(shift: u32, first: u64) -> Self {
        Self::Shift { shift, first }
    }

    /// Part i is `bounds[i] .. bounds[i + 1]`.
    pub fn bounds(bounds: &[u64]) -> Self {
        Self::Bounds(bounds[1..bounds.len() - 1].to_vec())
    }

    /// The part of a global index.
    #[inline(always)]
    pub fn part(&self, index: u64) -> u32 {
        match self {
            Self::Shift { shift, first } => (index >> shift).wrapping_sub(*first) as u32,
            Self::Bounds(bounds) => bounds.iter().map(|&bound| u32::from(index >= bound)).sum(),
        }
    }
}

#[inline(always)]
pub fn generate<R: Recurrence>(stream: &mut Stream<R>, out: &mut [u64]) {
    stream.fill(out);
}

#[inline(always)]
pub fn halve(values: &[u64], index: Index, bound: u64, low: &mut Vec<u64>, high: &mut Vec<u64>) {
    low.reserve(values.len());
    high.reserve(values.len());
    let (mut to_low, mut to_high) = (low.len(), high.len());
    let (low_start, high_start) = (low.as_mut_ptr(), high.as_mut_ptr());
    for &value in values {
        let is_low = index.of(value) < bound;
        // No branch: random values would mispredict half of the time.
        // SAFETY: both vectors have room for all values beyond their length, and at most one of
        // the two ends moves per value.
        unsafe {
            low_start.add(to_low).write(value);
            high_start.add(to_high).write(value);
        }
        to_low += usize::from(is_low);
        to_high += usize::from(!is_low);
    }
    // SAFETY: that many elements have been written.
    unsafe {
        low.set_len(to_low);
        high.set_len(to_high);
    }
}

#[inline(always)]
pub fn classify(values: &[u64], index: Index, bins: &Bins, parts: &mut [u32]) {
    match bins {
        Bins::Shift { shift, first } => {
            for (part, &value) in parts.iter_mut().zip(values) {
                *part = (index.of(value) >> shift).wrapping_sub(*first) as u32;
            }
        }
        Bins::Bounds(bounds) => {
            parts[..values.len()].fill(0);
            // Bound by bound over all values, not value by value: this order becomes vector code.
            for &bound in bounds {
                for (part, &value) in parts.iter_mut().zip(values) {
                    *part += u32::from(index.of(value) >= bound);
                }
            }
        }
    }
}

#[inline(always)]
pub fn update(values: &[u64], index: Index, first: u64, words: &mut [u64]) -> u64 {
    let mut strangers = 0;
    for (number, &value) in values.iter().enumerate() {
        if let Some(&ahead) = values.get(number + PREFETCH) {
            prefetch(words.as_ptr().wrapping_add(index.of(ahead).wrapping_sub(first) as usize));
        }
        match words.get_mut(index.of(value).wrapping_sub(first) as usize) {
            Some(word) => *word ^= value,
            None => strangers += 1,
        }
    }
    strangers
}

/// Asks for a line of memory without waiting for it; any address is harmless.
#[inline(always)]
fn prefetch(address: *const u64) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: a prefetch reads nothing and never faults.
    unsafe {
        std::arch::x86_64::_mm_prefetch::<{ std::arch::x86_64::_MM_HINT_T0 }>(address.cast());
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = address;
}
