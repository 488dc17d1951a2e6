//! `hcube profile`: shows the profile of a BSP program. Never starts MPI.

use crate::output::{self, ForceOption};
use crate::session::{self, Failure};
use hcube_results::profile::Profile;
use std::fs;
use std::path::PathBuf;
use std::process::ExitCode;

/// Shows the profile of a BSP program
///
/// libhcube_bsp.so writes the file where HCUBE_BSP_PROFILE names it, as 'bsprun --prof' does.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// The profile
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Draw times and h-relations over the supersteps to FILE (SVG)
    #[arg(long, value_name = "FILE")]
    plot: Option<PathBuf>,
    #[command(flatten)]
    pub force: ForceOption,
}

/// Prints and draws.
pub fn run(arguments: &Arguments) -> ExitCode {
    session::without_mpi(|| show(arguments))
}

fn show(Arguments { file, plot, .. }: &Arguments) -> Result<(), Failure> {
    let check = |plot: &PathBuf| output::check("--plot", plot, &output::PLOT);
    plot.as_ref().map_or(Ok(()), check).map_err(|error| error.to_string())?;
    let failed = |error: String| format!("{}: {error}", file.display());
    let text = fs::read_to_string(file).map_err(output::failure(file))?;
    let profile = Profile::parse(&text).map_err(failed)?;
    print!("{}", profile.text());
    plot.as_ref().map_or(Ok(()), |plot| output::write("--plot", plot, &output::PLOT, &profile.sheet().svg()))
}
