//! `hcube bench alltoall`: the benchmark of Hofmann and Rünger 2013, section 4.

mod arguments;
mod calls;
mod measure;
mod problem;
mod report;

pub use arguments::Arguments;

use crate::bench::{self, files};
use crate::output;
use crate::session::{self, Failure};
use hcube_results::alltoall::{Results, Run, figure};
use measure::Alltoall;
use std::process::ExitCode;

/// Measures under MPI, or draws what was measured.
pub fn run(arguments: &Arguments) -> ExitCode {
    if arguments.from.is_empty() {
        return session::run(|session| {
            let check = || check_plot(arguments);
            bench::start(session, &arguments.common, check, || Alltoall::new(session, arguments))
        });
    }
    session::without_mpi(|| join(arguments))
}

fn check_plot(arguments: &Arguments) -> hcube_core::Result<()> {
    arguments.plot.as_deref().map_or(Ok(()), |path| output::check("--plot", path))
}

/// Writes the plot where it was asked for.
fn draw(arguments: &Arguments, results: &Results) -> Result<(), Failure> {
    let Some(path) = &arguments.plot else { return Ok(()) };
    let sheet = figure::sheet(arguments.over.map(Into::into), &results.runs)
        .ok_or("--plot: there are no results to draw")?;
    output::write("--plot", path, &sheet.svg())
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
