//! `hcube bench fftw`: tables and the plot of what the benchmark of FFTW's transposes has measured.
//!
//! The benchmark itself, hpcc-glue/fftw/bench, is a program that uses FFTW, whose licence the tool does not
//! have.

use super::drawn;
use crate::output::JsonOption;
use crate::session::{self, Failure};
use hcube_results::fftw::{Results, plot};
use hcube_results::measured::Taken;
use std::path::PathBuf;
use std::process::ExitCode;

/// Compares FFTW's own transpositions with those of hcube (not under mpirun)
///
/// Reads the times that scripts/bench.sh fftw has measured, prints medians, and draws them as Hofmann and
/// Ruenger 2013 do in Figure 6 (right).
///
/// Example:
///   hcube bench fftw --from two.json,four.json --json fftw.json --plot fftw.svg
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub struct Arguments {
    /// Files that scripts/bench.sh or this subcommand has written
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
    session::without_mpi(|| compare(arguments))
}

fn compare(arguments: &Arguments) -> Result<(), Failure> {
    let mut results = Results::default();
    for read in drawn::read_results::<Results>(&arguments.from)? {
        results.runs.extend(read.runs);
        results.taken = if arguments.from.len() == 1 { read.taken } else { Taken::default() };
    }
    results.summarise().map_err(|error| format!("--from: {error}"))?;
    if arguments.json.tables() {
        print!("{}", results.text());
    }
    arguments.json.write(&results)?;
    let undrawn = "no problem was measured by FFTW's own plan and by hcube";
    drawn::draw(arguments.plot.as_deref(), || plot::sheet(&results.comparisons(), &results.taken), undrawn)
}
