//! `hcube manual`: manual pages, completions for shells, and the table of all options, written from the
//! sources. `make install` and `make manual` call it.

mod command;
mod commands;
mod completion;
mod functions;
mod header;
mod options;
mod parts;
mod roff;
mod runner;

use crate::output;
use crate::session::{self, Failure};
use std::path::PathBuf;
use std::process::ExitCode;

/// The tool's names besides `hcube`.
const TWINS: [&str; 2] = ["hcube-openmpi", "hcube-mpich"];

/// Writes manual pages and completions for shells, or a table of all options (not under mpirun)
///
/// make install calls it; what it writes is the same on every machine.
///
/// Example: hcube manual --to ~/.local/share
#[derive(Debug, clap::Args)]
#[group(required = true, multiple = false)]
pub struct Arguments {
    /// Write pages and completions below FOLDER, as they lie below /usr/share, and print their names
    #[arg(long, value_name = "FOLDER")]
    to: Option<PathBuf>,
    /// Print all environment variables and options as Markdown
    #[arg(long)]
    options: bool,
}

/// A file that is to be written.
struct File {
    /// Below the folder.
    name: String,
    text: String,
}

impl File {
    fn new(name: impl Into<String>, text: String) -> Self {
        Self { name: name.into(), text }
    }
}

/// Writes or prints what was asked for.
pub fn run(arguments: &Arguments, tool: clap::Command) -> ExitCode {
    // Help on help is of no use on a page.
    let mut tool = tool.disable_help_subcommand(true);
    tool.build();
    let mut runner = runner::command();
    runner.build();
    if arguments.options {
        print!("{}", options::markdown(&tool, &runner));
    }
    let Some(folder) = &arguments.to else { return ExitCode::SUCCESS };
    match all(&tool, &runner).and_then(|files| write(folder, &files)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => session::report_failure(&failure),
    }
}

fn all(tool: &clap::Command, runner: &clap::Command) -> Result<Vec<File>, Failure> {
    let mut files = commands::pages(tool, runner);
    files.extend(functions::pages()?);
    files.extend(completion::files(tool, runner));
    Ok(files)
}

fn write(folder: &std::path::Path, files: &[File]) -> Result<(), Failure> {
    for file in files {
        output::write("--to", &folder.join(&file.name), &file.text)?;
        println!("{}", file.name);
    }
    Ok(())
}
