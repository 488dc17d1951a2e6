//! Where results go: tables to standard output, JSON to a file or instead of the tables.

use crate::session::Failure;
use serde::Serialize;
use std::path::Path;

/// The option `--json`.
#[derive(Debug, Clone, clap::Args)]
pub struct JsonOption {
    /// Write the results as JSON, to FILE beside the tables; without FILE or with '-' to standard
    /// output instead of them
    #[arg(long, value_name = "FILE", num_args = 0..=1, default_missing_value = "-")]
    json: Option<String>,
}

impl JsonOption {
    /// Whether tables are printed.
    pub fn tables(&self) -> bool {
        self.json.as_deref() != Some("-")
    }

    /// Writes the results where they were asked for.
    pub fn write(&self, results: &impl Serialize) -> Result<(), Failure> {
        let Some(place) = &self.json else { return Ok(()) };
        let text = serde_json::to_string_pretty(results).map_err(|error| format!("JSON: {error}"))?;
        if place == "-" {
            println!("{text}");
            return Ok(());
        }
        let path = Path::new(place);
        if let Some(folder) = path.parent() {
            // A folder that cannot be made shows in the error of the next call.
            drop(std::fs::create_dir_all(folder));
        }
        std::fs::write(path, text + "\n").map_err(|error| format!("--json {place}: {error}"))
    }
}
