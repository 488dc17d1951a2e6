//! Bad input and faults: nothing written, no rank left waiting, nothing left behind.

use crate::common;
use crate::common::{Launch, by_mpi};

/// Every bad input of tests/c/errors.c on one, two and three ranks.
#[test]
fn bad_input_is_refused_on_all_ranks() {
    for ranks in 1..=by_mpi(3, 2) {
        let text = Launch::client("errors", ranks).run().success();
        let refusals = text
            .split_whitespace()
            .nth(1)
            .and_then(|word| word.parse::<u32>().ok())
            .expect("ok <n> refusals");
        // Fewer would mean that parts were left out: with one rank there is nothing that differs.
        assert!(refusals > if ranks == 1 { 150 } else { 230 }, "{text}");
    }
}

/// A rank that dies ends the job; the others do not spin on.
#[test]
fn a_killed_rank_ends_the_job() {
    let before = common::named_shared_memory();
    for mode in ["auto", "message"] {
        let ranks = by_mpi(3, 2);
        let outcome = Launch::client("killed", ranks).env("HCUBE_MODE", mode).limit(60).run();
        assert!(outcome.stdout.contains("ready"), "the run has not begun: {outcome:?}");
        assert!(!outcome.status.success() && !outcome.stdout.contains("came back"), "{outcome:?}");
        assert!(outcome.left.is_empty(), "processes left: {outcome:?}");
    }
    common::assert_no_shared_memory_left(&before);
}
