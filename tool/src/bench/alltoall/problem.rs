//! How many elements each pair of ranks exchanges, what they hold, and whether they have arrived.
//!
//! Counts are symmetric (rank i has as many elements for j as j has for i, which an exchange in place
//! needs) and random, and all ranks have the same total. A weight between 0 and 1 is drawn uniformly
//! for each pair and for each rank with itself; the symmetric matrix of weights is balanced by
//! factors, one per rank, that are corrected repeatedly until all rows have the same sum (Sinkhorn and
//! Knopp's method for a symmetric matrix). Rounding goes down, and a rank's block for itself takes
//! what is left, so totals are exact. A weight is a hash of the seed and the pair: every rank computes
//! all counts itself, and none stores the matrix.

use crate::bench::random::{STEP, mix};
use std::ffi::c_int;

/// Resolution of weights: with a smallest one that is not zero, balancing converges.
const STEPS: u64 = 1 << 20;
/// Corrections after which rows differ by less than anybody would see; what is left goes to a rank's
/// own block.
const CORRECTIONS: usize = 40;

/// The blocks of one rank: the same to send and to receive, or the blocks of one direction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Blocks {
    rank: usize,
    /// Of several at the same time, so that no other's elements are right.
    communicator: usize,
    /// Elements, for each partner.
    pub counts: Vec<c_int>,
    /// Where they begin; blocks lie in rank order without gaps.
    pub displacements: Vec<c_int>,
}

/// A number for an ordered pair, from above 0 to 1.
fn random(seed: u64, from: usize, to: usize) -> f64 {
    let pair = (from as u64) << 32 | to as u64;
    let random = mix(mix(seed.wrapping_add(STEP)) ^ mix(pair));
    (1 + random % STEPS) as f64 / STEPS as f64
}

/// The weight of a pair.
fn weight(seed: u64, one: usize, other: usize) -> f64 {
    random(seed, one.max(other), one.min(other))
}

/// Sum of a row of the matrix of weights, with the factors of row and columns.
fn row_sum(factors: &[f64], seed: u64, row: usize) -> f64 {
    let weighted = factors.iter().enumerate().map(|(column, factor)| factor * weight(seed, row, column));
    factors[row] * weighted.sum::<f64>()
}

/// A factor per rank that gives every row of the matrix of weights the sum 1, or a little less.
fn factors(ranks: usize, seed: u64) -> Vec<f64> {
    let mut factors = vec![1.0; ranks];
    let mut sums = vec![0.0; ranks];
    for _ in 0..CORRECTIONS {
        for (row, sum) in sums.iter_mut().enumerate() {
            *sum = row_sum(&factors, seed, row);
        }
        for (factor, sum) in factors.iter_mut().zip(&sums) {
            *factor /= sum.sqrt();
        }
    }
    // No row may be too long after rounding.
    let longest = (0..ranks).map(|row| row_sum(&factors, seed, row)).fold(1.0, f64::max) * (1.0 + 1e-9);
    factors.iter().map(|factor| factor / longest.sqrt()).collect()
}

impl Blocks {
    fn new(rank: usize, counts: Vec<c_int>) -> Self {
        let mut next = 0;
        let begin = |&count: &c_int| {
            next += count;
            next - count
        };
        let displacements = counts.iter().map(begin).collect();
        Self { rank, communicator: 0, counts, displacements }
    }

    /// Random counts with the sum `elements`, which fits an int; of fewer than two elements for each rank,
    /// one for each, if there are as many.
    pub fn random(rank: usize, ranks: usize, elements: usize, seed: u64) -> Self {
        if elements < 2 * ranks {
            let mut counts = vec![(elements / ranks) as c_int; ranks];
            counts[rank] += (elements % ranks) as c_int;
            return Self::new(rank, counts);
        }
        let factors = factors(ranks, seed);
        let count = |partner: usize| {
            let share = factors[rank] * factors[partner] * weight(seed, rank, partner);
            (share * elements as f64) as c_int
        };
        let mut counts: Vec<c_int> = (0..ranks).map(count).collect();
        counts[rank] = 0;
        counts[rank] = elements as c_int - counts.iter().sum::<c_int>();
        Self::new(rank, counts)
    }

    /// The same count for all partners, with the largest sum up to `elements`.
    pub fn uniform(rank: usize, ranks: usize, elements: usize) -> Self {
        Self::new(rank, vec![(elements / ranks) as c_int; ranks])
    }

    /// What a rank sends and what it receives, with a random count for each ordered pair of ranks. Sums
    /// differ, and the largest one is at most `elements`, which fits an int.
    pub fn directed(rank: usize, ranks: usize, elements: usize, seed: u64) -> [Self; 2] {
        let sum = |weights: &dyn Fn(usize) -> f64| (0..ranks).map(weights).sum::<f64>();
        let sums = (0..ranks)
            .flat_map(|one| [sum(&|other| random(seed, one, other)), sum(&|other| random(seed, other, one))]);
        let largest = sums.fold(0.0, f64::max) * (1.0 + 1e-12);
        let count = |from: usize, to: usize| (random(seed, from, to) / largest * elements as f64) as c_int;
        let sent = (0..ranks).map(|to| count(rank, to)).collect();
        let received = (0..ranks).map(|from| count(from, rank)).collect();
        [Self::new(rank, sent), Self::new(rank, received)]
    }

    /// The same blocks in the communicator with this number.
    pub fn of_communicator(self, communicator: usize) -> Self {
        Self { communicator, ..self }
    }

    pub fn ranks(&self) -> usize {
        self.counts.len()
    }

    /// Elements of all blocks together.
    pub fn elements(&self) -> usize {
        self.counts.iter().map(|&count| count as usize).sum()
    }

    /// The value of each element: `value(partner, index)`.
    fn values(&self, value: impl Fn(usize, u64) -> u64 + Copy) -> impl Iterator<Item = u64> {
        let blocks = self.counts.iter().enumerate();
        // Ranks have the lower bits.
        let communicator = (self.communicator as u64).reverse_bits();
        blocks.flat_map(move |(partner, &count)| {
            (0..count as u64).map(move |index| value(partner, index) ^ communicator)
        })
    }

    /// Puts in what this rank has for its partners.
    pub fn fill(&self, buffer: &mut [u64]) {
        let values = self.values(|partner, index| element(self.rank, partner, index));
        buffer.iter_mut().zip(values).for_each(|(to, value)| *to = value);
    }

    /// Counts the elements that are not what the partners have for this rank.
    pub fn wrong(&self, buffer: &[u64]) -> u64 {
        let values = self.values(|partner, index| element(partner, self.rank, index));
        buffer.iter().zip(values).filter(|&(&found, expected)| found != expected).count() as u64
    }
}

/// Element `index` of what rank `from` has for rank `to`.
fn element(from: usize, to: usize, index: u64) -> u64 {
    (from as u64) << 48 ^ (to as u64) << 32 ^ index
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of_all(ranks: usize, elements: usize, seed: u64) -> Vec<Blocks> {
        (0..ranks).map(|rank| Blocks::random(rank, ranks, elements, seed)).collect()
    }

    #[test]
    fn counts_are_symmetric_and_totals_are_equal() {
        for ranks in 1..=16 {
            for (elements, seed) in [(0, 1), (1, 1), (100, 2), (1 << 20, 3), (i32::MAX as usize, u64::MAX)] {
                let all = of_all(ranks, elements, seed);
                for (rank, blocks) in all.iter().enumerate() {
                    assert_eq!((blocks.ranks(), blocks.elements()), (ranks, elements));
                    assert!(blocks.counts.iter().all(|&count| count >= 0), "{blocks:?}");
                    let transposed: Vec<c_int> = all.iter().map(|other| other.counts[rank]).collect();
                    assert_eq!(blocks.counts, transposed, "{ranks} ranks, seed {seed}");
                }
            }
        }
    }

    #[test]
    fn the_smallest_exchanges_have_an_element_for_each_rank() {
        for blocks in of_all(5, 5, 1) {
            assert_eq!(blocks.counts, [1; 5]);
        }
        assert_eq!((of_all(2, 3, 1)[1].counts[0], of_all(2, 1, 1)[1].counts[0]), (1, 0));
    }

    #[test]
    fn counts_are_random_and_a_rank_keeps_no_more_than_others() {
        let all = of_all(16, 1 << 20, 7);
        let kept: c_int = all.iter().enumerate().map(|(rank, blocks)| blocks.counts[rank]).sum();
        // One block of sixteen each, on average.
        assert!((1 << 19..1 << 21).contains(&kept), "{kept}");
        let (least, most) = (all[0].counts.iter().min(), all[0].counts.iter().max());
        assert!(most > least.map(|least| 2 * least).as_ref(), "{:?}", all[0].counts);
        assert_ne!(all, of_all(16, 1 << 20, 8));
    }

    #[test]
    fn directed_counts_match_and_differ() {
        for ranks in 1..=9 {
            for (elements, seed) in [(0, 1), (1, 1), (1000, 2), (i32::MAX as usize, 3)] {
                let all: Vec<[Blocks; 2]> =
                    (0..ranks).map(|rank| Blocks::directed(rank, ranks, elements, seed)).collect();
                for (rank, [sent, received]) in all.iter().enumerate() {
                    let arriving: Vec<c_int> = all.iter().map(|other| other[0].counts[rank]).collect();
                    assert_eq!(received.counts, arriving, "{ranks} ranks");
                    assert!(sent.elements() <= elements && received.elements() <= elements);
                    let differ = sent.elements() != received.elements() && sent.counts != received.counts;
                    assert!(differ || ranks == 1 || elements < 1000, "{sent:?} {received:?}");
                }
                let largest = all.iter().flatten().map(Blocks::elements).max();
                assert!(largest.is_some_and(|largest| largest + ranks + 1 >= elements), "{largest:?}");
            }
        }
    }

    #[test]
    fn equal_counts() {
        let blocks = Blocks::uniform(1, 3, 11);
        assert_eq!(
            (blocks.counts.as_slice(), blocks.displacements.as_slice()),
            (&[3; 3][..], &[0, 3, 6][..])
        );
    }

    #[test]
    fn what_has_not_arrived_is_counted() {
        let all = of_all(3, 1000, 5);
        let mut sent: Vec<Vec<u64>> = vec![vec![0; 1000]; 3];
        all.iter().zip(&mut sent).for_each(|(blocks, buffer)| blocks.fill(buffer));
        let block = |from: usize, to: usize| {
            let begin = all[from].displacements[to] as usize;
            &sent[from][begin..begin + all[from].counts[to] as usize]
        };
        let mut received: Vec<u64> = (0..3).flat_map(|from| block(from, 1).to_vec()).collect();
        assert_eq!(all[1].wrong(&received), 0);
        received[999] ^= 1;
        received[0] ^= 1 << 48;
        assert_eq!(all[1].wrong(&received), 2);
        assert!(all[1].wrong(&sent[1]) > 0);
        let other = all[1].clone().of_communicator(1);
        assert_eq!(other.wrong(&received), 1000);
    }
}
