//! `hcube bench <system>`: one frame for the benchmarks of all systems.
//!
//! A benchmark is a type of options, a [`frame::System`] (which cases there are, how one is opened, called
//! and verified, and what its row is), and in `results` a run with its columns and its picture
//! (`hcube_results::runs::Row`). A new case of a system is a variant of its options and an arm of its `call`.
//!
//! | module | contents |
//! |---|---|
//! | [`frame`] | all measurements of a system |
//! | [`job`] | the options of all systems; what prints and writes results |
//! | [`drawn`] | results that are joined and drawn |
//! | [`timing`] | seconds of the slowest rank, and how many calls are timed together |
//! | [`usage`] | what calls use besides time |
//! | [`proof`] | which implementation a line has measured |
//! | [`memory`], [`footprint`] | buffers that a node has room for; peak memory of a call |
//! | [`library`] | files that are loaded to be measured |
//! | [`computation`] | a loop beside which communication is measured |
//! | [`lengths`], [`random`] | what options accept; known data |

pub mod alltoall;
pub mod bsp;
pub mod caf;
pub mod computation;
pub mod drawn;
pub mod fft;
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
pub mod usage;

use clap::Subcommand;
use std::process::ExitCode;

/// Measures a system of hcube against its competitors
///
/// All competitors are measured alternately in one run, so that a machine that becomes slower in the meantime
/// slows all of them. Times are medians on the slowest rank; the spread is (largest - smallest) /
/// median.
///
/// A list of numbers is 1,2,4, or has ranges: 512:4096:2x stands for 512,1024,2048,4096, and 8:32:8 for
/// 8,16,24,32. Sizes have the units k, M and G, powers of 1024.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    #[command(subcommand)]
    system: SystemArguments,
}

#[derive(Debug, Subcommand)]
enum SystemArguments {
    RandomAccess(random_access::Arguments),
    Alltoall(alltoall::Arguments),
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
