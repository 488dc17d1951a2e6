//! HPCC's kernels on simulated ranks.

use super::{TOOL, copy_of_root, has_its_turn, simulated};
use serde_json::Value;
use std::process::Command;

#[test]
fn transforms_are_right() {
    if !has_its_turn() {
        return;
    }
    let folder = copy_of_root("fft");
    let arguments =
        ["--ranks", "1 2 6 16", "--ranks-per-node", "3", "--sections", "fft", "--machine", "franklin"];
    let found = simulated(Command::new(TOOL.as_str()), &folder, &arguments);
    let found: Value = serde_json::from_str(&found).expect("JSON");
    let rows = found["fft"].as_array().expect("a list");
    // Six ranks are no power of two.
    assert_eq!(rows.len(), 3 * 2, "{found}");
    for row in rows {
        assert!(row["errors"] == 0 && row["published_gflops"].is_null(), "{row}");
        let number = |name: &str| row[name].as_f64().expect("a number");
        // At 15 ns per number and level, a rank alone needs this time.
        let alone = 15e-9 * number("part") * (number("part") * number("ranks")).log2();
        assert!(number("seconds") >= alone && number("exchange_seconds") < number("seconds"), "{row}");
    }
    // Binary exchange sends more bytes.
    let seconds = |algorithm: &str| {
        let is_largest = |row: &&Value| row["ranks"] == 16 && row["algorithm"] == algorithm;
        rows.iter().find(is_largest).expect("simulated")["seconds"].as_f64().expect("a number")
    };
    assert!(seconds("six-step") < seconds("binary-exchange"), "{found}");
}

#[test]
fn panels_arrive_by_all_broadcasts() {
    if !has_its_turn() {
        return;
    }
    let folder = copy_of_root("hpl");
    let arguments =
        ["--ranks", "1 6 8 16", "--ranks-per-node", "2", "--sections", "hpl", "--machine", "franklin"];
    let found = simulated(Command::new(TOOL.as_str()), &folder, &arguments);
    let found: Value = serde_json::from_str(&found).expect("JSON");
    let rows = found["hpl"].as_array().expect("a list");
    // Three numbers of ranks that are powers of two, six broadcasts, five places.
    assert_eq!(rows.len(), 3 * 6 * 5, "{found}");
    for row in rows {
        let number = |name: &str| row[name].as_f64().expect("a number");
        assert!(row["errors"] == 0 && number("seconds") >= 0.99 * number("bound_seconds"), "{row}");
    }
}
