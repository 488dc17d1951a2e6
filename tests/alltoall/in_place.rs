//! The general exchange in place (tests/c/alltoall_in_one_buffer.c): random counts, displacements and
//! datatypes, with memory from a few bytes to more than the data.

use crate::common;
use crate::common::{Launch, by_mpi};
use crate::{ranks, used};

fn client(ranks: usize, [seed, cases, largest]: [u64; 3], memory: &str) -> Launch {
    let numbers = [seed, cases, largest].map(|number| number.to_string());
    Launch::client("alltoall_in_one_buffer", ranks).args(numbers).env("HCUBE_MEMORY", memory)
}

/// By single copy, which is the default, and by messages.
#[test]
fn random_calls_with_64_kib() {
    for (number, (path, expected)) in [("auto", "single-copy"), ("message", "message")].iter().enumerate() {
        for ranks in ranks() {
            // On few ranks, blocks of a megabyte and more.
            let largest = if ranks < 4 { 400_000 } else { 30_000 };
            let launch = client(ranks, [(2 * ranks + number) as u64, 15, largest], "64k");
            let text = launch.env("HCUBE_PATH", path).run().success();
            assert!(text.starts_with("ok 15"), "{text}");
            if ranks > 1 && used(&text, expected) < 8 {
                assert!(*path == "auto" && used(&text, "message") >= 8, "{text}");
                common::unproved("single-copy", "the exchanges went by messages");
            }
        }
    }
}

/// Blocks that the kernel refuses to copy are sent by messages.
#[test]
fn copies_that_are_refused() {
    for ranks in by_mpi(&[2, 3, 5][..], &[2]) {
        for seed in 0..4 {
            let launch = client(*ranks, [seed, 20, 60_000], "64k").args(["fail"]);
            let text = launch.run().success();
            assert!(text.starts_with("ok 20"), "{text}");
            if used(&text, "refused") == 0 {
                common::unproved("single-copy", "no copy was tried");
            }
        }
    }
}

#[test]
fn random_calls_with_other_bounds() {
    // Next to no memory makes a message of every few bytes.
    for (memory, largest) in [("0", 10_000), ("1000", 10_000), ("1M", 40_000), ("1G", 40_000)] {
        for ranks in by_mpi(&[2, 3, 5][..], &[2]) {
            let text = client(*ranks, [50, 12, largest], memory).run().success();
            assert!(text.starts_with("ok 12"), "{text}");
            // With memory for all, shared memory or single copy.
            assert!(memory != "1G" || used(&text, "message") == 0, "{text}");
        }
    }
}

#[test]
fn no_rank_waits_where_one_is_refused() {
    let ranks = by_mpi(3, 2);
    for (what, class) in
        [("counts", "truncate"), ("overlap", "buffer"), ("datatype", "type"), ("null", "buffer")]
    {
        let mut launch = client(ranks, [7, 1, 5000], "64k").whole_lines();
        launch = launch.args([what]);
        let text = launch.run().success();
        let refused =
            text.lines().filter(|line| line.starts_with("refused") && line.ends_with(class)).count();
        assert_eq!(refused, ranks, "{what}: {text}");
    }
}
