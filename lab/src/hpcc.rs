//! `hcube hpcc`: runs the official HPCC in several variants and compares their RandomAccess.
//!
//! This subcommand starts mpirun itself, so it never initialises MPI.

pub mod arguments;
mod input;
pub mod launch;
pub mod parse;
mod progress;
mod report;
mod run;

pub use arguments::Arguments;

use hcube_tool::session::{self, Failure};
use launch::Launcher;
use progress::Progress;
use run::{Outcome, Run};
use std::process::ExitCode;

/// Runs all variants on all numbers of ranks, in turn.
pub fn run(arguments: &Arguments) -> ExitCode {
    match compare(arguments) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(failure) => session::report_failure(&failure),
    }
}

/// Returns whether all that must be right was right.
fn compare(arguments: &Arguments) -> Result<bool, Failure> {
    let launcher = Launcher::new(arguments)?;
    for &variant in &arguments.variants {
        arguments.program(variant)?;
    }
    launch::end_children_on_signals()?;
    announce(arguments, &launcher);
    let runs = arguments.all_runs();
    let mut progress = Progress::new(runs.len());
    let mut outcomes: Vec<(Run, Outcome)> = Vec::new();
    for one in runs {
        progress.begin(&one);
        let outcome = run::run(arguments, &launcher, &one, &mut progress)?;
        progress.end(&one, &outcome);
        outcomes.push((one, outcome));
    }
    progress.finish();
    let results = report::Results::new(launcher.mpi.name(), &outcomes);
    if arguments.json.tables() {
        print!("{}", report::text(&results, arguments, &outcomes));
    }
    arguments.json.write(&results)?;
    let problems: Vec<String> =
        outcomes.iter().flat_map(|(run, outcome)| report::problems(run, outcome)).collect();
    for problem in &problems {
        eprintln!("hcube hpcc: {problem}");
    }
    Ok(problems.is_empty())
}

/// Says what is going to happen, and what may take long.
fn announce(arguments: &Arguments, launcher: &Launcher) {
    let names = |whole: Option<bool>| {
        let chosen = arguments
            .variants
            .iter()
            .filter(|&&variant| whole.is_none_or(|whole| arguments.whole(variant) == whole));
        chosen.map(|variant| variant.name()).collect::<Vec<_>>().join(", ")
    };
    eprintln!("hcube hpcc: HPCC with N = {}, variants {}", arguments.n, names(None));
    let brief = names(Some(false));
    if !brief.is_empty() {
        eprintln!(
            "hcube hpcc: runs of {brief} end when both MPIRandomAccess results are there (--complete runs all of HPCC)"
        );
    }
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    if launcher.mpi == arguments::Mpi::Mpich && arguments.ranks.0.iter().any(|&ranks| ranks > cores) {
        eprintln!(
            "hcube hpcc: warning: more ranks than the {cores} cores here: MPICH's ranks do not yield, so HPCC may take many minutes"
        );
    }
}
