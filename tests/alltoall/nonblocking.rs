//! Nonblocking exchanges (tests/c/nonblocking.c), through the C interface and through the preload library:
//! random counts and datatypes, many requests at once, on several communicators in different orders, mixed
//! with messages.

use crate::common::by_mpi;
use crate::ranks;
use crate::requests::{Requests, SINGLE_COPY, passes};
use hcube_testing as common;

pub const NONBLOCKING: Requests =
    Requests { client: "nonblocking", functions: ["MPI_Ialltoall", "MPI_Ialltoallv", "MPI_Ialltoallw"] };

/// The seed is the number of ranks.
fn numbers(ranks: usize, [rounds, requests, largest]: [u64; 3]) -> [u64; 4] {
    [ranks as u64, rounds, requests, largest]
}

#[test]
fn random_exchanges() {
    for ranks in ranks() {
        passes(NONBLOCKING.launch(ranks, numbers(ranks, [3, 30, 5000])), 3, ranks);
    }
}

#[test]
fn a_thousand_mixed_requests() {
    passes(NONBLOCKING.launch(2, numbers(2, [1, 1000, 3000])), 1, 2);
}

/// Blocks that are long enough to be shared by the two ranks of a pair.
#[test]
fn long_blocks() {
    for &ranks in by_mpi(&[2, 3][..], &[2]) {
        passes(NONBLOCKING.launch(ranks, numbers(ranks, [3, 12, 300_000])), 3, ranks);
    }
}

/// No rank waits for another one when it starts an exchange.
#[test]
fn others_may_start_after_a_message() {
    for &ranks in by_mpi(&[2, 3][..], &[2]) {
        passes(NONBLOCKING.launch(ranks, numbers(ranks, [2, 200, 3000])).arg("late"), 2, ranks);
    }
}

/// Nor where it is thousands of exchanges ahead, more than the table of a node has rows for.
#[test]
fn others_may_start_after_thousands() {
    for &ranks in by_mpi(&[2, 3][..], &[2]) {
        let numbers = numbers(ranks, [1, 14_000, 3]);
        passes(NONBLOCKING.launch(ranks, numbers).arg("late"), 1, ranks);
        let (text, statistics) = NONBLOCKING.preloaded(ranks, numbers, &["late"], &[SINGLE_COPY]);
        assert_eq!(text, "ok 1 served=0");
        let served = |function| statistics.rows(function, false).iter().any(|row| row.0 == "single-copy");
        if !NONBLOCKING.functions.into_iter().all(served) {
            common::unproved("single-copy", "no exchange took this path");
        }
    }
}

/// Blocks that are too long are errors of one rank of a pair, and invalid arguments errors of the rank that
/// passes them, with short blocks and with blocks that two ranks share.
#[test]
fn errors_are_those_of_the_rank_that_finds_them() {
    let served = NONBLOCKING.calls(2, numbers(2, [1, 10, 100]), &[SINGLE_COPY]);
    if served.iter().all(|[served, _]| *served == 0) {
        common::unproved("single-copy", "no exchange took this path");
        return;
    }
    for (mode, block) in [("hcube", "2000"), ("hcube", "100000"), ("preload", "2000")] {
        for &ranks in by_mpi(&[2, 3, 5][..], &[2]) {
            let (numbers, more) = (numbers(ranks, [5, 1, 1]), ["refused", block]);
            let text = match mode {
                "hcube" => NONBLOCKING.launch(ranks, numbers).args(more).whole_lines().run().success(),
                _ => NONBLOCKING.preloaded(ranks, numbers, &more, &[SINGLE_COPY]).0,
            };
            assert_eq!(text.trim(), "truncated 1", "{mode}, {ranks} ranks, blocks of {block}");
        }
    }
}

#[test]
fn preloaded_calls_are_served() {
    for &ranks in by_mpi(&[2, 3, 5][..], &[2]) {
        NONBLOCKING.are_served(ranks, numbers(ranks, [4, 60, 20_000]));
    }
}

#[test]
fn other_calls_are_forwarded() {
    NONBLOCKING.are_forwarded(numbers(2, [4, 60, 90_000]));
}
