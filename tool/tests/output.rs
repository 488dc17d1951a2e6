//! Files that commands write because the command line names them: never in the place of an input, or of a
//! file that holds something else.

use hcube_testing as common;

use clap::{Command as Description, CommandFactory};
use common::TOOL;
use hcube_tool::command_line::CommandLine;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// What no command of hcube writes.
const NOTES: &str = ">notes\nACGT\n";

fn folder(name: &str) -> PathBuf {
    let folder = common::folder("output").join(name);
    drop(fs::remove_dir_all(&folder));
    fs::create_dir_all(&folder).expect("a folder");
    folder
}

fn fixture(name: &str) -> String {
    common::root().join("lab/tests/fixtures").join(name).display().to_string()
}

fn run(folder: &Path, words: &[&str]) -> Output {
    let mut command = Command::new(TOOL.as_str());
    command.args(words).current_dir(folder).stdin(Stdio::null()).output().expect("the tool starts")
}

/// Runs a command that has to refuse to write `file`, whose contents stay.
fn refused(folder: &Path, line: &[&str], option: &str, file: &str, why: &str) {
    let path = folder.join(file);
    let former = fs::read(&path).expect("a file");
    let output = run(folder, line);
    let message = String::from_utf8_lossy(&output.stderr);
    let expected = format!("hcube: {option} = {file}: expected ");
    assert_eq!(output.status.code(), Some(2), "{line:?}: {output:?}");
    assert!(message.contains(&expected) && message.contains(why), "{line:?}: {message}");
    assert_eq!(fs::read(&path).expect("a file"), former, "{line:?}");
}

/// The options of all commands that name a file to write.
fn written(command: &Description, name: &str, found: &mut BTreeSet<String>) {
    for option in ["--json", "--plot", "--samples", "--source"] {
        if command.get_arguments().any(|argument| argument.get_long() == option.strip_prefix("--")) {
            found.insert(format!("{name} {option}").trim_start().to_owned());
        }
    }
    for inner in command.get_subcommands() {
        written(inner, format!("{name} {}", inner.get_name()).trim_start(), found);
    }
}

/// A command with what it needs besides the file to write.
fn commands() -> Vec<(&'static str, Vec<String>)> {
    let words = |line: &str| line.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    let from = |name: &str| vec!["--from".to_owned(), fixture(name)];
    vec![
        ("doctor", vec![]),
        ("info", vec![]),
        ("bench random-access", vec![]),
        ("bench alltoall", from("alltoall.json")),
        ("bench gemm", from("gemm.json")),
        ("bench bsp", from("bsp.json")),
        ("bench caf", from("caf.json")),
        ("bench fft", from("fft.json")),
        ("bench stream", from("stream.json")),
        ("bench panels", from("panels.json")),
        ("bench llcs", from("llcs.json")),
        ("bench gfortran", from("gfortran.json")),
        ("model", words("--machine juropa")),
        ("model gemm", vec![]),
        ("bsp predict", words("llcs --machine skua-oxtool")),
        ("bsp published", vec![]),
        ("bsp run", words("llcs")),
        ("bsp probe", vec![]),
        ("llcs", words("one two")),
        ("profile", words("profile")),
    ]
}

/// A profile of a BSP program.
fn profile() -> String {
    let columns = "{\"compute\": [1], \"wait\": [0], \"communicate\": [0], \"sent\": [0], \"received\": [0], \"operations\": [0]}";
    format!("{{\"processes\": 1, \"mean\": {columns}, \"max\": {columns}}}")
}

#[test]
fn no_command_replaces_what_it_has_not_written() {
    let folder = folder("kinds");
    for (name, text) in [
        ("notes", NOTES),
        ("package.json", "{\"name\": \"somebody's package\", \"version\": \"1.0\"}"),
        ("picture.svg", "<svg xmlns=\"http://www.w3.org/2000/svg\"></svg>"),
        ("one", "one"),
        ("two", "two"),
    ] {
        fs::write(folder.join(name), text).expect("a file");
    }
    fs::write(folder.join("profile"), profile()).expect("a file");
    let mut expected = BTreeSet::new();
    let mut description = CommandLine::command();
    description.build();
    written(&description, "", &mut expected);
    let mut found = BTreeSet::new();
    for (name, options) in commands() {
        for option in ["--json", "--plot", "--samples", "--source"] {
            let key = format!("{name} {option}");
            if !expected.contains(&key) {
                continue;
            }
            found.insert(key);
            let other = match option {
                "--plot" => "picture.svg",
                _ => "package.json",
            };
            for file in ["notes", other] {
                let written = format!("{option}={file}");
                let line: Vec<&str> = name
                    .split(' ')
                    .chain(options.iter().map(String::as_str))
                    .chain([written.as_str()])
                    .collect();
                refused(&folder, &line, option, file, "it holds something else");
            }
        }
    }
    assert_eq!(found, expected);
    for line in [&["probe", "notes"][..], &["bsp", "probe", "package.json"]] {
        refused(&folder, line, "FILE", line[line.len() - 1], "it holds something else");
    }
    // Where it measures, before it does.
    let line = ["bench", "fft", "--no-progress", "--lengths", "2^20", "--json=notes"];
    refused(&folder, &line, "--json", "notes", "it holds something else");
}

#[test]
fn no_command_replaces_its_inputs() {
    let folder = folder("inputs");
    for (name, text) in [("x.fa", NOTES), ("y.fa", NOTES), ("z.fa", NOTES)] {
        fs::write(folder.join(name), text).expect("a file");
    }
    for name in ["fft.json", "llcs.json", "calibration.json"] {
        fs::copy(fixture(name), folder.join(name)).expect("a copy");
    }
    fs::copy(folder.join("fft.json"), folder.join("other.json")).expect("a copy");
    // The option does not take the first of two files.
    let output = run(&folder, &["llcs", "--json", "x.fa", "y.fa"]);
    assert!(output.status.success() && output.stdout.starts_with(b"{\n"), "{output:?}");
    assert_eq!(fs::read_to_string(folder.join("x.fa")).expect("a file"), NOTES);
    // With a former command line, nothing is read or written.
    let output = run(&folder, &["llcs", "--json", "x.fa", "y.fa", "z.fa"]);
    let message = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    assert!(message.contains("unexpected argument 'z.fa'") && message.contains("'--json=x.fa'"), "{message}");
    // Files of the kind that is written.
    for (line, option, file, other) in [
        ("llcs llcs.json fft.json --json=llcs.json", "--json", "llcs.json", "FILE names this one"),
        ("llcs --json=./fft.json llcs.json fft.json", "--json", "./fft.json", "FILE names this one"),
        (
            "bench fft --from other.json,fft.json --json=fft.json",
            "--json",
            "fft.json",
            "--from names this one",
        ),
        ("bench fft --from fft.json --plot fft.json", "--plot", "fft.json", "--from names this one"),
        (
            "model --machine calibration.json --json=calibration.json",
            "--json",
            "calibration.json",
            "--machine names this one",
        ),
        ("bsp probe --samples calibration.json", "FILE", "calibration.json", "--samples names this one"),
        (
            "llcs --machine calibration.json x.fa y.fa --json=calibration.json",
            "--json",
            "calibration.json",
            "--machine",
        ),
        // Read without being named.
        ("llcs x.fa y.fa --json=calibration.json", "--json", "calibration.json", "it holds something else"),
    ] {
        refused(&folder, &line.split(' ').collect::<Vec<_>>(), option, file, other);
    }
    // Two outputs: neither exists, and neither is made.
    let output = run(&folder, &["bench", "fft", "--from", "fft.json", "--json=new", "--plot", "./new"]);
    let message = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.code() == Some(2) && message.contains("--json = new"), "{output:?}");
    assert!(!folder.join("new").exists());
}

#[test]
fn own_files_are_replaced() {
    let folder = folder("own");
    for (name, text) in [("x.fa", NOTES), ("empty", "")] {
        fs::write(folder.join(name), text).expect("a file");
    }
    let success = |line: &str| {
        let output = run(&folder, &line.split(' ').collect::<Vec<_>>());
        assert!(output.status.success(), "{line}: {output:?}");
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    let from = format!("bench fft --from {}", fixture("fft.json"));
    for _ in 0..2 {
        success("llcs x.fa x.fa --json=results");
        success(&format!("{from} --json=joined --plot plot"));
        success("model --machine juropa --json=empty");
        success("model gemm --paper --json=figures");
    }
    // Of another command.
    success("llcs x.fa x.fa --json=joined");
    for name in ["results", "joined", "empty", "figures"] {
        let text = fs::read_to_string(folder.join(name)).expect("a file");
        let value: serde_json::Value = serde_json::from_str(&text).expect("JSON");
        assert_eq!(value["hcube"].as_str(), Some(env!("CARGO_PKG_VERSION")), "{text}");
    }
    // Standard output that goes to a file, by its other name: behind the tables.
    let script = format!("\"$0\" {from} --json=/dev/stdout > both");
    let mut shell = Command::new("sh");
    shell.args(["-c", &script, TOOL.as_str()]).current_dir(&folder);
    common::output(&mut shell);
    let both = fs::read_to_string(folder.join("both")).expect("a file");
    let (tables, json) = both.split_once("\n{\n").expect("both");
    assert!(tables.contains("six-step") && json.ends_with("}\n"), "{both}");
}

#[test]
fn other_files_are_replaced_only_by_force() {
    let folder = folder("force");
    let from = fixture("fft.json");
    for (line, file) in [
        ("model --machine juropa --json=notes", "notes"),
        ("bsp probe --source notes", "notes"),
        ("profile profile --plot notes", "notes"),
        (&format!("bench fft --from {from} --plot notes"), "notes"),
    ] {
        for (name, text) in [("notes", NOTES), ("profile", &profile())] {
            fs::write(folder.join(name), text).expect("a file");
        }
        let words: Vec<&str> = line.split(' ').collect();
        let output = run(&folder, &words);
        let message = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{line}: {output:?}");
        assert!(message.contains("--force replaces it"), "{line}: {message}");
        assert_eq!(fs::read_to_string(folder.join(file)).expect("a file"), NOTES, "{line}");
        let output = run(&folder, &[&words[..], &["--force"]].concat());
        assert!(output.status.success(), "{line}: {output:?}");
        assert_ne!(fs::read_to_string(folder.join(file)).expect("a file"), NOTES, "{line}");
    }
    // An input is not replaced by force either.
    fs::copy(&from, folder.join("fft.json")).expect("a copy");
    let line = ["bench", "fft", "--from", "fft.json", "--json=fft.json", "--force"];
    refused(&folder, &line, "--json", "fft.json", "--from names this one");
}
