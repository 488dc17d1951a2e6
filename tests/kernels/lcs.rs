//! hcube_llcs from C: tests/c/lcs.c.

use crate::common;
use crate::common::{Launch, Mpi};

#[test]
fn lengths_are_those_of_the_definition_and_bad_input_is_refused() {
    // MPICH never yields: more ranks than cores take minutes.
    let counts: &[usize] = if Mpi::selected() == Mpi::Open { &[1, 2, 3, 5, 8] } else { &[1, 2] };
    for &ranks in counts {
        let text = Launch::client("lcs", ranks).limit(60).run().success();
        assert_eq!(text.trim(), common::lcs::expected(ranks));
    }
}
