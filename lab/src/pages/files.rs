//! The files of the pages.

use hcube_tool::output;
use std::fs;
use std::path::{Path, PathBuf};

/// The pages below a directory: README.md, and those in `doc`.
///
/// # Errors
/// Where the directory cannot be read.
pub fn pages(root: &Path) -> Result<Vec<PathBuf>, String> {
    let folder = root.join("doc");
    let entries = fs::read_dir(&folder).map_err(output::failure(&folder))?;
    let mut pages: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    pages.retain(|page| page.extension().is_some_and(|kind| kind == "md"));
    pages.sort();
    pages.insert(0, root.join("README.md"));
    Ok(pages)
}
