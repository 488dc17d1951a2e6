//! The command `hcube`.

use hcube_tool::command_line::{self, CommandLine};
use hcube_tool::{help, output, session};
use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments: Vec<_> = std::env::args_os().collect();
    if let Some(code) = command_line::development_command(&arguments) {
        return code;
    }
    match output::parse::<CommandLine>(help::words(arguments)) {
        Ok(command_line) => command_line.run(),
        Err(error) => session::refuse(&error),
    }
}
