//! Files that the command line names.
//!
//! No command has to tell which of its files are inputs: a file that is written may not be named by another
//! argument.

use crate::help;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{ArgMatches, Command, Parser};
use std::ffi::OsString;
use std::fs::{File, Metadata};
use std::io;
use std::os::fd::AsFd;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// An argument that names files, as its command calls it, and a value of it.
type Named = (String, PathBuf);

/// The files that the command line of this process names, and whether it has `--force`; not set where none
/// was parsed (in tests).
static COMMAND_LINE: OnceLock<(Vec<Named>, bool)> = OnceLock::new();

/// Parses a command line, and remembers the files that it names and `--force`. Lists of files, and file or
/// another word, count.
pub fn parse<C: Parser>(words: impl IntoIterator<Item = OsString>) -> Result<C, clap::Error> {
    let mut command = help::with_help(C::command());
    let words: Vec<OsString> = words.into_iter().collect();
    let mut matches =
        command.try_get_matches_from_mut(&words).map_err(|error| with_equals(error, &command, &words))?;
    let known = (files(&command, &matches), has_force(&matches));
    let parsed = C::from_arg_matches_mut(&mut matches).map_err(|error| error.format(&mut command))?;
    COMMAND_LINE.get_or_init(|| known);
    Ok(parsed)
}

/// Adds how an option takes its value to the error for an operand too many: `--json FILE` is an option
/// without a value, and an operand.
fn with_equals(mut error: clap::Error, command: &Command, words: &[OsString]) -> clap::Error {
    if error.kind() != ErrorKind::UnknownArgument {
        return error;
    }
    let is_operand = |word: &str| !word.starts_with('-');
    let is_unexpected =
        matches!(error.get(ContextKind::InvalidArg), Some(ContextValue::String(word)) if is_operand(word));
    let mut pairs = words.windows(2).filter_map(|pair| Some((pair[0].to_str()?, pair[1].to_str()?)));
    let found = pairs.find(|(option, value)| {
        is_operand(value) && option.strip_prefix("--").is_some_and(|name| requires_equals(command, name))
    });
    if let (true, Some((option, value))) = (is_unexpected, found) {
        let tip = format!("a file follows '{option}' after an equals sign: '{option}={value}'");
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![tip.into()]));
    }
    error
}

/// Whether a command or one of its subcommands has an option of which only `--NAME=VALUE` has a value.
fn requires_equals(command: &Command, name: &str) -> bool {
    let is = |argument: &clap::Arg| argument.get_long() == Some(name) && argument.is_require_equals_set();
    command.get_arguments().any(is) || command.get_subcommands().any(|inner| requires_equals(inner, name))
}

/// Whether the command line has `--force`.
fn has_force(matches: &ArgMatches) -> bool {
    matches.try_get_one::<bool>("force").ok().flatten() == Some(&true)
        || matches.subcommand().is_some_and(|(_, matches)| has_force(matches))
}

/// Whether files that hold something else are replaced.
pub fn force() -> bool {
    COMMAND_LINE.get().is_some_and(|(_, force)| *force)
}

/// The files that a command line names, which are the values of arguments whose value is called FILE.
fn files(command: &Command, matches: &ArgMatches) -> Vec<Named> {
    let mut named = Vec::new();
    for argument in command.get_arguments() {
        let value_name =
            argument.get_value_names().unwrap_or_default().first().map_or("", |name| name.as_str());
        if !value_name.contains("FILE") {
            continue;
        }
        let label = argument.get_long().map_or_else(|| value_name.to_owned(), |long| format!("--{long}"));
        let values = matches.get_raw(argument.get_id().as_str()).into_iter().flatten();
        named.extend(values.map(|value| (label.clone(), PathBuf::from(value))));
    }
    if let Some((name, matches)) = matches.subcommand() {
        named
            .extend(command.find_subcommand(name).map(|command| files(command, matches)).unwrap_or_default());
    }
    named
}

/// The argument that names the file as well as `option` does.
pub fn elsewhere(option: &str, path: &Path) -> Option<String> {
    among(&COMMAND_LINE.get()?.0, option, path)
}

fn among(named: &[Named], option: &str, path: &Path) -> Option<String> {
    // A pipe or a device may be named again: nothing is lost.
    let target = Target::of(path)?;
    let others = named.iter().filter(|(label, _)| label != option);
    let mut same = others.filter(|(_, other)| Target::of(other).as_ref() == Some(&target));
    same.next().map(|(label, _)| label.clone())
}

/// A file, by each of its names.
#[derive(PartialEq, Eq)]
enum Target {
    /// Device and number.
    Exists(u64, u64),
    /// Folder and name.
    New(PathBuf, OsString),
}

impl Target {
    /// Nothing for what is no file, and where a folder does not exist.
    fn of(path: &Path) -> Option<Self> {
        match path.metadata() {
            Ok(data) => data.is_file().then(|| Self::Exists(data.dev(), data.ino())),
            Err(_) => {
                let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
                let folder = folder.unwrap_or(Path::new(".")).canonicalize().ok()?;
                Some(Self::New(folder, path.file_name()?.to_owned()))
            }
        }
    }
}

/// Whether a file is where standard output goes, as /dev/stdout.
pub fn is_standard_output(path: &Path) -> bool {
    let output =
        || -> io::Result<Metadata> { File::from(io::stdout().as_fd().try_clone_to_owned()?).metadata() };
    match (path.metadata(), output()) {
        (Ok(data), Ok(output)) => data.is_file() && (data.dev(), data.ino()) == (output.dev(), output.ino()),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::os::unix::fs::symlink;

    #[test]
    fn a_file_is_the_same_by_every_name() {
        let folder = std::env::temp_dir().join(format!("hcube-named-{}", std::process::id()));
        fs::create_dir_all(folder.join("inner")).expect("a folder");
        let [file, hard, link, other] = ["a", "hard", "link", "other"].map(|name| folder.join(name));
        fs::write(&file, "text").expect("a file");
        fs::write(&other, "text").expect("a file");
        fs::hard_link(&file, &hard).expect("a link");
        symlink(&file, &link).expect("a link");
        let around = folder.join("inner/../a");
        let named = |paths: &[&PathBuf]| -> Vec<Named> {
            paths.iter().map(|path| ("FILE".to_owned(), (*path).clone())).collect()
        };
        for name in [&file, &hard, &link, &around] {
            let found = among(&named(&[&other, name]), "--json", &file);
            assert_eq!(found.as_deref(), Some("FILE"), "{}", name.display());
            assert_eq!(among(&named(&[name]), "FILE", &file), None, "the option itself");
        }
        assert_eq!(among(&named(&[&other]), "--json", &file), None);
        // What does not exist yet.
        let (new, same) = (folder.join("new"), folder.join("inner/../new"));
        assert!(among(&named(&[&same]), "--json", &new).is_some());
        assert!(among(&named(&[&folder.join("newer")]), "--json", &new).is_none());
        // A device is nobody's data.
        let null = PathBuf::from("/dev/null");
        assert!(among(&named(&[&null]), "--json", &null).is_none());
        drop(fs::remove_dir_all(folder));
    }

    #[test]
    fn a_file_after_an_option_without_equals_sign_is_explained() {
        for (line, tip) in [
            ("hcube llcs --json out.json a b", Some("'--json=out.json'")),
            ("hcube llcs a b --json out.json", Some("'--json=out.json'")),
            ("hcube bench stream --json out.json", Some("'--json=out.json'")),
            ("hcube llcs a b c", None),
            ("hcube llcs --json a b --fast", None),
        ] {
            let words = line.split(' ').map(OsString::from);
            let error = parse::<crate::command_line::CommandLine>(words).expect_err("refused").to_string();
            assert!(error.contains("unexpected argument"), "{line}: {error}");
            assert_eq!(error.contains("after an equals sign"), tip.is_some(), "{line}: {error}");
            assert!(error.contains(tip.unwrap_or_default()), "{line}: {error}");
        }
    }

    #[test]
    fn arguments_that_name_files_are_known() {
        let named = |line: &str| -> Vec<Named> {
            let mut command = <crate::command_line::CommandLine as clap::CommandFactory>::command();
            let matches = command.try_get_matches_from_mut(line.split(' ')).expect("a command line");
            files(&command, &matches)
        };
        let labels = |line: &str| -> Vec<String> {
            let mut labels: Vec<_> =
                named(line).into_iter().map(|(label, path)| format!("{label} {}", path.display())).collect();
            labels.sort();
            labels
        };
        assert_eq!(
            labels("hcube llcs a b --machine m --json=j"),
            ["--json j", "--machine m", "FILE a", "FILE b"]
        );
        assert_eq!(
            labels("hcube bench fft --from a,b --plot p --json"),
            ["--from a", "--from b", "--json -", "--plot p"]
        );
        assert_eq!(labels("hcube llcs --json a b"), ["--json -", "FILE a", "FILE b"]);
        assert_eq!(labels("hcube bsp probe --samples s"), ["--samples s", "FILE calibration.json"]);
        assert_eq!(labels("hcube bsp predict llcs --machine m"), ["--machine m"]);
    }
}
