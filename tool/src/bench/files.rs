//! Results of earlier runs.

use crate::session::Failure;
use serde::de::DeserializeOwned;
use std::path::PathBuf;

/// Reads the files that `--from` names.
pub fn read<T: DeserializeOwned>(paths: &[PathBuf]) -> Result<Vec<T>, Failure> {
    let read = |path: &PathBuf| {
        let failure = |error: &dyn std::fmt::Display| format!("--from {}: {error}", path.display());
        let text = std::fs::read_to_string(path).map_err(|error| failure(&error))?;
        serde_json::from_str(&text).map_err(|error| failure(&error))
    };
    paths.iter().map(read).collect()
}
