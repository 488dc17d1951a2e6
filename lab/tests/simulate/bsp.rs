//! Supersteps and BSP programs on simulated ranks.

use super::{ONE_HOST, TOOL, copy_of_root, has_its_turn, simulated, text};
use serde_json::Value;
use std::fs;
use std::process::Command;

/// Every superstep is verified by the driver; beside nodes of any number of processes, a process may be
/// alone.
#[test]
fn supersteps_are_right_on_any_number_of_processes() {
    if !has_its_turn() {
        return;
    }
    let folder = copy_of_root("supersteps");
    for (machine, ranks_per_node) in [("juropa", "3"), ("juqueen", "16"), ("crossbar", "1")] {
        let sizes =
            ["--ranks", "1 2 3 5 9 64", "--ranks-per-node", ranks_per_node, "--sections", "supersteps"];
        let arguments = [&["--machine", machine][..], &sizes].concat();
        let found = simulated(Command::new(TOOL.as_str()), &folder, &arguments);
        let found: Value = serde_json::from_str(&found).expect("JSON");
        let rows = found["bsp"].as_array().expect("a list");
        assert_eq!(rows.len(), 6 * 3 * 2, "{machine}: {found}");
        for row in rows {
            assert!(row["errors"] == 0 && row["seconds"].as_f64() > Some(0.0), "{machine}: {row}");
        }
        // Data of a node travels together: between nodes, a superstep takes less than by single messages.
        let seconds = |by: &str| {
            let is_last = |row: &&Value| row["ranks"] == 64 && row["puts"] == 64 && row["by"] == by;
            rows.iter().find(is_last).expect("simulated")["seconds"].as_f64().expect("a number")
        };
        assert!(seconds("hcube") < seconds("library"), "{machine}: {found}");
    }
}

/// On a machine of the thesis, and on one whose figures follow from its links.
#[test]
fn programs_are_right_and_beside_predicted_and_published_figures() {
    if !has_its_turn() {
        return;
    }
    let folder = copy_of_root("bsp-programs");
    for (machine, ranks, rows, is_published) in
        [("argus-oxtool", "4", 12, true), ("fat-nodes", "3", 7, false)]
    {
        let arguments =
            ["--machine", machine, "--ranks", ranks, "--ranks-per-node", "1", "--sections", "bsp-programs"];
        let found = simulated(Command::new(TOOL.as_str()), &folder, &arguments);
        let found: Value = serde_json::from_str(&found).expect("JSON");
        let all = found["bsp_programs"].as_array().expect("a list");
        assert_eq!(all.len(), rows, "{found}");
        for row in all {
            assert!(row["errors"] == 0 && row["figures_published"] == is_published, "{row}");
            assert_eq!(row["published_percent"].is_number(), is_published, "{row}");
            // Efficiencies refer to the printed rate of a machine that is faster by a third.
            let simulated = row["simulated_percent"].as_f64().expect("a number");
            assert!(simulated > 0.0 && simulated < if is_published { 141.0 } else { 100.0 }, "{row}");
        }
    }
}

/// Blocks that do not divide the matrix, more and fewer than ranks.
#[test]
fn products_are_right_in_both_distributions() {
    if !has_its_turn() {
        return;
    }
    let folder = copy_of_root("bsp-programs-distributions");
    let platform = folder.join("one.xml");
    fs::write(&platform, ONE_HOST).expect("writable");
    let cases = ["customized", "static"].into_iter().flat_map(|distribution| {
        [(100, 0), (50, 7), (61, 2), (3, 3)]
            .map(|(n, blocks)| format!("n={n},blocks={blocks},distribution={distribution}"))
    });
    let cases: Vec<String> = cases.collect();
    for ranks in ["1", "5", "6"] {
        let mut command = Command::new("smpirun");
        command.args(["-np", ranks, "-no-privatize", "-platform"]).arg(&platform);
        let output = command.arg(folder.join("matmul")).args(&cases).output().expect("smpirun starts");
        let printed = text(&output.stdout);
        assert_eq!(printed.matches("errors\t0\n").count(), cases.len(), "{printed}{}", text(&output.stderr));
    }
}
