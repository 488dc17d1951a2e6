//! The command-line tool of hcube.
//!
//! | subcommand | does | started |
//! |---|---|---|
//! | `gups` | the stand-alone RandomAccess benchmark | under mpirun |
//! | `alltoall` | the all-to-all benchmark | under mpirun; without it to draw results |
//! | `doctor` | says what works on this machine and what hcube will choose | with or without mpirun |
//! | `model` | predicts RandomAccess and the all-to-all exchange on other machines | without mpirun |
//! | `fftw` | tables and the plot of the benchmark of FFTW's transposes | without mpirun |
//! | `manual` | writes manual pages, completions for shells and the table of all options | without mpirun |

use hcube_tool::{alltoall, doctor, fftw, gups, manual, model, session};

use clap::{CommandFactory, Parser, Subcommand};
use std::process::ExitCode;

/// hcube takes over the communication-heavy inner loops of MPI programs. This tool measures, checks
/// and compares.
#[derive(Debug, Parser)]
#[command(name = "hcube", version, propagate_version = true)]
struct CommandLine {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Gups(gups::Arguments),
    Alltoall(alltoall::Arguments),
    Doctor(doctor::Arguments),
    Fftw(fftw::Arguments),
    Model(model::Arguments),
    Manual(manual::Arguments),
}

fn main() -> ExitCode {
    let command_line = match CommandLine::try_parse() {
        Ok(command_line) => command_line,
        Err(error) => return session::refuse(&error),
    };
    match command_line.command {
        Command::Gups(arguments) => session::run(|session| gups::run(session, &arguments)),
        Command::Alltoall(arguments) => alltoall::run(&arguments),
        Command::Doctor(arguments) => session::run(|session| doctor::run(session, &arguments)),
        Command::Fftw(arguments) => fftw::run(&arguments),
        Command::Model(arguments) => model::run(&arguments),
        Command::Manual(arguments) => manual::run(&arguments, CommandLine::command()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_sound() {
        CommandLine::command().debug_assert();
    }

    #[test]
    fn bad_values_are_named_with_their_option() {
        for (arguments, option) in [
            (["gups", "--table-size", "99"], "--table-size"),
            (["gups", "--look-ahead", "0"], "--look-ahead"),
            (["gups", "--optimisations", "1,4"], "--optimisations"),
            (["gups", "--mode", "fast"], "--mode"),
            (["gups", "--repeat", "0"], "--repeat"),
            (["alltoall", "--algorithms", "fast"], "--algorithms"),
            (["alltoall", "--sizes", "12"], "--sizes"),
            (["alltoall", "--memory", "2T"], "--memory"),
            (["alltoall", "--path", "singlecopy"], "--path"),
            (["alltoall", "--repeat", "0"], "--repeat"),
            (["alltoall", "--seed", "x"], "--seed"),
            (["alltoall", "--over", "time"], "--over"),
            (["model", "--ranks", "0"], "--ranks"),
            (["model", "--ranks-per-node", "0"], "--ranks-per-node"),
            (["model", "--look-ahead", "0"], "--look-ahead"),
            (["model", "--mode", "fast"], "--mode"),
            (["model", "--bytes", "1x"], "--bytes"),
            (["model", "--memory", "2T"], "--memory"),
        ] {
            let line = ["hcube"].into_iter().chain(arguments);
            let message = CommandLine::try_parse_from(line).expect_err("refused").to_string();
            assert!(message.contains(option) && message.contains(arguments[2]), "{message}");
        }
    }
}
