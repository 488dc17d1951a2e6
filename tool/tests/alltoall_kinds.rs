//! The kinds of `hcube bench alltoall` besides the blocking exchange: what they write, and that hcube makes
//! the exchanges.

use hcube_testing as common;

use common::{Launch, Mpi, TOOL, json};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

fn file(name: &str) -> PathBuf {
    common::folder("alltoall-kinds").join(name)
}

/// MPICH never yields where there are more ranks than cores.
fn ranks() -> &'static [usize] {
    if Mpi::selected() == Mpi::Open { &[1, 2, 3, 5, 8] } else { &[1, 2] }
}

/// Measures kinds; returns the table and the file of results.
fn measure(kinds: &str, ranks: usize, more: &[&str]) -> (String, PathBuf) {
    let path = file(&format!("{kinds}-{ranks}-{}.json", more.join("")));
    let usual = ["bench", "alltoall", "--kinds", kinds, "--repeat", "2", "--no-progress"];
    let output =
        Launch::new(TOOL.as_str(), ranks).args(usual).arg(common::json_to(&path)).args(more).run().success();
    assert!(output.contains("verified: 0 errors"), "{output}");
    (output, path)
}

/// The lines of the results: exchange, bytes per rank, variant, path.
fn lines(path: &Path, kind: &str, ranks: usize) -> Vec<(String, u64, String, Option<String>)> {
    let results = json(path);
    let runs = results["kinds"].as_array().expect("kinds");
    let line = |run: &Value| {
        let text = |name: &str| run[name].as_str().map(str::to_owned);
        assert_eq!((text("kind").as_deref(), run["ranks"].as_u64()), (Some(kind), Some(ranks as u64)));
        assert!(run["median_us"].as_f64().is_some_and(|median| median > 0.0), "{run}");
        let (exchange, variant) = (text("exchange").expect("named"), text("variant").expect("named"));
        (exchange, run["bytes_per_rank"].as_u64().expect("a number"), variant, text("path"))
    };
    runs.iter().map(line).collect()
}

/// Whether hcube has made an exchange.
fn is_served(path: Option<&str>, ranks: usize) -> bool {
    path.is_some_and(|path| {
        if ranks == 1 { path == "alone" } else { ["shared", "single-copy", "message"].contains(&path) }
    })
}

#[test]
fn general_exchanges_are_verified_with_little_and_with_much_memory() {
    for &ranks in ranks() {
        let more = ["--sizes", "8,1000,256k", "--memory", "0,all"];
        let (_, path) = measure("general", ranks, &more);
        let lines = lines(&path, "general", ranks);
        let expected: Vec<(u64, &str)> = [8, 1000, 256 << 10]
            .into_iter()
            .flat_map(|bytes| ["hcube", "hcube", "library"].map(|variant| (bytes, variant)))
            .collect();
        let found: Vec<(u64, &str)> = lines.iter().map(|line| (line.1, line.2.as_str())).collect();
        assert_eq!(found, expected);
        for (_, bytes, variant, path) in &lines {
            let served = is_served(path.as_deref(), ranks) || path.as_deref() == Some("alone");
            assert!(if variant == "hcube" { served } else { path.is_none() }, "{bytes} bytes: {path:?}");
        }
        for run in json(&path)["kinds"].as_array().expect("kinds") {
            assert_eq!(run["errors"].as_u64(), Some(0), "{run}");
            assert_eq!(run["memory"].is_u64(), run["variant"] == "hcube", "{run}");
        }
    }
}

#[test]
fn halos_are_compared_with_those_of_the_library() {
    for &ranks in ranks() {
        // Faces of one double are forwarded; a path that is asked for, and long faces, are not.
        for (edges, asked) in [("1,33", None), ("1,5", Some("shared"))] {
            let mut more = vec!["--cubes", edges];
            more.extend(asked.iter().flat_map(|path| ["--path", path]));
            let (output, path) = measure("neighbours", ranks, &more);
            let lines = lines(&path, "neighbours", ranks);
            assert_eq!(lines.len(), 2 * 4 * 2, "{output}");
            for (number, (exchange, _, variant, path)) in lines.iter().enumerate() {
                let form = ["subarrays, open", "subarrays, periodic", "packed, open", "packed, periodic"];
                assert_eq!(
                    (exchange.as_str(), variant.as_str()),
                    (form[number / 2 % 4], ["hcube", "library"][number % 2])
                );
                let is_long = number >= lines.len() / 2;
                // MPICH 4 delivers the blocks of datatypes that differ in an order of its own.
                let forwarded = Mpi::selected() != Mpi::Open && exchange.starts_with("subarrays");
                if variant == "hcube" && (is_long || asked.is_some()) && !forwarded {
                    let path = path.as_deref();
                    assert!(is_served(path, ranks) || path == Some("alone"), "{exchange}: {path:?}");
                }
            }
            let errors = |variant: &str| {
                let results = json(&path);
                let runs = results["kinds"].as_array().expect("kinds").clone();
                let of_variant = runs.into_iter().filter(|run| run["variant"] == variant);
                of_variant.map(|run| run["errors"].as_u64()).collect::<Vec<_>>()
            };
            assert_eq!((errors("hcube"), errors("library")), (vec![Some(0); 8], vec![None; 8]));
        }
    }
}

#[test]
fn nonblocking_exchanges_are_measured_alone_and_overlapped() {
    for &ranks in ranks() {
        for (sizes, counts) in [("1k,64k", &["--work", "50"][..]), ("64k,512k", &["--uniform"])] {
            let mut more = vec!["--sizes", sizes];
            more.extend(counts);
            let (output, path) = measure("nonblocking", ranks, &more);
            let lines = lines(&path, "nonblocking", ranks);
            if output.contains("left out") {
                common::unproved("single-copy", "the path is not available");
                continue;
            }
            let names: Vec<[&str; 2]> = lines.iter().map(|line| [line.0.as_str(), line.2.as_str()]).collect();
            let of_size = [
                ["alone", "computation"],
                ["alone", "hcube"],
                ["alone", "library"],
                ["overlapped", "hcube"],
                ["overlapped", "library"],
            ];
            assert_eq!(names, [of_size, of_size].concat(), "{output}");
            // One rank has nothing to copy from another one.
            let expected = if ranks == 1 { "library" } else { "single-copy" };
            for (_, _, variant, path) in &lines {
                assert_eq!(path.as_deref(), (variant == "hcube").then_some(expected), "{output}");
            }
            for run in json(&path)["kinds"].as_array().expect("kinds") {
                assert_eq!(run["over_longer"].is_f64(), run["exchange"] == "overlapped", "{run}");
                assert_eq!(run["errors"].as_u64(), (run["variant"] != "computation").then_some(0), "{run}");
            }
        }
    }
}

#[test]
fn all_kinds_make_one_file_and_one_plot() {
    let plot = file("all.svg");
    let more = ["--sizes", "8k", "--cubes", "8", "--plot", plot.to_str().expect("UTF-8")];
    let (output, path) = measure("all", 2, &more);
    assert_eq!(output.matches("verified: 0 errors").count(), 4, "{output}");
    let results = json(&path);
    let length = |name: &str| results[name].as_array().map(Vec::len);
    assert_eq!((length("runs"), length("kinds")), (Some(4), Some(2 + 8 + 5)), "{results}");
    let (joined, drawn) = (file("joined.json"), file("joined.svg"));
    let mut command = Command::new(TOOL.as_str());
    command
        .args(["bench", "alltoall", "--from"])
        .arg(&path)
        .arg(common::json_to(&joined))
        .arg("--plot")
        .arg(&drawn);
    common::output(&mut command);
    assert_eq!(json(&joined)["kinds"], results["kinds"]);
    for path in [plot, drawn] {
        let text = fs::read_to_string(&path).expect("a plot");
        for words in
            ["2 ranks", "General exchange in place", "Exchange between neighbours", "Nonblocking exchange"]
        {
            assert!(text.contains(words), "{words}: {text}");
        }
    }
}

#[test]
fn without_kinds_the_results_are_those_of_the_blocking_exchange() {
    let path = file("usual.json");
    let usual = ["bench", "alltoall", "--sizes", "8k", "--repeat", "2", "--no-progress"];
    Launch::new(TOOL.as_str(), 2).args(usual).arg(common::json_to(&path)).run().success();
    let results = json(&path);
    assert!(results["kinds"].is_null() && results["runs"].as_array().is_some_and(|runs| runs.len() == 4));
}

#[test]
fn wrong_arguments_are_named_with_their_value() {
    for (option, value) in [
        ("--kinds", "neighbors"),
        ("--cubes", "0"),
        ("--cubes", "1023"),
        ("--work", "-1"),
        ("--work", "1000001"),
        ("--sizes", "12"),
    ] {
        let option_and_value = format!("{option}={value}");
        let outcome = Launch::new(TOOL.as_str(), 1).args(["bench", "alltoall", &option_and_value]).run();
        assert!(!outcome.status.success() && outcome.stdout.is_empty(), "{outcome:?}");
        assert!(outcome.stderr.contains(option) && outcome.stderr.contains(value), "{outcome:?}");
    }
}
