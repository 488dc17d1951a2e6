//! Section 1: the tool, a page for each subcommand, and the scripts. Written by clap_mangen, except what the
//! command line does not say: variables, exit status, examples, other pages.

use super::command;
use super::file::{File, twins};
use super::roff::{Page, bold, plain, prose, reference, sentence};
use super::script::{BSPCC, BSPRUN, HCUBE_CAF, HCUBE_RUN, SCRIPTS};
use clap::{Arg, Command};
use clap_mangen::Man;
use hcube_core::options::Variable;
use hcube_tool::help;
use hcube_tool::variables::{GROUPS, Group};

/// The tool in one line.
const ABOUT: &str = "checks a machine, and measures and predicts the performance of hcube";

/// All pages of section 1.
pub fn pages(tool: &Command) -> Vec<File> {
    let mut subcommands = Vec::new();
    collect(tool, &mut subcommands);
    let file = |name: &str, text| File::new(format!("man/man1/{name}.1"), text);
    let mut files = vec![file("hcube", page(tool, |page| overview(page, &subcommands)))];
    for (name, subcommand) in &subcommands {
        let text = page(subcommand, |page| {
            page.see_also(&[("hcube", 1), ("hcube-run", 1)]);
        });
        files.push(file(name, text));
    }
    for script in SCRIPTS {
        let more = match script.name {
            name if name == BSPCC.name => bspcc_sections,
            name if name == BSPRUN.name => bsprun_sections,
            name if name == HCUBE_CAF.name => hcube_caf_sections,
            _ => hcube_run_sections,
        };
        files.push(file(script.name, page(&script.command(), more)));
    }
    for name in ["hcube"].into_iter().chain(SCRIPTS.map(|script| script.name)) {
        for twin in twins(name) {
            files.push(file(&twin, format!(".so man1/{name}.1\n")));
        }
    }
    files
}

/// The names of the pages of all subcommands that the help shows, with the commands.
fn collect<'a>(command: &'a Command, found: &mut Vec<(String, &'a Command)>) {
    for subcommand in command.get_subcommands().filter(|subcommand| !subcommand.is_hide_set()) {
        let name = subcommand.get_display_name().unwrap_or_else(|| subcommand.get_name());
        found.push((name.to_owned(), subcommand));
        collect(subcommand, found);
    }
}

/// What clap_mangen writes of a command, with examples, and more sections below.
fn page(command: &Command, more: impl FnOnce(&mut Page)) -> String {
    let (description, examples) = (command::description(command), help::examples(command));
    let about =
        if command.get_name() == "hcube" { ABOUT.to_owned() } else { lowered(&command::about(command)) };
    let command = command.clone().about(about).long_about(description).mut_args(described);
    let name = command.get_display_name().unwrap_or_else(|| command.get_name());
    let mut page = Page::with_apostrophe(name, 1);
    let man = Man::new(command.clone());
    let mut render = |section: fn(&Man, &mut dyn std::io::Write) -> std::io::Result<()>| {
        let mut text = Vec::new();
        section(&man, &mut text).expect("memory");
        page.append(&String::from_utf8(text).expect("pages are text"));
    };
    render(Man::render_name_section);
    render(Man::render_synopsis_section);
    render(Man::render_description_section);
    if command.has_subcommands() {
        render(Man::render_subcommands_section);
    }
    render(Man::render_options_section);
    if !examples.is_empty() {
        let lines: Vec<String> = examples.iter().map(|line| bold(line)).collect();
        page.section("EXAMPLES").lines(lines.iter().map(String::as_str));
    }
    more(&mut page);
    page.finish()
}

/// An option whose values stand in its text, not in a list with empty lines between them.
fn described(option: Arg) -> Arg {
    let help =
        option.get_long_help().or_else(|| option.get_help()).map(ToString::to_string).unwrap_or_default();
    let mut text = format!("{}.", sentence(help.trim_end_matches('.')));
    let values = option.get_possible_values();
    let takes_values = option.get_num_args().is_some_and(|range| range.takes_values());
    if takes_values && !values.iter().all(|value| help.contains(value.get_name())) {
        let value = |value: &clap::builder::PossibleValue| match value.get_help() {
            Some(help) => format!("{} ({help})", value.get_name()),
            None => value.get_name().to_owned(),
        };
        text += &format!(" Values: {}.", values.iter().map(value).collect::<Vec<_>>().join(", "));
    }
    option.hide_possible_values(true).help(text.clone()).long_help(text)
}

/// As within a sentence.
fn lowered(text: &str) -> String {
    let mut characters = text.chars();
    characters.next().map_or_else(String::new, |first| first.to_lowercase().chain(characters).collect())
}

fn overview(page: &mut Page, subcommands: &[(String, &Command)]) {
    page.section("UNMODIFIED PROGRAMS").paragraph(&format!(
        "{} runs a program with hcube, without recompilation. {} describes the C interface.",
        reference("hcube-run", 1),
        reference("hcube", 3)
    ));
    environment(page);
    page.section("EXIT STATUS");
    page.tagged(&bold("0"), "Success.");
    page.tagged(&bold("1"), "The command ran and found an error, which its output describes.");
    page.tagged(&bold("2"), "The command could not run; a message gives the reason.");
    page.section("EXAMPLES");
    for (text, line) in [
        ("What works on this machine, and what hcube will choose:", "mpirun -np 4 hcube doctor"),
        ("A program with hcube and statistics:", "mpirun -np 4 hcube-run --stats ./program"),
        ("The all-to-all exchange against the MPI library's own:", "mpirun -np 4 hcube bench alltoall"),
    ] {
        page.paragraph(&plain(text)).lines([&*bold(line)]);
    }
    let mut others: Vec<(&str, u8)> = subcommands.iter().map(|(name, _)| (name.as_str(), 1)).collect();
    others.extend(SCRIPTS.map(|script| (script.name, 1)));
    others.push(("hcube", 3));
    page.see_also(&others);
}

fn hcube_run_sections(page: &mut Page) {
    variables_are_passed(page, &format!(" {} is set for it.", bold("LD_PRELOAD")));
    page.section("EXIT STATUS").paragraph("The program's exit status, or 2 if it cannot be run with hcube.");
    page.see_also(&[
        ("hcube", 1),
        ("hcube-doctor", 1),
        (BSPRUN.name, 1),
        (HCUBE_CAF.name, 1),
        ("hcube", 3),
        ("hcube_fftw", 3),
    ]);
}

fn bspcc_sections(page: &mut Page) {
    page.section("EXIT STATUS").paragraph("The compiler's exit status, or 2 if it cannot be called.");
    page.section("EXAMPLES");
    for (text, line) in [
        ("A program of the classic dialect:", "bspcc -O2 program.c -o program"),
        (
            "A program of MulticoreBSP for C, in two steps:",
            "bspcc --mcbsp -c part.c && bspcc part.o -o program",
        ),
        ("A program in C++:", "bspcxx -std=c++17 program.cpp -o program"),
    ] {
        page.paragraph(&plain(text)).lines([&*bold(line)]);
    }
    page.see_also(&[(BSPRUN.name, 1), ("hcube", 1)]);
}

fn bsprun_sections(page: &mut Page) {
    let text = format!(" With {}, {} names the profile.", bold("--prof"), bold("HCUBE_BSP_PROFILE"));
    variables_are_passed(page, &text);
    page.section("EXIT STATUS")
        .paragraph("The exit status of mpirun, or 2 if the program cannot be started.");
    page.section("EXAMPLES");
    for (text, line) in [
        ("A process for each core of this machine:", "bsprun ./program"),
        ("Sixteen processes on two hosts:", "bsprun -npes 16 --host one:8,two:8 ./program argument"),
    ] {
        page.paragraph(&plain(text)).lines([&*bold(line)]);
    }
    page.see_also(&[(BSPCC.name, 1), ("hcube", 1), ("hcube-doctor", 1), (HCUBE_RUN.name, 1)]);
}

fn hcube_caf_sections(page: &mut Page) {
    page.section("ENVIRONMENT");
    page.tagged(&bold("HCUBE_FC"), "The compiler, which may have options behind it.");
    page.tagged(
        &bold("FC"),
        "The same where HCUBE_FC is not set. It is ignored if it names hcube-caf or caf, as where a build system calls \
         hcube-caf by it.",
    );
    page.paragraph(&format!(
        "The variables {} are passed to the program; {} lists them.",
        bold("HCUBE_*"),
        reference("hcube", 1)
    ));
    page.section("EXIT STATUS")
        .paragraph("The exit status of the compiler or of mpirun, or 2 if it cannot be called.");
    page.section("EXAMPLES");
    for (text, line) in [
        ("A program in one file:", "hcube-caf -O2 program.f90 -o program"),
        ("In two steps:", "hcube-caf -c part.f90 && hcube-caf part.o -o program"),
        ("Four images:", "hcube-caf run -n 4 ./program argument"),
        ("The same by mpirun:", "mpirun -n 4 ./program argument"),
    ] {
        page.paragraph(&plain(text)).lines([&*bold(line)]);
    }
    page.see_also(&[(HCUBE_RUN.name, 1), ("hcube", 1), ("hcube-doctor", 1)]);
}

fn variables_are_passed(page: &mut Page, more: &str) {
    page.section("ENVIRONMENT").paragraph(&format!(
        "The variables {} are passed to the program; {} lists them.{more}",
        bold("HCUBE_*"),
        reference("hcube", 1),
    ));
}

/// The table of variables.
fn environment(page: &mut Page) {
    page.section("ENVIRONMENT");
    page.paragraph("An option has precedence over the variable of the same meaning, and what a program sets for a communicator has \
         precedence over both.");
    for group in GROUPS.iter().filter(|group| group.of_a_run) {
        page.subsection(group.title).paragraph(&prose(group.about));
        for variable in group.variables() {
            let typed = format!("{} ({})", bold(variable.name), plain(&variable.values));
            page.tagged(&typed, &meaning(group, &variable));
            if !variable.names.is_empty() {
                page.set_in(|page| {
                    for name in variable.names {
                        page.tagged(&bold(name.name), &prose(&name.meaning()));
                    }
                });
            }
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

fn meaning(group: &Group, variable: &Variable) -> String {
    let mut text = format!("{}.", prose(&sentence(&variable.meaning)));
    if !variable.default.is_empty() {
        text += &format!(" Default: {}.", bold(&variable.default));
    }
    if let (Some(command), Some(flag)) = (group.command, variable.flag) {
        text += &format!(" Option of {}: {}.", bold(command), bold(flag));
    }
    text
}
