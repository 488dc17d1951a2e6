//! Benchmarks on hosts whose ranks share two cores.

use super::{TOOL, copy_of_root, has_its_turn, simulated};
use serde_json::Value;
use std::process::Command;

/// Messages take the time of processors that all ranks share: the 8 messages between hosts of 4 ranks, and
/// the 48 of 8 ranks, take at least their costs divided by the processors, and more ranks take longer.
#[test]
fn messages_use_the_cores_that_all_ranks_share() {
    if !has_its_turn() {
        return;
    }
    let folder = copy_of_root("hosts");
    let arguments =
        ["--sections", "hosts", "--ranks", "4 8", "--ranks-per-node", "2", "--machine", "hosts-openmpi"];
    let found = simulated(Command::new(TOOL.as_str()), &folder, &arguments);
    let found: Value = serde_json::from_str(&found).expect("JSON");
    let rows = found["hosts"].as_array().expect("a list");
    // Two numbers of ranks: seven kinds of exchanges of five sizes, by hcube and the library; four broadcasts
    // of panels, six transposes, the updates of RandomAccess, two products, transforms and subsequences by
    // hcube.
    assert_eq!(rows.len(), 2 * (7 * 5 * 2 + 4 + 6 + 1 + 3 * 2));
    assert!(rows.iter().all(|row| row["errors"] == 0), "{rows:?}");
    let seconds = |ranks: u64, subject: &str| {
        let is = |row: &&Value| {
            (&row["case"], &row["by"]) == (&"alltoall".into(), &"library".into())
                && (row["ranks"].as_u64(), row["subject"].as_str()) == (Some(ranks), Some(subject))
        };
        rows.iter().find(is).expect("simulated")["seconds"].as_f64().expect("a number")
    };
    let costs = &found["machines"][0]["messages"];
    let shortest = 1e-6 * costs["network"][0]["us"].as_f64().expect("a cost");
    let cores = costs["shared_cores"].as_f64().expect("a number");
    for (ranks, between) in [(4, 8.0), (8, 48.0)] {
        let short = seconds(ranks, "8 B");
        assert!(short >= between * shortest / cores, "{ranks}: {short}");
    }
    let short = seconds(4, "8 B");
    assert!(seconds(4, "128 KiB") > short && seconds(8, "8 B") > short);
}
