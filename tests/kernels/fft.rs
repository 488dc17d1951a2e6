//! hcube_fft_* from C: tests/c/fft.c in shared memory and with messages, tests/c/fft_binary.c and
//! tests/c/fft_threads.c by binary exchange.

use crate::common;
use crate::common::{Launch, Mpi, by_mpi};

#[test]
fn transforms_are_those_of_the_definition_and_bad_input_is_refused() {
    for &ranks in by_mpi(&[1, 2, 3, 5, 6, 8][..], &[1, 2]) {
        for (path, per_node) in [("auto", "0"), ("message", "0"), ("auto", "2")] {
            let text = Launch::client("fft", ranks)
                .env("HCUBE_PATH", path)
                .env("HCUBE_RANKS_PER_NODE", per_node)
                .limit(120)
                .run()
                .success();
            // Twelve lengths on three communicators, twice, and in memory of the plan; four there and back;
            // one after the refusals.
            let refusals = if ranks == 1 { 17 } else { 21 };
            assert!(text.contains(&format!("ok {} {refusals}", 12 * 3 * 2 + 12 + 4 + 1)), "{text}");
        }
    }
}

#[test]
fn seven_ranks_are_refused() {
    if Mpi::selected() == Mpi::Open {
        let text = Launch::client("fft", 7).limit(60).run().success();
        assert!(text.contains("ok 0 1"), "{text}");
    }
}

/// Transforms by binary exchange on a number of ranks, of which some count as a node.
fn binary_exchange(ranks: usize, per_node: usize) {
    let text = Launch::client("fft_binary", ranks).per_node(per_node).limit(200).run().success();
    let lengths = 17 - (ranks * ranks.max(64)).ilog2();
    let refusals = match ranks {
        1 => 4,
        2 => 6,
        _ => 7,
    };
    assert!(text.contains(&format!("ok {} {refusals}", 2 * lengths + 4)), "{text}");
}

#[test]
fn binary_exchange_has_the_results_of_six_steps() {
    for &ranks in by_mpi(&[1, 2, 4, 8][..], &[1, 2]) {
        binary_exchange(ranks, 0);
    }
}

#[test]
fn binary_exchange_between_nodes() {
    binary_exchange(2, 1);
    if Mpi::selected() == Mpi::Open {
        binary_exchange(4, 2);
    }
}

#[test]
fn binary_exchange_needs_a_power_of_two_of_ranks() {
    if Mpi::selected() == Mpi::Open {
        let text = Launch::client("fft_binary", 3).limit(60).run().success();
        assert!(text.contains("ok 1 1"), "{text}");
    }
}

/// The runtime that a transform has started ends in MPI_Finalize: without a word about an image that has
/// failed.
#[test]
fn binary_exchange_refuses_other_threads_on_all_ranks() {
    let outcome = Launch::client("fft_threads", 2).limit(60).run();
    assert!(!outcome.stderr.contains("hcube_caf_finalize"), "{outcome:?}");
    let text = outcome.success();
    if text.contains("skipped threads") {
        common::unproved("threads", "this MPI library has no MPI_THREAD_SERIALIZED");
    } else {
        assert!(text.contains("ok 2 4"), "{text}");
    }
}
