//! `hcube bench gemm`: distributed matrix multiplication by hcube and by ScaLAPACK.

mod arguments;
mod calls;
mod data;
pub mod functions;
mod measure;
mod problem;
mod report;
mod system;

pub use arguments::Arguments;

use crate::bench::{files, frame};
use crate::session::{self, Failure};
use hcube_results::gemm::Results;
use measure::Gemm;
use report::{check_plot, draw};
use std::process::ExitCode;

/// Measures under MPI, or draws what was measured.
pub fn run(arguments: &Arguments) -> ExitCode {
    if arguments.from.is_empty() {
        return session::run(|session| {
            let check = || check_plot(arguments);
            frame::start(session, &arguments.common, check, || Gemm::new(session, arguments))
        });
    }
    session::without_mpi(|| join(arguments))
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
    // Ratios are those of each file: the same problem may be in several.
    let joined = Results { runs, notes };
    if json.tables() {
        print!("{}", joined.text());
    }
    json.write(&joined)?;
    draw(arguments, &joined)
}
