//! `hcube bsp`: the figures of a BSP machine, predicted times of bulk-synchronous programs, and both against
//! what is measured.

pub mod calls;
pub mod predict;
pub mod program;
pub mod published;
pub mod run;

use crate::probe::supersteps;
use clap::Subcommand;
use std::process::ExitCode;

/// Measures a BSP machine, predicts bulk-synchronous programs, and checks the predictions
///
/// 'hcube bsp probe' measures how long supersteps and words take and writes a machine file, by which 'hcube
/// bsp predict' predicts the time of a program. 'hcube bsp run' measures the program as well, and says by how
/// much the prediction was wrong. 'hcube bsp published' does the same for all runs that Krusche 2005 has
/// published.
///
/// Example: mpirun -np 2 hcube bsp probe && mpirun -np 2 hcube bsp run matmul
#[derive(Debug, clap::Args)]
pub struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Probe(supersteps::Arguments),
    Predict(predict::Arguments),
    Published(published::Arguments),
    Run(run::Arguments),
}

/// Does what the command line says.
pub fn run(arguments: &Arguments) -> ExitCode {
    match &arguments.command {
        Command::Probe(arguments) => supersteps::run(arguments),
        Command::Predict(arguments) => predict::run(arguments),
        Command::Published(arguments) => published::run(arguments),
        Command::Run(arguments) => run::run(arguments),
    }
}
