//! The machine that is predicted for.

use crate::probe::DEFAULT_FILE;
use crate::session::Failure;
use hcube_results::machine::Machine;
use std::path::Path;

/// The machine that was named, or the one that was measured here.
pub fn find(name: Option<&str>) -> Result<Machine, Failure> {
    match name {
        Some(name) => Machine::find(name),
        None if Path::new(DEFAULT_FILE).exists() => Machine::find(DEFAULT_FILE),
        None => Err(format!(
            "--machine is missing, and the working directory has no {DEFAULT_FILE}: expected a file, which \
             'mpirun -np 4 hcube probe {DEFAULT_FILE}' writes, or one of {}",
            Machine::names().collect::<Vec<_>>().join(", ")
        )),
    }
}
