//! `hcube-lab collect`: what scripts/bench.sh has measured in several runs, as one file of results.

pub mod fftw;
mod mpi_bench;
mod preload;
mod random_access;

use clap::Subcommand;
use hcube_tool::session;
use std::process::ExitCode;

/// Puts the results of several runs into one file (for scripts/bench.sh)
#[derive(Debug, clap::Args)]
pub struct Arguments {
    #[command(subcommand)]
    kind: Kind,
}

#[derive(Debug, Subcommand)]
enum Kind {
    RandomAccess(random_access::Arguments),
    Fftw(fftw::Arguments),
    MpiBench(mpi_bench::Arguments),
    Preload(preload::Arguments),
}

/// Reads, checks, writes.
pub fn run(arguments: &Arguments) -> ExitCode {
    session::without_mpi(|| match &arguments.kind {
        Kind::RandomAccess(arguments) => random_access::collect(arguments),
        Kind::Fftw(arguments) => fftw::collect(arguments),
        Kind::MpiBench(arguments) => mpi_bench::collect(arguments),
        Kind::Preload(arguments) => preload::collect(arguments),
    })
}
