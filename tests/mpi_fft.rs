//! hcube_fft_* from C: tests/c/fft.c in shared memory and with messages.

use hcube_testing as common;

use common::{Launch, Mpi};

#[test]
fn transforms_are_those_of_the_definition_and_bad_input_is_refused() {
    // MPICH never yields: more ranks than cores take minutes.
    let ranks: &[usize] = if Mpi::selected() == Mpi::Open { &[1, 2, 3, 5, 6, 8] } else { &[1, 2] };
    for &ranks in ranks {
        for (path, per_node) in [("auto", "0"), ("message", "0"), ("auto", "2")] {
            let text = Launch::client("fft", ranks)
                .env("HCUBE_PATH", path)
                .env("HCUBE_RANKS_PER_NODE", per_node)
                .limit(120)
                .run()
                .success();
            // Twelve lengths on three communicators, twice, and in memory of the plan; four there and back; one after the
            // refusals.
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
