//! Former names of commands, which scripts use: the same options, the same JSON.

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
fn former_names_write_the_same_json() {
    let random_access = ["--table-size", "12", "--compare", "--local-bound", "--repeat", "1"];
    let alltoall = ["--sizes", "8k", "--repeat", "1", "--seed", "2"];
    for (former, name, options, expected) in [
        (
            "gups",
            "random-access",
            &random_access[..],
            &["lines", "gups_measured", "local_bound", "of_local_bound"][..],
        ),
        (
            "alltoall",
            "alltoall",
            &alltoall[..],
            &["runs", "median_us", "extra_bytes", "speedup_in_place"][..],
        ),
    ] {
        let [old, new] = [&[former][..], &["bench", name]].map(|command| {
            let launch = Launch::new(common::tool(), 2).args(command.iter().copied());
            let text = launch.args(options.iter().copied()).args(["--no-progress", "--json"]).run().success();
            let mut found = BTreeSet::new();
            fields(&serde_json::from_str(&text).expect("JSON"), &mut found);
            found
        });
        assert_eq!(old, new);
        assert!(expected.iter().all(|&field| new.contains(field)), "{new:?}");
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
