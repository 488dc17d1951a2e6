//! The vector as a matrix, and the block of each rank.
//!
//! n = rows x columns, number i is in row i / columns. Before the transform, rank r has whole rows; the
//! result, k = k1 + rows * k2, is a matrix of `columns` rows, and rank r has whole rows of it as well. Both
//! numbers must therefore be multiples of the number of ranks.

use crate::kernel::LANES;
use hcube_core::error::{Error, Result};
use std::ops::Range;

/// Maximum length of a vector whose bytes, including blocks and parts, can be addressed.
const MAX_LENGTH: usize = isize::MAX as usize / 64;

/// Sizes of a transform, seen from one rank.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shape {
    /// Rows of the matrix, points of the transforms of columns.
    pub rows: usize,
    /// Columns of the matrix, points of the transforms of rows.
    pub columns: usize,
    /// Ranks.
    pub ranks: usize,
    /// This rank.
    pub rank: usize,
}

/// The part of a rank in what is divided as evenly as possible.
pub fn share(all: usize, ranks: usize, rank: usize) -> Range<usize> {
    let begin = |rank: usize| (all as u128 * rank as u128 / ranks as u128) as usize;
    begin(rank)..begin(rank + 1)
}

/// Whether a number has no other prime factors than 2, 3 and 5.
fn is_smooth(number: usize) -> bool {
    let mut rest = number;
    for factor in [2, 3, 5] {
        while rest > 0 && rest.is_multiple_of(factor) {
            rest /= factor;
        }
    }
    rest == 1
}

/// All divisors of a number with the prime factors 2, 3 and 5.
fn divisors(number: usize) -> Vec<usize> {
    let mut all = vec![1];
    let mut rest = number;
    for factor in [2, 3, 5] {
        let before = all.clone();
        let mut power = 1;
        while rest.is_multiple_of(factor) {
            rest /= factor;
            power *= factor;
            all.extend(before.iter().map(|divisor| divisor * power));
        }
    }
    all
}

impl Shape {
    /// The matrix for a length: as square as possible, with columns and rows that fill blocks where that
    /// exists.
    ///
    /// # Errors
    /// [`Error::Argument`] with the possible lengths.
    pub fn new(length: usize, rank: usize, ranks: usize) -> Result<Self> {
        if !is_smooth(ranks) {
            let text = format!("{ranks} ranks: expected 2^a 3^b 5^c ranks for a Fourier transform");
            return Err(Error::Communicator(text));
        }
        let square = ranks.checked_mul(ranks);
        let fits = square.is_some_and(|square| length.is_multiple_of(square));
        if length > MAX_LENGTH {
            return Err(Error::argument("length", length, format!("at most {MAX_LENGTH}")));
        }
        if !is_smooth(length) || !fits {
            let expected = match ranks {
                1 => "2^a 3^b 5^c".to_owned(),
                _ => format!("2^a 3^b 5^c, a multiple of {ranks} x {ranks} on {ranks} ranks"),
            };
            return Err(Error::argument("length", length, expected));
        }
        let rows = divisors(length / (ranks * ranks))
            .into_iter()
            .map(|part| part * ranks)
            .min_by_key(|&rows| {
                let columns = length / rows;
                // Incomplete blocks waste up to a factor of their number.
                let padded = |side: usize| side.next_multiple_of(LANES) as f64 / side as f64;
                let waste = padded(rows) * padded(columns);
                let ratio = rows.max(columns) as f64 / rows.min(columns) as f64;
                ((waste * (1.0 + 0.01 * ratio) * 1e6) as u64, rows)
            })
            .expect("at least 1 x length");
        Ok(Self { rows, columns: length / rows, ranks, rank })
    }

    /// Numbers of the vector.
    pub fn length(&self) -> usize {
        self.rows * self.columns
    }

    /// Numbers of each rank.
    pub fn part(&self) -> usize {
        self.length() / self.ranks
    }

    /// Rows that this rank has before.
    pub fn own_rows(&self) -> Range<usize> {
        share(self.rows, self.ranks, self.rank)
    }

    /// Columns that this rank has as rows of the result.
    pub fn own_columns(&self) -> Range<usize> {
        share(self.columns, self.ranks, self.rank)
    }

    /// Blocks of columns, and of rows.
    pub fn blocks(&self) -> [usize; 2] {
        [self.columns, self.rows].map(|side| side.div_ceil(LANES))
    }

    /// Blocks of columns, and of rows, that this rank transforms where ranks share memory.
    pub fn own_blocks(&self) -> [Range<usize>; 2] {
        self.blocks().map(|blocks| share(blocks, self.ranks, self.rank))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hcube_testing::sizes::{sizes, sizes_within};
    use proptest::prelude::*;

    #[test]
    fn every_length_is_divided_or_refused() {
        for ranks in 1..=130 {
            for length in (0..2000).chain([1 << 20, 1 << 22, 810_000, 46_656, 1_000_000]) {
                let shape = Shape::new(length, 0, ranks);
                let possible = is_smooth(ranks) && is_smooth(length) && length % (ranks * ranks) == 0;
                assert_eq!(shape.is_ok(), possible, "{length} on {ranks}: {shape:?}");
                let Ok(Shape { rows, columns, .. }) = shape else { continue };
                assert_eq!((rows * columns, rows % ranks, columns % ranks), (length, 0, 0));
            }
        }
    }

    #[test]
    fn large_powers_of_two_are_nearly_square() {
        for log in 8..40 {
            let shape = Shape::new(1 << log, 0, 4).expect("possible");
            assert!(shape.rows <= shape.columns && shape.columns <= 2 * shape.rows, "{shape:?}");
        }
    }

    #[test]
    fn the_refusal_says_what_is_possible() {
        let text = |length, ranks| Shape::new(length, 0, ranks).expect_err("refused").to_string();
        assert_eq!(text(14, 1), "length = 14: expected 2^a 3^b 5^c");
        assert_eq!(
            text(1 << 20, 6),
            "length = 1048576: expected 2^a 3^b 5^c, a multiple of 6 x 6 on 6 ranks"
        );
        assert_eq!(text(1 << 57, 1), "length = 144115188075855872: expected at most 144115188075855871");
        assert_eq!(text(49, 7), "7 ranks: expected 2^a 3^b 5^c ranks for a Fourier transform");
    }

    #[test]
    fn shares_cover_everything_once() {
        for ranks in 1..=130 {
            for all in [0, 1, 7, 100, 1024] {
                let mut end = 0;
                for rank in 0..ranks {
                    let part = share(all, ranks, rank);
                    assert_eq!(part.start, end);
                    end = part.end;
                }
                assert_eq!(end, all);
            }
        }
    }

    proptest! {
        #[test]
        fn shares_of_any_size_follow_one_another(all in sizes(), ranks in sizes_within(1, usize::MAX), rank in sizes()) {
            let rank = rank % ranks;
            let part = share(all, ranks, rank);
            let begin = all as u128 * rank as u128 / ranks as u128;
            prop_assert_eq!(part.start as u128, begin);
            prop_assert!(part.len() - all / ranks <= 1);
            prop_assert_eq!((share(all, ranks, 0).start, share(all, ranks, ranks - 1).end), (0, all));
        }

        #[test]
        fn a_vector_of_any_size_is_divided_or_refused(length in sizes(), powers in [0..64_u32, 0..41_u32, 0..28_u32], ranks in sizes()) {
            for length in [length, powers.iter().zip([2_usize, 3, 5]).fold(1, |all, (&power, factor)| all.saturating_mul(factor.saturating_pow(power)))] {
                for ranks in [1, 2, 4, 30, ranks.max(1)] {
                    let Ok(shape) = Shape::new(length, 0, ranks) else { continue };
                    prop_assert!(length <= MAX_LENGTH && shape.length() == length);
                    prop_assert_eq!(shape.rows as u128 * shape.columns as u128, length as u128);
                    prop_assert_eq!(shape.part() as u128 * ranks as u128, length as u128);
                }
            }
        }
    }
}
