//! Strings of which one has at most 128 symbols, where preparations take longer than the computation.
//!
//! Idea: the columns of the shorter string are the bits of one word, and a table on the stack has the columns
//! of each symbol. Row by row, as in [`kernel::words`](crate::kernel::words), but without ids, bands and
//! allocations.
//!
//! Restrictions: symbols of the shorter string below 256; at most `MAX_ROWS` symbols in the longer one, so
//! that observers do not wait.
//!
//! Cost: a few operations per symbol. Memory: 4 KiB.

use crate::symbol::Symbol;

/// Symbols of the longer string.
const MAX_ROWS: usize = 1 << 12;
/// Symbols of the shorter string have numbers below this.
pub(crate) const SYMBOLS: usize = 256;

/// Computes with the bits of a word.
macro_rules! in_word {
    ($word:ty, $columns:expr, $rows:expr) => {{
        let mut table: [$word; SYMBOLS] = [0; SYMBOLS];
        for (at, symbol) in $columns.iter().enumerate() {
            *table.get_mut(symbol.value() as usize)? |= 1 << at;
        }
        // A column where the length grows has the bit 0. Bits behind the last column stay 1.
        let row = $rows.iter().fold(<$word>::MAX, |row, symbol| {
            let matches = table.get(symbol.value() as usize).copied().unwrap_or(0);
            row.wrapping_add(row & matches) | row & !matches
        });
        Some(row.count_zeros() as usize)
    }};
}

/// The length of a longest common subsequence; nothing for strings that are not short.
pub fn llcs<S: Symbol>(a: &[S], b: &[S]) -> Option<usize> {
    let (columns, rows) = if a.len() <= b.len() { (a, b) } else { (b, a) };
    match columns.len() {
        0 => Some(0),
        _ if rows.len() > MAX_ROWS => None,
        1..=64 => in_word!(u64, columns, rows),
        65..=128 => in_word!(u128, columns, rows),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rate::Random;

    /// By dynamic programming.
    fn expected(a: &[u32], b: &[u32]) -> usize {
        let mut row = vec![0; b.len() + 1];
        for x in a {
            let mut corner = 0;
            for (at, y) in b.iter().enumerate() {
                let above = row[at + 1];
                row[at + 1] = if x == y { corner + 1 } else { row[at].max(above) };
                corner = above;
            }
        }
        row[b.len()]
    }

    #[test]
    fn every_length_up_to_the_bound() {
        for alphabet in [1, 2, 4, 200] {
            for length in 0..=129 {
                let (a, b) = (Random(7).take(length, alphabet), Random(length as u64).take(150, alphabet));
                let found = (length <= 128).then(|| expected(&a, &b));
                assert_eq!((llcs(&a, &b), llcs(&b, &a)), (found, found), "{length}, {alphabet} symbols");
            }
        }
    }

    #[test]
    fn what_is_not_short_is_left_to_others() {
        assert_eq!(llcs(&[1_u8], &[1; MAX_ROWS]), Some(1));
        assert_eq!(llcs(&[1_u8], &[1; MAX_ROWS + 1]), None);
        assert_eq!((llcs(&[256_u16], &[256, 1]), llcs(&[1_u16], &[256, 1])), (None, Some(1)));
    }
}
