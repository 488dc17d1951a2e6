//! `hcube bench bsp` as users start it: what it measures and writes, and what it refuses.

use hcube_testing as common;

use common::{Launch, Mpi, TOOL, runs};
use std::fs;
use std::path::PathBuf;

fn file(name: &str) -> PathBuf {
    common::folder("tool").join(name)
}

fn library() -> PathBuf {
    common::build().join("libhcube_bsp.so")
}

fn bsp(ranks: usize, options: &[&str]) -> Launch {
    let launch = Launch::new(TOOL.as_str(), ranks).args(["bench", "bsp", "--no-progress", "--bsp"]);
    launch.arg(library()).args(options.iter().copied())
}

#[test]
fn supersteps_are_measured_and_compared_with_mpi_and_another_library() {
    let ranks = if Mpi::selected() == Mpi::Mpich { 2 } else { 3 };
    // The same library from another file: it has a state of its own.
    let (other, path) = (file("libother.so"), file("bsp.json"));
    fs::copy(library(), &other).expect("a copy");
    let launch = bsp(ranks, &["--sizes", "8,4k", "--messages", "1,5", "--repeat", "2", "--library"]);
    let output = launch.arg(&other).arg(common::json_to(&path)).run().success();
    assert!(output.contains("verified: 0 errors") && output.contains("over other"), "{output}");
    let runs = runs(&path);
    assert_eq!(runs.len(), (3 + 5 * 4) * 3);
    for (number, run) in runs.iter().enumerate() {
        let variant = ["hcube", "mpi", "other"][number % 3];
        assert_eq!(run["variant"].as_str(), Some(variant), "{run}");
        assert_eq!((run["errors"].as_u64(), run["ranks"].as_u64()), (Some(0), Some(ranks as u64)), "{run}");
        assert!(run["median_us"].as_f64().is_some_and(|median| median > 0.0), "{run}");
        assert_eq!(run["hcube_speedup"].is_null(), variant == "hcube", "{run}");
        assert_eq!(run["measured_us"].as_array().map(Vec::len), Some(2), "{run}");
    }
    let last = &runs[runs.len() - 1];
    assert_eq!((last["operation"].as_str(), last["bytes"].as_u64()), (Some("send"), Some(4096)));
    assert_eq!(last["messages"].as_u64(), Some(5));
}

#[test]
fn one_rank_is_a_program_too() {
    let output = bsp(1, &["--operations", "empty,put,get,send", "--sizes", "64", "--repeat", "1"]);
    let output = output.args(["--no-mpi", "--max-bytes", "64"]).run().success();
    assert!(output.contains("verified: 0 errors"), "{output}");
}

#[test]
fn what_cannot_be_is_refused_by_name() {
    for (options, words) in [
        (
            &["--library", "/nowhere/libbsponmpi.so"][..],
            &["--library = /nowhere/libbsponmpi.so", "/nowhere"][..],
        ),
        (&["--library", "libc.so.6"], &["--library = libc.so.6", "bsp_begin was not found"]),
        (&["--sizes", "1M", "--max-bytes", "1k", "--operations", "put"], &["--max-bytes = 1024"]),
        (&["--json=/proc/none/results"], &["--json", "/proc/none"]),
        (&["--operations", "push"], &["--operations", "push"]),
    ] {
        let outcome = bsp(1, options).run();
        assert!(!outcome.status.success() && outcome.stdout.is_empty(), "{options:?}: {outcome:?}");
        assert!(words.iter().all(|word| outcome.stderr.contains(word)), "{options:?}: {}", outcome.stderr);
    }
    let outcome = bsp(1, &["--library"]).arg(library()).run();
    assert!(outcome.stderr.contains("not measured otherwise"), "{outcome:?}");
}
