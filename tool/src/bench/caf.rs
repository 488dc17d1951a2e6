//! `hcube bench caf`: coarrays by hcube, by MPI's functions and by OpenSHMEM.

mod arguments;
mod calls;
mod functions;
mod hcube;
mod measure;
mod one_sided;
mod openshmem;
mod report;
mod system;
mod task;

pub use arguments::Arguments;

use crate::bench::{files, frame};
use crate::session::{self, Failure};
use hcube_core::options::RANKS_PER_NODE;
use hcube_results::caf::Results;
use measure::Caf;
use report::{check_plot, draw};
use std::process::ExitCode;

/// Measures under MPI, or draws what was measured.
pub fn run(arguments: &Arguments) -> ExitCode {
    if !arguments.from.is_empty() {
        return session::without_mpi(|| join(arguments));
    }
    if let Some(count) = arguments.ranks_per_node {
        // SAFETY: no thread has been started that may read the environment meanwhile.
        unsafe { std::env::set_var(RANKS_PER_NODE.variable, count.to_string()) };
    }
    let code = session::run(|session| {
        let check = || check_plot(arguments);
        frame::start(session, &arguments.common, check, || Caf::new(session, arguments))
    });
    openshmem::leave(code);
    code
}

/// Joins the results of earlier runs, prints and draws them.
fn join(arguments: &Arguments) -> Result<(), Failure> {
    let json = &arguments.common.json;
    json.check().and_then(|()| check_plot(arguments)).map_err(|error| error.to_string())?;
    let (mut runs, mut notes) = (Vec::new(), Vec::new());
    for results in files::read::<Results>(&arguments.from)? {
        runs.extend(results.runs);
        notes.extend(results.notes);
    }
    notes.sort();
    notes.dedup();
    // Ratios are those of each file: the same operation may be in several.
    let joined = Results { runs, notes };
    if json.tables() {
        print!("{}", joined.text());
    }
    json.write(&joined)?;
    draw(arguments, &joined)
}
