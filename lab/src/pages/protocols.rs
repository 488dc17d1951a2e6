//! What the models of protocols have covered.

use super::table::table;
use crate::records::read_json;
use hcube_results::models::{Mutated, Record, Row};
use std::path::Path;

fn record(root: &Path) -> Result<Record, String> {
    read_json(&root.join("tests/models/record.json"))
}

/// The protocols in the order of their models.
fn protocols(record: &Record) -> Vec<&str> {
    let mut names: Vec<&str> = Vec::new();
    for row in &record.models {
        if !names.contains(&row.protocol.as_str()) {
            names.push(&row.protocol);
        }
    }
    names
}

/// The smallest and the largest of some numbers.
fn range(numbers: impl Iterator<Item = usize> + Clone) -> String {
    let (least, most) = (numbers.clone().min().unwrap_or(0), numbers.max().unwrap_or(0));
    if least == most { least.to_string() } else { format!("{least} to {most}") }
}

/// A mutation that one of these models has noticed, in words: where it is, and what it changes.
fn example(mutated: &Mutated) -> String {
    let file = mutated.file.rsplit("src/").next().unwrap_or(&mutated.file);
    format!("`{file}`: {}", mutated.change)
}

/// A line for each protocol.
///
/// # Errors
/// Where there is no record, or it is damaged.
pub fn models(root: &Path) -> Result<String, String> {
    let record = record(root)?;
    let line = |protocol: &str| {
        let rows: Vec<&Row> = record.models.iter().filter(|row| row.protocol == protocol).collect();
        let caught: Vec<&Mutated> = record
            .mutations
            .iter()
            .filter(|one| one.caught_by.iter().any(|[by, _]| by == protocol))
            .collect();
        vec![
            format!("`{protocol}`"),
            rows.len().to_string(),
            range(rows.iter().map(|row| row.participants)),
            rows.iter().map(|row| row.executions).sum::<u64>().to_string(),
            format!("{:.1}", rows.iter().map(|row| row.seconds).sum::<f64>()),
            caught.len().to_string(),
            caught.first().map_or(String::new(), |one| example(one)),
        ]
    };
    let heading =
        ["protocol", "models", "participants", "executions", "seconds", "mutations caught", "one of them"];
    let rows = protocols(&record).into_iter().map(line).collect();
    Ok(table(heading.map(str::to_owned).to_vec(), rows))
}

/// How many models, executions and mutations there are.
///
/// # Errors
/// As [`models`].
pub fn summary(root: &Path) -> Result<String, String> {
    let record = record(root)?;
    let executions: u64 = record.models.iter().map(|row| row.executions).sum();
    let kept = record.mutations.iter().filter(|one| one.caught_by.is_empty()).count();
    Ok(format!(
        "{} models of {} protocols with {executions} executions; of {} mutations they catch {}, and {kept} are kept",
        record.models.len(),
        protocols(&record).len(),
        record.mutations.len(),
        record.mutations.len() - kept
    ))
}
