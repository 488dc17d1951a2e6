//! The factors by which a rank multiplies the counts of its blocks in its vote ([`super::vote`]).
//!
//! Idea: each ordered pair of ranks has a pseudo-random odd factor, which both ranks compute from a word of
//! the communicator. For blocks of one length, the sums of all factors are stored.
//! Restriction: more than [`MAX_KEPT_RANKS`] ranks compute further factors in each exchange.
//! Cost: three multiplications per factor. Memory: at most 4 KiB.
//! Source: SplitMix64 (Steele, Lea and Flood 2014); universal hashing by random multipliers (Carter and
//! Wegman 1979).

/// Number of ranks whose factors are stored; others are computed when they are needed.
pub const MAX_KEPT_RANKS: usize = 256;

/// A pseudo-random odd factor for the block from one rank to another.
#[inline(always)]
fn factor(seed: u64, from: usize, to: usize) -> u64 {
    // The numbers of SplitMix64 (Steele, Lea and Flood) from a state that is the seed.
    let number = ((from as u64) << 32 | to as u64).wrapping_add(1);
    let mut value = seed.wrapping_add(number.wrapping_mul(0x9e37_79b9_7f4a_7c15));
    value = (value ^ value >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    value = (value ^ value >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    // In place, the difference of the factors of both directions counts: twice an odd number.
    (value ^ value >> 31) & !3 | u64::from(from < to) << 1 | 1
}

/// The factors of the blocks from one rank to another and back.
#[inline(always)]
fn pair(seed: u64, own: usize, other: usize) -> [u64; 2] {
    [factor(seed, own, other), factor(seed, other, own)]
}

/// The factors of one rank.
#[derive(Debug)]
pub struct Factors {
    seed: u64,
    /// This rank.
    pub(super) own: usize,
    /// The factors of the blocks to and from the first ranks.
    kept: Box<[[u64; 2]]>,
    /// Sum of the factors of the blocks to all others.
    pub(super) out: u64,
    /// Sum of the factors of the blocks from all others.
    pub(super) into: u64,
}

impl Factors {
    /// The factors of a rank; the seed is the same on all ranks.
    pub fn new(seed: u64, own: usize, ranks: usize) -> Self {
        let kept = (0..ranks.min(MAX_KEPT_RANKS)).map(|other| pair(seed, own, other)).collect();
        let mut all = Self { seed, own, kept, out: 0, into: 0 };
        for [out, into] in (0..ranks).filter(|&other| other != own).map(|other| pair(seed, own, other)) {
            (all.out, all.into) = (all.out.wrapping_add(out), all.into.wrapping_add(into));
        }
        all
    }

    /// The word from which they follow.
    pub fn seed(&self) -> u64 {
        self.seed
    }

    /// Bytes of the list.
    pub fn bytes(&self) -> usize {
        size_of_val(&*self.kept)
    }

    /// The factors of the blocks to and from a rank.
    #[inline(always)]
    pub fn of(&self, other: usize) -> [u64; 2] {
        self.kept.get(other).copied().unwrap_or_else(|| pair(self.seed, self.own, other))
    }
}
