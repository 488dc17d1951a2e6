//! `hcube bench alltoall`: the benchmark of Hofmann and Rünger 2013, section 4.

mod arguments;
mod calls;
mod measure;
mod plot;
mod problem;
mod report;
mod system;

pub use arguments::Arguments;

use crate::bench::{files, frame};
use crate::session::{self, Failure};
use hcube_results::alltoall::{Results, Run};
use measure::Alltoall;
use plot::{check_plot, draw};
use std::process::ExitCode;

/// Measures under MPI, or draws what was measured.
pub fn run(arguments: &Arguments) -> ExitCode {
    if arguments.from.is_empty() {
        return session::run(|session| {
            let check = || check_plot(arguments);
            frame::start(session, &arguments.common, check, || Alltoall::new(session, arguments))
        });
    }
    session::without_mpi(|| join(arguments))
}

/// Joins the results of earlier runs, and draws them.
fn join(arguments: &Arguments) -> Result<(), Failure> {
    let json = &arguments.common.json;
    if arguments.plot.is_none() && !json.wanted() {
        return Err("--from: expected --plot or --json, which say what to do with the results".to_owned());
    }
    json.check().and_then(|()| check_plot(arguments)).map_err(|error| error.to_string())?;
    let wanted = |run: &Run| {
        arguments.wants(&run.algorithm)
            && (arguments.sizes.is_empty() || arguments.sizes.contains(&run.bytes_per_rank))
    };
    let mut joined = Results::default();
    for results in files::read::<Results>(&arguments.from)? {
        joined.runs.extend(results.runs.into_iter().filter(wanted));
        joined.notes.extend(results.notes);
    }
    joined.notes.sort();
    joined.notes.dedup();
    json.write(&joined)?;
    draw(arguments, &joined)
}
