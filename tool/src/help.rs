//! Help, from one description of each command: `-h` and `--help` print what fits on a screen, `--help=all`
//! and the manual page everything.
//!
//! The text of an option is the text of its field: its first sentence stands in the short help, all of it in
//! the long one. Paragraphs are wrapped by the terminal, not by the source. The examples below a command's
//! description stand at the end of the help, the first of them also in the short one.

use clap::{Arg, ArgAction, Command};
use std::ffi::OsString;

/// Examples in the short help.
const SHOWN_EXAMPLES: usize = 2;
/// Options of all commands that stand only in the long help, by the names of their fields.
const RARE: [&str; 13] = [
    "version",
    "force",
    "no_progress",
    "no_verify",
    "no_huge_pages",
    "seed",
    "over",
    "work",
    "column_major",
    "offset",
    "threads",
    "scalapack",
    "pblas",
];
/// Columns from which only the first part of a sentence stands in the short help.
const LONG_SENTENCE: usize = 72;
/// The flag that prints help, on every level.
const HELP: &str = "Print help; --help=all prints all options, values and examples";
/// Behind all other options.
const LAST: usize = 1000;
/// Before a default that depends on others.
pub const DEFAULT: &str = " [default: ";

/// The words of a command line as clap takes them: its `-h` prints the short help and its `--help` the long
/// one. The word `help` before a command is `--help` behind it.
pub fn words(words: impl IntoIterator<Item = OsString>) -> Vec<OsString> {
    let mut words: Vec<OsString> = words.into_iter().collect();
    let options = words.iter().position(|word| word == "--").unwrap_or(words.len());
    for word in &mut words[..options] {
        match word.to_str() {
            Some("--help") => *word = "-h".into(),
            Some("--help=all") => *word = "--help".into(),
            _ => {}
        }
    }
    if words.get(1).is_some_and(|word| word == "help") {
        words.remove(1);
        words.push("-h".into());
    }
    words
}

/// A command whose help has both forms, with all below it.
pub fn with_help(command: Command) -> Command {
    let help = Arg::new("help")
        .short('h')
        .long("help")
        .action(ArgAction::Help)
        .global(true)
        .help(HELP)
        .display_order(LAST);
    let command = shaped(command.disable_help_flag(true).arg(help));
    command.disable_help_subcommand(false)
}

fn shaped(command: Command) -> Command {
    let names: Vec<String> = command.get_subcommands().map(|sub| sub.get_name().to_owned()).collect();
    let command = names.into_iter().fold(command, |command, name| command.mut_subcommand(name, shaped));
    let command = command.disable_help_subcommand(true);
    let about = command.get_about().map(|about| reflowed(&about.to_string()));
    let long = command.get_long_about().map(ToString::to_string);
    let mut command = command.mut_args(shortened);
    if let Some(about) = about {
        command = command.about(about);
    }
    let Some(long) = long else { return command };
    let (text, examples) = description(&long);
    command = command.long_about(text);
    if examples.is_empty() {
        return command;
    }
    let below = |lines: &[String]| {
        let title = if lines.len() > 1 { "Examples" } else { "Example" };
        format!("{title}:\n{}", lines.iter().map(|line| format!("  {line}")).collect::<Vec<_>>().join("\n"))
    };
    let shown = &examples[..examples.len().min(SHOWN_EXAMPLES)];
    command.after_help(below(shown)).after_long_help(below(&examples))
}

/// An option with a short text and a long one.
fn shortened(option: Arg) -> Arg {
    let text = option.get_long_help().or_else(|| option.get_help()).map(ToString::to_string);
    let Some(text) = text.map(|text| reflowed(&text)) else { return option };
    let is_rare = RARE.contains(&option.get_id().as_str());
    option.help(first_sentence(&text)).long_help(text).hide_short_help(is_rare)
}

/// The first sentence, with a default that stands behind the last one.
fn first_sentence(text: &str) -> String {
    let (sentences, default) = text.split_once(DEFAULT).unwrap_or((text, ""));
    let mut first = sentences.split_once(". ").map_or(sentences, |(first, _)| first);
    if first.len() > LONG_SENTENCE {
        first = first.split_once("; ").map_or(first, |(part, _)| part);
    }
    if default.is_empty() { first.to_owned() } else { format!("{first}{DEFAULT}{default}") }
}

/// A text whose paragraphs are one line each; indented lines stay.
fn reflowed(text: &str) -> String {
    let mut lines: Vec<String> = Vec::new();
    for line in text.lines() {
        let goes_on = !line.is_empty() && !line.starts_with(' ');
        match lines.last_mut() {
            Some(last) if goes_on && !last.is_empty() && !last.starts_with(' ') => {
                *last += &format!(" {line}");
            }
            _ => lines.push(line.to_owned()),
        }
    }
    lines.join("\n")
}

/// A description without its examples, and the command lines of these.
fn description(text: &str) -> (String, Vec<String>) {
    let (examples, paragraphs): (Vec<&str>, Vec<&str>) =
        text.split("\n\n").partition(|paragraph| paragraph.starts_with("Example"));
    let lines = examples.iter().flat_map(|example| {
        example.lines().map(|line| line.trim_start_matches("Examples:").trim_start_matches("Example:").trim())
    });
    let lines = lines.filter(|line| !line.is_empty()).map(str::to_owned).collect();
    (reflowed(&paragraphs.join("\n\n")), lines)
}

/// The lines of a command's examples.
pub fn examples(command: &Command) -> Vec<String> {
    let text = command.get_after_long_help().map(ToString::to_string).unwrap_or_default();
    text.lines().skip(1).map(|line| line.trim().to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::command_line::CommandLine;
    use clap::CommandFactory;

    const MAX_LINES: usize = 60;

    /// What is wrong with the help of a command and of all below it.
    fn faults(command: &Command, name: &str, found: &mut Vec<String>) {
        for width in [80, 100] {
            let mut command = command.clone().term_width(width);
            let [short, long] =
                [command.render_help(), command.render_long_help()].map(|text| text.to_string());
            let count = short.lines().count();
            if count > MAX_LINES {
                found.push(format!("{name}: {count} lines at {width} columns"));
            }
            let wide = short.lines().chain(long.lines()).filter(|line| line.chars().count() > width);
            found.extend(wide.map(|line| format!("{name}: wider than {width}: '{line}'")));
        }
        // An example that is broken cannot be copied.
        let examples = examples(command).into_iter().filter(|line| line.len() + 2 > 80);
        found.extend(examples.map(|line| format!("{name}: example of {} columns: '{line}'", line.len() + 2)));
        command.get_subcommands().for_each(|sub| faults(sub, &format!("{name} {}", sub.get_name()), found));
    }

    #[test]
    fn help_fits_on_a_screen() {
        let mut command = with_help(CommandLine::command()).disable_help_subcommand(true);
        command.build();
        let mut found = Vec::new();
        faults(&command, "hcube", &mut found);
        assert!(found.is_empty(), "{}", found.join("\n"));
    }

    #[test]
    fn the_short_help_is_the_beginning_of_the_long_one() {
        let mut command = with_help(CommandLine::command());
        command.build();
        let bench = command.find_subcommand_mut("bench").expect("there");
        let gemm = bench.find_subcommand_mut("gemm").expect("there").clone().term_width(100);
        let [short, long] =
            [gemm.clone().render_help(), gemm.clone().render_long_help()].map(|text| text.to_string());
        assert!(short.contains("--help=all") && short.contains("Examples:\n  mpirun"), "{short}");
        assert!(!short.contains("OPENBLAS") && long.contains("OPENBLAS_NUM_THREADS"), "{long}");
        // Wrapped by the terminal, not by the source.
        let narrow = gemm.term_width(60).render_long_help().to_string();
        let full = narrow.lines().skip(2).take(8).filter(|line| line.len() > 40).count();
        assert!(full >= 7, "{narrow}");
    }

    #[test]
    fn words_select_the_form_of_the_help() {
        let of = |line: &str| {
            let words = words(line.split(' ').map(OsString::from));
            words.iter().map(|word| word.to_string_lossy().into_owned()).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(of("hcube bench gemm --help"), "hcube bench gemm -h");
        assert_eq!(of("hcube bench gemm --help=all"), "hcube bench gemm --help");
        assert_eq!(of("hcube help bench gemm"), "hcube bench gemm -h");
        assert_eq!(of("hcube llcs help a"), "hcube llcs help a");
        assert_eq!(of("hcube llcs -- --help"), "hcube llcs -- --help");
    }

    #[test]
    fn texts_are_shortened_at_sentences() {
        assert_eq!(first_sentence("One. Two [default: 3]"), "One [default: 3]");
        assert_eq!(first_sentence("Bytes, as 1.5 MiB"), "Bytes, as 1.5 MiB");
        assert_eq!(reflowed("a\nb\n\nc:\n  d\n  e"), "a b\n\nc:\n  d\n  e");
    }
}
