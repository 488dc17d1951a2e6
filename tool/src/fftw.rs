//! `hcube fftw`: tables and the plot of what the benchmark of FFTW's transposes has measured.
//!
//! The benchmark itself, hpcc-glue/fftw/bench, is a program that uses FFTW; this one has nothing of it.

pub mod plot;
mod results;

pub use results::{Comparison, Results};

use crate::output::{self, JsonOption};
use crate::session::{self, Failure};
use std::path::PathBuf;
use std::process::ExitCode;

/// Compares FFTW's own transposes with those through hcube (not under mpirun)
///
/// Takes the times that scripts/bench.sh fftw has measured, prints medians, and draws them as Hofmann and
/// Ruenger 2013 do in Figure 6 (right).
///
/// Example:
///   hcube fftw --from two.json,four.json --json fftw.json --plot fftw.svg
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub struct Arguments {
    /// Files that the benchmark has written, or that this subcommand has
    #[arg(long, value_name = "FILE[,FILE...]", value_delimiter = ',', required = true)]
    from: Vec<PathBuf>,
    #[command(flatten)]
    json: JsonOption,
    /// Draw times and memory, relative to FFTW's own, as SVG
    #[arg(long, value_name = "FILE")]
    plot: Option<PathBuf>,
}

/// Reads, prints, writes, draws.
pub fn run(arguments: &Arguments) -> ExitCode {
    match compare(arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => session::report_failure(&failure),
    }
}

fn compare(arguments: &Arguments) -> Result<(), Failure> {
    let mut results = Results::default();
    for path in &arguments.from {
        let failure = |error: &dyn std::fmt::Display| format!("--from {}: {error}", path.display());
        let text = std::fs::read_to_string(path).map_err(|error| failure(&error))?;
        let read: Results = serde_json::from_str(&text).map_err(|error| failure(&error))?;
        results.runs.extend(read.runs);
    }
    results.summarise()?;
    if arguments.json.tables() {
        print!("{}", results.text());
    }
    arguments.json.write(&results)?;
    let Some(path) = &arguments.plot else { return Ok(()) };
    let sheet = plot::sheet(&results.comparisons())
        .ok_or("--plot: no problem was measured by FFTW's own plan and by hcube")?;
    output::write("--plot", path, &sheet.svg())
}
