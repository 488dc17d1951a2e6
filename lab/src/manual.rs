//! `hcube-lab manual`: manual pages, completions for shells, the table of all options, and parts of pages,
//! written from the sources. `make build` and `make manual` call it; `make install` installs what
//! `make build` has written.

mod command;
mod commands;
mod completion;
mod file;
mod functions;
mod header;
mod options;
mod parts;
mod roff;
mod script;

use crate::pages;
use clap::CommandFactory;
use file::File;
use hcube_tool::command_line::CommandLine;
use hcube_tool::help;
use hcube_tool::output::{self, ForceOption, Kind};
use hcube_tool::session;
use std::path::PathBuf;
use std::process::ExitCode;

/// Writes manual pages and completions for shells, a table of all options, or parts of the pages of the
/// documentation
///
/// What it writes is the same on every machine.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    #[command(flatten)]
    written: Written,
    #[command(flatten)]
    pub force: ForceOption,
}

/// What is written.
#[derive(Debug, clap::Args)]
#[group(required = true, multiple = false)]
struct Written {
    /// Write pages and completions to DIRECTORY, arranged as in /usr/share, and print their names
    #[arg(long, value_name = "DIRECTORY")]
    to: Option<PathBuf>,
    /// Print all environment variables and options as Markdown
    #[arg(long)]
    options: bool,
    /// Write the parts of README.md and doc/*.md in DIRECTORY that stand between '<!-- written: NAME -->' and
    /// '<!-- end -->'
    #[arg(long, value_name = "DIRECTORY")]
    pages: Option<PathBuf>,
}

/// A page or a completion that an earlier call has written.
const MANUAL: Kind = Kind {
    name: "a page or a completion of hcube",
    holds: |bytes| ["hcube", "bsp"].iter().any(|name| String::from_utf8_lossy(bytes).contains(name)),
};

/// Writes or prints what was asked for.
pub fn run(Arguments { written, .. }: &Arguments) -> ExitCode {
    // Help on help is of no use on a page.
    let mut tool = without_help(help::with_help(CommandLine::command()));
    tool.build();
    if written.options {
        print!("{}", options::markdown(&tool));
    }
    if let Some(root) = &written.pages {
        return session::without_mpi(|| pages::write(root));
    }
    let Some(folder) = &written.to else { return ExitCode::SUCCESS };
    session::without_mpi(|| write(folder, &all(&tool)?))
}

/// The command without a subcommand `help` on any level.
fn without_help(command: clap::Command) -> clap::Command {
    let names: Vec<String> = command.get_subcommands().map(|sub| sub.get_name().to_owned()).collect();
    let command = command.disable_help_subcommand(true);
    names.into_iter().fold(command, |command, name| command.mut_subcommand(name, without_help))
}

fn all(tool: &clap::Command) -> Result<Vec<File>, String> {
    let mut files = commands::pages(tool);
    files.extend(functions::pages()?);
    files.extend(completion::files(tool));
    Ok(files)
}

fn write(folder: &std::path::Path, files: &[File]) -> Result<(), String> {
    for file in files {
        output::write("--to", &folder.join(&file.name), &MANUAL, &file.text)?;
        println!("{}", file.name);
    }
    Ok(())
}
