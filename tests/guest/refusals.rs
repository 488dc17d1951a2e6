//! Operations that the kernel refuses during an exchange.

use crate::common::guest::{
    ALWAYS, DEFAULT, Guest, SINGLE_COPY, Variables, all_are_served, later_ones_are_served, ranks,
};
use crate::common::{Mpi, only_with, skip, unproved};

/// With MPI libraries that do not need what is refused: Open MPI's exchanges fail without it.
fn without_mpis_single_copy(line: &str) -> Guest {
    let guest = Guest::new(line, ranks(3));
    guest.env("OMPI_MCA_btl_vader_single_copy_mechanism", "none").env("UCX_TLS", "self,posix,sysv")
}

/// Single copy that has worked and is then refused: the exchange that learns of it is completed, and so are
/// all others. `false` where the kernel cannot do what the program asks for.
fn refused_later(line: &str) -> bool {
    let guest = without_mpis_single_copy(line);
    let stock = guest.stock();
    if stock.skipped() {
        return false;
    }
    guest.same_as(&stock, DEFAULT);
    let (_, statistics) = guest.same_as(&stock, SINGLE_COPY);
    all_are_served(&statistics);
    if statistics.calls_by("single-copy") == 0 {
        unproved("single-copy", "the kernel permits no single copy that could be taken away");
    }
    true
}

/// For all ranks or for one, out of place and in place.
fn refused_to_whom(what: &str) -> bool {
    [("all", 0), ("last", 1), ("last", 0), ("all", 1)]
        .iter()
        .all(|(whom, in_place)| refused_later(&format!("refused {what} {whom} {in_place}")))
}

#[test]
fn system_calls_are_refused() {
    assert!(refused_to_whom("filter"));
}

#[test]
fn a_process_may_no_longer_be_traced() {
    assert!(refused_to_whom("traced"));
}

#[test]
fn a_process_becomes_another_user() {
    if only_with(Mpi::Open, "MPICH's own shared memory needs one user") && !refused_to_whom("user") {
        skip("root", "only root can become another user");
    }
}

#[test]
fn buffers_that_no_system_call_reads() {
    if !refused_later("refused secret") {
        skip("memfd-secret", "the kernel has no memfd_secret");
    }
}

/// No signal ends the job, and hcube serves exchanges through shared memory nevertheless.
fn limited(line: &str, ranks: usize, variables: Variables<'_>) {
    let guest = Guest::new(line, ranks);
    let stock = guest.stock();
    let (_, by_default) = guest.same_as(&stock, DEFAULT);
    later_ones_are_served(&by_default);
    let (_, statistics) = guest.same_as(&stock, variables);
    all_are_served(&statistics);
    for statistics in [by_default, statistics] {
        assert!(statistics.calls_by("shared") > 0, "no shared memory was used: {statistics:?}");
    }
}

/// Shared memory longer than files may be.
#[test]
fn files_are_limited() {
    for whom in ["all", "first", "last"] {
        limited(&format!("refused files {whom} 65536"), ranks(4), ALWAYS);
    }
}

/// A bound that only the memory of many ranks, or more memory for each, exceeds.
#[test]
fn files_are_limited_from_the_beginning() {
    limited("refused limited all 8388608", ranks(12), &[("HCUBE_PATH", "shared"), ("HCUBE_MEMORY", "8M")]);
}

/// If hcube cannot allocate memory on one rank, it forwards on all ranks. Stacks and the library need some of
/// the remaining memory.
#[test]
fn little_address_space_is_left() {
    let mut refused = 0;
    for whom in ["all", "first", "last"] {
        for (kib, variables) in [(200, DEFAULT), (1000, ALWAYS), (1000, SINGLE_COPY)] {
            let guest = without_mpis_single_copy(&format!("refused space {whom} {kib}"));
            let (_, statistics) = guest.same_as(&guest.stock(), variables);
            // The C library may still have the memory that hcube requests, from memory that the MPI library
            // has freed.
            let is_refused = statistics.reasons().contains(&"no memory for hcube's exchanges");
            assert!(is_refused != (statistics.served() > 0), "{statistics:?}");
            refused += u64::from(is_refused);
        }
    }
    assert!(refused > 0);
}

/// There is no shared memory then, and exchanges are made by messages.
#[test]
fn no_further_file_can_be_opened() {
    // Only the first rank of a node makes a file in memory.
    for whom in ["descriptors all", "descriptors first", "descriptors last", "memory all", "memory first"] {
        let guest = without_mpis_single_copy(&format!("refused {whom}"));
        let (_, statistics) = guest.same_as(&guest.stock(), DEFAULT);
        assert!(statistics.calls_by("message") > 0, "{whom}: {statistics:?}");
        assert_eq!(statistics.calls_by("shared") + statistics.calls_by("single-copy"), 0, "{statistics:?}");
    }
}
