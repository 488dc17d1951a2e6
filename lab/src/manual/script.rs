//! The command lines of the scripts in install/: read from the text with which each explains itself.

use clap::{Arg, ArgAction, Command, ValueHint};

/// A script that is installed as a command.
pub struct Script {
    pub name: &'static str,
    /// In one line.
    about: &'static str,
    text: &'static str,
    /// What follows the options, and its meaning.
    operands: (&'static str, &'static str),
    hint: ValueHint,
}

/// Runs unchanged programs.
pub const HCUBE_RUN: Script = Script {
    name: "hcube-run",
    about: "runs an unchanged MPI program with hcube",
    text: include_str!("../../../install/hcube-run"),
    operands: ("PROGRAM [ARGUMENT...]", "The program and its arguments"),
    hint: ValueHint::CommandWithArguments,
};

/// Compiles BSPlib programs.
pub const BSPCC: Script = Script {
    name: "bspcc",
    about: "compiles and links BSPlib programs with hcube",
    text: include_str!("../../../install/bspcc"),
    operands: ("[COMPILER-OPTION...] FILE...", "Options and files for the compiler"),
    hint: ValueHint::FilePath,
};

/// Starts BSPlib programs.
pub const BSPRUN: Script = Script {
    name: "bsprun",
    about: "starts BSPlib programs",
    text: include_str!("../../../install/bsprun"),
    operands: (
        "[MPIRUN-OPTION...] PROGRAM [ARGUMENT...]",
        "Options for mpirun, the program and its arguments",
    ),
    hint: ValueHint::CommandWithArguments,
};

/// Compiles and starts Fortran programs with coarrays.
pub const HCUBE_CAF: Script = Script {
    name: "hcube-caf",
    about: "compiles, links and starts Fortran programs with coarrays",
    text: include_str!("../../../install/hcube-caf"),
    operands: (
        "[COMPILER-OPTION...] FILE... | run [MPIRUN-OPTION...] PROGRAM [ARGUMENT...]",
        "Options and files for the compiler; behind 'run' options for mpirun, the program and its arguments",
    ),
    hint: ValueHint::FilePath,
};

/// All of them.
pub const SCRIPTS: [&Script; 4] = [&HCUBE_RUN, &BSPCC, &BSPRUN, &HCUBE_CAF];

/// The launcher that scripts share, with options of its own.
const LAUNCHER: &str = include_str!("../../../install/launch.sh");

impl Script {
    /// The text with all options that it takes.
    fn whole_text(&self) -> String {
        let launcher = if self.text.contains("/launch.sh\"") { LAUNCHER } else { "" };
        format!("{}{launcher}", self.text)
    }

    /// What it prints when it is asked for help.
    fn usage(&self) -> &'static str {
        let inside = self.text.split_once("<<'END'\n").and_then(|(_, rest)| rest.split_once("\nEND\n"));
        inside.map_or("", |(usage, _)| usage)
    }

    /// Its command lines.
    pub fn synopsis(&self) -> Vec<&'static str> {
        let lines = self.usage().lines().take_while(|line| !line.is_empty());
        lines.map(|line| line.trim_start_matches("usage: ").trim_start()).collect()
    }

    /// Its options.
    fn options(&self) -> Vec<ScriptOption> {
        let mut options: Vec<ScriptOption> = Vec::new();
        for line in self.usage().lines() {
            if let Some(option) = line.strip_prefix("  --") {
                let (words, meaning) = option.split_once("  ").unwrap_or((option, ""));
                let (name, value) =
                    words.split_once("[=").or_else(|| words.split_once(' ')).unwrap_or((words, ""));
                let optional = value.ends_with(']');
                let value = Some(value.trim_end_matches(']')).filter(|value| !value.is_empty());
                options.push(ScriptOption { name, value, optional, meaning: meaning.trim().to_owned() });
            } else if let (true, Some(last)) = (line.starts_with("     "), options.last_mut()) {
                last.meaning = format!("{} {}", last.meaning, line.trim());
            }
        }
        options
    }

    /// The paragraphs of the usage that are no options.
    fn description(&self) -> String {
        let blocks = self.usage().split("\n\n");
        let blocks = blocks.filter(|block| !block.starts_with("usage:") && !block.starts_with(' '));
        blocks.map(|block| block.lines().collect::<Vec<_>>().join(" ")).collect::<Vec<_>>().join("\n\n")
    }

    /// The command line as if it were a program of ours.
    pub fn command(&self) -> Command {
        let mut command = Command::new(self.name).version(env!("CARGO_PKG_VERSION"));
        command = command.disable_version_flag(true).disable_help_flag(true);
        command = command.about(self.about).long_about(format!("{}\n\n{}", self.about, self.description()));
        for ScriptOption { name, value, optional, meaning } in self.options() {
            let mut option = Arg::new(name).long(name).help(meaning);
            if name == "help" && self.whole_text().contains("--help | -h)") {
                option = option.short('h');
            }
            option = match value {
                Some(value) => option.value_name(value),
                None => option.action(ArgAction::SetTrue),
            };
            if optional {
                option = option.num_args(0..=1).require_equals(true);
            }
            // The names that `make` knows; a build may have one of the site's own, and the script itself
            // checks it.
            if name == "mpi" {
                option = option.value_parser(["openmpi", "mpich", "openmpi5", "mpich5", "intelmpi", "abi"]);
            }
            command = command.arg(option);
        }
        let (name, meaning) = self.operands;
        let operands = Arg::new("operands").value_name(name).num_args(1..).required(true);
        command = command.arg(operands.trailing_var_arg(true).value_hint(self.hint).help(meaning));
        command.build();
        command
    }
}

/// An option of the usage.
#[derive(Debug)]
struct ScriptOption {
    name: &'static str,
    /// Name of its value.
    value: Option<&'static str>,
    /// Whether the value may be left out.
    optional: bool,
    meaning: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_option_that_a_script_takes_is_explained() {
        for script in SCRIPTS {
            let options = script.options();
            let known = |name| options.iter().any(|option| option.name == name);
            let text = script.whole_text();
            let taken = text.lines().filter_map(|line| line.trim().strip_prefix("--"));
            for name in taken {
                let Some((name, _)) = name.split_once([')', '=', ' ', '[']) else { continue };
                assert!(name.is_empty() || known(name), "{}: --{name}: {options:?}", script.name);
            }
            assert!(options.len() >= 6 && known("help"), "{options:?}");
            assert!(options.iter().all(|option| !option.meaning.is_empty()));
            assert!(script.synopsis()[0].contains(&format!("{} [OPTION...]", script.name)));
            script.command().debug_assert();
        }
        assert!(HCUBE_CAF.synopsis()[1].starts_with("hcube-caf run [OPTION...] "));
        assert!(HCUBE_RUN.description().starts_with("Runs an unchanged MPI program"));
    }

    #[test]
    fn values_of_options_may_be_optional() {
        let options = BSPRUN.options();
        let find = |name| options.iter().find(|option| option.name == name).expect("an option");
        assert_eq!((find("prof").value, find("prof").optional), (Some("FILE"), true));
        assert_eq!((find("nprocs").value, find("nprocs").optional), (Some("N"), false));
        assert_eq!(find("show").value, None);
    }
}
