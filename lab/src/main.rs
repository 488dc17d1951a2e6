//! Comparison with HPCC, simulation and report, for developers and reviewers of hcube; not installed.
//!
//! | subcommand | does |
//! |---|---|
//! | `hpcc` | runs the official HPCC in several variants and compares them |
//! | `hosts` | runs programs on several hosts of this machine |
//! | `simulate` | runs the library on simulated machines (SimGrid) |
//! | `report` | makes one page of all results with their evidence |
//! | `collect` | puts the results of several runs into one file, for scripts/bench.sh |
//! | `lines` | counts lines of the coarray examples, beside Jin et al. 2011 |
//! | `manual` | writes manual pages, completions for shells, the table of all options and parts of pages from the sources |

use clap::{Parser, Subcommand};
use hcube_hosts::relay::Plan;
use hcube_lab::{collect, hosts, hpcc, lines, manual, report, simulate};
use hcube_tool::{help, output, session};
use std::process::ExitCode;

/// Compares hcube with HPCC, simulates machines and draws results.
#[derive(Debug, Parser)]
#[command(name = "hcube-lab", version, propagate_version = true)]
struct CommandLine {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Hpcc(hpcc::Arguments),
    Hosts(hosts::Arguments),
    Simulate(simulate::Arguments),
    Report(report::Arguments),
    Collect(collect::Arguments),
    Lines(lines::Arguments),
    Manual(manual::Arguments),
}

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args_os().skip(1).filter_map(|word| word.into_string().ok()).collect();
    if let Some(relay) = Plan::of(&words) {
        return session::without_mpi(|| relay.run());
    }
    let command_line = match output::parse::<CommandLine>(help::words(std::env::args_os())) {
        Ok(command_line) => command_line,
        Err(error) => return session::refuse(&error),
    };
    match command_line.command {
        Command::Hpcc(arguments) => hpcc::run(&arguments),
        Command::Hosts(arguments) => hosts::run(&arguments),
        Command::Simulate(arguments) => simulate::run(&arguments),
        Command::Report(arguments) => report::run(&arguments),
        Command::Collect(arguments) => collect::run(&arguments),
        Command::Lines(arguments) => lines::run(&arguments),
        Command::Manual(arguments) => manual::run(&arguments),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_sound() {
        CommandLine::command().debug_assert();
    }

    fn check_help(command: &clap::Command) {
        let help = command.clone().term_width(80).render_help().to_string();
        // clap does not wrap the usage.
        let mut lines = help.lines().filter(|line| !line.starts_with("Usage: "));
        assert!(help.lines().count() <= 60 && lines.all(|line| line.chars().count() <= 80), "{help}");
        command.get_subcommands().for_each(check_help);
    }

    #[test]
    fn help_fits_on_a_screen() {
        let mut command = help::with_help(CommandLine::command()).disable_help_subcommand(true);
        command.build();
        check_help(&command);
    }

    #[test]
    fn bad_values_are_named_with_their_option() {
        for (arguments, option) in [
            (["hpcc", "--ranks", "1 x"], "--ranks"),
            (["hpcc", "--n", "0"], "--n"),
            (["simulate", "--sections", "fast"], "--sections"),
            (["simulate", "--ranks", "0"], "--ranks"),
            (["simulate", "--jobs", "0"], "--jobs"),
        ] {
            let line = ["hcube-lab"].into_iter().chain(arguments);
            let message = CommandLine::try_parse_from(line).expect_err("refused").to_string();
            assert!(message.contains(option) && message.contains(arguments[2]), "{message}");
            assert!(message.contains("expected ") || message.contains("possible values"), "{message}");
        }
    }
}
