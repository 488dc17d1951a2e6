//! Operations on the words of a vector register. Each word belongs to another row of the matrix.

use std::fmt;

/// A loop that is compiled for the instructions of a level.
pub trait Loop {
    /// Runs it. `#[inline(always)]`, as all that it calls: code that is not inlined is compiled without the
    /// instructions.
    fn run(self);
}

/// Words of a register.
pub trait Vector: Copy + fmt::Debug {
    /// Number of words.
    const LANES: usize;
    /// The proof that the processor has the instructions.
    type Proof: Copy + fmt::Debug;

    /// Runs a loop with the instructions.
    fn execute(proof: Self::Proof, work: impl Loop);

    /// The words of all lanes.
    fn gather(proof: Self::Proof, word: impl Fn(usize) -> u64) -> Self;

    /// The word of a lane.
    fn word(self, lane: usize) -> u64;

    /// All bits of a lane are bit `bit` of byte `lane` of a word.
    fn spread(proof: Self::Proof, bytes: u64, bit: u32) -> Self;

    /// `a ^ b`
    fn differ(a: Self, b: Self) -> Self;

    /// `self | (a ^ b)`
    fn or_differ(self, a: Self, b: Self) -> Self;

    /// Columns of the next row, and the carries out of the words. `differs` has the columns whose symbols
    /// differ from the symbol of the row.
    fn next_row(self, differs: Self, carry: Self) -> (Self, Self);

    /// Each word to the next lane, `first` to the first; and the word of the last lane.
    fn shift_in(self, first: u64) -> (Self, u64);
}

/// Four words on any processor.
#[derive(Debug, Clone, Copy)]
pub struct Portable([u64; 4]);

impl Portable {
    #[inline(always)]
    fn each(word: impl Fn(usize) -> u64) -> Self {
        Self([word(0), word(1), word(2), word(3)])
    }
}

impl Vector for Portable {
    const LANES: usize = 4;
    type Proof = ();

    fn execute((): (), work: impl Loop) {
        work.run();
    }

    #[inline(always)]
    fn gather((): (), word: impl Fn(usize) -> u64) -> Self {
        Self::each(word)
    }

    #[inline(always)]
    fn word(self, lane: usize) -> u64 {
        self.0[lane]
    }

    #[inline(always)]
    fn spread((): (), bytes: u64, bit: u32) -> Self {
        Self::each(|lane| (bytes >> (8 * lane as u32 + bit) & 1).wrapping_neg())
    }

    #[inline(always)]
    fn differ(a: Self, b: Self) -> Self {
        Self::each(|lane| a.0[lane] ^ b.0[lane])
    }

    #[inline(always)]
    fn or_differ(self, a: Self, b: Self) -> Self {
        Self::each(|lane| self.0[lane] | a.0[lane] ^ b.0[lane])
    }

    #[inline(always)]
    fn next_row(self, differs: Self, carry: Self) -> (Self, Self) {
        let (v, d) = (self.0, differs.0);
        let sum = Self::each(|lane| v[lane].wrapping_add(v[lane] & !d[lane]).wrapping_add(carry.0[lane]));
        let row = Self::each(|lane| sum.0[lane] | v[lane] & d[lane]);
        (row, Self::each(|lane| (v[lane] & !(d[lane] & sum.0[lane])) >> 63))
    }

    #[inline(always)]
    fn shift_in(self, first: u64) -> (Self, u64) {
        let [a, b, c, last] = self.0;
        (Self([first, a, b, c]), last)
    }
}
