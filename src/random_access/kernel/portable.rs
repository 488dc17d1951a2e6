//! The inner loops without instructions of a particular processor.

use crate::random_access::stream::{Recurrence, Stream};
use crate::random_access::table::Index;

/// How far ahead the update loop asks for table words. Into the second-level cache, not the first:
/// it keeps more misses in the air (measured on Zen 4 with 2 MiB pages, two processes at once:
/// 0.11 GUP/s each without, 0.11 into the first level, 0.19 into the second; 24 words ahead 0.15,
/// 48 to 64 best, 128 slightly less).
const PREFETCH: usize = 48;

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

/// Walks over the values of several lists as if they were one.
struct Ahead<'a> {
    lists: std::slice::Iter<'a, &'a [u64]>,
    rest: std::slice::Iter<'a, u64>,
}

impl Ahead<'_> {
    #[inline(always)]
    fn next(&mut self) -> Option<u64> {
        loop {
            if let Some(&value) = self.rest.next() {
                return Some(value);
            }
            self.rest = self.lists.next()?.iter();
        }
    }
}

pub fn update(lists: &[&[u64]], index: Index, first: u64, words: &mut [u64]) -> u64 {
    let place = |value| index.of(value).wrapping_sub(first) as usize;
    let mut ahead = Ahead { lists: lists.iter(), rest: [].iter() };
    let start = words.as_ptr();
    for _ in 0..PREFETCH {
        let Some(value) = ahead.next() else { break };
        prefetch(start.wrapping_add(place(value)));
    }
    let mut strangers = 0;
    for &list in lists {
        for &value in list {
            if let Some(value) = ahead.next() {
                prefetch(start.wrapping_add(place(value)));
            }
            match words.get_mut(place(value)) {
                Some(word) => *word ^= value,
                None => strangers += 1,
            }
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
        std::arch::x86_64::_mm_prefetch::<{ std::arch::x86_64::_MM_HINT_T1 }>(address.cast());
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = address;
}
