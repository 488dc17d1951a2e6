//! `hcube alltoall`: the benchmark of Hofmann and Rünger 2013, section 4.
//!
//! All cases of a size are measured in turn, as often as `--repeat` says, so that a machine that
//! becomes slower meanwhile slows all of them.

mod arguments;
mod bench;
mod calls;
pub mod figure;
mod footprint;
mod problem;
mod report;

pub use arguments::Arguments;
pub use report::{Results, Run};

use crate::output;
use crate::progress::Progress;
use crate::session::{self, Failure, Session, Verdict};
use bench::Bench;
use hcube_alltoall::Options;
use hcube_core::comm::agree;
use std::process::ExitCode;

/// Measures under MPI, or draws what was measured.
pub fn run(arguments: &Arguments) -> ExitCode {
    if arguments.from.is_empty() {
        return session::run(|session| measure(session, arguments));
    }
    match join(arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => session::report_failure(&failure),
    }
}

/// Collective: runs the benchmark.
fn measure(session: &Session, arguments: &Arguments) -> Result<Verdict, Failure> {
    let refused = |error: hcube_core::Error| error.to_string();
    let defaults = agree(&session.comm, Options::from_environment()).map_err(refused)?;
    // Now, not when the work is done.
    let files = if session.speaks() { check_files(arguments) } else { Ok(()) };
    agree(&session.comm, files).map_err(refused)?;
    let cases = arguments.cases(&defaults);
    let mut bench = Bench::new(session, arguments).map_err(refused)?;
    if session.speaks() && arguments.json.tables() {
        print!("{}", report::heading(arguments, &bench));
    }
    let mut progress = Progress::new("alltoall", session.speaks() && !arguments.no_progress);
    progress.begin(arguments.sizes().len() * arguments.repeat as usize);
    let mut results = Results::default();
    for &bytes in arguments.sizes() {
        let outcomes = bench.measure(bytes, &cases, &mut progress)?;
        results.add(arguments, &bench, bytes, &cases, &outcomes);
    }
    progress.finish();
    let verdict = if results.wrong() { Verdict::Wrong } else { Verdict::Good };
    if !session.speaks() {
        return Ok(verdict);
    }
    if arguments.json.tables() {
        print!("{}", results.text());
    }
    // The other ranks do not know of it, so a file that cannot be written is told but not agreed on.
    if let Err(failure) = write(arguments, &results) {
        eprintln!("hcube: {failure}");
        return Ok(Verdict::Wrong);
    }
    Ok(verdict)
}

fn check_files(arguments: &Arguments) -> hcube_core::Result<()> {
    arguments.json.check()?;
    arguments.plot.as_deref().map_or(Ok(()), |path| output::check("--plot", path))
}

/// Writes JSON and plot where they were asked for.
fn write(arguments: &Arguments, results: &Results) -> Result<(), Failure> {
    arguments.json.write(results)?;
    let Some(path) = &arguments.plot else { return Ok(()) };
    let sheet = figure::sheet(arguments, &results.runs).ok_or("--plot: there are no results to draw")?;
    output::write("--plot", path, &sheet.svg())
}

/// Joins the results of earlier runs, and draws them.
fn join(arguments: &Arguments) -> Result<(), Failure> {
    if arguments.plot.is_none() && !arguments.json.wanted() {
        return Err("--from: expected --plot or --json, which say what becomes of the results".to_owned());
    }
    check_files(arguments).map_err(|error| error.to_string())?;
    let wanted = |run: &Run| {
        arguments.wants(&run.algorithm)
            && (arguments.sizes.is_empty() || arguments.sizes.contains(&run.bytes_per_rank))
    };
    let mut joined = Results::default();
    for path in &arguments.from {
        let failure = |error: &dyn std::fmt::Display| format!("--from {}: {error}", path.display());
        let text = std::fs::read_to_string(path).map_err(|error| failure(&error))?;
        let results: Results = serde_json::from_str(&text).map_err(|error| failure(&error))?;
        joined.runs.extend(results.runs.into_iter().filter(wanted));
        joined.notes.extend(results.notes);
    }
    joined.notes.sort();
    joined.notes.dedup();
    write(arguments, &joined)
}
