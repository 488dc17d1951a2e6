//! The distribution of the 2^n words of the global table over P ranks, and the word that a value updates.
//!
//! Contiguous blocks in rank order; if P does not divide 2^n, the first `2^n mod P` ranks own one more word.
//! This is HPCC's distribution, so a table that HPCC has allocated is used in place.

use super::stream::StreamKind;
use hcube_core::error::{Error, Result};

/// Which word of the global table a value updates: `(value >> shift) & mask`.
///
/// The polynomial stream uses the low bits of a value, the linear congruential one the high bits
/// (its low bits have short periods).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Index {
    /// Bits dropped from the low end.
    pub shift: u32,
    /// Size of the table less one.
    pub mask: u64,
}

impl Index {
    /// The global index that `value` updates.
    #[inline(always)]
    pub fn of(self, value: u64) -> u64 {
        (value >> self.shift) & self.mask
    }
}

/// The distribution of the global table over the ranks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Distribution {
    log2_length: u32,
    ranks: u64,
    /// Words of a rank, at the least.
    least: u64,
    /// Ranks that own one more word; they come first.
    larger: u64,
    /// `2^64 / (least + 1)`, rounded down: replaces the division in [`Self::owner`] by a product.
    reciprocal: u64,
}

impl Distribution {
    /// 2^`log2_length` words on `ranks` ranks.
    pub fn new(log2_length: u32, ranks: usize) -> Self {
        assert!(log2_length < 63 && ranks > 0);
        let (length, ranks) = (1u64 << log2_length, ranks as u64);
        let least = length / ranks;
        Self { log2_length, ranks, least, larger: length % ranks, reciprocal: u64::MAX / (least + 1) }
    }

    /// The distribution of a table of `length` words.
    ///
    /// # Errors
    /// Where `length` is no power of two between 1 and 2^60.
    pub fn of_length(length: i64, ranks: usize) -> Result<Self> {
        if length <= 0 || length.count_ones() != 1 || length > 1 << 60 {
            return Err(Error::argument("table.global_length", length, "a power of two from 1 to 2^60"));
        }
        Ok(Self::new(length.trailing_zeros(), ranks))
    }

    /// Words in the global table.
    pub fn length(self) -> u64 {
        1 << self.log2_length
    }

    /// Number of ranks.
    pub fn ranks(self) -> usize {
        self.ranks as usize
    }

    /// Global index of the first word of a rank; for `ranks`, the length of the table.
    #[inline(always)]
    pub fn start(self, rank: usize) -> u64 {
        self.least * rank as u64 + self.larger.min(rank as u64)
    }

    /// Number of words of a rank.
    pub fn local_length(self, rank: usize) -> u64 {
        self.start(rank + 1) - self.start(rank)
    }

    /// The rank that owns a global index.
    #[inline(always)]
    pub fn owner(self, index: u64) -> usize {
        // An estimate that is never too large, corrected by comparison: no division per value.
        let mut rank = ((u128::from(index) * u128::from(self.reciprocal)) >> 64) as usize;
        while index >= self.start(rank + 1) {
            rank += 1;
        }
        rank
    }

    /// The same by the benchmark's formula; slower.
    pub fn owner_by_division(self, index: u64) -> usize {
        let larger_end = self.larger * (self.least + 1);
        let rank =
            if index < larger_end { index / (self.least + 1) } else { (index - self.larger) / self.least };
        rank as usize
    }

    /// The word that a value of a stream updates.
    pub fn index(self, kind: StreamKind) -> Index {
        let mask = self.length() - 1;
        match kind {
            StreamKind::Polynomial => Index { shift: 0, mask },
            // A table of one word has no index bits: with its mask any shift is correct.
            StreamKind::Lcg => Index { shift: (64 - self.log2_length).min(63), mask },
        }
    }

    /// Checks that the local part of a table is what `rank` has in this distribution.
    pub fn check_local(self, rank: usize, local_length: i64, first_index: i64) -> Result<()> {
        let (length, first) = (self.local_length(rank), self.start(rank));
        if u64::try_from(local_length) == Ok(length) && u64::try_from(first_index) == Ok(first) {
            return Ok(());
        }
        Err(Error::Distribution(format!(
            "table.local_length = {local_length}, table.first_index = {first_index} on rank {rank} of {}: expected \
             {length} and {first} for a table of {} words",
            self.ranks,
            self.length()
        )))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hcube_testing::sizes::{sizes, sizes_within};
    use proptest::prelude::*;

    #[test]
    fn one_word_more_on_the_first_ranks() {
        let table = Distribution::new(4, 5);
        assert_eq!((0..5).map(|rank| table.local_length(rank)).collect::<Vec<_>>(), [4, 3, 3, 3, 3]);
        assert_eq!((0..=5).map(|rank| table.start(rank)).collect::<Vec<_>>(), [0, 4, 7, 10, 13, 16]);
    }

    #[test]
    fn fewer_words_than_ranks() {
        let table = Distribution::new(1, 5);
        assert_eq!((0..5).map(|rank| table.local_length(rank)).collect::<Vec<_>>(), [1, 1, 0, 0, 0]);
        assert_eq!((table.owner(0), table.owner(1)), (0, 1));
    }

    #[test]
    fn a_table_of_one_word_takes_every_value() {
        let table = Distribution::new(0, 1);
        for kind in [StreamKind::Polynomial, StreamKind::Lcg] {
            assert_eq!(table.index(kind).of(u64::MAX), 0);
        }
    }

    #[test]
    fn lengths_that_are_no_power_of_two_are_refused() {
        for length in [i64::MIN, -4, 0, 3, 12, 1 << 61] {
            let error = Distribution::of_length(length, 2).expect_err("refused");
            assert!(error.to_string().contains(&format!("table.global_length = {length}")), "{error}");
        }
    }

    proptest! {
        #[test]
        fn owner_is_the_one_of_the_division(log2 in 0u32..61, ranks in 1usize..20000, at in any::<u64>()) {
            let (table, index) = (Distribution::new(log2, ranks), at & ((1 << log2) - 1));
            let owner = table.owner(index);
            prop_assert_eq!(owner, table.owner_by_division(index));
            prop_assert!(table.start(owner) <= index && index < table.start(owner + 1));
        }
    }

    proptest! {
        #[test]
        fn words_of_tables_of_any_size_have_exact_owners(
            log2 in 0..=60_u32, ranks in sizes_within(1, 1 << 16), [rank, index] in [sizes(), sizes()],
        ) {
            let table = Distribution::of_length(1 << log2, ranks).expect("a power of two");
            let (length, rank) = (1_u128 << log2, rank % (ranks + 1));
            let start = |rank: usize| {
                length / ranks as u128 * rank as u128 + (length % ranks as u128).min(rank as u128)
            };
            prop_assert_eq!(table.start(rank) as u128, start(rank));
            prop_assert_eq!(table.start(ranks), table.length());
            let index = index as u64 & (table.length() - 1);
            let owner = table.owner(index);
            prop_assert!(start(owner) <= index as u128 && (index as u128) < start(owner + 1));
            prop_assert_eq!(owner, table.owner_by_division(index));
        }
    }
}
