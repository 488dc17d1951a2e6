//! `hcube probe` and `hcube model` as users start them: a file is
//! measured, predictions come from it, and what cannot be is refused.

use hcube_testing as common;

use common::{Launch, Mpi, TOOL};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn file(name: &str) -> PathBuf {
    let folder = common::folder("model");
    folder.join(name)
}

/// Measures on this number of ranks; returns the file and the table.
fn calibrate(ranks: usize) -> (PathBuf, String) {
    let path = file(&format!("{ranks}.json"));
    drop(fs::remove_file(&path));
    let launch = Launch::new(TOOL.as_str(), ranks).arg("probe").arg(&path);
    let table = launch.args(["--table-size", "16", "--no-progress"]).run().success();
    assert!(table.contains("verified: 0 errors"), "{table}");
    (path, table)
}

fn model(arguments: &[&str]) -> Output {
    let mut command = Command::new(TOOL.as_str());
    // A folder without a calibration.
    command.current_dir(file("").parent().expect("a folder")).arg("model").args(arguments);
    command.output().expect("the tool starts")
}

fn predict(machine: &Path, arguments: &[&str]) -> Value {
    let machine = machine.display().to_string();
    let output = model(&[&["--machine", &machine, "--json"], arguments].concat());
    assert!(output.status.success(), "{output:?}");
    serde_json::from_slice(&output.stdout).expect("JSON")
}

/// The GUP/s of a line of the calibration's table: measured, and by the model.
fn rates(table: &str, measurement: &str) -> (f64, f64) {
    let line = table.lines().find(|line| line.starts_with(measurement));
    let line = line.unwrap_or_else(|| panic!("no {measurement}:\n{table}"));
    let mut words = line.split_whitespace().rev().map(|word| word.parse().expect("a rate"));
    let model = words.next().expect("the model's rate");
    (words.next().expect("the measured rate"), model)
}

/// The factor by which half of the predictions may be off, and how often a calibration is tried.
const NEAR: f64 = 3.0;
const ATTEMPTS: usize = 5;

/// Predictions for what was measured agree with the calibration's own table; returns the factors between them
/// and what was measured.
fn check_predictions(path: &Path, table: &str, ranks: usize) -> Vec<f64> {
    let (ranks_text, mut ratios) = (ranks.to_string(), Vec::new());
    for (mode, measured_as) in [("message", "mode message"), ("node", "mode node")] {
        // Shorter rounds are latency, which the fit makes good whatever the model says of values.
        for look_ahead in ["1024", "4096"] {
            let path_name = if ranks == 1 { "alone" } else { measured_as };
            let (measured, model) = rates(table, &format!("round, {path_name}, Q = {look_ahead} "));
            let options = ["--mode", mode, "--look-ahead", look_ahead];
            let placement = ["--ranks", &ranks_text, "--ranks-per-node", &ranks_text];
            let results = predict(path, &[options, placement].concat());
            let predicted = results["random_access"][0]["gups"].as_f64().expect("a rate");
            assert!(
                (predicted / model - 1.0).abs() < 0.01,
                "{path_name}, Q = {look_ahead}: {predicted}\n{table}"
            );
            ratios.push(predicted / measured);
        }
    }
    ratios
}

/// By which factor ratios are off, upwards or downwards; the median.
fn median_factor(ratios: &[f64]) -> f64 {
    let mut factors: Vec<f64> = ratios.iter().map(|ratio| ratio.max(1.0 / ratio)).collect();
    factors.sort_by(f64::total_cmp);
    let middle = factors.len() / 2;
    if factors.len() % 2 == 1 { factors[middle] } else { (factors[middle - 1] + factors[middle]) / 2.0 }
}

/// A file that is complete, from which predictions agree with its table; returns these against what was
/// measured.
fn check_calibration(ranks: usize) -> Vec<f64> {
    let (path, table) = calibrate(ranks);
    let text = fs::read_to_string(&path).expect("the file");
    let machine: Value = serde_json::from_str(&text).expect("JSON");
    let samples = machine["fit"]["samples"].as_u64().expect("a number");
    assert_eq!(samples, if ranks == 1 { 11 } else { 19 }, "{text}");
    let sources = machine["sources"].to_string();
    assert!(sources.contains(&format!("{ranks} rank(s) on 1 node(s)")), "{sources}");
    assert!(sources.contains("between nodes: not measured"), "{sources}");
    assert_eq!(machine["network"], machine["node"], "{text}");
    assert_eq!(machine["network_assumed"], true, "{text}");
    assert!(table.contains("between nodes not measured"), "{table}");
    check_predictions(&path, &table, ranks)
}

#[test]
fn a_file_is_measured_and_predicts_what_was_measured() {
    // MPICH never yields where there are more ranks than cores.
    let most = if Mpi::selected() == Mpi::Mpich { 2 } else { 4 };
    for ranks in 1..=most {
        // Where others use the cores, messages may take a thousand times as long as mailboxes, which no fit
        // makes good; what the model gets wrong by as much is wrong every time.
        let mut tried = Vec::new();
        let near = (0..ATTEMPTS).any(|_| {
            tried.push(check_calibration(ranks));
            tried.last().is_some_and(|ratios| median_factor(ratios) < NEAR)
        });
        assert!(near, "{ranks} ranks: {tried:?}");
    }
}

/// A machine of somebody's own, with 8 ranks per node.
fn machine() -> String {
    let path = common::root().join("results/src/machine/juropa.json");
    fs::read_to_string(path).expect("a machine").replace("\"juropa\"", "\"mine\"")
}

#[test]
fn a_calibration_is_found_and_its_error_is_said() {
    let machine = machine();
    let fit = r#""fit": {"largest_error_percent": 12.34, "mean_error_percent": 5.6, "samples": 19}, "cores""#;
    let folder = file("found");
    fs::create_dir_all(&folder).expect("a folder");
    fs::write(folder.join("calibration.json"), machine.replace("\"cores\"", fit)).expect("a file");
    let output = Command::new(TOOL.as_str())
        .current_dir(&folder)
        .args(["model", "--ranks", "64", "--bytes", "64k"])
        .output()
        .expect("the tool starts");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.contains("error of the fit: largest 12.3 %, mean 5.6 % over 19 measurements"), "{text}");
    assert!(text.contains("no exchange in place was among them") && !text.contains("WARNING"), "{text}");
    assert!(
        ["message", "node", "three-hop", "hierarchical-sets"].iter().all(|word| text.contains(word)),
        "{text}"
    );
}

#[test]
fn a_bad_fit_is_said_next_to_the_predictions() {
    let machine = machine();
    let fit =
        r#""fit": {"largest_error_percent": 900.0, "mean_error_percent": 234.0, "samples": 19}, "cores""#;
    let path = file("bad.json");
    fs::write(&path, machine.replace("\"cores\"", fit)).expect("a file");
    let warnings = predict(&path, &["--ranks", "64"])["warnings"].clone();
    let warning = warnings[0].as_str().expect("a warning");
    assert!(warning.contains("mean little") && warning.contains("234 %"), "{warning}");
    let output = model(&["--machine", &path.display().to_string(), "--ranks", "64"]);
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.contains("WARNING: predictions from this calibration mean little"), "{text}");
}

#[test]
fn a_network_that_was_not_measured_is_said_next_to_the_predictions() {
    let machine = machine();
    let path = file("assumed.json");
    let assumed = machine.replace("\"cores\"", "\"network_assumed\": true, \"cores\"");
    for (content, ranks, warned) in
        [(&machine, "8 64", false), (&assumed, "2 8", false), (&assumed, "8 64", true)]
    {
        fs::write(&path, content).expect("a file");
        let warnings = predict(&path, &["--ranks", ranks])["warnings"].to_string();
        assert_eq!(warnings.contains("predictions for 64 ranks"), warned, "{warnings}");
        let output = model(&["--machine", &path.display().to_string(), "--ranks", ranks]);
        let text = String::from_utf8_lossy(&output.stdout);
        assert_eq!(text.contains("WARNING: the network was not measured"), warned, "{text}");
    }
}

#[test]
fn the_paper_stands_beside_the_prediction() {
    let text = String::from_utf8_lossy(&model(&["--machine", "red-storm"]).stdout).into_owned();
    let row = text.lines().find(|line| line.starts_with("Table 2") && line.contains(" 8192 "));
    assert!(row.is_some_and(|row| row.contains("17.26") && row.contains("17.24")), "{text}");
    assert!(text.contains("error against the model of Plimpton et al. 2006: largest 0.1 %"), "{text}");
    let results: Value =
        serde_json::from_slice(&model(&["--machine", "red-storm", "--json"]).stdout).expect("JSON");
    assert_eq!(results["published"].as_array().map(Vec::len), Some(21), "{results}");
}

#[test]
fn matrix_multiplication_is_predicted() {
    let line =
        ["gemm", "--alpha", "1e-5", "--beta", "8e-9", "--ranks", "512", "--n", "4096", "--block", "16"];
    let text = String::from_utf8_lossy(&model(&line).stdout).into_owned();
    let row = text.lines().find(|line| line.contains("4 x 8") && line.starts_with("scatter-allgather"));
    assert!(row.is_some_and(|row| row.contains(" 32 ") && row.contains("103.8 ms      1.59")), "{text}");
    assert!(text.contains("alpha/beta = 1250 > 2nb/p = 256"), "{text}");
    let all = [&line[..], &["--json"]].concat();
    let results: Value = serde_json::from_slice(&model(&all).stdout).expect("JSON");
    assert_eq!(results["lines"].as_array().map(Vec::len), Some(30), "{results}");
    // A machine by name, and the figures of the paper beside its measurements.
    let output = model(&["gemm", "--machine", "bluegene-p", "--grid", "128x128", "--n", "65536"]);
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(
        text.contains("scatter-allgather is not faster with groups") && text.contains("busiest node"),
        "{text}"
    );
    let text = String::from_utf8_lossy(&model(&["gemm", "--paper"]).stdout).into_owned();
    let row = text.lines().find(|line| line.trim_start().starts_with("8, 9"));
    assert!(row.is_some_and(|row| row.contains("1.18") && row.ends_with("5.89")), "{text}");
    assert!(text.contains("What the model does not explain") && !text.contains("stored text"), "{text}");
    // The bandwidth of the exascale machine is in GB/s.
    let row =
        text.lines().find(|line| line.contains("exascale   4194304") || line.contains("exascale    4194304"));
    assert!(row.is_some_and(|row| row.contains("6250") && row.contains("1.89")), "{text}");
}

#[test]
fn what_cannot_be_is_refused_by_name() {
    for (arguments, words) in [
        (&["--ranks", "4"][..], &["--machine", "calibration.json", "red-storm"][..]),
        (&["--machine", "nowhere.json"], &["nowhere.json", "red-storm"]),
        (&["--machine", "red-storm", "--ranks", "4 0"], &["--ranks", "'0'"]),
        (&["--machine", "red-storm", "--ranks", "10369"], &["--ranks = 10369", "10368"]),
        (&["--machine", "red-storm", "--ranks", "1048577"], &["--ranks", "1048577"]),
        (
            &["--machine", "red-storm", "--ranks", "8", "--dimensions", "4"],
            &["--dimensions = 4", "3 or fewer"],
        ),
        (&["--machine", "red-storm", "--look-ahead", "0"], &["--look-ahead", "'0'"]),
        (&["--machine", "juropa", "--ranks-per-node", "0"], &["--ranks-per-node", "'0'"]),
        (&["--machine", "juropa", "--ranks", "8", "--bytes", "7"], &["--bytes = 7", "8 or more"]),
        (&["--machine", "juropa", "--json=/proc/none/results"], &["--json", "/proc/none/results"]),
        (&["gemm"], &["--machine", "calibration.json", "bluegene-p"]),
        (&["gemm", "--machine", "graphene", "--block", "9000"], &["--block = 9000", "at most 8192"]),
        (&["gemm", "--paper", "--ranks", "4"], &["--paper", "--ranks"]),
        (&["--ranks", "4", "gemm"], &["gemm"]),
    ] {
        let output = model(arguments);
        let message = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.code() == Some(2) && output.stdout.is_empty(), "{arguments:?}: {output:?}");
        assert!(words.iter().all(|word| message.contains(word)), "{arguments:?}: {message}");
    }
}

#[test]
fn a_full_disk_costs_no_former_results() {
    let path = file("former.json");
    fs::write(&path, "former").expect("a file");
    // A limit in the place of a disk: 512 bytes, and without the signal that would end the tool.
    let mut command = Command::new("sh");
    command.args([
        "-c",
        "trap '' XFSZ; ulimit -f 1; exec \"$0\" \"$@\"",
        TOOL.as_str(),
        "model",
        "--machine",
        "red-storm",
    ]);
    let output = command.arg(common::json_to(&path)).output().expect("the tool starts");
    let message = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.code() == Some(2) && message.contains("--json"), "{output:?}");
    assert_eq!(fs::read_to_string(&path).expect("a file"), "former");
    let folder = fs::read_dir(path.parent().expect("a folder")).expect("a folder").flatten();
    let names = folder.map(|entry| entry.file_name().to_string_lossy().into_owned());
    let beside: Vec<_> = names.filter(|name| name.starts_with("former.json.")).collect();
    assert_eq!(beside, [""; 0]);
}

#[test]
fn calibrations_that_cannot_be_are_refused_before_measuring() {
    let outcome = Launch::new(TOOL.as_str(), 2).args(["probe", "/proc/none/machine.json"]).run();
    assert!(!outcome.status.success() && outcome.stdout.is_empty(), "{outcome:?}");
    assert!(outcome.stderr.contains("FILE = /proc/none"), "{outcome:?}");
}
