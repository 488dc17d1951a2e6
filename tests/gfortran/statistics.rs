//! HCUBE_STATS for Fortran programs with coarrays: numbers, bytes and paths of statements, and advice.

use crate::common;
use crate::common::Outcome;
use crate::common::gfortran::launch;
use serde_json::Value;
use std::fs;

/// Statements of a kind on a path, and their bytes.
fn row(file: &Value, statement: &str, path: &str) -> (u64, u64) {
    let rows = file["rows"].as_array().expect("rows");
    let row = rows.iter().find(|row| row["statement"] == statement && row["path"] == path);
    let number = |name: &str| row.map_or(0, |row| row[name].as_u64().expect("a number"));
    (number("count"), number("bytes"))
}

/// The number of an advice.
fn advice(file: &Value, kind: &str, statement: &str) -> u64 {
    let all = file["advice"].as_array().expect("advice");
    let one = all.iter().find(|one| one["kind"] == kind && one["statement"] == statement);
    one.map_or(0, |one| one["count"].as_u64().expect("a number"))
}

#[test]
fn statements_are_counted_by_kind_and_path() {
    for (images, per_node) in [(2, 2), (2, 1), (3, 3), (4, 2), (4, 1)] {
        let place = format!("{images} images, {per_node} per node");
        let path = common::folder("gfortran").join("statistics.json");
        drop(fs::remove_file(&path));
        let Some(run) = launch("statistics", images) else { return };
        let run = run.per_node(per_node).env("HCUBE_STATS", &format!("json:{}", path.display()));
        let Outcome { status, stdout, stderr, .. } = run.whole_lines().run();
        assert!(status.success() && stdout == "statistics: passed\n", "{place}: {stdout}{stderr}");
        assert!(stderr.contains(&format!(", {images} images: ")), "{place}: {stderr}");
        assert!(stderr.contains("element-wise remote access: "), "{place}: {stderr}");
        let file: Value = serde_json::from_str(&fs::read_to_string(&path).expect("a file")).expect("JSON");
        assert_eq!(file["images"], images, "{place}");
        // The other image is on this node, or on another one.
        let direct = if per_node == images { "node" } else { "messages" };
        if per_node == images {
            assert_eq!(row(&file, "get", "node"), (102, 840), "{place}");
            assert_eq!(row(&file, "get", "request"), (1, 12), "{place}");
        } else {
            assert_eq!(row(&file, "get", "messages"), (103, 852), "{place}");
        }
        assert_eq!(row(&file, "put", direct), (150, 600), "{place}");
        assert_eq!(row(&file, "sync all", direct).0, 2 * images as u64 + allocations(&file), "{place}");
        assert_eq!(row(&file, "co_sum", direct), (images as u64, 4 * images as u64), "{place}");
        // A distance is known from the second one on.
        assert_eq!(advice(&file, "element-wise", "get"), 99, "{place}");
        assert_eq!(advice(&file, "element-wise", "put"), 49, "{place}");
        assert_eq!(advice(&file, "requests", "get"), u64::from(per_node == images), "{place}");
    }
}

/// The compiler synchronises all images after an `allocate` of a coarray.
fn allocations(file: &Value) -> u64 {
    file["images"].as_u64().expect("a number")
}

#[test]
fn nothing_is_printed_without_statistics() {
    let Some(run) = launch("statistics", 2) else { return };
    let Outcome { status, stdout, stderr, .. } = run.whole_lines().run();
    assert!(status.success() && stdout == "statistics: passed\n", "{stdout}{stderr}");
    assert_eq!(stderr, "");
}

/// Also where an image fails, and with values that only some images have.
#[test]
fn all_images_that_end_are_counted() {
    let Some(run) = launch("failed", 3) else { return };
    let Outcome { status, stdout, stderr, .. } = run.env("HCUBE_STATS", "1").whole_lines().run();
    assert!(status.success() && stdout == "failed: passed\n", "{stdout}{stderr}");
    assert!(stderr.contains(", 3 images: ") && stderr.contains("sync all"), "{stderr}");
}
