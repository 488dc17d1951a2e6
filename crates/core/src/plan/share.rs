//! The partners of a rank in another part, which may have a different number of ranks.
//!
//! Idea: the ranks of a part divide a line of length one into equal intervals, and so do the ranks of the
//! other part. Two ranks exchange values if their intervals overlap, and the length of the overlap is the
//! share of the values, so every rank of a part receives the same number on average. For parts of N and N + 1
//! ranks this is the odd split of the hypercube algorithm: two messages per rank, one for the first and the
//! last of the larger part. For equal parts it is one partner each.
//!
//! Source: Plimpton et al. 2006, §2 (N and N + 1); the line is its generalisation to any two sizes.

/// An overlap of the pieces of two ranks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Overlap {
    /// The other rank, counted within its part.
    pub partner: usize,
    /// Where the overlap starts and ends within this rank's piece, which is `of` long.
    pub from: u64,
    /// See `from`.
    pub to: u64,
    /// See `from`: the size of the other part.
    pub of: u64,
}

impl Overlap {
    /// Which of `length` values go to the partner.
    pub fn cut(&self, length: usize) -> std::ops::Range<usize> {
        // In 128 bits: the product of a share and a length may exceed 64.
        let at = |share: u64| (u128::from(share) * length as u128 / u128::from(self.of)) as usize;
        at(self.from)..at(self.to)
    }
}

/// The overlaps of rank `index` of a part of `mine` ranks with the ranks of a part of `theirs`.
pub fn overlaps(index: usize, mine: usize, theirs: usize) -> Vec<Overlap> {
    // In units in which the line is mine * theirs long, all ends are integers.
    let (mine, theirs, index) = (mine as u64, theirs as u64, index as u64);
    let (start, end) = (index * theirs, (index + 1) * theirs);
    (start / mine..end.div_ceil(mine))
        .map(|partner| Overlap {
            partner: partner as usize,
            from: start.max(partner * mine) - start,
            to: end.min((partner + 1) * mine) - start,
            of: theirs,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use hcube_testing::sizes::{sizes, sizes_within};
    use proptest::prelude::*;

    /// The odd split of Plimpton et al. 2006: N ranks exchange with N + 1; all have two messages, except that
    /// the first and the last of the larger part have one.
    #[test]
    fn odd_split_of_the_paper() {
        for n in 1..65 {
            for index in 0..n {
                assert_eq!(overlaps(index, n, n + 1).len(), 2, "smaller part, {index} of {n}");
            }
            for index in 0..=n {
                let expected = if index == 0 || index == n { 1 } else { 2 };
                assert_eq!(overlaps(index, n + 1, n).len(), expected, "larger part, {index} of {}", n + 1);
            }
        }
    }

    #[test]
    fn equal_parts_have_one_partner() {
        for n in 1..65 {
            for index in 0..n {
                let all = overlaps(index, n, n);
                assert_eq!(all, [Overlap { partner: index, from: 0, to: n as u64, of: n as u64 }]);
            }
        }
    }

    #[test]
    fn overlaps_are_mutual_and_balanced_for_any_two_sizes() {
        for mine in 1..20 {
            for theirs in 1..20 {
                let mut arriving = vec![0.0; theirs];
                for index in 0..mine {
                    let all = overlaps(index, mine, theirs);
                    assert_eq!(all[0].from, 0);
                    assert_eq!(all[all.len() - 1].to, theirs as u64);
                    assert!(all.windows(2).all(|pair| pair[0].to == pair[1].from));
                    assert!(all.iter().all(|overlap| overlap.from < overlap.to));
                    for overlap in all {
                        arriving[overlap.partner] += (overlap.to - overlap.from) as f64 / overlap.of as f64;
                        let back = overlaps(overlap.partner, theirs, mine);
                        assert!(back.iter().any(|other| other.partner == index));
                    }
                }
                let mean = mine as f64 / theirs as f64;
                assert!(arriving.iter().all(|&share| (share - mean).abs() < 1e-9));
            }
        }
    }

    #[test]
    fn cuts_cover_a_list_of_any_length_once() {
        for length in [0, 1, 2, 3, 7, 1000, usize::MAX >> 8] {
            for (index, mine, theirs) in [(0, 3, 4), (1, 3, 4), (3, 4, 3), (2, 5, 17)] {
                let mut end = 0;
                for overlap in overlaps(index, mine, theirs) {
                    let cut = overlap.cut(length);
                    assert_eq!(cut.start, end);
                    end = cut.end;
                }
                assert_eq!(end, length);
            }
        }
    }

    proptest! {
        #[test]
        fn shares_of_lists_of_any_size_cover_them(
            mine in sizes_within(1, i32::MAX as usize), ratio in 1..8_usize, more in sizes(), index in sizes(),
            length in sizes(),
        ) {
            let theirs = (mine.saturating_mul(ratio) + more % mine).min(i32::MAX as usize);
            let (mut begin, mut end) = (0, 0);
            for overlap in overlaps(index % mine, mine, theirs) {
                prop_assert_eq!((overlap.from, overlap.of), (begin, theirs as u64));
                let cut = overlap.cut(length);
                prop_assert_eq!(cut.start, end);
                (begin, end) = (overlap.to, cut.end);
            }
            prop_assert_eq!((begin, end), (theirs as u64, length));
        }
    }
}
