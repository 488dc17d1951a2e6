//! The cost of communicators for a process: none for one exchange, little for many live ones, none for freed
//! ones.

use crate::common::guest::{ALWAYS, DEFAULT, Guest, LIBRARY, later_ones_are_served, ranks};

/// Shared memory that may be left when all communicators are freed.
const MAX_LEFT_BYTES: u64 = 4 << 20;

/// A communicator with one exchange, and one of a single rank, need no shared memory.
#[test]
fn first_exchanges_prepare_nothing() {
    let guest = Guest::new("many first 100", 2);
    let (_, statistics) = guest.same_as(&guest.stock(), DEFAULT);
    assert_eq!(statistics.calls_by("shared") + statistics.calls_by("single-copy"), 0, "{statistics:?}");
}

/// If all exchanges are forwarded and statistics are off, hcube has no memory at any time.
#[test]
fn forwarding_without_statistics_prepares_nothing() {
    for line in ["many first 100", "many fork"] {
        let guest = Guest::new(line, 2);
        let stock = guest.stock();
        assert_eq!(stock.figure("library"), 0, "{stock:?}");
        let run = guest.same_without_statistics(&stock, LIBRARY);
        assert!(run.figure("library") > 0, "the preload library is not loaded: {run:?}");
        if line == "many fork" {
            assert_eq!(run.figure("own"), 0, "{run:?}");
        }
    }
}

/// Thousands of communicators of the same ranks cost at most as much as the MPI library's part of them, while
/// they live and afterwards.
#[test]
fn thousands_of_communicators() {
    // MPICH has 2048 of them.
    let guest = Guest::new(&format!("many living {}", if ranks(4) == 4 { 3000 } else { 1000 }), 2);
    let stock = guest.stock();
    for variables in [DEFAULT, ALWAYS] {
        let (run, statistics) = guest.same_as(&stock, variables);
        assert!(statistics.served() > 0, "{statistics:?}");
        for when in ["living", "freed"] {
            let (without, with) = (stock.figure(when), run.figure(when));
            assert!(
                with <= 2 * without,
                "{when}: {with} KiB with the preload library, {without} KiB without"
            );
        }
        assert!(run.figure("mapped") <= MAX_LEFT_BYTES, "{run:?}");
    }
}

/// A child of the program keeps none of hcube's shared memory.
#[test]
fn forked_children_inherit_nothing() {
    let guest = Guest::new("many fork", 2);
    let stock = guest.stock();
    for variables in [DEFAULT, ALWAYS] {
        let (run, statistics) = guest.same_as(&stock, variables);
        if variables.is_empty() {
            later_ones_are_served(&statistics);
        }
        assert!(run.figure("own") > 0, "hcube has no shared memory: {run:?}");
    }
}
