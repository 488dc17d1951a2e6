//! hcube_llcs from C: tests/c/lcs.c.

use hcube_testing as common;

use common::{Launch, Mpi};

/// Pairs of strings: random ones over five alphabets in bytes and six in symbols of 2 and 4 bytes, eight others of each, twice;
/// one beside a message of the program, one after the refusals.
const PAIRS: usize = 2 * (5 + 2 * 6 + 3 * 8) + 2;

#[test]
fn lengths_are_those_of_the_definition_and_bad_input_is_refused() {
    // MPICH never yields: more ranks than cores take minutes.
    let counts: &[usize] = if Mpi::selected() == Mpi::Open { &[1, 2, 3, 5, 8] } else { &[1, 2] };
    for &ranks in counts {
        let text = Launch::client("lcs", ranks).limit(60).run().success();
        // Each pair with a bound and without; one length before the computations that each rank ends, and after each.
        let ended = 2 * ranks;
        let refusals = if ranks == 1 { 13 } else { 16 };
        assert_eq!(text.trim(), format!("ok {} {ended} {refusals}", 2 * PAIRS + 1 + ended));
    }
}
