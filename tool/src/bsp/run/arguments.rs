//! The options of `hcube bsp run`.

use crate::bsp::program::{Costs, ProgramArguments};
use crate::choices::number;
use crate::output::JsonOption;
use hcube_alltoall::options::parse_bytes;
use std::path::PathBuf;

/// Runs a bulk-synchronous program and compares its time with the predicted one (run it under mpirun)
///
/// The program runs on the supersteps of hcube's BSPlib; its result is verified. The time of an operation is
/// measured before each run, for blocks of the same size, on all processes at the same time; all other
/// figures come from the machine file, which 'hcube bsp probe' has written. The times are followed by the
/// mean relative errors for constant g, g(h) and g(h,h*).
///
/// Examples:
///   mpirun -np 2 hcube bsp run matmul --sizes 256,512,1024 --blocks 2,4
///   mpirun -np 2 hcube bsp run matmul --sizes 1024,2048 --memory 1M --scalapack
///   mpirun -np 2 hcube bsp run llcs --sizes 8192,65536 --plot llcs.svg
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub struct Arguments {
    #[command(flatten)]
    pub program: ProgramArguments,
    /// Select the fewest blocks for which temporary memory of a process has at most this many bytes
    #[arg(long, value_name = "BYTES", value_parser = bytes, conflicts_with = "blocks")]
    pub memory: Option<usize>,
    /// Whose costs are used
    #[arg(long, default_value = "schedule")]
    pub costs: Costs,
    /// Measurements of each size; the table shows the median and (largest - smallest) / median
    #[arg(long, value_name = "TIMES", default_value_t = 5, value_parser = number::<u32>(1..=1000))]
    pub repeat: u32,
    /// Also measure ScaLAPACK's pdgemm for the same matrices, in turn, and what both add to the memory of a
    /// process
    #[arg(long, value_name = "FILE", num_args = 0..=1, require_equals = true, default_missing_value = INSTALLED)]
    pub scalapack: Option<PathBuf>,
    /// The BLAS for products of blocks [default: an installed one; without it, a loop of hcube]
    #[arg(long, value_name = "FILE")]
    pub blas: Option<PathBuf>,
    /// Do not verify
    #[arg(long)]
    pub no_verify: bool,
    /// Draw measured and predicted times into an SVG file
    #[arg(long, value_name = "FILE")]
    pub plot: Option<PathBuf>,
    /// Do not show progress
    #[arg(long)]
    pub no_progress: bool,
    #[command(flatten)]
    pub json: JsonOption,
}

/// The value of `--scalapack` that stands for the library which is installed.
pub const INSTALLED: &str = "installed";

fn bytes(text: &str) -> Result<usize, String> {
    let expected = "expected bytes of 24 or more; k, M and G stand for powers of 1024";
    parse_bytes(text).filter(|&bytes| bytes >= 24).ok_or_else(|| expected.to_owned())
}
