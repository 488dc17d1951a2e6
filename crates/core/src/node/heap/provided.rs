//! Pages for which the kernel has committed memory, so that it is asked once: a system call that finds all
//! pages present takes microseconds.

use std::collections::BTreeMap;
use std::ops::Range;

/// Ranges of pages, by their begin; no two touch.
#[derive(Debug, Default)]
pub(super) struct Provided {
    ends: BTreeMap<usize, usize>,
}

impl Provided {
    /// Whether all of a range has memory.
    pub fn has(&self, range: &Range<usize>) -> bool {
        self.ends.range(..=range.start).next_back().is_some_and(|(_, &end)| end >= range.end)
    }

    /// A range has memory now.
    pub fn add(&mut self, mut range: Range<usize>) {
        while let Some((&begin, &end)) = self.ends.range(..=range.end).next_back() {
            if end < range.start {
                break;
            }
            self.ends.remove(&begin);
            range = begin.min(range.start)..end.max(range.end);
        }
        self.ends.insert(range.start, range.end);
    }

    /// The memory of a range was freed.
    pub fn remove(&mut self, range: &Range<usize>) {
        while let Some((&begin, &end)) = self.ends.range(..range.end).next_back() {
            if end <= range.start {
                break;
            }
            self.ends.remove(&begin);
            if end > range.end {
                self.ends.insert(range.end, end);
            }
            if begin < range.start {
                self.ends.insert(begin, range.start);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Against a page of bits.
    #[test]
    fn ranges_are_those_of_bits() {
        const PAGES: usize = 24;
        let mut provided = Provided::default();
        let (mut bits, mut seed) = ([false; PAGES], 7_u64);
        let mut next = |below: usize| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (seed >> 33) as usize % below
        };
        for _ in 0..2000 {
            let begin = next(PAGES);
            let range = begin..begin + 1 + next(PAGES - begin);
            let is_added = next(2) == 0;
            bits[range.clone()].fill(is_added);
            if is_added {
                provided.add(range)
            } else {
                provided.remove(&range)
            }
            for begin in 0..PAGES {
                for end in begin + 1..=PAGES {
                    let all = bits[begin..end].iter().all(|&bit| bit);
                    assert_eq!(provided.has(&(begin..end)), all, "{begin}..{end} of {bits:?}");
                }
            }
        }
    }
}
