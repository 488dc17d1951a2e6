//! Random strings: the same on all ranks.

use hcube_lcs::Symbol;
use hcube_lcs::rate::Random;
use std::ops::Range;

/// Two strings, with as many bits per symbol as the alphabet needs.
pub enum Strings {
    Narrow([Vec<u8>; 2]),
    Wide([Vec<u16>; 2]),
}

/// What makes the strings differ.
const SEEDS: [u64; 2] = [0x0123_4567_89ab_cdef, 0x6c62_272e_07bb_0142];

/// Strings of which `common` per cent are the same, one half at the beginning and one at the end.
fn pair<S: Symbol>(length: usize, symbols: usize, common: u32) -> [Vec<S>; 2] {
    let random = |seed| Random(seed).take(length, symbols).into_iter().map(S::from_value).collect();
    let [a, mut b]: [Vec<S>; 2] = SEEDS.map(random);
    let whole = length / 100 * common as usize + length % 100 * common as usize / 100;
    for equal in [0..whole / 2, length - (whole - whole / 2)..length] {
        b[equal.clone()].copy_from_slice(&a[equal]);
    }
    [a, b]
}

impl Strings {
    pub fn new(length: usize, symbols: usize, common: u32) -> Self {
        if symbols <= 1 << u8::BITS {
            Self::Narrow(pair(length, symbols, common))
        } else {
            Self::Wide(pair(length, symbols, common))
        }
    }
}

/// The part of a string that a rank has.
pub fn part(length: usize, rank: usize, ranks: usize) -> Range<usize> {
    let bound = |rank| (length as u128 * rank as u128 / ranks as u128) as usize;
    bound(rank)..bound(rank + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_have_as_much_in_common_as_was_asked_for() {
        for (common, same) in [(0, 0), (50, 500), (99, 990), (100, 1000)] {
            let [a, b] = pair::<u16>(1000, 60_000, common);
            let begin = a.iter().zip(&b).take_while(|(a, b)| a == b).count();
            let end = a.iter().rev().zip(b.iter().rev()).take_while(|(a, b)| a == b).count();
            assert_eq!([begin, end], if common == 100 { [1000; 2] } else { [same / 2; 2] }, "{common}");
        }
        assert_eq!(pair::<u8>(3, 2, 99)[0].len(), 3);
        assert!(matches!(Strings::new(10, 256, 0), Strings::Narrow(_)));
        assert!(matches!(Strings::new(10, 257, 0), Strings::Wide(_)));
    }

    #[test]
    fn parts_follow_each_other() {
        assert_eq!([0, 1, 2].map(|rank| part(10, rank, 3)), [0..3, 3..6, 6..10]);
    }
}
