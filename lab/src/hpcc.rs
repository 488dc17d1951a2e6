//! `hcube-lab hpcc`: runs the official HPCC in several variants and compares their figures of merit.
//!
//! This subcommand starts mpirun itself, so it never initialises MPI.

pub mod arguments;
pub mod busy;
pub mod hpl;
pub mod input;
pub mod launch;
mod merits;
mod outcome;
pub mod parse;
mod plan;
mod problems;
mod progress;
mod report;
pub mod run;
mod variant;

pub use arguments::Arguments;
pub use plan::cores;
pub use report::{Entry, Results};

use hcube_tool::output;
use hcube_tool::session;
use launch::Launcher;
use outcome::Outcome;
use plan::Run;
use progress::Progress;
use std::process::ExitCode;
use std::time::Instant;
use variant::Mpi;

/// Runs all variants on all numbers of ranks, in turn.
pub fn run(arguments: &Arguments) -> ExitCode {
    match compare(arguments) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(failure) => session::report_failure(&failure),
    }
}

/// Returns whether every run passed.
fn compare(arguments: &Arguments) -> Result<bool, String> {
    arguments.json.check().map_err(|error| error.to_string())?;
    if let Some(plot) = &arguments.plot {
        output::check("--plot", plot, &output::PLOT).map_err(|error| error.to_string())?;
    }
    let launcher = Launcher::new(arguments)?;
    for variant in arguments.variants() {
        launch::check_libraries(&arguments.program(variant)?)?;
    }
    launch::end_children_on_signals()?;
    let outcomes = run_all(arguments, &launcher)?;
    let results = Results::new(launcher.mpi, arguments.n, &outcomes);
    if arguments.json.tables() {
        print!("{}", report::text(&results, arguments, &outcomes));
        if let Some(sentence) = results.sentence(cores()) {
            println!("\n{sentence}");
        }
    }
    arguments.json.write(&results)?;
    if let Some(plot) = &arguments.plot {
        results.draw(plot)?;
    }
    let problems = |run: &Run, outcome: &Outcome| {
        problems::problems(run, outcome, arguments.problem(run.ranks).columns())
    };
    let problems: Vec<String> = outcomes.iter().flat_map(|(run, outcome)| problems(run, outcome)).collect();
    for problem in &problems {
        eprintln!("hcube-lab hpcc: {problem}");
    }
    Ok(problems.is_empty())
}

/// Runs all that the time permits.
fn run_all(arguments: &Arguments, launcher: &Launcher) -> Result<Vec<(Run, Outcome)>, String> {
    let runs = arguments.all_runs();
    announce(arguments, launcher, &runs);
    let (begin, budget) = (Instant::now(), arguments.budget());
    let mut progress = Progress::new(&runs, arguments.n, budget);
    let mut outcomes: Vec<(Run, Outcome)> = Vec::new();
    let alike = |a: &Run, b: &Run| (a.repeat, a.ranks) == (b.repeat, b.ranks);
    for group in runs.chunk_by(alike) {
        if !plan::fits(outcomes.len(), begin.elapsed().as_secs_f64(), progress.estimate(group), budget) {
            break;
        }
        for one in group {
            progress.begin(one);
            let outcome = run::run(arguments, launcher, one, &mut progress)?;
            progress.end(one, &outcome);
            outcomes.push((*one, outcome));
        }
    }
    progress.finish();
    Ok(outcomes)
}

/// Tells what will run, and what may take long.
fn announce(arguments: &Arguments, launcher: &Launcher, runs: &[Run]) {
    let names = |whole: Option<bool>| {
        let variants = arguments.variants();
        let chosen =
            variants.iter().filter(|&&variant| whole.is_none_or(|whole| arguments.whole(variant) == whole));
        chosen.map(|variant| variant.name()).collect::<Vec<_>>().join(", ")
    };
    let cores = cores();
    eprintln!(
        "hcube-lab hpcc: at most {} runs of HPCC with N = {}, variants {}; about {}",
        runs.len(),
        arguments.n,
        names(None),
        plan::in_words(plan::Estimate::new(cores, arguments.n).seconds(runs).min(arguments.budget()))
    );
    let brief = names(Some(false));
    if !brief.is_empty() {
        eprintln!(
            "hcube-lab hpcc: {brief}: stopped after both MPIRandomAccess sections (--complete runs all of HPCC)"
        );
    }
    if launcher.mpi == Mpi::Mpich && runs.iter().any(|run| run.ranks > cores) {
        eprintln!(
            "hcube-lab hpcc: warning: more ranks than the {cores} cores: ranks of MPICH do not yield, so HPCC may \
             take many minutes"
        );
    }
}
