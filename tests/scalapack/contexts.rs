//! tests/c/pblas_contexts.c: contexts that are created and freed, are kept, belong to threads, or lose a
//! rank.

use crate::common::scalapack::{Statistics, WithHcube, client, stock};
use crate::common::{assert_no_shared_memory_left, by_mpi, named_shared_memory};
use std::path::Path;

/// Contexts that are made and destroyed one after the other.
const CONTEXTS: usize = 1000;

/// Kilobytes that these may leave allocated in a process, in addition to a run without hcube.
const MAX_GROWTH: i64 = 400;

/// Ranks for tests in which all have work: MPICH busy-waits and never yields.
fn ranks(openmpi: usize) -> usize {
    by_mpi(openmpi, 2)
}

/// A run in which all goes well and hcube computes all products.
fn success(program: &Path, mode: &[&str], ranks: usize) -> (String, Statistics) {
    let name = format!("contexts-{}", mode[0]);
    let run = WithHcube::preloaded(&name, program, ranks);
    let (text, statistics) = run.with(|launch| launch.alone().args(mode).limit(400)).success();
    assert_eq!(statistics.all_left(), 0, "{statistics:?}");
    (text, statistics)
}

/// Numbers that a program has printed.
fn numbers<const N: usize>(text: &str, names: [&str; N]) -> [i64; N] {
    names.map(|name| {
        let value = text.split_whitespace().find_map(|word| word.strip_prefix(name)?.strip_prefix('='));
        value.unwrap_or_else(|| panic!("no {name} in {text}")).parse().expect("a number")
    })
}

/// Growth of descriptors, mappings and kilobytes.
fn growth(text: &str) -> [i64; 3] {
    numbers(text, ["descriptors", "mappings", "kilobytes"])
}

#[test]
fn contexts_that_come_and_go_leave_nothing() {
    let Some(program) = client("pblas_contexts", "", &[]) else { return };
    let mode = ["cycle", &CONTEXTS.to_string()];
    let before = named_shared_memory();
    let (text, statistics) = success(&program, &mode, ranks(3));
    let [descriptors, mappings, kilobytes] = growth(&text);
    assert!(statistics.served("pdgemm") >= 2 * CONTEXTS as u64, "{statistics:?}");
    assert_no_shared_memory_left(&before);
    let few = ["cycle", "200"];
    let alone = growth(&stock(&program, ranks(3)).alone().args(few).run().success());
    assert!(descriptors <= alone[0] && mappings <= alone[1] + 2, "{text}, without hcube {alone:?}");
    // The MPI library's own growth is in proportion.
    let expected = alone[2].max(0) * (CONTEXTS / 200) as i64;
    assert!(kilobytes <= expected + MAX_GROWTH, "{text}, without hcube {alone:?}");
}

#[test]
fn contexts_may_be_left_to_finalize() {
    let Some(program) = client("pblas_contexts", "", &[]) else { return };
    let before = named_shared_memory();
    let (_, statistics) = success(&program, &["keep"], ranks(4));
    assert_eq!(statistics.served("pdgemm"), 2 * ranks(4) as u64, "{statistics:?}");
    assert_no_shared_memory_left(&before);
}

/// Grids that a program never frees, and the kilobytes that their products may use in addition to a run
/// without hcube: the panels of a grid take 3 MB, and the panels of the last few grids are kept.
const GRIDS: usize = 60;
const MAX_LEFT: i64 = 32 << 10;

#[test]
fn panels_of_grids_that_are_left_behind_are_given_back() {
    let Some(program) = client("pblas_contexts", "", &[]) else { return };
    let before = named_shared_memory();
    let mode = ["left", &GRIDS.to_string()];
    let (text, statistics) = success(&program, &mode, ranks(3));
    assert_eq!(statistics.served("pdgemm"), (3 * GRIDS * ranks(3)) as u64, "{statistics:?}");
    assert_no_shared_memory_left(&before);
    let alone = stock(&program, ranks(3)).alone().args(mode).run().success();
    let [ours, alone] = [&text, &alone].map(|text| numbers(text, ["kilobytes", "again"]));
    for (ours, alone) in ours.into_iter().zip(alone) {
        assert!(ours <= alone.max(0) + MAX_LEFT, "{text}, without hcube {alone}");
    }
}

/// ScaLAPACK's own products have one buffer for all threads.
#[test]
fn threads_multiply_in_contexts_of_their_own() {
    let Some(program) = client("pblas_contexts", "", &[]) else { return };
    let (_, statistics) = success(&program, &["threads"], 2);
    assert_eq!(statistics.served("pdgemm"), 2 * 2 * 200, "{statistics:?}");
}

#[test]
fn a_rank_that_is_lost_ends_the_job() {
    let Some(program) = client("pblas_contexts", "", &[]) else { return };
    let before = named_shared_memory();
    for mode in ["killed", "leaves"] {
        let run = WithHcube::preloaded(mode, &program, ranks(3));
        let (outcome, _) = run.with(|launch| launch.arg(mode).limit(60)).run();
        let going = outcome.stdout.lines().find(|line| line.starts_with("going by "));
        assert!(going.is_some_and(|line| line.ends_with("libhcube_pblas.so")), "not by hcube: {outcome:?}");
        assert!(!outcome.status.success(), "{outcome:?}");
        assert!(outcome.left.is_empty(), "processes left: {outcome:?}");
    }
    assert_no_shared_memory_left(&before);
}
