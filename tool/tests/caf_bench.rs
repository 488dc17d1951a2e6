//! `hcube bench caf` and what `hcube doctor` says of coarrays, as users start them.

use hcube_testing as common;

use common::{Launch, Mpi, TOOL, runs};
use serde_json::Value;
use std::path::PathBuf;

fn file(name: &str) -> PathBuf {
    common::folder("tool").join(name)
}

fn caf(ranks: usize, options: &[&str]) -> Launch {
    let launch = Launch::new(TOOL.as_str(), ranks).args(["bench", "caf", "--no-progress", "--caf"]);
    launch.arg(common::library()).args(options.iter().copied())
}

/// The runs of a variant.
fn of<'a>(runs: &'a [Value], variant: &str) -> Vec<&'a Value> {
    runs.iter().filter(|run| run["variant"].as_str() == Some(variant)).collect()
}

#[test]
fn operations_are_measured_verified_and_compared() {
    let ranks = if Mpi::selected() == Mpi::Mpich { 2 } else { 3 };
    let path = file("caf.json");
    let output =
        caf(ranks, &["--repeat", "2", "--sizes", "8,128k"]).arg(common::json_to(&path)).run().success();
    assert!(output.contains("verified: 0 errors") && output.contains("speed-up"), "{output}");
    let runs = runs(&path);
    let (hcube, mpi) = (of(&runs, "hcube"), of(&runs, "mpi"));
    // The five operations with sizes twice, all others once; MPI lacks finish, and crashes in compare-swap.
    assert_eq!((hcube.len(), mpi.len()), (2 * 5 + 8, 2 * 5 + 6), "{output}");
    assert_eq!(of(&runs, "memcpy").len(), 2, "{output}");
    for run in &runs {
        assert_eq!(
            (run["ranks"].as_u64(), run["ranks_per_node"].as_u64()),
            (Some(ranks as u64), Some(0)),
            "{run}"
        );
        assert!(run["median_us"].as_f64().is_some_and(|median| median > 0.0), "{run}");
        assert_eq!(run["measured_us"].as_array().map(Vec::len), Some(2), "{run}");
        let (variant, operation) = (run["variant"].as_str(), run["operation"].as_str().expect("a name"));
        assert_eq!(run["hcube_speedup"].is_null(), variant == Some("hcube"), "{run}");
        let has_data =
            !["event", "lock", "barrier", "finish"].contains(&operation) && variant != Some("memcpy");
        assert_eq!(run["errors"].as_u64(), has_data.then_some(0), "{run}");
        assert_eq!(run["million_s"].is_null(), operation != "spawn-xor", "{run}");
        assert_eq!(run["barriers"].is_null(), operation != "finish", "{run}");
    }
    // What is not measured is said.
    let has_openshmem = !of(&runs, "openshmem").is_empty();
    assert_ne!(has_openshmem, output.contains("openshmem left out: "), "{output}");
}

#[test]
fn images_on_several_nodes_exchange_messages() {
    let path = file("caf-nodes.json");
    let options =
        ["--ranks-per-node", "1", "--repeat", "1", "--sizes", "8,128k", "--no-mpi", "--no-openshmem"];
    let output = caf(2, &options).arg(common::json_to(&path)).run().success();
    assert!(output.contains("verified: 0 errors") && output.contains("2 (1/node)"), "{output}");
    assert!(output.contains("memcpy left out: ranks 0 and 1 have no memory"), "{output}");
    let runs = runs(&path);
    assert!(runs.iter().all(|run| run["ranks_per_node"].as_u64() == Some(1)), "{runs:?}");
    assert_eq!(runs.len(), 2 * 5 + 8);
}

#[test]
fn one_image_is_a_program_too() {
    let output = caf(1, &["--repeat", "1", "--sizes", "64", "--no-mpi"]).run().success();
    assert!(output.contains("verified: 0 errors"), "{output}");
}

#[test]
fn what_cannot_be_is_refused_by_name() {
    let library = common::library();
    let library = library.to_str().expect("UTF-8");
    for (options, words) in [
        (&["--caf", "libc.so.6"][..], &["--caf = libc.so.6", "hcube_caf_init was not found"][..]),
        (&["--caf", "/nowhere/libhcube.so"], &["--caf = /nowhere/libhcube.so"]),
        (&["--caf", library, "--json=/proc/none/results"], &["--json", "/proc/none"]),
        (&["--caf", library, "--operations", "push"], &["--operations", "push"]),
    ] {
        let launch = Launch::new(TOOL.as_str(), 1).args(["bench", "caf", "--no-progress"]);
        let outcome = launch.args(options.iter().copied()).run();
        assert!(!outcome.status.success() && outcome.stdout.is_empty(), "{options:?}: {outcome:?}");
        assert!(words.iter().all(|word| outcome.stderr.contains(word)), "{options:?}: {}", outcome.stderr);
    }
    let none = caf(1, &["--repeat", "1", "--operations", "fetch-add", "--openshmem", "/nowhere/lib.so"]);
    let output = none.run().success();
    assert!(output.contains("openshmem left out: /nowhere/lib.so"), "{output}");
}

#[test]
fn the_doctor_knows_what_coarrays_need() {
    let launch = Launch::new(TOOL.as_str(), 2).args(["doctor", "--json"]).env("HCUBE_CAF_PROGRESS", "50");
    let results: Value = serde_json::from_str(&launch.run().success()).expect("JSON");
    let choice = results["caf_choice"].as_str().expect("a text");
    assert!(
        choice.starts_with("2 images, 1 node: ") && choice.ends_with("every 50 microseconds"),
        "{choice}"
    );
    let findings = results["findings"].as_array().expect("a list");
    let of_coarrays = findings.iter().filter(|finding| finding["topic"].as_str() == Some("coarrays"));
    let texts: Vec<&str> = of_coarrays.filter_map(|finding| finding["text"].as_str()).collect();
    assert!(texts.len() == 3 && texts[0].contains("at one address"), "{texts:?}");
    assert!(texts[1].contains("/proc") && texts[2].contains("HCUBE_CAF_PROGRESS"), "{texts:?}");
}
