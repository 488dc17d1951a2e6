//! The options of `hcube-lab hosts`.

use super::bench;
use super::options::Options;
use std::ffi::OsString;

/// Runs a command on several hosts of this machine (not under mpirun)
///
/// Hosts are network namespaces with names, process numbers and shared memory of their own, joined by a
/// switch of the kernel: the MPI library sends real messages by TCP between them. They share the cores of
/// this machine, so figures show what messages cost, not what a cluster reaches. Needs root or user
/// namespaces; nothing is left at the end, also when this command is killed.
///
/// Example: hcube-lab hosts --hosts 4 --ranks-per-host 4 --rate 1gbit -- hcube bench alltoall
#[derive(Debug, clap::Args)]
#[command(args_conflicts_with_subcommands = true)]
pub struct Arguments {
    #[command(subcommand)]
    pub action: Option<Action>,
    #[command(flatten)]
    pub place: Options,
    /// A variable of the environment for the ranks; LD_LIBRARY_PATH, OMP_NUM_THREADS, OPENBLAS_NUM_THREADS
    /// and variables whose names begin with HCUBE_ reach them anyway
    #[arg(short = 'x', long = "variable", value_name = "NAME")]
    pub variables: Vec<String>,
    /// The program of all ranks and its arguments
    #[arg(last = true, required = true, value_name = "COMMAND")]
    pub command: Vec<OsString>,
}

/// What is run on hosts instead of a command.
#[derive(Debug, clap::Subcommand)]
pub enum Action {
    Bench(bench::Arguments),
}
