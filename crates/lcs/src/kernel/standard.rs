//! The standard algorithm: every entry of the matrix by dynamic programming, on antidiagonals.
//!
//! Idea: L(i, j) is L(i - 1, j - 1) + 1 where both symbols are equal, else the larger of L(i - 1, j) and L(i,
//! j - 1). The entries with the same i + j depend only on the two antidiagonals before, so that a vector
//! register computes one per lane. In a block of at most `WIDTH` columns and `HEIGHT` rows they differ from
//! its first entry by less than 2^15: values of 16 bits, twice the lanes of 32. Blocks exchange differences,
//! as all kernels.
//!
//! Restrictions: none. Cost: n m entries with a comparison, two additions or maxima and a selection each.
//! Memory: three antidiagonals of `WIDTH` values, `HEIGHT` symbols of text and values of the boundary, two
//! bytes per symbol of the alphabet.
//!
//! Source: Krusche 2005, §5.1, which computes row by row; the antidiagonals correspond to its wavefront,
//! within a block.

#[cfg(target_arch = "x86_64")]
use super::avx2;
use super::vector::{self, Loop, Vector};
use super::{Tick, WORD};
use crate::symbol::Id;
use hcube_core::machine::instructions::Level;
use std::ops::ControlFlow;

/// Columns of a block.
const WIDTH: usize = 16 * WORD;
/// Rows of a block.
const HEIGHT: usize = 192 * WORD;

/// Entries that are computed at a time: as many as an AVX2 register holds. What is computed behind the end of
/// an antidiagonal is never read.
const LANES: usize = 16;

const _: () = assert!(WIDTH + HEIGHT < i16::MAX as usize);

/// The number of a symbol of text that the block's part of string A does not have.
const ABSENT: u16 = u16::MAX;

/// Memory of a block.
#[derive(Debug)]
pub struct Entries {
    level: Level,
    /// Number of each symbol among the symbols of the block's columns, [`ABSENT`] outside of calls.
    numbers: Vec<u16>,
    block: Block,
}

/// A block: L relative to its corner, for columns 0 to `width` and rows 0 to `height`.
#[derive(Debug, Default)]
struct Block {
    /// Symbols of the columns.
    symbols: Vec<u16>,
    /// Symbols of the rows, last first, so that the symbols of an antidiagonal lie as the columns do.
    text: Vec<u16>,
    /// L of column 0, by row; afterwards L of the last column.
    side: Vec<i16>,
    /// The antidiagonals before the last, the last and the next, by column.
    before: Vec<i16>,
    last: Vec<i16>,
    next: Vec<i16>,
    /// L of row 0, by column; afterwards L of the last row.
    row: Vec<i16>,
}

impl Entries {
    /// For symbols below `alphabet`, with the instructions of a level.
    pub fn new(alphabet: usize, level: Level) -> Self {
        Self { level, numbers: vec![ABSENT; alphabet], block: Block::default() }
    }

    /// Takes columns, which have these symbols of string A, through the rows of a text.
    pub fn advance<I: Id>(
        &mut self,
        symbols: &[I],
        columns: &mut [u64],
        text: &[I],
        carries: &mut [u64],
        tick: &mut Tick<'_>,
    ) -> ControlFlow<()> {
        for (symbols, columns) in symbols.chunks(WIDTH).zip(columns.chunks_mut(WIDTH / WORD)) {
            self.enter(symbols);
            for (text, carries) in text.chunks(HEIGHT).zip(carries.chunks_mut(HEIGHT / WORD)) {
                self.block.text.clear();
                self.block.text.extend(text.iter().rev().map(|symbol| self.numbers[symbol.index()]));
                sums(&mut self.block.row, symbols.len(), columns, u64::MAX);
                sums(&mut self.block.side, text.len(), carries, 0);
                self.block.fill(self.level);
                differences(&self.block.row, columns, u64::MAX);
                differences(&self.block.side, carries, 0);
                tick(symbols.len() as u64 * text.len() as u64)?;
            }
            for symbol in symbols {
                self.numbers[symbol.index()] = ABSENT;
            }
        }
        ControlFlow::Continue(())
    }

    fn enter<I: Id>(&mut self, symbols: &[I]) {
        self.block.symbols.clear();
        let mut used = 0;
        for symbol in symbols {
            let number = &mut self.numbers[symbol.index()];
            if *number == ABSENT {
                *number = used;
                used += 1;
            }
            self.block.symbols.push(*number);
        }
    }
}

/// The values of a boundary from its differences, which are bits after `flip`.
fn sums(values: &mut Vec<i16>, length: usize, bits: &[u64], flip: u64) {
    values.clear();
    values.push(0);
    let mut value = 0;
    values.extend((0..length).map(|at| {
        value += ((bits[at / WORD] ^ flip) >> (at % WORD) & 1) as i16;
        value
    }));
}

/// The inverse of [`sums`]; bits behind the last value stay as they are.
fn differences(values: &[i16], bits: &mut [u64], flip: u64) {
    let mut previous = values[0];
    for (word, values) in bits.iter_mut().zip(values[1..].chunks(WORD)) {
        let mut grows = 0;
        for (at, &value) in values.iter().enumerate() {
            grows |= u64::from(value != previous) << at;
            previous = value;
        }
        let valid = u64::MAX >> (WORD - values.len());
        *word = *word & !valid | (grows ^ flip) & valid;
    }
}

impl Block {
    /// Computes the block with the instructions of a level.
    fn fill(&mut self, level: Level) {
        match level {
            #[cfg(target_arch = "x86_64")]
            Level::Avx2(proof) => avx2::Wide::execute(proof, self),
            // Registers of AVX-512 need AVX-512BW for values of 16 bits, which the level does not prove.
            #[cfg(target_arch = "x86_64")]
            Level::Avx512(proof) => avx2::Wide::execute(proof.avx2(), self),
            _ => vector::Portable::execute((), self),
        }
    }
}

impl Loop for &mut Block {
    /// Antidiagonal d has the entries of column i and row d - i.
    #[inline(always)]
    fn run(self) {
        let (width, height) = (self.row.len() - 1, self.side.len() - 1);
        self.symbols.resize(width + LANES, 0);
        self.text.resize(height + LANES, 0);
        for diagonal in [&mut self.before, &mut self.last, &mut self.next] {
            diagonal.resize(WIDTH + 1 + LANES, 0);
        }
        // Row 0 and column 0 enter and leave one value per antidiagonal.
        self.before[0] = 0;
        self.last[0] = self.side[1];
        self.last[1] = self.row[1];
        self.side[0] = self.row[width];
        if height == 1 {
            self.row[0] = self.side[1];
        }
        for d in 2..=width + height {
            let first = d.saturating_sub(height).max(1);
            let end = width.min(d - 1) + 1;
            antidiagonal(
                end - first,
                &mut self.next[first..],
                [&self.symbols[first - 1..], &self.text[height + first - d..]],
                [&self.before[first - 1..], &self.last[first - 1..], &self.last[first..]],
            );
            if d <= height {
                self.next[0] = self.side[d];
            }
            if d <= width {
                self.next[d] = self.row[d];
            }
            if d >= height {
                self.row[d - height] = self.next[d - height];
            }
            if d > width {
                self.side[d - width] = self.next[width];
            }
            let free = std::mem::replace(&mut self.before, std::mem::take(&mut self.last));
            self.last = std::mem::replace(&mut self.next, free);
        }
    }
}

/// Computes the entries of an antidiagonal from their neighbours to the upper left, to the left and above, in
/// whole groups of lanes; the last group may go beyond the end.
#[inline(always)]
fn antidiagonal(
    length: usize,
    next: &mut [i16],
    [symbols, text]: [&[u16]; 2],
    [corner, left, above]: [&[i16]; 3],
) {
    let groups = length.div_ceil(LANES);
    let next = &mut next.as_chunks_mut::<LANES>().0[..groups];
    let symbols = symbols.as_chunks::<LANES>().0.iter().zip(text.as_chunks::<LANES>().0);
    let corners = corner.as_chunks::<LANES>().0;
    let neighbours = left.as_chunks::<LANES>().0.iter().zip(above.as_chunks::<LANES>().0);
    for (((next, (symbols, text)), corner), (left, above)) in
        next.iter_mut().zip(symbols).zip(corners).zip(neighbours)
    {
        let mut lanes = [0; LANES];
        for lane in 0..LANES {
            let (longer, larger) = (corner[lane].wrapping_add(1), left[lane].max(above[lane]));
            lanes[lane] = if symbols[lane] == text[lane] { longer } else { larger };
        }
        *next = lanes;
    }
}
