//! The official HPCC 1.5.0 with hcube linked in, on small tables.
//!
//! HPCC's result file says nothing of whose update ran, so the announcement on the error stream and
//! the symbols of the program are checked as well.

mod common;

use common::{Launch, Mpi, output};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

/// Size of HPL's matrix, from which HPCC derives the table: about half of its words.
const N: usize = 400;

fn hpcc() -> &'static Path {
    static PROGRAM: OnceLock<PathBuf> = OnceLock::new();
    PROGRAM.get_or_init(|| {
        let built = fs::read(common::build().join("libhcube.so")).unwrap_or_default();
        let tested = fs::read(common::library()).expect("the library");
        assert!(
            built == tested,
            "HPCC links what `cargo build` makes, and that is not up to date: run it first"
        );
        let (root, mpi) = (common::root(), Mpi::selected().name());
        output(Command::new(root.join("scripts/build-hpcc.sh")).args(["hcube", mpi]));
        root.join(format!("target/hpcc/{mpi}/hcube/hpcc"))
    })
}

/// Runs HPCC and checks what it says; `path` is what hcube must announce.
fn check(ranks: usize, mode: &str, path: &str) {
    let folder = common::hpcc::folder(&format!("hpcc-{ranks}-{mode}"), N, ranks);
    let launch = Launch::new(hpcc(), ranks).folder(&folder).limit(240);
    // OpenBLAS would start a thread per core in every rank.
    let launch = launch.env("OPENBLAS_NUM_THREADS", "1").env("HCUBE_VERBOSE", "1").env("HCUBE_MODE", mode);
    let outcome = launch.run();
    let announcements: Vec<&str> =
        outcome.stderr.lines().filter(|line| line.contains(": HPCC RandomAccess update active: ")).collect();
    assert_eq!(announcements.len(), 1, "one announcement:\n{}", outcome.stderr);
    let announcement = announcements[0].to_owned();
    outcome.success();
    assert!(
        announcement.starts_with("hcube ") && announcement.contains(path),
        "{path} expected: {announcement}"
    );
    let value = |name: &str| common::hpcc::result(&folder, name);
    assert_eq!(value("Success"), "1");
    assert_eq!(value("CommWorldProcs"), ranks.to_string());
    for test in ["MPIRandomAccess", "MPIRandomAccess_LCG"] {
        let number = |name: &str| value(&format!("{test}_{name}")).parse::<u64>().expect("a number");
        assert_eq!(number("Errors"), 0, "{test} on {ranks} ranks");
        assert_eq!(number("ExeUpdates"), 4 * number("N"), "{test} on {ranks} ranks");
        assert!(
            number("N").is_power_of_two() && number("N") >= 1 << 14,
            "{test}: a table of {} words",
            number("N")
        );
    }
}

#[test]
fn hpcc_is_linked_with_our_update() {
    let symbols = output(Command::new("nm").arg(hpcc()));
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
