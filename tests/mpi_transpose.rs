//! hcube_transpose from C: tests/c/transpose.c on every path.

mod common;

use common::{Launch, Mpi};

#[test]
fn every_element_arrives_and_bad_input_is_refused() {
    // MPICH never yields: more ranks than cores take minutes.
    let ranks: &[usize] = if Mpi::selected() == Mpi::Open { &[1, 2, 3, 5, 8] } else { &[1, 2] };
    for &ranks in ranks {
        for (path, memory, per_node) in [
            ("auto", "1M", "0"),
            ("single-copy", "1M", "0"),
            ("shared", "0", "0"),
            ("message", "64k", "0"),
            ("auto", "1M", "1"),
            ("auto", "0", "2"),
        ] {
            let text = Launch::client("transpose", ranks)
                .env("HCUBE_PATH", path)
                .env("HCUBE_MEMORY", memory)
                .env("HCUBE_RANKS_PER_NODE", per_node)
                .limit(120)
                .run()
                .success();
            let numbers: Vec<usize> = text
                .lines()
                .find_map(|line| line.strip_prefix("ok "))
                .expect("a last line")
                .split(' ')
                .map(|word| word.parse().expect("a number"))
                .collect();
            assert!(numbers[0] >= 2 * (88 + 2 * 20) && numbers[1] >= 13, "{text}");
        }
    }
}
