//! The inner loops without instructions of a particular processor.

use crate::stream::{Recurrence, Stream};
use crate::table::Index;

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
