//! Single copy that the kernel permits at first and refuses later: the exchange completes, and so do later
//! exchanges.

use crate::common;
use crate::common::{Launch, by_mpi};

fn counts() -> &'static [usize] {
    by_mpi(&[2, 3, 4][..], &[2])
}

/// Runs a part of tests/c/alltoall_refusals.c and returns its output. Open MPI's own single copy does not
/// check whether it is permitted.
fn run(ranks: usize, arguments: &[&str]) -> String {
    let launch = Launch::client("alltoall_refusals", ranks).args(arguments);
    let launch =
        launch.env("OMPI_MCA_btl_vader_single_copy_mechanism", "none").env("UCX_TLS", "self,posix,sysv");
    launch.limit(60).run().success()
}

fn check(ranks: usize, arguments: &[&str]) {
    let text = run(ranks, arguments);
    assert!(text.contains(&format!("ok {}", arguments[0])), "{arguments:?} on {ranks} ranks: {text}");
}

/// Copies that end early or fail at any point, on any rank: only the rest of each half of a block is
/// exchanged.
#[test]
fn copies_that_fail_at_random() {
    for &ranks in counts() {
        for place in ["in", "out"] {
            for seed in ["1", "2", "3"] {
                check(ranks, &["random", place, seed, "25"]);
            }
        }
    }
}

/// A filter of system calls that a program installs between two exchanges.
#[test]
fn a_filter_of_system_calls() {
    for &ranks in counts() {
        for place in ["in", "out"] {
            for what in ["read", "write", "both"] {
                for whom in ["all", "some"] {
                    check(ranks, &["filter", place, what, whom]);
                }
            }
        }
    }
}

/// Buffers that other processes may not read: only their exchanges are refused, until the second of them.
#[test]
fn secret_memory() {
    for &ranks in counts() {
        for place in ["in", "out"] {
            let text = run(ranks, &["secret", place]);
            if let Some(reason) = text.lines().find_map(|line| line.strip_prefix("skip: ")) {
                common::skip("memfd-secret", reason);
                return;
            }
            assert!(text.contains("ok secret"), "{place} on {ranks} ranks: {text}");
        }
    }
}

/// Files may be shorter than the shared memory of a node: no signal, and the path stays.
#[test]
fn files_of_limited_size() {
    let client = common::client("alltoall", common::Language::C11);
    for path in ["shared", "auto"] {
        for &ranks in counts() {
            // In units of 512 bytes, for Open MPI's own files.
            let limited = "ulimit -f 16384; exec \"$0\" \"$@\"";
            let launch =
                Launch::new("sh", ranks).args(["-c", limited]).arg(&client).args(["900", "40", "20000"]);
            let launch = launch.env("HCUBE_PATH", path).env("HCUBE_MEMORY", "16777216");
            let text = launch.limit(60).run().success();
            assert!(text.contains("ok 40 cases"), "{text}");
        }
    }
}
