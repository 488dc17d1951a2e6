//! `hcube gups`: the stand-alone RandomAccess benchmark of Plimpton et al. 2006.
//!
//! The lines of the table are measured in turn, as often as `--repeat` says, so that a machine that
//! becomes slower meanwhile slows all of them.

mod arguments;
mod bench;
mod calibrate;
mod report;

pub use arguments::{Arguments, LADDER, mode_name, mode_parser};

use crate::progress::Progress;
use crate::session::{Failure, Session, Verdict};
use arguments::Case;
use bench::{Bench, Measured};
use hcube_core::comm::Comm;
use hcube_random_access::UpdateState;

/// Collective: runs the benchmark.
pub fn run(session: &Session, arguments: &Arguments) -> Result<Verdict, Failure> {
    if let Some(path) = &arguments.calibrate {
        return calibrate::run(session, arguments, path);
    }
    let comm = &session.comm;
    let defaults = hcube_random_access::Options::from_environment();
    hcube_core::comm::agree(comm, defaults.as_ref().map(|_| ()).map_err(Clone::clone))
        .map_err(|error| error.to_string())?;
    let cases = arguments.cases(&defaults.unwrap_or_default());
    let mut bench = Bench::new(session, arguments).map_err(|error| error.to_string())?;
    // A mode that cannot work here is refused before the first measurement.
    let descriptions = describe(comm, &cases)?;
    if session.speaks() && arguments.json.tables() {
        print!("{}", report::heading(arguments, &bench, &descriptions));
    }
    let mut progress = Progress::new("gups", session.speaks() && !arguments.no_progress);
    let (lines, bound) = measure(&mut bench, arguments, &cases, &mut progress)?;
    progress.finish();
    if !session.speaks() {
        return Ok(verdict(&lines));
    }
    let results = report::Results::new(arguments, &bench, &cases, &descriptions, &lines, &bound);
    if arguments.json.tables() {
        print!("{}", results.text());
    }
    // The other ranks do not know of it, so a file that cannot be written is told but not agreed on.
    if let Err(failure) = arguments.json.write(&results) {
        eprintln!("hcube: {failure}");
        return Ok(Verdict::Wrong);
    }
    Ok(verdict(&lines))
}

/// What hcube says about each case.
fn describe(comm: &impl Comm, cases: &[Case]) -> Result<Vec<String>, Failure> {
    let mut descriptions = Vec::new();
    for case in cases {
        descriptions
            .push(UpdateState::new(comm, &case.options).map_err(|error| error.to_string())?.describe());
    }
    Ok(descriptions)
}

/// All measurements of all cases, and those of the local bound.
fn measure(
    bench: &mut Bench,
    arguments: &Arguments,
    cases: &[Case],
    progress: &mut Progress,
) -> Result<(Vec<Vec<Measured>>, Vec<Measured>), Failure> {
    let (mut lines, mut bound) = (vec![Vec::new(); cases.len()], Vec::new());
    let per_turn = cases.len() + usize::from(arguments.local_bound);
    progress.begin(per_turn * arguments.repeat as usize);
    for turn in 0..arguments.repeat {
        if arguments.local_bound {
            progress.step(|| format!("local bound, {} of {}", turn + 1, arguments.repeat));
            bound.push(bench.local_bound(cases[0].stream).map_err(|error| error.to_string())?);
        }
        for (case, line) in cases.iter().zip(&mut lines) {
            let verify = turn == 0 && !arguments.no_verify;
            progress.step(|| format!("{}, {} of {}", case.name(), turn + 1, arguments.repeat));
            line.push(bench.measure(case, verify, progress).map_err(|error| error.to_string())?);
        }
    }
    Ok((lines, bound))
}

fn verdict(lines: &[Vec<Measured>]) -> Verdict {
    let wrong = lines.iter().flatten().any(|measured| measured.errors.is_some_and(|errors| errors > 0));
    if wrong { Verdict::Wrong } else { Verdict::Good }
}
