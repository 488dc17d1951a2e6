//! `hcube bench gemm` as users start it: what it measures and writes, and what it refuses. Skipped where the
//! machine has no ScaLAPACK for the MPI library.

use hcube_testing as common;

use common::{Launch, Mpi, TOOL, runs};
use serde_json::Value;
use std::path::PathBuf;

/// Exit status where something is missing or refused.
const REFUSED: i32 = 2;

fn file(name: &str) -> PathBuf {
    common::folder("tool").join(name)
}

fn gemm(ranks: usize, options: &[&str]) -> Launch {
    let library = common::build().join("libhcube_pblas.so");
    let launch = Launch::new(TOOL.as_str(), ranks).args(["bench", "gemm", "--no-progress", "--pblas"]);
    launch.arg(library).args(options.iter().copied())
}

/// Whether ScaLAPACK is there; says why not.
fn is_missing() -> bool {
    let options = ["--sizes", "16", "--variants", "scalapack", "--repeat", "1"];
    let outcome = gemm(1, &options).run();
    if outcome.status.code() != Some(REFUSED) {
        return false;
    }
    assert!(outcome.stderr.contains("--scalapack = "), "{}", outcome.stderr);
    eprintln!("skipped: {}", outcome.stderr);
    true
}

/// The runs that a measurement writes.
fn measured(name: &str, ranks: usize, options: &[&str]) -> Vec<Value> {
    let path = file(name);
    let output = gemm(ranks, options).args(["--repeat", "2"]).arg(common::json_to(&path)).run().success();
    assert!(output.contains("verified: 0 errors"), "{output}");
    runs(&path)
}

#[test]
fn products_are_measured_and_compared() {
    if is_missing() {
        return;
    }
    let ranks = if Mpi::selected() == Mpi::Mpich { 2 } else { 4 };
    let options =
        ["--sizes", "48,70x50x90", "--op", "NN,TC", "--block", "16,8:12:20", "--types", "d,c", "--offset"];
    let runs = measured("gemm-products.json", ranks, &[&options[..], &["3", "--update"]].concat());
    assert_eq!(runs.len(), 2 * 2 * 2 * 2 * 4);
    for run in &runs {
        let variant = run["variant"].as_str().expect("a name");
        let bound = variant == "local-bound";
        assert_eq!(run["errors"].as_u64(), (!bound).then_some(0), "{run}");
        assert!(run["median_ms"].as_f64().is_some_and(|median| median > 0.0), "{run}");
        assert!(run["of_bound"].as_f64().is_some_and(|share| share > 0.0), "{run}");
        assert_eq!(run["ranks"].as_u64(), Some(ranks as u64));
    }
    let first = &runs[0];
    assert_eq!((first["routine"].as_str(), first["operations"].as_str()), (Some("pdgemm"), Some("NN")));
    assert_eq!((first["offset"].as_u64(), first["update"].as_bool()), (Some(3), Some(true)));
}

#[test]
fn factorisations_get_the_products_of_each_variant() {
    if is_missing() {
        return;
    }
    let runs = measured(
        "gemm-lu.json",
        2,
        &["--routines", "getrf", "--sizes", "150", "--block", "16", "--grid", "2x1"],
    );
    let variants: Vec<_> = runs.iter().map(|run| run["variant"].as_str().expect("a name")).collect();
    assert_eq!(variants, ["hcube", "scalapack-raised", "scalapack"]);
    assert!(runs.iter().all(|run| run["errors"].as_u64() == Some(0)), "{runs:?}");
}

#[test]
fn products_that_hcube_leaves_to_scalapack_are_no_success() {
    if is_missing() {
        return;
    }
    let outcome = gemm(1, &["--sizes", "40", "--repeat", "1"]).env("HCUBE_GEMM", "library").run();
    assert_eq!(outcome.status.code(), Some(1), "{outcome:?}");
    // ScaLAPACK has asked for the width of its panels, so hcube has no row.
    let words = "pdgemm NN 40, NB 64, hcube left out: NOT MEASURED: the counter of another implementation, 'panels of";
    assert!(outcome.stdout.contains(words) && outcome.stderr.contains(words), "{outcome:?}");
    let has_row = |line: &str| line.split_whitespace().nth(5) == Some("hcube") && !line.contains("left out");
    assert!(!outcome.stdout.lines().any(has_row), "{outcome:?}");
}

#[test]
fn what_cannot_be_is_refused_by_name() {
    for (ranks, options, words) in [
        (2, &["--grid", "2x2"][..], &["--grid = 2x2", "2 processes"][..]),
        (
            1,
            &["--scalapack", "/nowhere/libscalapack.so"],
            &["--scalapack = /nowhere/libscalapack.so", "/nowhere"],
        ),
        (1, &["--routines", "getrf", "--sizes", "10x20x30"], &["--sizes = 10x20x30"]),
        (1, &["--sizes", "16", "--json=/proc/none/results"], &["--json", "/proc/none"]),
        (1, &["--op", "NX"], &["--op", "NX"]),
    ] {
        let outcome = gemm(ranks, options).run();
        assert!(!outcome.status.success() && outcome.stdout.is_empty(), "{options:?}: {outcome:?}");
        assert!(words.iter().all(|word| outcome.stderr.contains(word)), "{options:?}: {}", outcome.stderr);
    }
}
