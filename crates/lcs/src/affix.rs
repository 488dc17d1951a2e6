//! The common beginning and the common end of two strings.
//!
//! Idea: a longest common subsequence of two strings contains their common prefix and their common suffix, so
//! its length is the sum of the lengths of both and of a longest common subsequence of what is left. Strings
//! are compared by pieces, for which the compiler calls `memcmp`.
//!
//! Cost: one pass over what is equal.

/// Symbols of a piece, and of the pieces of what is left, which are shorter than a call of `memcmp` is worth:
/// of bytes a word.
const PIECE: usize = 64;
const SHORT: usize = 8;

/// Two strings without their common beginning and their common end, and the number of symbols that went.
pub fn strip<'a, S: Eq>(a: &'a [S], b: &'a [S]) -> (usize, &'a [S], &'a [S]) {
    let prefix = prefix(a, b);
    let (a, b) = (&a[prefix..], &b[prefix..]);
    let suffix = suffix(a, b);
    (prefix + suffix, &a[..a.len() - suffix], &b[..b.len() - suffix])
}

fn prefix<S: Eq>(a: &[S], b: &[S]) -> usize {
    let start = pieces_at_start::<PIECE, S>(a, b);
    let start = start + pieces_at_start::<SHORT, S>(&a[start..], &b[start..]);
    start + pieces_at_start::<1, S>(&a[start..], &b[start..])
}

fn suffix<S: Eq>(a: &[S], b: &[S]) -> usize {
    let end = pieces_at_end::<PIECE, S>(a, b);
    let end = end + pieces_at_end::<SHORT, S>(&a[..a.len() - end], &b[..b.len() - end]);
    end + pieces_at_end::<1, S>(&a[..a.len() - end], &b[..b.len() - end])
}

/// Symbols of the pieces of N symbols that are equal at the beginning.
fn pieces_at_start<const N: usize, S: Eq>(a: &[S], b: &[S]) -> usize {
    let pieces = a.chunks_exact(N).zip(b.chunks_exact(N));
    N * pieces.take_while(|(a, b)| a == b).count()
}

/// Symbols of the pieces of N symbols that are equal at the end.
fn pieces_at_end<const N: usize, S: Eq>(a: &[S], b: &[S]) -> usize {
    let pieces = a.rchunks_exact(N).zip(b.rchunks_exact(N));
    N * pieces.take_while(|(a, b)| a == b).count()
}

#[cfg(test)]
mod tests {
    use super::strip;

    #[test]
    fn common_beginnings_and_ends_of_every_length_go() {
        for prefix in [0, 1, 63, 64, 65, 128, 200] {
            for suffix in [0, 1, 63, 64, 65, 130] {
                let string = |middle: &[u8]| [&vec![1; prefix], middle, &vec![2; suffix]].concat();
                let (a, b) = (string(&[3, 5, 4]), string(&[6, 7]));
                let both = prefix + suffix;
                assert_eq!(strip(&a, &b), (both, &[3, 5, 4][..], &[6, 7][..]));
                // The end of the shorter string belongs to the prefix, and is not counted again.
                assert_eq!(strip(&a, &string(&[])).0, both);
                assert_eq!(strip(&a, &a), (a.len(), &[][..], &[][..]));
                assert_eq!(strip(&a, &[]), (0, &a[..], &[][..]));
            }
        }
    }
}
