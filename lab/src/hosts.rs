//! `hcube-lab hosts`: runs programs on several hosts of this machine.
//!
//! This subcommand starts the launcher itself, so it never initialises MPI. The crate `hcube-hosts` makes the
//! hosts, which end with this process.

pub mod arguments;
mod job;

pub use arguments::Arguments;

use crate::hpcc::launch;
use hcube_tool::session;
use std::process::ExitCode;

/// Runs a command on all hosts.
pub fn run(arguments: &Arguments) -> ExitCode {
    match launched(arguments) {
        Ok(status) => ExitCode::from(status),
        Err(failure) => session::report_failure(&failure),
    }
}

/// The exit status of the launcher.
fn launched(arguments: &Arguments) -> Result<u8, String> {
    launch::end_children_on_signals()?;
    let place = job::Place::new(&arguments.place)?;
    eprintln!("{}", place.title());
    let command = place.command(&arguments.variables, &arguments.command)?;
    job::status(command)
}
