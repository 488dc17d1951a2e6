//! Longest common subsequences on simulated ranks.

use super::{ONE_HOST, TOOL, copy_of_root, has_its_turn, simulated, text};
use serde_json::Value;
use std::fs;
use std::process::Command;

/// On grids of every alpha, where the last rank sends to the first one; with and without barriers.
#[test]
fn subsequences_are_right_on_every_grid_and_take_the_predicted_time() {
    if !has_its_turn() {
        return;
    }
    let folder = copy_of_root("lcs");
    let arguments = ["--ranks", "1 16", "--ranks-per-node", "3", "--sections", "lcs", "--machine", "juropa"];
    let found = simulated(Command::new(TOOL.as_str()), &folder, &arguments);
    let found: Value = serde_json::from_str(&found).expect("JSON");
    let rows = found["lcs"].as_array().expect("a list");
    // Three lengths; two have the grids of the thesis, with five alphas, with and without barriers.
    assert_eq!(rows.len(), 2 * (3 + 2 * 2 * 5), "{found}");
    for row in rows {
        let number = |name: &str| row[name].as_f64().expect("a number");
        assert!(row["errors"] == 0, "{row}");
        // Random strings of four symbols: 0.654 of their length.
        let share = number("subsequence") / number("length");
        assert!((0.64..0.66).contains(&share), "{row}");
        assert!(number("efficiency") <= 1.0 && number("efficiency") > 0.0, "{row}");
        let deviation = number("seconds") / number("predicted_seconds") - 1.0;
        if row["variant"] != "thesis" && number("length") > 500_000.0 {
            assert!(deviation.abs() < 0.1, "{row}");
        }
    }
    // Barriers take time.
    let seconds = |variant: &str| {
        let is_largest = |row: &&Value| {
            row["ranks"] == 16 && row["length"] == 65536 && row["alpha"] == 5 && row["variant"] == variant
        };
        rows.iter().find(is_largest).expect("simulated")["seconds"].as_f64().expect("a number")
    };
    assert!(seconds("square") < seconds("thesis"), "{found}");
}

#[test]
fn bad_cases_are_refused() {
    if !has_its_turn() {
        return;
    }
    let folder = copy_of_root("lcs-cases");
    let platform = folder.join("one.xml");
    fs::write(&platform, ONE_HOST).expect("writable");
    for (driver, case, part) in [
        ("lcs", "length=0", "length=0"),
        ("lcs", "length=100,symbols=257", "symbols=257"),
        ("lcs", "barriers=2", "barriers=2"),
        ("lcs", "alpha=-1", "alpha=-1"),
        ("lcs", "blocks=5", "blocks=5"),
        ("matmul", "n=0", "n=0"),
        ("matmul", "n=8,blocks=-1", "blocks=-1"),
        ("matmul", "distribution=cyclic", "distribution=cyclic"),
        ("matmul", "alpha=1", "alpha=1"),
    ] {
        let output = Command::new("smpirun")
            .args(["-np", "1", "-no-privatize", "-platform"])
            .arg(&platform)
            .arg(folder.join(driver))
            .arg(case)
            .output()
            .expect("smpirun starts");
        let errors = text(&output.stderr);
        assert!(errors.contains(&format!("case '{case}': {part} is not known")), "{case}: {errors}");
    }
}
