//! The client of longest common subsequences, tests/c/lcs.c.

/// Pairs of strings: random ones over five alphabets in bytes and six in symbols of 2 and 4 bytes, eight
/// others of each, twice; one beside a message of the program, one after the refusals.
const PAIRS: usize = 2 * (5 + 2 * 6 + 3 * 8) + 2;

/// The output of the client if every length is right.
pub fn expected(ranks: usize) -> String {
    // Each rank ends two computations.
    let ended = 2 * ranks;
    let refusals = if ranks == 1 { 13 } else { 16 };
    // Each pair with a bound and without; one length before the computations that are ended, and after each.
    format!("ok {} {ended} {refusals}", 2 * PAIRS + 1 + ended)
}
