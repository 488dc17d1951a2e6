//! The command line of install/hcube-run, a shell script: read from the text with which it explains itself.

use clap::{Arg, ArgAction, Command, ValueHint};

const ABOUT: &str = "runs an unchanged MPI program with hcube";
const SCRIPT: &str = include_str!("../../../install/hcube-run");

/// What the script prints when it is asked for help.
fn usage() -> &'static str {
    let inside = SCRIPT.split_once("<<'END'\n").and_then(|(_, rest)| rest.split_once("\nEND\n"));
    inside.map_or("", |(usage, _)| usage)
}

/// An option of the usage: name, name of its value, meaning.
fn options() -> Vec<(&'static str, Option<&'static str>, String)> {
    let mut options: Vec<(&str, Option<&str>, String)> = Vec::new();
    for line in usage().lines() {
        if let Some(option) = line.strip_prefix("  --") {
            let (words, meaning) = option.split_once("  ").unwrap_or((option, ""));
            let (name, value) =
                words.split_once(' ').map_or((words, None), |(name, value)| (name, Some(value)));
            options.push((name, value, meaning.trim().to_owned()));
        } else if let (true, Some(last)) = (line.starts_with("     "), options.last_mut()) {
            last.2 = format!("{} {}", last.2, line.trim());
        }
    }
    options
}

/// The paragraphs of the usage that are no options.
fn about() -> String {
    let blocks =
        usage().split("\n\n").filter(|block| !block.starts_with("usage:") && !block.starts_with(' '));
    blocks.map(|block| block.lines().collect::<Vec<_>>().join(" ")).collect::<Vec<_>>().join("\n\n")
}

/// The script's command line as if it were a program of ours.
pub fn command() -> Command {
    let mut command = Command::new("hcube-run").version(env!("CARGO_PKG_VERSION")).disable_version_flag(true);
    command = command.about(ABOUT).long_about(format!("{ABOUT}\n\n{}", about()));
    command = command.disable_help_flag(true);
    for (name, value, meaning) in options() {
        let mut option = Arg::new(name).long(name).help(meaning);
        if name == "help" {
            option = option.short('h');
        }
        option = match value {
            Some(value) => option.value_name(value),
            None => option.action(ArgAction::SetTrue),
        };
        // The script itself checks it.
        if name == "mpi" {
            option = option.value_parser(["openmpi", "mpich"]);
        }
        command = command.arg(option);
    }
    let program = Arg::new("program").value_name("PROGRAM [ARGUMENT...]").num_args(1..).required(true);
    let program = program.trailing_var_arg(true).value_hint(ValueHint::CommandWithArguments);
    command.arg(program.help("The program and its arguments"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_option_that_the_script_takes_is_explained() {
        let names: Vec<&str> = options().iter().map(|&(name, _, _)| name).collect();
        for name in SCRIPT.lines().filter_map(|line| line.trim().strip_prefix("--")) {
            let Some((name, _)) = name.split_once([')', '=', ' ']) else { continue };
            assert!(name.is_empty() || names.contains(&name), "--{name}: {names:?}");
        }
        assert!(names.len() >= 6 && names.contains(&"stats"), "{names:?}");
        assert!(options().iter().all(|(_, _, meaning)| !meaning.is_empty()));
        assert!(about().starts_with("Runs an unchanged MPI program"), "{}", about());
        command().debug_assert();
    }
}
