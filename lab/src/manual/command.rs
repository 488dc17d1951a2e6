//! The options of a command line, for the table of all options: taken from its parser.

use clap::{Arg, Command};
use hcube_tool::help::DEFAULT;

/// An option or an argument.
pub struct Described {
    /// `--json`, or the name of an argument.
    pub name: String,
    /// `-h`
    pub short: Option<String>,
    /// `FILE`; in brackets where it may be left out, there with the sign before it if that is needed.
    pub value: Option<String>,
    /// What it accepts, with explanations where there are any.
    pub values: Vec<(String, Option<String>)>,
    pub default: String,
    pub meaning: String,
    /// Whether the command does nothing without it.
    pub required: bool,
    /// Whether it stands without dashes.
    pub positional: bool,
}

/// The options of a command, in the order of its help, and its arguments.
pub fn described(command: &Command) -> Vec<Described> {
    let shown = |argument: &&Arg| !argument.is_hide_set();
    let mut all: Vec<Described> = command.get_arguments().filter(shown).map(describe).collect();
    // Help and version, which every command has.
    all.sort_by_key(|option| (option.positional, option.short.is_some()));
    all
}

fn describe(argument: &Arg) -> Described {
    let names = argument.get_value_names().unwrap_or_default();
    let takes_values = argument.get_num_args().is_some_and(|range| range.takes_values());
    let optional = argument.get_num_args().is_some_and(|range| range.min_values() == 0);
    let value = names.iter().map(|name| name.as_str()).collect::<Vec<_>>().join(" ");
    let sign = if argument.is_require_equals_set() { "=" } else { "" };
    let value = if optional { format!("[{sign}{value}]") } else { value };
    let help = argument.get_long_help().or_else(|| argument.get_help()).map(ToString::to_string);
    let help = help.unwrap_or_default();
    // A default that depends on others stands in the text.
    let (meaning, said) = help.split_once(DEFAULT).unwrap_or((&help, ""));
    let values =
        argument.get_possible_values().into_iter().filter(|value| takes_values && !value.is_hide_set());
    let defaults: Vec<String> = argument
        .get_default_values()
        .iter()
        .map(|value| value.to_string_lossy().into_owned())
        .filter(|value| !value.is_empty())
        .collect();
    Described {
        name: argument.get_long().map_or_else(|| names[0].to_string(), |long| format!("--{long}")),
        short: argument.get_short().map(|short| format!("-{short}")),
        value: takes_values.then_some(value),
        values: values
            .map(|value| (value.get_name().to_owned(), value.get_help().map(ToString::to_string)))
            .collect(),
        default: match &defaults[..] {
            [_, ..] if takes_values => defaults.join(" "),
            _ => said.trim_end_matches(']').to_owned(),
        },
        meaning: meaning.trim_end_matches('.').to_owned(),
        required: argument.is_required_set(),
        positional: argument.is_positional(),
    }
}

/// The first line of a command's help, as part of a sentence.
pub fn about(command: &Command) -> String {
    let about = command.get_about().map(ToString::to_string).unwrap_or_default();
    about.lines().collect::<Vec<_>>().join(" ").trim_end_matches('.').to_owned()
}

/// A command's help without its first line, if there is more.
pub fn description(command: &Command) -> String {
    let text = command.get_long_about().or_else(|| command.get_about());
    let text = text.map(ToString::to_string).unwrap_or_default();
    let rest = text.split_once("\n\n").map(|(_, rest)| rest.to_owned());
    rest.unwrap_or_else(|| format!("{}.", text.trim_end_matches('.')))
}
