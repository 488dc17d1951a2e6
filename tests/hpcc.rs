//! The official HPCC 1.5.0 with hcube linked in, on small tables.
//!
//! HPCC's result file says nothing of whose update ran, so the announcement on the error stream and
//! the symbols of the program are checked as well.

mod common;

use common::hpcc::program;
use common::{Launch, Mpi, output};
use std::process::Command;

fn check(ranks: usize, mode: &str, path: &str) {
    let launch = |launch: Launch| launch.env("HCUBE_MODE", mode);
    common::hpcc::check(&format!("hpcc-{ranks}-{mode}"), ranks, path, launch);
}

#[test]
fn hpcc_is_linked_with_our_update() {
    let symbols = output(Command::new("nm").arg(program()));
    let with = |kind: &str, name: &str| {
        let end = format!(" {kind} {name}");
        symbols.lines().filter(|line| line.ends_with(&end)).count()
    };
    for name in [
        "AnyNodesMPIRandomAccessUpdate",
        "Power2NodesMPIRandomAccessUpdate",
        "HPCC_AnyNodesMPIRandomAccessUpdate_LCG",
        "HPCC_Power2NodesMPIRandomAccessUpdate_LCG",
        "HPCC_external_init",
        "HPCC_external_finalize",
    ] {
        assert_eq!(with("T", name), 1, "{name}");
    }
    assert_eq!(with("U", "hcube_random_access_run"), 1);
    // Of the file that Sandia's update comes from, no other symbol may be there either.
    assert!(
        !symbols.contains("GetBucket") && !symbols.contains("HPCC_InsertUpdate"),
        "stock or Sandia's update is linked"
    );
}

#[test]
fn hpcc_succeeds_through_shared_memory() {
    for ranks in 1..=if Mpi::selected() == Mpi::Open { 5 } else { 2 } {
        check(ranks, "auto", if ranks == 1 { "no communication" } else { "1 node, shared memory" });
    }
}

#[test]
fn hpcc_succeeds_by_messages() {
    let counts: &[usize] = if Mpi::selected() == Mpi::Open { &[2, 3, 4] } else { &[2] };
    for &ranks in counts {
        check(ranks, "message", "messages in ");
    }
}
