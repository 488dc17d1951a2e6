//! A block of a matrix in memory that other processes may read.

use crate::distribution::ELEMENT_BYTES;
use hcube_core::memory::{Region, bytes_of, bytes_of_mut};

/// Elements that are copied at a time, within a page of the stack.
const CHUNK: usize = 256;

/// Sizes of a product of two blocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sizes {
    /// Rows of A and C (m).
    pub rows: usize,
    /// Columns of B and C (n).
    pub columns: usize,
    /// Columns of A and rows of B (k).
    pub inner: usize,
}

/// A block of doubles, stored by columns.
#[derive(Debug, Clone, Copy)]
pub struct Block {
    /// Its memory, from its first element to its last one or further.
    pub memory: Region<'static>,
    /// Elements from one column to the next.
    pub leading: usize,
}

impl Block {
    /// Some rows of a column.
    fn column(self, row: usize, column: usize, rows: usize) -> Region<'static> {
        let begin = (column * self.leading + row) * ELEMENT_BYTES;
        self.memory.part(begin..begin + rows * ELEMENT_BYTES)
    }

    /// Copies the elements of a column from `row` on.
    ///
    /// # Panics
    /// If they are not inside the memory.
    pub fn read(self, row: usize, column: usize, into: &mut [f64]) {
        let mut words = [0; CHUNK];
        for (number, into) in into.chunks_mut(CHUNK).enumerate() {
            let words = &mut words[..into.len()];
            self.column(row + number * CHUNK, column, into.len()).read(bytes_of_mut::<u64>(words));
            into.iter_mut().zip(words).for_each(|(into, word)| *into = f64::from_bits(*word));
        }
    }

    /// Overwrites the elements of a column from `row` on.
    ///
    /// # Panics
    /// If they are not inside the memory.
    pub fn write(self, row: usize, column: usize, from: &[f64]) {
        let mut words = [0; CHUNK];
        for (number, from) in from.chunks(CHUNK).enumerate() {
            let words = &mut words[..from.len()];
            words.iter_mut().zip(from).for_each(|(word, from)| *word = from.to_bits());
            self.column(row + number * CHUNK, column, from.len()).write(bytes_of::<u64>(words));
        }
    }

    /// Adds another block of `rows` x `columns` elements to this one.
    ///
    /// # Panics
    /// If one of them is not inside its memory.
    pub fn add(self, other: Self, rows: usize, columns: usize) {
        let (mut sums, mut terms) = ([0.0; CHUNK], [0.0; CHUNK]);
        for column in 0..columns {
            for row in (0..rows).step_by(CHUNK) {
                let length = CHUNK.min(rows - row);
                let (sums, terms) = (&mut sums[..length], &mut terms[..length]);
                self.read(row, column, sums);
                other.read(row, column, terms);
                sums.iter_mut().zip(terms).for_each(|(sum, term)| *sum += *term);
                self.write(row, column, sums);
            }
        }
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// A matrix with space between its columns.
    pub struct Matrix {
        memory: Vec<f64>,
        rows: usize,
        columns: usize,
        leading: usize,
    }

    /// The padding between columns.
    const FILL: f64 = -99.0;

    impl Matrix {
        pub fn new(rows: usize, columns: usize, extra: usize, value: impl Fn(usize, usize) -> f64) -> Self {
            let leading = rows + extra;
            let mut memory = vec![FILL; leading * columns];
            for (row, column) in (0..rows).flat_map(|row| (0..columns).map(move |column| (row, column))) {
                memory[row + column * leading] = value(row, column);
            }
            Self { memory, rows, columns, leading }
        }

        pub fn block(&mut self) -> Block {
            let length = self.memory.len() * ELEMENT_BYTES;
            // SAFETY: the memory is used only through the region until the caller has finished, and lives
            // longer.
            let memory = unsafe { Region::new(self.memory.as_mut_ptr().cast(), length) };
            Block { memory, leading: self.leading }
        }

        pub fn expect(&self, value: impl Fn(usize, usize) -> f64) {
            for (place, found) in self.memory.iter().enumerate() {
                let (row, column) = (place % self.leading, place / self.leading);
                let expected = if row < self.rows { value(row, column) } else { FILL };
                assert_eq!(*found, expected, "({row}, {column}) of {} x {}", self.rows, self.columns);
            }
        }
    }

    #[test]
    fn blocks_are_added() {
        for (rows, columns) in [(3, 2), (256, 1), (700, 3), (0, 4)] {
            let value = |row: usize, column: usize| (row * 3 + column) as f64;
            let mut sum = Matrix::new(rows, columns, 2, value);
            let mut term = Matrix::new(rows, columns, 0, |row, column| 2.0 * value(row, column));
            sum.block().add(term.block(), rows, columns);
            sum.expect(|row, column| 3.0 * value(row, column));
        }
    }
}
