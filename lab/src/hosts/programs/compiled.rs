//! Programs and libraries in C of the source tree, compiled for the MPI library of a site.

use crate::hosts::site::Site;
use hcube_tool::output;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The root of the source tree.
pub fn tree<'a>(site: &'a Site) -> &'a Path {
    site.target().parent().unwrap_or(Path::new("."))
}

/// The files in C of a folder.
///
/// # Errors
/// If it cannot be read.
pub fn sources(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let files = fs::read_dir(folder).map_err(output::failure(folder))?.flatten().map(|file| file.path());
    Ok(files.filter(|file| file.extension().is_some_and(|end| end == "c")).collect())
}

/// Compiles with the arguments that the caller adds.
///
/// # Errors
/// Where there is no such compiler, or it fails: with its first error.
pub fn compile(site: &Site, add_arguments: impl FnOnce(&mut Command)) -> Result<(), String> {
    let compiler = format!("mpicc.{}", site.about().mpi);
    let mut command = Command::new(&compiler);
    command.args(["-std=c99", "-O2"]);
    add_arguments(&mut command);
    let done = command.output().map_err(|error| format!("{compiler}: {error}"))?;
    if done.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&done.stderr).into_owned();
    let first = said.lines().find(|line| line.contains("rror")).unwrap_or("it fails");
    Err(format!("{compiler}: {first}"))
}
