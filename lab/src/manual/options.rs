//! doc/options.md: all environment variables, options and variables of make in tables.

use super::command::{self, Described};
use super::script::SCRIPTS;
use crate::pages::paragraph::wrapped;
use hcube_core::options::Variable;
use hcube_tool::variables::{GROUPS, Group};

const MAKEFILE: &str = include_str!("../../../Makefile");

/// What stands as it is, if anything.
fn code(text: &str) -> String {
    if text.is_empty() { String::new() } else { format!("`{}`", text.replace('|', "\\|")) }
}

fn row(cells: &[&str]) -> String {
    let cell = |text: &&str| if text.is_empty() { "| ".to_owned() } else { format!("| {text} ") };
    cells.iter().map(cell).collect::<String>() + "|\n"
}

fn heading(cells: &[&str]) -> String {
    row(cells) + &"|---".repeat(cells.len()) + "|\n"
}

pub fn markdown(tool: &clap::Command) -> String {
    let precedence = wrapped(
        "An option has precedence over the variable of the same meaning, and what a program sets for a communicator \
         has precedence over both.",
    );
    let mut text = format!(
        "# Options\n\nWritten by `make manual` from the sources; a test compares it with them.\n\n{precedence}\n\n## \
         Environment variables\n"
    );
    text += &GROUPS.iter().map(variables).collect::<String>();
    let forms = wrapped(
        "`hcube COMMAND --help` prints the usual options and examples, `--help=all` all of them, as the manual page. A \
         list of numbers is `1,2,4`, or has ranges: `512:4096:2x` stands for 512, 1024, 2048 and 4096, and `8:32:8` for 8, \
         16, 24 and 32. Sizes have the units k, M and G, powers of 1024.",
    );
    text += &format!("\n## hcube\n\n{forms}\n");
    text += &subcommands(tool);
    for script in SCRIPTS {
        let lines: Vec<String> = script.synopsis().iter().map(|line| format!("`{line}`")).collect();
        text += &format!("\n## {}\n\n{}\n\n", script.name, lines.join("\n\n"));
        text += &table(&command::described(&script.command()));
    }
    text += "\n## make\n\nVariables of `make`, as in `make install MPI=mpich PREFIX=/opt/hcube`; `make help` lists its \
             targets.\n\n";
    text + &make_table()
}

/// The subcommands that the help shows.
fn subcommands(command: &clap::Command) -> String {
    let mut text = String::new();
    for subcommand in command.get_subcommands().filter(|subcommand| !subcommand.is_hide_set()) {
        // A command of which only the subcommands have options is only their heading.
        let options: Vec<Described> = command::described(subcommand);
        if !subcommand.has_subcommands() || options.iter().any(|option| option.short.is_none()) {
            let name = subcommand.get_bin_name().unwrap_or_else(|| subcommand.get_name());
            text += &format!("\n### {name}\n\n{}.\n\n", command::about(subcommand));
            text += &table(&options);
        }
        text += &subcommands(subcommand);
    }
    text
}

/// The variables of a group.
fn variables(group: &Group) -> String {
    let variables: Vec<_> = group.variables().collect();
    let command = group.command.map(|command| format!("`{command}`"));
    let field = group.structure.map(|name| format!("field of `{name}`"));
    let mut head = vec!["variable"];
    head.extend(command.as_deref());
    head.extend(field.as_deref());
    head.extend(["values", "default", "meaning"]);
    let mut text = format!("\n### {}\n\n{}\n\n{}", group.title, wrapped(group.about), heading(&head));
    let named: String = variables.iter().map(names).collect();
    for variable in variables {
        let mut cells = vec![code(variable.name)];
        cells.extend(command.as_ref().map(|_| code(variable.flag.unwrap_or_default())));
        let fields = || variable.fields.iter().map(|field| code(field)).collect::<Vec<_>>().join(", ");
        cells.extend(field.as_ref().map(|_| fields()));
        cells.extend([variable.values.to_string(), code(&variable.default), variable.meaning.to_string()]);
        text += &row(&cells.iter().map(String::as_str).collect::<Vec<_>>());
    }
    text + &named
}

/// The values of a variable that have names.
fn names(variable: &Variable) -> String {
    if variable.names.is_empty() {
        return String::new();
    }
    let mut text = format!("\n{}", heading(&[&code(variable.name), "constant of C and Fortran", "meaning"]));
    for name in variable.names {
        text += &row(&[&code(name.name), &code(name.constant), &name.meaning()]);
    }
    text
}

/// The options of a command, without those that all commands have, and optional arguments.
fn table(all: &[Described]) -> String {
    let mut text = heading(&["option", "values", "default", "meaning"]);
    let shown = |option: &&Described| {
        option.short.is_none() && option.name != "--help" && !(option.positional && option.required)
    };
    for option in all.iter().filter(shown) {
        let typed = match &option.value {
            Some(value) if value.starts_with("[=") => format!("{}{value}", option.name),
            Some(value) if !option.positional => format!("{} {value}", option.name),
            _ => option.name.clone(),
        };
        let values: Vec<String> = option.values.iter().map(|(name, _)| code(name)).collect();
        let meaning = option.meaning.replace('|', "\\|");
        text += &row(&[&code(&typed), &values.join(", "), &code(&option.default), &meaning]);
    }
    text
}

/// Names, defaults and meanings in the comment at the head of the makefile and the lines below it.
fn make_variables() -> Vec<(String, String, String)> {
    let mut variables: Vec<(String, String, String)> = Vec::new();
    for line in MAKEFILE.lines().take_while(|line| line.starts_with('#')) {
        let text = line.trim_start_matches('#');
        let (name, meaning) = text.trim().split_once("  ").unwrap_or((text.trim(), ""));
        let is_entry = text.starts_with("   ") && name.starts_with(|c: char| c.is_ascii_uppercase());
        let is_more = text.starts_with("      ");
        if is_entry && !is_more {
            variables.push((name.to_owned(), default(name), meaning.trim().to_owned()));
        } else if let (true, Some(last)) = (is_more, variables.last_mut()) {
            last.2 = format!("{} {}", last.2, text.trim());
        }
    }
    variables
}

/// What `NAME ?= VALUE` says.
fn default(name: &str) -> String {
    let value = |line: &str| {
        let (left, right) = line.split_once("?=")?;
        (left.trim() == name).then(|| right.trim().to_owned())
    };
    MAKEFILE.lines().find_map(value).unwrap_or_default()
}

fn make_table() -> String {
    let mut text = heading(&["variable", "default", "meaning"]);
    for (name, default, meaning) in make_variables() {
        text += &row(&[&code(&name), &code(&default), &meaning]);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_variable_with_a_default_in_the_makefile_is_explained() {
        let known = make_variables();
        for line in MAKEFILE.lines().filter(|line| line.contains("?=")) {
            let name = line.split_once("?=").map_or("", |(name, _)| name.trim());
            assert!(
                known.iter().any(|(other, _, meaning)| other == name && !meaning.is_empty()),
                "{name}: {known:?}"
            );
        }
        for name in ["DESTDIR", "FULL"] {
            assert!(known.iter().any(|(other, _, _)| other == name), "{name}: {known:?}");
        }
    }
}
