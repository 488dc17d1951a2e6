//! `hcube bench <system>`: one frame for the benchmarks of all systems.
//!
//! The frame is [`frame`], and what prints and writes its results is [`job`]. What systems measure with is in [`timing`] (seconds of the slowest rank), [`memory`]
//! (buffers that are refused before a node runs out of memory), [`footprint`] (peak memory of a call), [`library`]
//! (files that are loaded to be measured), [`computation`] (a loop beside which communication is measured), [`lengths`] (what options accept), [`random`] (known data), [`proof`] (which implementation a line has measured) and
//! [`drawn`] (results that are joined and drawn).

pub mod alltoall;
pub mod bsp;
pub mod caf;
pub mod computation;
pub mod drawn;
pub mod fft;
pub mod fftw;
pub mod footprint;
pub mod frame;
pub mod gemm;
pub mod gfortran;
pub mod job;
pub mod lengths;
pub mod library;
pub mod llcs;
pub mod memory;
pub mod panels;
pub mod proof;
pub mod random;
pub mod random_access;
pub mod stream;
pub mod timing;

use clap::Subcommand;
use std::process::ExitCode;

/// Measures a system of hcube against its competitors
///
/// All competitors are measured alternately in one run, so that a machine that becomes slower in the meantime
/// slows all of them. Times are medians, those of the slowest rank; the spread is (largest - smallest) / median.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    #[command(subcommand)]
    system: SystemArguments,
}

#[derive(Debug, Subcommand)]
enum SystemArguments {
    RandomAccess(random_access::Arguments),
    Alltoall(alltoall::Arguments),
    Fftw(fftw::Arguments),
    Gemm(gemm::Arguments),
    Bsp(bsp::Arguments),
    Caf(caf::Arguments),
    Gfortran(gfortran::Arguments),
    Fft(fft::Arguments),
    Stream(stream::Arguments),
    Panels(panels::Arguments),
    Llcs(llcs::Arguments),
}

/// Measures, or joins and draws what was measured.
pub fn run(arguments: &Arguments) -> ExitCode {
    match &arguments.system {
        SystemArguments::RandomAccess(arguments) => random_access::run(arguments),
        SystemArguments::Alltoall(arguments) => alltoall::run(arguments),
        SystemArguments::Fftw(arguments) => fftw::run(arguments),
        SystemArguments::Gemm(arguments) => gemm::run(arguments),
        SystemArguments::Bsp(arguments) => bsp::run(arguments),
        SystemArguments::Caf(arguments) => caf::run(arguments),
        SystemArguments::Gfortran(arguments) => gfortran::run(arguments),
        SystemArguments::Fft(arguments) => fft::run(arguments),
        SystemArguments::Stream(arguments) => stream::run(arguments),
        SystemArguments::Panels(arguments) => panels::run(arguments),
        SystemArguments::Llcs(arguments) => llcs::run(arguments),
    }
}
