//! The official HPCC 1.5.0 with hcube linked in, on small tables.
//!
//! HPCC's result file says nothing of whose update ran, so the announcement on the error stream and
//! the symbols of the program are checked as well.

use hcube_testing as common;

use common::hpcc::program;
use common::installed::{fresh_make, installed, loads_from};
use common::{Launch, Mpi, output};
use std::fs;
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

/// The coarray runtime starts before the timed part, and ends with MPI.
#[test]
fn hpcc_succeeds_on_coarrays() {
    let counts: &[usize] = if Mpi::selected() == Mpi::Open { &[2, 3, 4] } else { &[2] };
    for &ranks in counts {
        check(ranks, "events", "coarrays, copies with events");
        check(ranks, "spawn", "coarrays, shipped functions");
    }
}

/// As a user does it who has nothing of hcube but what `make install` has put there.
#[test]
fn hpcc_is_linked_with_an_installed_tree() {
    let tree = installed("hpcc");
    let built = program().parent().expect("HPCC's folder");
    let folder = tree.join("hpcc-1.5.0");
    output(Command::new("cp").arg("-a").arg(built).arg(&folder));
    let make_file = folder.join("hpl/Make.hcube-hcube");
    let text = fs::read_to_string(&make_file).expect("it was built with this file");
    let own: String =
        text.lines().filter(|line| !line.contains("HCUBE_")).map(|line| format!("{line}\n")).collect();
    let lines = format!(
        "HCUBE_MPI = {}\nHCUBE_DIR = {}\ninclude $(HCUBE_DIR)/share/hcube/hpcc/hcube.mk\n",
        Mpi::selected().name(),
        tree.display()
    );
    fs::write(&make_file, own + &lines).expect("writable");
    // HPCC itself is as it was: what is made anew is the glue and the program.
    for file in ["hpcc", "RandomAccess/hcube_random_access.o"] {
        fs::remove_file(folder.join(file)).expect("it was built there");
    }
    output(fresh_make().arg("-C").arg(&folder).arg("arch=hcube-hcube"));
    let program = folder.join("hpcc");
    loads_from(&tree.join("lib/hcube"), &program);
    common::hpcc::check_program(&program, "hpcc-installed", 2, "1 node, shared memory", |launch| {
        launch.env("LD_LIBRARY_PATH", "")
    });
}
