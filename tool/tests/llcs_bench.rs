//! `hcube bench llcs` as users start it: what it measures and writes, and what it refuses.

use hcube_testing as common;

use common::{Launch, TOOL, runs};
use serde_json::Value;
use std::fs;
use std::path::PathBuf;

fn file(name: &str) -> PathBuf {
    common::folder("tool").join(name)
}

fn llcs(ranks: usize, options: &[&str]) -> Launch {
    Launch::new(TOOL.as_str(), ranks)
        .args(["bench", "llcs", "--no-progress", "--repeat", "2"])
        .args(options.iter().copied())
}

#[test]
fn one_process_is_compared_with_its_kernels_and_with_rapidfuzz() {
    let (path, plot) = (file("llcs-one.json"), file("llcs-one.svg"));
    let options = ["--lengths", "200,2^9", "--symbols", "4,300", "--common", "50", "--max-standard", "200"];
    let output = llcs(1, &options).arg(common::json_to(&path)).arg("--plot").arg(&plot).run().success();
    assert!(output.contains("verified: 0 errors") && output.contains("standard left out"), "{output}");
    assert!(output.contains("planes left out") && !output.contains("predicted"), "{output}");
    let runs = runs(&path);
    // Without both algorithms that compute every entry of the longer strings, and without planes of the
    // larger alphabet.
    assert_eq!(runs.len(), 6 + 4 + 5 + 3);
    for run in &runs {
        assert_eq!((run["errors"].as_u64(), run["common"].as_u64()), (Some(0), Some(50)), "{run}");
        let same = |other: &&Value| ["length", "symbols"].iter().all(|&key| other[key] == run[key]);
        assert!(runs.iter().filter(same).all(|other| other["llcs"] == run["llcs"]), "{run}");
        assert!(run["llcs"].as_u64() >= run["length"].as_u64().map(|length| length / 2), "{run}");
        assert!(run["gentries_s"].as_f64().is_some_and(|rate| rate > 0.0), "{run}");
        assert_eq!(run["over_rapidfuzz"].is_null(), run["variant"] == "rapidfuzz", "{run}");
        assert_eq!(run["over_plain"].is_null(), run["variant"] != "standard", "{run}");
        assert_eq!(run["measured_us"].as_array().map(Vec::len), Some(2), "{run}");
    }
    let drawn = fs::read_to_string(&plot).expect("a plot");
    assert!(drawn.starts_with("<svg") && drawn.contains("300 symbols, 50% in common"), "{drawn}");
}

#[test]
fn all_ranks_are_compared_with_one_and_with_the_cost_model() {
    let (path, plot) = (file("llcs-two.json"), file("llcs-two.svg"));
    let options = ["--lengths", "1000", "--symbols", "4", "--alpha", "1,3", "--machine", "fat-nodes"];
    let output = llcs(2, &options).arg(common::json_to(&path)).arg("--plot").arg(&plot).run().success();
    assert!(output.contains("verified: 0 errors") && output.contains("predictions: "), "{output}");
    let runs = runs(&path);
    assert_eq!(runs.len(), 6 + 1 + 2 + 2);
    let (one, all) = runs.split_at(6);
    assert!(one.iter().all(|run| run["running"] == 1 && run["predicted"].is_null()), "{one:?}");
    for (run, expected) in
        all.iter().zip([("grid", 1), ("alpha", 1), ("alpha", 3), ("barriers", 1), ("barriers", 3)])
    {
        assert_eq!((run["variant"].as_str(), run["errors"].as_u64()), (Some(expected.0), Some(0)), "{run}");
        assert_eq!((run["running"].as_u64(), &run["llcs"]), (Some(2), &one[0]["llcs"]), "{run}");
        let (alpha, blocks) = (run["alpha"].as_u64().expect("a number"), &run["blocks"]);
        assert!(expected.0 == "grid" || alpha == expected.1 && blocks[1] == 2 * alpha, "{run}");
        assert_eq!(blocks[0].as_u64(), Some(2 * alpha), "{run}");
        let [speedup, efficiency] = ["speedup", "efficiency"].map(|key| run[key].as_f64().expect("a number"));
        assert!(speedup > 0.0 && (speedup - 2.0 * efficiency).abs() < 1e-9, "{run}");
        let predicted = &run["predicted"];
        assert!(predicted["seconds"].as_f64().is_some_and(|seconds| seconds > 0.0), "{run}");
        assert!(predicted["efficiency"].as_f64().is_some_and(|share| share > 0.0 && share < 1.0), "{run}");
    }
    let drawn = fs::read_to_string(&plot).expect("a plot");
    assert!(drawn.contains("selected grid, cost model") && drawn.contains("with barriers"), "{drawn}");
}

#[test]
fn without_a_machine_messages_are_measured() {
    let folder = file("llcs-empty");
    fs::create_dir_all(&folder).expect("writable");
    let options = ["--lengths", "500", "--symbols", "4", "--variants", "hcube,grid", "--no-verify"];
    let output = llcs(2, &options).folder(&folder).run().success();
    assert!(output.contains("messages measured in this run") && output.contains("not verified"), "{output}");
}

#[test]
fn what_cannot_be_is_refused_by_name() {
    for (options, words) in [
        (
            &["--machine", "nowhere.json"][..],
            &["nowhere.json", "expected a file of 'hcube probe' or one of"][..],
        ),
        (&["--lengths", "2^40"], &["--lengths = 1099511627776", "strings that can fit"]),
        (&["--json=/proc/none/results"], &["--json", "/proc/none"]),
        (&["--symbols", "0"], &["--symbols", "0"]),
    ] {
        let outcome = llcs(1, options).run();
        assert!(!outcome.status.success() && outcome.stdout.is_empty(), "{options:?}: {outcome:?}");
        assert!(words.iter().all(|word| outcome.stderr.contains(word)), "{options:?}: {}", outcome.stderr);
    }
}
