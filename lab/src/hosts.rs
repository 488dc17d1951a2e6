//! `hcube-lab hosts`: runs programs on several hosts of this machine.
//!
//! `hcube-lab hosts bench` runs the benchmarks of all systems in this way.
//!
//! This subcommand starts the launcher itself, so it never initialises MPI. The crate `hcube-hosts` makes the
//! hosts, which end with this process.

pub mod arguments;
mod bench;
mod cases;
mod job;
mod options;
mod programs;
mod site;

pub use arguments::Arguments;

use crate::hpcc::launch;
use arguments::Action;
use hcube_tool::session;
use std::process::ExitCode;

/// The names of all benchmarks.
#[cfg(test)]
pub fn names_of_cases() -> Vec<&'static str> {
    cases::CASES.iter().map(|case| case.name).collect()
}

/// Runs a command on all hosts.
pub fn run(arguments: &Arguments) -> ExitCode {
    let status = launch::end_children_on_signals().and_then(|()| match &arguments.action {
        Some(Action::Bench(arguments)) => bench::run(arguments).map(|is_right| u8::from(!is_right)),
        None => launched(arguments),
    });
    match status {
        Ok(status) => ExitCode::from(status),
        Err(failure) => session::report_failure(&failure),
    }
}

/// The exit status of the launcher.
fn launched(arguments: &Arguments) -> Result<u8, String> {
    let mut place = job::Place::new(&arguments.place)?;
    eprintln!("{}", place.title());
    if let Err(reason) = place.let_ranks_yield() {
        eprintln!("hosts: {reason}");
    }
    let command = place.command(&arguments.variables, &arguments.command)?;
    job::status(command, None)
}
