//! Tests that cannot run on a machine: each has a name, and none is skipped silently.
//!
//! `HCUBE_TEST_SKIP` is a list of names separated by commas. If `CI` is `true`, a test that cannot run fails
//! unless its name is in that list; otherwise it prints why it was skipped. Tests that must *prove* something
//! always fail.

use std::io::Write;

/// Names of what may be skipped, separated by commas.
pub const LIST: &str = "HCUBE_TEST_SKIP";

/// For a test that cannot run here: prints the reason, or fails where nobody has named it in a run of
/// continuous integration. The test returns after it.
pub fn skip(name: &str, reason: &str) {
    let in_ci = std::env::var("CI").is_ok_and(|value| value == "true");
    decide(name, reason, in_ci);
}

/// For a test that has run and has proved nothing, because the kernel forbids what it is about: fails
/// everywhere unless it is named.
pub fn unproved(name: &str, reason: &str) {
    decide(name, reason, true);
}

fn decide(name: &str, reason: &str, must_run: bool) {
    let list = std::env::var(LIST).unwrap_or_default();
    assert!(
        !must_run || list.split(',').any(|listed| listed.trim() == name),
        "not tested: {name}: {reason}; {LIST}={name} permits that"
    );
    // Past the test harness, which captures the output of a successful test. In one write, because tests run
    // concurrently.
    let text = format!("skipped: {name}: {reason}\n");
    let _ = std::io::stderr().write_all(text.as_bytes());
}

/// Whether a test of one kind of MPI libraries has its turn. The test is skipped with others, by the name
/// `only-openmpi` or `only-mpich`.
pub fn only_with(mpi: super::Mpi, reason: &str) -> bool {
    let selected = super::Mpi::selected() == mpi;
    if !selected {
        skip(&format!("only-{}", mpi.kind()), reason);
    }
    selected
}
