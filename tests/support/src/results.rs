//! The tool for tests of the tool, and the files that it writes.

use serde_json::Value;
use std::fs;
use std::path::Path;
use std::sync::LazyLock;

/// The command `hcube` of the build under test, which is located once.
pub static TOOL: LazyLock<String> = LazyLock::new(crate::tool);

/// A file in JSON.
pub fn json(path: &Path) -> Value {
    let text = fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    serde_json::from_str(&text).expect("JSON")
}

/// The runs of a benchmark.
pub fn runs(path: &Path) -> Vec<Value> {
    json(path)["runs"].as_array().expect("runs").clone()
}
