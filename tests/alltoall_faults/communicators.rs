//! The state of the all-to-all exchange on communicators: its lifetime and its memory.

use crate::common;
use crate::common::{Launch, by_mpi};

const PATHS: [&str; 4] = ["auto", "single-copy", "shared", "message"];

#[test]
fn state_lives_and_goes_with_its_communicator() {
    for path in PATHS {
        for &ranks in by_mpi(&[1, 2, 5][..], &[1, 2]) {
            let launch = Launch::client("alltoall_communicators", ranks).arg("several");
            let text = launch.env("HCUBE_PATH", path).limit(60).run().success();
            assert!(text.contains("ok several"), "{text}");
        }
    }
}

/// 5000 communicators, one after the other: memory, files and mappings stay as they are.
#[test]
fn nothing_remains_of_communicators() {
    for path in PATHS {
        for &ranks in by_mpi(&[1, 3][..], &[1, 2]) {
            let launch = Launch::client("alltoall_communicators", ranks).alone().args(["cycles", "5000"]);
            let text = launch.env("HCUBE_PATH", path).run().success();
            assert!(text.contains("ok cycles"), "{text}");
        }
    }
}

/// Four threads, each with its own communicator.
#[test]
fn threads_with_communicators_of_their_own() {
    for path in PATHS {
        for ranks in 1..=2 {
            let launch = Launch::client("alltoall_communicators", ranks).arg("threads");
            let text = launch.env("HCUBE_PATH", path).run().success();
            if text.contains("skipped threads") {
                common::skip("thread-multiple", "the MPI library provides no MPI_THREAD_MULTIPLE");
            } else {
                assert!(text.contains("ok threads"), "{text}");
            }
        }
    }
}

/// Growth beside the data at the end of the first call and in a later one.
fn growth(ranks: usize, path: &str, memory: &str, bytes: i64, kind: Option<&str>) -> [i64; 2] {
    let launch =
        Launch::client("alltoall_memory", ranks).alone().args(["bound", &bytes.to_string()]).args(kind);
    let text = launch.env("HCUBE_PATH", path).env("HCUBE_MEMORY", memory).run().success();
    ["first=", "steady="].map(|name| {
        let word = text.split_whitespace().find_map(|word| word.strip_prefix(name)).expect("a figure");
        word.parse().expect("bytes")
    })
}

/// Memory of messages beyond hcube's bound: MPI's buffers and requests of outstanding messages. It depends on
/// the number of outstanding pieces, not on the data.
const MPI_OWN: i64 = 512 << 10;

/// The bound holds for all sizes of data, also for non-contiguous blocks.
#[test]
fn memory_beside_the_data_is_bounded() {
    for path in ["single-copy", "shared", "message"] {
        for (memory, limit) in [("0", 0), ("64k", 64 << 10), ("1M", 1 << 20)] {
            for &ranks in by_mpi(&[2, 3][..], &[2]) {
                for (bytes, kind) in
                    [(1_000_000, None), (16_000_000, None), (64_000_000, None), (16_000_000, Some("vector"))]
                {
                    let [first, steady] = growth(ranks, path, memory, bytes, kind);
                    let mut bound = limit + (64 << 10);
                    if path == "message" {
                        bound += MPI_OWN;
                    }
                    let what =
                        format!("{path}, {memory}, {ranks} ranks, {bytes} bytes {kind:?}: {first}, {steady}");
                    assert!(steady <= bound, "more than {bound}: {what}");
                    // One-time costs of the first call: preparing the communicator.
                    assert!(first <= bound + (256 << 10), "first call: {what}");
                }
            }
        }
    }
}

/// It holds on each rank where many share memory: the kernel divides a page among the ranks that have mapped
/// it, and in the first exchanges they map different ones.
#[test]
fn shares_of_memory_are_bounded() {
    for path in ["auto", "shared"] {
        for &ranks in by_mpi(&[4, 8][..], &[2]) {
            for bytes in [1_000_000, 4_000_000] {
                for kind in [None, Some("random")] {
                    let [first, steady] = growth(ranks, path, "1M", bytes, kind);
                    let bound = (1 << 20) + (64 << 10);
                    let what = format!("{path}, {ranks} ranks, {bytes} bytes {kind:?}: {first}, {steady}");
                    assert!(steady <= bound, "more than {bound}: {what}");
                }
            }
        }
    }
}

/// No room for a second buffer: out of place fails, in place does its work.
#[test]
fn address_space_of_less_than_two_buffers() {
    for path in PATHS {
        for &ranks in by_mpi(&[1, 2, 3][..], &[1, 2]) {
            let launch = Launch::client("alltoall_memory", ranks).args(["limit", "64000000"]);
            let text = launch.env("HCUBE_PATH", path).limit(60).run().success();
            assert!(text.contains("ok limit"), "{text}");
        }
    }
}
