//! Images that fail, stop or die, while others wait for them: the others return an error, and end.

use crate::common::{Launch, Mpi, by_mpi};

/// Runs tests/c/caf_failures.c: the last image ends in the given manner, and the others wait.
fn check(way: &str, wait: &str, images: usize, per_node: &str) {
    let launch =
        Launch::client("caf_failures", images).args([way, wait]).env("HCUBE_RANKS_PER_NODE", per_node);
    // The launcher continues without the process.
    let launch = launch
        .env("OMPI_MCA_orte_enable_recovery", "1")
        .env("OMPI_MCA_orte_abort_on_non_zero_status", "0")
        .whole_lines()
        .limit(60);
    let outcome = launch.run();
    let last = images - 1;
    for image in 0..last {
        let line = format!("image {image}: image {last} has failed");
        assert!(outcome.stdout.contains(&line), "{way}, {wait}, {per_node} per node: {outcome:?}");
    }
    assert!(outcome.left.is_empty(), "{way}, {wait}: processes left: {outcome:?}");
    let is_told =
        outcome.stderr.contains(&format!("image {last}: the program ends without hcube_caf_finalize"));
    assert_eq!(is_told, way == "leaves", "{wait}: {outcome:?}");
}

#[test]
fn a_failed_image_ends_all_waits() {
    for wait in ["barrier", "event", "lock", "finish", "allocation"] {
        for per_node in ["0", "1"] {
            check("marked", wait, 3, per_node);
        }
    }
}

/// The data of an image that continues is accessible until it has ended; then nobody waits for it.
#[test]
fn nobody_waits_for_an_image_that_has_ended_after_a_failure() {
    check("marked", "get", by_mpi(3, 2), "1");
}

/// MPICH's launcher ends the whole job where a process has ended without MPI_Finalize.
#[test]
fn a_process_that_ends_is_a_failed_image() {
    if Mpi::selected() != Mpi::Open {
        return;
    }
    for wait in ["barrier", "event", "lock", "finish", "allocation"] {
        check("leaves", wait, 3, "0");
        check("leaves", wait, 2, "1");
        check("dies", wait, 3, "0");
    }
}

/// Nothing of MPI may be called then, nor by a progress thread, which must not be there in `MPI_Finalize` of
/// MPICH (doc/coarrays.md, Progress).
#[test]
fn processes_that_end_after_mpi_finalize_are_not_aborted() {
    for (way, is_told) in [("barrier", true), ("finish", true), ("finalised", false)] {
        let thread = by_mpi("1", "0");
        for (per_node, progress) in [("0", "0"), ("1", "0"), ("0", thread), ("1", thread)] {
            let launch = Launch::client("caf_failures", 2).args(["ends", way]).whole_lines().limit(60);
            let launch = launch.env("HCUBE_RANKS_PER_NODE", per_node).env("HCUBE_CAF_PROGRESS", progress);
            let outcome = launch.run();
            for image in 0..2 {
                let line = format!("image {image}: the program ends without hcube_caf_finalize");
                let name = format!("{way}, {per_node} per node, progress {progress}");
                assert_eq!(outcome.stderr.contains(&line), is_told, "{name}: {outcome:?}");
            }
            outcome.success();
        }
    }
}
