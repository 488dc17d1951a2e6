//! A misspelt variable: each library names it once, on rank 0, with the variable that was meant.

use hcube_testing as common;

use common::preload::{c_client, preload_variable};
use common::{Language, Launch, Mpi};

const VARIABLE: &str = "HCUBE_PTH";
const SENTENCE: &str = "hcube: HCUBE_PTH is not a variable of hcube; did you mean HCUBE_PATH?\n";

/// Runs a program in whose environment the variable is set, and others that are not hcube's business.
fn check(launch: Launch) {
    let launch = launch.env(VARIABLE, "message").env("HCUBE_ROOT", "/opt/hcube").env("HCUBE_TEST_X", "1");
    let outcome = launch.limit(60).run();
    assert_eq!(outcome.stderr.matches(VARIABLE).count(), 1, "{outcome:?}");
    assert!(outcome.stderr.contains(SENTENCE), "{outcome:?}");
    assert!(
        !outcome.stderr.contains("HCUBE_ROOT") && !outcome.stderr.contains("HCUBE_TEST_X"),
        "{outcome:?}"
    );
    outcome.success();
}

#[test]
fn the_library_names_it_at_its_first_call() {
    check(Launch::client("caf", 2).arg("own"));
    check(Launch::client("transpose", 2));
}

#[test]
fn the_bsp_library_names_it_when_processes_begin() {
    check(common::bsp::launch("bsp/semantics", 2));
}

/// Before the first exchange, and not again by another library.
#[test]
fn the_preload_library_names_it_in_mpi_init() {
    let program = c_client(Language::C11, Mpi::selected());
    check(Launch::new("env", 2).arg(preload_variable()).arg(program).arg("silent"));
}
