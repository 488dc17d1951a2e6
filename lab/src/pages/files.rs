//! The files that pages are written from.

use hcube_tool::session::Failure;
use std::fs;
use std::path::Path;

/// What a file has.
///
/// # Errors
/// Names the file that cannot be read.
pub fn read(path: &Path) -> Result<String, Failure> {
    fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))
}
