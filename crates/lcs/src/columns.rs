//! Differences between columns as bits.
//!
//! With L(i, j) the length for the first i symbols of string A and the first j of string B, columns are
//! numbered by i and rows by j. In row j, bit i of the columns is 0 where L(i, j) = L(i - 1, j) + 1, else 1,
//! so that the zeros are as many as the length. From one row to the next, L(i, j) grows by at most 1; the bit
//! that says so crosses the boundary between the columns up to i and those behind it: the *carry* of row j,
//! as it is the carry of an addition in bit-parallel algorithms.
//!
//! So a block of the matrix takes the bits of its columns above it and one carry per row from its left, and
//! hands on the same below and to its right (Krusche 2005, §5.2). All kernels compute such blocks.

use hcube_core::Error;
use hcube_core::memory::reserve;

/// Columns of a word.
pub const WORD: usize = u64::BITS as usize;

/// Words that hold the bits of columns, or the carries of rows.
pub fn words(bits: usize) -> usize {
    bits.div_ceil(WORD)
}

/// The bits of columns in row 0. Bits behind the last column are 1 and stay so.
///
/// # Errors
/// [`Error::Memory`] where there is no room for them.
pub fn first_row(columns: usize) -> Result<Vec<u64>, Error> {
    reserve::filled(u64::MAX, words(columns), "bits of columns")
}

/// How much L grows over these columns.
pub fn growth(columns: &[u64]) -> usize {
    columns.iter().map(|word| word.count_zeros() as usize).sum()
}
