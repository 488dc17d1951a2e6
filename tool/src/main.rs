//! The command `hcube`.

use clap::Parser;
use hcube_tool::{command_line, session};
use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments: Vec<_> = std::env::args_os().collect();
    if let Some(code) = command_line::development_command(&arguments) {
        return code;
    }
    match command_line::CommandLine::try_parse_from(arguments) {
        Ok(command_line) => command_line.run(),
        Err(error) => session::refuse(&error),
    }
}
