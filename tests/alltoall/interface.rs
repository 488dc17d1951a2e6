//! Random all-to-all calls (tests/c/alltoall.c) with every function, path, schedule and bound of
//! memory; blocks above 2^31 bytes.
//!
//! The client checks the path of each call in place: a test of single copy that
//! silently used messages, or the library's own function, would prove nothing.

use crate::common;
use crate::common::alltoall::Run;
use crate::common::{Launch, Mpi, by_mpi};
use crate::ranks;

/// As users have it: no options at all.
#[test]
fn defaults() {
    for ranks in ranks() {
        let cases = if ranks <= 4 { 150 } else { 60 };
        let used = Run { ranks, seed: 100, cases, largest: 20_000, more: &[], environment: &[] }.go();
        assert_eq!(used.count("library"), 0, "calls in place by the library on {ranks} ranks");
    }
}

/// Blocks up to 300 KB.
#[test]
fn large_blocks() {
    for path in ["auto", "single-copy", "shared", "message"] {
        for ranks in by_mpi(&[2, 3, 5][..], &[2]) {
            let environment = &[("HCUBE_PATH", path)];
            Run { ranks: *ranks, seed: 200, cases: 30, largest: 300_000, more: &[], environment }.go();
        }
    }
}

/// Every case of a run has other options.
#[test]
fn all_options() {
    for ranks in ranks() {
        for seed in 300..302 {
            let more = &["sweep"];
            let used = Run { ranks, seed, cases: 150, largest: 20_000, more, environment: &[] }.go();
            if ranks > 1 {
                for used_path in ["shared", "single-copy", "message"] {
                    assert!(used.count(used_path) > 0, "'{used_path}' was not taken on {ranks} ranks");
                }
                assert!(ranks < 4 || used.count("node+message") > 0, "no nodes on {ranks} ranks");
                assert_eq!(used.count("library"), 0, "calls in place by the library on {ranks} ranks");
            }
        }
    }
}

/// The environment: each value of each variable, and each pair of path and schedule.
#[test]
fn environment() {
    let (memories, nodes) = (["0", "1000", "64k", "1M", "1G"], ["0", "1", "2", "3"]);
    let counts = by_mpi(&[2, 3, 4, 7][..], &[2]);
    let mut number = 0;
    for (path, used_path) in
        [("auto", ""), ("single-copy", "single-copy"), ("shared", "shared"), ("message", "message")]
    {
        for schedule in ["auto", "mpich", "linear-shift", "hierarchical-sets", "library"] {
            let (memory, ranks) = (memories[number % 5], counts[number % counts.len()]);
            // Steps of its own through the nodes, or a path would always meet the same of them.
            let node = nodes[(number + number / 4) % 4];
            let environment = &[
                ("HCUBE_PATH", path),
                ("HCUBE_ALLTOALL", schedule),
                ("HCUBE_MEMORY", memory),
                ("HCUBE_RANKS_PER_NODE", node),
            ];
            let seed = 400 + number as u64;
            // Few calls on two ranks are of a kind that single copy can take.
            let cases = if ranks == 2 { 150 } else { 40 };
            let used = Run { ranks, seed, cases, largest: 20_000, more: &[], environment }.go();
            number += 1;
            if schedule == "library" {
                assert!(used.count("library") > 0, "{environment:?}");
            } else if node == "1" {
                assert!(used.count("message") > 0, "{environment:?}");
            } else if !used_path.is_empty() && node != "2" {
                assert!(used.count(used_path) > 0, "{environment:?}");
            }
        }
    }
}

/// Exchanges between pretended nodes of equal and different sizes, out of place and in place. Blocks that are
/// too large for the memory bound are exchanged by messages.
#[test]
fn node_leaders() {
    for ranks in ranks() {
        for ranks_per_node in 1..=4 {
            // Each number of ranks with both, and each shape with one of them.
            let (memory, largest) = [("1M", 20_000), ("20000", 1000)][(ranks + ranks_per_node as usize) % 2];
            let nodes = ranks_per_node.to_string();
            let environment = &[
                ("HCUBE_ALLTOALL", "node-leaders"),
                ("HCUBE_RANKS_PER_NODE", &nodes),
                ("HCUBE_MEMORY", memory),
            ];
            let seed = 700 + ranks_per_node;
            let used = Run { ranks, seed, cases: 40, largest, more: &[], environment }.go();
            assert_eq!(used.count("out-of-place:library"), 0, "{ranks} ranks, {environment:?}");
            if ranks > ranks_per_node as usize && ranks_per_node > 1 {
                for kind in ["", "out-of-place:"] {
                    let led = used.count(&format!("{kind}node-leaders"));
                    assert!(led > 0, "{kind}: {ranks} ranks, {environment:?}");
                }
            }
        }
    }
}

/// By default: blocks of up to 16 KiB on many ranks, on nodes of equal and of different sizes.
#[test]
fn node_leaders_by_default() {
    if Mpi::selected() == Mpi::Open {
        for (ranks, ranks_per_node) in [(4, "2"), (5, "2"), (16, "4"), (17, "6")] {
            let launch = Launch::client("alltoall_leaders", ranks)
                .env("HCUBE_RANKS_PER_NODE", ranks_per_node)
                .env("HCUBE_MEMORY", "8M");
            let text = launch.limit(60).run().success();
            assert!(text.contains("ok leaders"), "{text}");
        }
    }
}

/// Memory from next to nothing to more than the data, on each path, with blocks that need many
/// pieces in the small ones.
#[test]
fn bounds_of_memory() {
    for path in ["single-copy", "shared", "message"] {
        for memory in ["0", "1000", "4097", "64k", "1M", "1G"] {
            for ranks in by_mpi(&[2, 3][..], &[2]) {
                let environment = &[("HCUBE_PATH", path), ("HCUBE_MEMORY", memory)];
                Run { ranks: *ranks, seed: 500, cases: 25, largest: 60_000, more: &[], environment }.go();
            }
        }
    }
}

/// MPICH with more ranks than this machine may have cores: few calls, since every message then waits
/// for a time slice.
#[test]
fn mpich_on_three_and_four_ranks() {
    if !common::only_with(Mpi::Mpich, "the other tests have more ranks than cores") {
        return;
    }
    for ranks in 3..=4 {
        for path in ["auto", "single-copy", "shared", "message"] {
            let environment = &[("HCUBE_PATH", path)];
            Run { ranks, seed: 600, cases: 4, largest: 2000, more: &["alone"], environment }.go();
        }
    }
}

/// More than 2^31 bytes from one rank to another, in both forms of counts.
#[test]
fn blocks_above_two_gibibytes() {
    for path in ["single-copy", "message"] {
        let launch = Launch::client("alltoall_large", 2).env("HCUBE_PATH", path);
        let text = launch.run().success();
        assert!(text.contains("ok large"), "{text}");
    }
}
