//! Environment variables as doc/options.md describes them to users.

use crate::root;
use std::fs;

/// The values that the tables give for a variable, which are the same wherever it stands.
pub fn documented_values(name: &str) -> Vec<String> {
    let page = fs::read_to_string(root().join("doc/options.md")).expect("doc/options.md");
    let start = format!("| `{name}` |");
    // The last columns are: values, default, meaning.
    let values = |row: &str| row.rsplit(" | ").nth(2).expect("a column with values").to_owned();
    let mut cells: Vec<String> = page.lines().filter(|line| line.starts_with(&start)).map(values).collect();
    cells.dedup();
    assert_eq!(cells.len(), 1, "values of {name} in doc/options.md: {cells:?}");
    cells[0].replace(" or ", ", ").split(", ").map(str::to_owned).collect()
}
