//! Teams and RandomAccess on simulated images.

use super::{TOOL, copy_of_root, has_its_turn, simulated};
use serde_json::Value;
use std::process::Command;

/// Teams of any number of images, also where the last node is not full.
#[test]
fn teams_keep_few_words_and_read_few_links() {
    if !has_its_turn() {
        return;
    }
    let folder = copy_of_root("teams");
    let arguments = ["--ranks", "1 2 5 16 48", "--ranks-per-node", "3", "--sections", "teams"];
    let found = simulated(Command::new(TOOL.as_str()), &folder, &arguments);
    let found: Value = serde_json::from_str(&found).expect("JSON");
    let rows = found["teams"].as_array().expect("a list");
    assert_eq!(rows.len(), 5 * 4, "{found}");
    for row in rows {
        let number = |name: &str| row[name].as_u64().expect("a number");
        let log2 = u64::from(number("members").next_power_of_two().ilog2());
        assert!(row["errors"] == 0 && number("reads") <= log2, "{row}");
        // Two links, the word of the barrier and two slots of 128 bytes for reductions; a team of one image
        // has no links.
        assert!(number("words") <= 39 * log2 && (number("words") > 0) == (log2 > 0), "{row}");
        let looks_up = row["team"] != "world";
        assert!((number("lookups") > 0) == looks_up && (row["split_seconds"] == 0.0) != looks_up, "{row}");
    }
    // In another order members are further away than links lead.
    let largest = rows.iter().find(|row| row["ranks"] == 48 && row["team"] == "all").expect("simulated");
    assert!(largest["reads"].as_u64() >= Some(1), "{largest}");
}

#[test]
fn updates_on_coarrays_are_right() {
    if !has_its_turn() {
        return;
    }
    let folder = copy_of_root("coarrays");
    let arguments = ["--ranks", "1 2 6 16", "--ranks-per-node", "3", "--sections", "coarray-updates"];
    let found = simulated(Command::new(TOOL.as_str()), &folder, &arguments);
    let found: Value = serde_json::from_str(&found).expect("JSON");
    let rows = found["coarray_updates"].as_array().expect("a list");
    // Six images are no power of two.
    assert_eq!(rows.len(), 3 * 2, "{found}");
    for row in rows {
        let updates = row["ranks"].as_u64().map(|ranks| 2 * 1024 * ranks);
        assert!(row["errors"] == 0 && row["updates"].as_u64() == updates, "{row}");
        assert!(row["gups"].as_f64() > Some(0.0) && row["published_gups"].is_null(), "{row}");
        // A round of functions that ship nothing needs two reductions at most.
        let reductions = row["reductions"].as_u64().expect("a number");
        assert!(if row["by"] == "spawn" { (2..=4).contains(&reductions) } else { reductions == 0 }, "{row}");
    }
}
