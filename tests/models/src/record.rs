//! What was explored, for the page about protocols: `record.json` beside this program.
//!
//! How many executions a model has does not depend on the machine, so that every test run compares it.

use crate::run::Visited;
use hcube_results::models::{Record, Row};
use std::path::Path;

/// The record, relative to the source tree.
pub const FILE: &str = "tests/models/record.json";

/// The row of a model.
pub fn row(visited: &Visited) -> Row {
    let (model, explored) = (visited.model, visited.explored);
    Row {
        protocol: model.protocol.into(),
        case: model.case.into(),
        extent: model.extent.to_string(),
        is_long: model.is_long,
        participants: explored.participants,
        executions: explored.executions,
        seconds: (explored.time.as_secs_f64() * 100.0).round() / 100.0,
    }
}

/// The record of the source tree.
///
/// # Errors
/// Where there is none, or it is damaged.
pub fn read() -> Result<Record, String> {
    let text = std::fs::read_to_string(FILE).map_err(|error| format!("{FILE}: {error}"))?;
    serde_json::from_str(&text).map_err(|error| format!("{FILE}: {error}"))
}

/// Writes it.
///
/// # Errors
/// As those of the file system.
pub fn write(record: &Record) -> Result<(), String> {
    let text = serde_json::to_string_pretty(record).expect("a record");
    std::fs::write(Path::new(FILE), text + "\n").map_err(|error| format!("{FILE}: {error}"))
}

/// What has changed since the record was made. `is_all`: all models but the long ones were explored.
pub fn differences(record: &Record, visited: &[Visited], is_all: bool) -> Vec<String> {
    let now: Vec<Row> = visited.iter().map(row).collect();
    let recorded = |row: &Row| record.models.iter().find(|other| other.name() == row.name());
    let changed = now.iter().filter_map(|row| match recorded(row) {
        None => Some(format!("{}: not in {FILE}", row.name())),
        Some(old) if !row.is_as(old) => {
            let [before, after] = [old, row].map(|row| (row.participants, row.executions));
            Some(format!("{}: {after:?} participants and executions, {before:?} in {FILE}", row.name()))
        }
        Some(_) => None,
    });
    let gone = record.models.iter().filter(|row| is_all && !row.is_long);
    let gone = gone.filter(|row| now.iter().all(|other| other.name() != row.name()));
    changed.chain(gone.map(|row| format!("{}: in {FILE}, but there is no such model", row.name()))).collect()
}
