//! Section 1: the tool, a page for each subcommand, and hcube-run.

use super::File;
use super::command::{self, Described};
use super::roff::{Page, bold, italic, plain, prose, reference, sentence, unbroken};
use crate::variables::{GROUPS, Group};

const ABOUT: &str = "measures, checks and compares what hcube does for MPI programs";

/// All pages of section 1. The tool is installed under a name for each MPI library, too.
pub fn pages(tool: &clap::Command, runner: &clap::Command) -> Vec<File> {
    let mut files = vec![File::new("man/man1/hcube.1", overview(tool))];
    for name in super::TWINS {
        files.push(File::new(format!("man/man1/{name}.1"), ".so man1/hcube.1\n".to_owned()));
    }
    for subcommand in tool.get_subcommands() {
        let name = format!("hcube-{}", subcommand.get_name());
        let text = subpage(&name, &format!("hcube {}", subcommand.get_name()), subcommand);
        files.push(File::new(format!("man/man1/{name}.1"), text));
    }
    files.push(File::new("man/man1/hcube-run.1", run_page(runner)));
    files
}

fn overview(tool: &clap::Command) -> String {
    let mut page = Page::new("hcube", 1);
    page.name(&["hcube"], ABOUT).section("SYNOPSIS");
    page.paragraph(&format!("{} {} [{}...]", bold("hcube"), italic("SUBCOMMAND"), italic("OPTION")));
    page.section("DESCRIPTION").help(&command::help(tool));
    page.paragraph(&format!(
        "Programs need no change to run with hcube: {} does that. Programs that call it are described in {}.",
        reference("hcube-run", 1),
        reference("hcube", 3)
    ));
    page.section("SUBCOMMANDS");
    for subcommand in tool.get_subcommands() {
        let name = format!("hcube-{}", subcommand.get_name());
        page.tagged(&reference(&name, 1), &format!("{}.", prose(&command::about(subcommand))));
    }
    options(&mut page, &command::described(tool));
    environment(&mut page);
    page.section("EXIT STATUS");
    page.tagged(&bold("0"), "The work was done, and all is well.");
    page.tagged(&bold("1"), "The work was done, and something was found wrong; the output says what.");
    page.tagged(&bold("2"), "The work could not be done; one message says why.");
    page.section("EXAMPLES");
    for (text, line) in [
        ("What works on this machine, and what hcube will choose:", "mpirun -np 4 hcube doctor"),
        ("A program with hcube and statistics:", "mpirun -np 4 hcube-run --stats ./program"),
        ("The all-to-all exchange against the MPI library's own:", "mpirun -np 4 hcube alltoall"),
    ] {
        page.paragraph(&plain(text)).lines([&*bold(line)]);
    }
    let names: Vec<String> = tool.get_subcommands().map(|sub| format!("hcube-{}", sub.get_name())).collect();
    let mut others: Vec<(&str, u8)> = names.iter().map(|name| (name.as_str(), 1)).collect();
    others.extend([("hcube-run", 1), ("hcube", 3)]);
    page.see_also(&others);
    page.finish()
}

fn subpage(name: &str, typed: &str, command: &clap::Command) -> String {
    let mut page = Page::new(name, 1);
    let all = command::described(command);
    page.name(&[name], &lowered(&command::about(command)));
    synopsis(&mut page, &bold(typed), &all);
    page.section("DESCRIPTION").help(&command::help(command));
    options(&mut page, &all);
    page.see_also(&[("hcube", 1), ("hcube-run", 1)]);
    page.finish()
}

fn run_page(runner: &clap::Command) -> String {
    let mut page = Page::new("hcube-run", 1);
    let all = command::described(runner);
    page.name(&["hcube-run"], &command::about(runner));
    let launcher = format!("{} \\-np {} {}", bold("mpirun"), italic("RANKS"), bold("hcube-run"));
    synopsis(&mut page, &launcher, &all);
    page.section("DESCRIPTION").help(&command::help(runner));
    options(&mut page, &all);
    page.section("ENVIRONMENT").paragraph(&format!(
        "The variables {} are handed to the program; {} lists them. {} is set for it.",
        bold("HCUBE_*"),
        reference("hcube", 1),
        bold("LD_PRELOAD")
    ));
    page.section("EXIT STATUS").paragraph("That of the program, or 2 where it cannot be run with hcube.");
    page.see_also(&[("hcube", 1), ("hcube-doctor", 1), ("hcube", 3), ("hcube_fftw", 3)]);
    page.finish()
}

/// As within a sentence.
fn lowered(text: &str) -> String {
    let mut characters = text.chars();
    characters.next().map_or_else(String::new, |first| first.to_lowercase().chain(characters).collect())
}

fn synopsis(page: &mut Page, typed: &str, all: &[Described]) {
    let mut words = vec![typed.to_owned()];
    for option in all {
        let typed = unbroken(&marked(option));
        words.push(if option.required { typed } else { format!("[{typed}]") });
    }
    page.section("SYNOPSIS").paragraph(&words.join(" "));
}

/// An option as it is typed.
fn marked(option: &Described) -> String {
    if option.positional {
        return italic(option.value.as_ref().unwrap_or(&option.name));
    }
    let value = option.value.as_ref().map(|value| format!(" {}", italic(value))).unwrap_or_default();
    format!("{}{value}", bold(&option.name))
}

fn options(page: &mut Page, all: &[Described]) {
    page.section("OPTIONS");
    for option in all {
        let short = option.short.as_ref().map(|short| format!("{}, ", bold(short))).unwrap_or_default();
        let mut text = format!("{}.", prose(&sentence(&option.meaning)));
        let explained = option.values.iter().any(|(_, help)| help.is_some());
        let said = option.values.iter().all(|(name, _)| option.meaning.contains(name));
        if !explained && !said {
            let names: Vec<String> = option.values.iter().map(|(name, _)| bold(name)).collect();
            text += &format!(" Values: {}.", names.join(", "));
        }
        if !option.default.is_empty() {
            text += &format!(" Default: {}.", bold(&option.default));
        }
        page.tagged(&format!("{short}{}", marked(option)), &text);
        if explained {
            page.set_in(|page| {
                for (name, help) in &option.values {
                    page.tagged(&bold(name), &format!("{}.", prose(help.as_deref().unwrap_or_default())));
                }
            });
        }
    }
}

/// The table of variables.
fn environment(page: &mut Page) {
    page.section("ENVIRONMENT");
    page.paragraph("Options win over variables, and what a program sets for a communicator wins over both.");
    for group in GROUPS.iter().filter(|group| group.of_a_run) {
        page.subsection(group.title).paragraph(&prose(group.about));
        for variable in group.variables() {
            page.tagged(&format!("{} ({})", bold(variable.name), plain(variable.values)), &meaning(variable));
        }
    }
    let others: Vec<String> = GROUPS
        .iter()
        .filter(|group| !group.of_a_run)
        .flat_map(Group::variables)
        .map(|variable| bold(variable.name))
        .collect();
    page.subsection("Building").paragraph(&format!("Not read by a run: {}.", others.join(", ")));
}

fn meaning(variable: &hcube_core::options::Variable) -> String {
    let mut text = format!("{}.", prose(&sentence(variable.meaning)));
    if !variable.default.is_empty() {
        text += &format!(" Default: {}.", bold(variable.default));
    }
    if let Some(option) = variable.option {
        text += &format!(" Option of {}: {}.", bold("hcube gups"), bold(option));
    }
    text
}
