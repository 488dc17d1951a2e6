//! The common beginning and the common end of two strings.
//!
//! Idea: a longest common subsequence of two strings contains their common prefix and their common suffix, so its length
//! is that of both and of a longest common subsequence of what is left. Strings are compared by pieces, for which the
//! compiler calls `memcmp`.
//!
//! Cost: one pass over what is equal.

/// Symbols that are compared by one call.
const PIECE: usize = 64;

/// Two strings without their common beginning and their common end, and the number of symbols that went.
pub fn strip<'a, S: Eq>(a: &'a [S], b: &'a [S]) -> (usize, &'a [S], &'a [S]) {
    let prefix = prefix(a, b);
    let (a, b) = (&a[prefix..], &b[prefix..]);
    let suffix = suffix(a, b);
    (prefix + suffix, &a[..a.len() - suffix], &b[..b.len() - suffix])
}

fn prefix<S: Eq>(a: &[S], b: &[S]) -> usize {
    let pieces = a.chunks_exact(PIECE).zip(b.chunks_exact(PIECE));
    let start = PIECE * pieces.take_while(|(a, b)| a == b).count();
    start + a[start..].iter().zip(&b[start..]).take_while(|(a, b)| a == b).count()
}

fn suffix<S: Eq>(a: &[S], b: &[S]) -> usize {
    let pieces = a.rchunks_exact(PIECE).zip(b.rchunks_exact(PIECE));
    let end = PIECE * pieces.take_while(|(a, b)| a == b).count();
    let rest = a[..a.len() - end].iter().rev().zip(b[..b.len() - end].iter().rev());
    end + rest.take_while(|(a, b)| a == b).count()
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
