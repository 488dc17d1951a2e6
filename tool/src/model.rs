//! `hcube model`: predicted times of RandomAccess, the in-place exchange and matrix multiplication on a
//! machine that a file describes, by the cost models of the library. Never starts MPI.

mod arguments;
mod gemm;
mod predict;
mod published;
mod report;
pub mod round;

pub use arguments::Arguments;
use arguments::SystemArguments;
pub use gemm::{Figures as GemmFigures, Predicted as GemmPredicted};
pub use published::{Compared, compare, options as paper_options};

use crate::session::{self, Failure};
use predict::Results;
use std::process::ExitCode;

/// Predicts, prints, writes.
pub fn run(arguments: &Arguments) -> ExitCode {
    match &arguments.system {
        Some(SystemArguments::Gemm(arguments)) => session::without_mpi(|| gemm::predict(arguments)),
        None => session::without_mpi(|| predict(arguments)),
    }
}

fn predict(arguments: &Arguments) -> Result<(), Failure> {
    arguments.json.check().map_err(|error| error.to_string())?;
    let machine = arguments.machine()?;
    let ranks = arguments.ranks(&machine)?;
    if let Some(warning) = arguments.warning(&machine) {
        eprintln!("hcube model: warning: {warning}");
    }
    let results = Results::new(arguments, &machine, &ranks);
    if arguments.json.tables() {
        print!("{}", report::text(&results, arguments.compares()));
    }
    arguments.json.write(&results)
}
