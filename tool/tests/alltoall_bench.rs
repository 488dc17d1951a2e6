//! `hcube bench alltoall` as users start them: what they write, and what they refuse.

use hcube_testing as common;

use common::{Launch, TOOL, json};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

fn file(name: &str) -> PathBuf {
    let folder = common::folder("tool");
    folder.join(name)
}

/// Measures two small sizes; returns the file.
fn measure(ranks: usize, more: &[&str]) -> PathBuf {
    let path = file(&format!("alltoall-{ranks}-{}.json", more.len()));
    let usual = ["--sizes", "8k,64k", "--repeat", "2", "--no-progress"];
    let launch = Launch::new(TOOL.as_str(), ranks).args(["bench", "alltoall"]).args(usual);
    let output = launch.arg(common::json_to(&path)).args(more).run().success();
    assert!(output.contains("verified: 0 errors"), "{output}");
    path
}

fn check(path: &Path, ranks: usize, algorithms: &[&str]) {
    let results = json(path);
    let runs = results["runs"].as_array().expect("runs");
    assert_eq!(runs.len(), 2 * algorithms.len(), "{results}");
    for (number, run) in runs.iter().enumerate() {
        let size = if number < algorithms.len() { 8192 } else { 65536 };
        assert_eq!(run["algorithm"].as_str(), Some(algorithms[number % algorithms.len()]));
        assert_eq!((run["ranks"].as_u64(), run["bytes_per_rank"].as_u64()), (Some(ranks as u64), Some(size)));
        assert!(run["mpi"].as_str().is_some_and(|mpi| !mpi.is_empty()), "{run}");
        assert!(run["median_us"].as_f64().is_some_and(|median| median > 0.0), "{run}");
        assert!(run["extra_bytes"].is_null() || run["extra_bytes"].is_u64(), "{run}");
        assert_eq!(run["errors"].as_u64(), Some(0), "{run}");
    }
}

#[test]
fn results_of_several_runs_become_one_plot() {
    let usual = ["auto", "auto-out-of-place", "library-in-place", "library-out-of-place"];
    let paths = [2, 3].map(|ranks| {
        let path = measure(ranks, &[]);

        check(&path, ranks, &usual);
        path
    });
    let list = paths.map(|path| path.display().to_string()).join(",");
    let (plot, joined) = (file("ranks.svg"), file("joined.json"));
    let mut command = Command::new(TOOL.as_str());
    command.args(["bench", "alltoall", "--from", &list, "--sizes", "64k"]).arg("--plot").arg(&plot);
    common::output(command.arg(common::json_to(&joined)));
    assert_eq!(json(&joined)["runs"].as_array().map(Vec::len), Some(2 * usual.len()));
    let drawn = fs::read_to_string(&plot).expect("a plot");
    for words in ["hcube, in place", "hcube, out of place", "MPI library, in place", "64 KiB per rank"] {
        assert!(drawn.contains(words), "{words}: {drawn}");
    }
}

#[test]
fn schedules_with_little_memory_and_equal_counts() {
    let names = ["mpich", "linear-shift", "hierarchical-sets", "shared"];
    let list = names.join(",");
    check(&measure(3, &["--algorithms", &list, "--memory", "0", "--uniform"]), 3, &names);
}

#[test]
fn rows_and_columns_of_a_grid_exchange_at_the_same_time() {
    let names = ["auto", "auto-out-of-place", "library-out-of-place"];
    let list = names.join(",");
    for communicators in ["rows", "columns"] {
        let path = measure(4, &["--communicators", communicators, "--algorithms", &list, "--uniform"]);
        check(&path, 4, &names);
        let results = json(&path);
        let runs = results["runs"].as_array().expect("runs");
        assert!(runs.iter().all(|run| run["communicators"] == communicators), "{results}");
        let mut command = Command::new(TOOL.as_str());
        command.args(["bench", "alltoall", "--json=-", "--from"]).arg(&path);
        let none = common::output(&mut command);
        assert!(none.contains("\"runs\": []"), "of all ranks there are none: {none}");
    }
    let options = ["--communicators", "rows", "--kinds", "nonblocking"];
    let outcome = Launch::new(TOOL.as_str(), 2).args(["bench", "alltoall"]).args(options).run();
    assert_eq!(outcome.status.code(), Some(2), "{outcome:?}");
    let message = "--communicators = rows: expected --kinds exchange, not nonblocking";
    assert!(outcome.stderr.contains(message), "{outcome:?}");
    let outcome = Launch::new(TOOL.as_str(), 1).args(["bench", "alltoall", "--communicators", "row"]).run();
    assert!(!outcome.status.success() && outcome.stderr.contains("'row'"), "{outcome:?}");
}

#[test]
fn exchanges_with_a_datatype_for_each_pair() {
    let names = ["auto", "auto-out-of-place", "library-in-place", "library-out-of-place"];
    let path = measure(3, &["--alltoallw"]);
    check(&path, 3, &names);
    assert_eq!(json(&path)["runs"][0]["function"], "MPI_Alltoallw");
}

#[test]
fn the_library_is_not_measured_where_hcube_stands_in_front_of_it() {
    let preload = common::build().join("libhcube_preload.so");
    let options = ["--sizes", "8k", "--repeat", "1", "--no-progress", "--algorithms", "library-out-of-place"];
    let launch = Launch::new(TOOL.as_str(), 2).args(["bench", "alltoall"]).args(options);
    let outcome = launch.env("LD_PRELOAD", preload.to_str().expect("UTF-8")).run();
    assert_eq!(outcome.status.code(), Some(2), "{outcome:?}");
    let words = ["MPI_Alltoallv comes from '", "libhcube_preload.so', expected '"];
    assert!(words.iter().all(|word| outcome.stderr.contains(word)), "{outcome:?}");
    assert!(!outcome.stdout.contains("library-out-of-place"), "{outcome:?}");
}

#[test]
fn rows_of_each_size_follow_one_heading() {
    let options = ["--sizes", "8k,16k", "--repeat", "1", "--no-progress"];
    let output = Launch::new(TOOL.as_str(), 2).args(["bench", "alltoall"]).args(options).run().success();
    let headings = output.lines().filter(|line| line.trim_start().starts_with("bytes/rank")).count();
    let is_row = |line: &&str| ["8 KiB", "16 KiB"].iter().any(|size| line.trim_start().starts_with(size));
    let rows = output.lines().filter(is_row).count();
    assert_eq!((headings, rows), (1, 8), "{output}");
}

#[test]
fn files_that_cannot_be_written_are_refused_before_measuring() {
    for option in ["--plot", "--json"] {
        let written = format!("{option}=/proc/none/results");
        let launch = Launch::new(TOOL.as_str(), 2).args(["bench", "alltoall", &written]);
        let outcome = launch.run();
        assert!(!outcome.status.success() && outcome.stdout.is_empty(), "{outcome:?}");
        assert_eq!(outcome.stderr.matches(option).count(), 1, "{outcome:?}");
    }
}
