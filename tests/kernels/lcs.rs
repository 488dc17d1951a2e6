//! hcube_llcs from C: tests/c/lcs.c.

use crate::common;
use crate::common::{Launch, by_mpi};

#[test]
fn lengths_are_those_of_the_definition_and_bad_input_is_refused() {
    for &ranks in by_mpi(&[1, 2, 3, 5, 8][..], &[1, 2]) {
        let text = Launch::client("lcs", ranks).limit(60).run().success();
        assert_eq!(text.trim(), common::lcs::expected(ranks));
    }
}
