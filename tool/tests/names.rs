//! Names of fields in JSON, which scripts read, and of commands of the source tree.

use hcube_testing as common;

use common::Launch;
use serde_json::Value;
use std::collections::BTreeSet;
use std::process::Command;

/// The names of all fields, with those inside.
fn fields(value: &Value, found: &mut BTreeSet<String>) {
    match value {
        Value::Object(object) => object.iter().for_each(|(name, value)| {
            found.insert(name.clone());
            fields(value, found);
        }),
        Value::Array(list) => list.iter().for_each(|value| fields(value, found)),
        _ => {}
    }
}

#[test]
fn json_has_the_fields_that_scripts_read() {
    let random_access = ["--table-size", "12", "--compare", "--local-bound", "--repeat", "1"];
    let alltoall = ["--sizes", "8k", "--repeat", "1", "--seed", "2"];
    for (name, options, expected) in [
        (
            "random-access",
            &random_access[..],
            &["lines", "gups_measured", "local_bound", "of_local_bound"][..],
        ),
        ("alltoall", &alltoall[..], &["runs", "median_us", "extra_bytes", "speedup_in_place"][..]),
    ] {
        let launch = Launch::new(common::tool(), 2).args(["bench", name]).args(options.iter().copied());
        let text = launch.args(["--no-progress", "--json"]).run().success();
        let mut found = BTreeSet::new();
        fields(&serde_json::from_str(&text).expect("JSON"), &mut found);
        assert!(expected.iter().all(|&field| found.contains(field)), "{found:?}");
    }
}

#[test]
fn commands_of_the_source_tree_are_named() {
    // Where no hcube-lab lies beside it.
    let folder = common::folder("tool/alone");
    let alone = folder.join("hcube");
    std::fs::copy(common::tool(), &alone).expect("a copy");
    for (command, target) in [
        ("hpcc", "make run"),
        ("simulate", "make simulate"),
        ("report", "make report"),
        ("manual", "make manual"),
    ] {
        let output = Command::new(&alone).arg(command).output().expect("it starts");
        let message = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.code() == Some(2) && message.contains(target), "{command}: {message}");
    }
    let output = Command::new(common::tool()).args(["report", "--help"]).output().expect("it starts");
    assert!(String::from_utf8_lossy(&output.stdout).contains("hcube-lab report"), "{output:?}");
}

#[test]
fn times_of_fftw_are_read_by_bench_fft() {
    let fixture = |name: &str| common::root().join("lab/tests/fixtures").join(name).display().to_string();
    let run = |from: String| {
        let mut tool = Command::new(common::tool());
        tool.args(["bench", "fft", "--from", &from]).output().expect("it starts")
    };
    let output = run(fixture("fftw.json"));
    let text = String::from_utf8_lossy(&output.stdout);
    let words = ["FFTW ms", "speed-up", "speed-up: over FFTW's own plan"];
    assert!(output.status.success() && words.iter().all(|word| text.contains(word)), "{output:?}");
    // One kind of results: the other file is named.
    let output = run(format!("{},{}", fixture("fftw.json"), fixture("fft.json")));
    let message = String::from_utf8_lossy(&output.stderr);
    let words = ["--from ", "fft.json: ", "expected times of FFTW's transposes"];
    assert!(output.status.code() == Some(2) && words.iter().all(|word| message.contains(word)), "{output:?}");
}
