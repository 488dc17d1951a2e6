//! Files that the command line names.
//!
//! `--json` without a value takes the next word as one: in `hcube llcs --json a.fa b.fa c.fa` that is a file
//! to compare. No command has to tell which of its files are inputs: a file that is written may not be named
//! by another argument.

use crate::help;
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

/// The files that the command line of this process names; not set where none was parsed (in tests).
static NAMED: OnceLock<Vec<Named>> = OnceLock::new();

/// Parses a command line, and remembers the files that it names. Lists of them, and file or another word,
/// count.
pub fn parse<C: Parser>(words: impl IntoIterator<Item = OsString>) -> Result<C, clap::Error> {
    let mut command = help::with_help(C::command());
    let mut matches = command.try_get_matches_from_mut(words)?;
    let named = files(&command, &matches);
    let parsed = C::from_arg_matches_mut(&mut matches).map_err(|error| error.format(&mut command))?;
    NAMED.get_or_init(|| named);
    Ok(parsed)
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
    among(NAMED.get()?, option, path)
}

fn among(named: &[Named], option: &str, path: &Path) -> Option<String> {
    // A pipe or a device may be named again: nothing is lost.
    let target = Target::of(path)?;
    let others = named.iter().filter(|(label, _)| label != option);
    let mut same = others.filter(|(_, other)| Target::of(other).as_ref() == Some(&target));
    same.next().map(|(label, _)| label.clone())
}

/// A file by whatever name.
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
            labels("hcube llcs a b --machine m --json j"),
            ["--json j", "--machine m", "FILE a", "FILE b"]
        );
        assert_eq!(
            labels("hcube bench fft --from a,b --plot p --json"),
            ["--from a", "--from b", "--json -", "--plot p"]
        );
        assert_eq!(labels("hcube bsp probe --samples s"), ["--samples s", "FILE calibration.json"]);
        assert_eq!(labels("hcube bsp predict llcs --machine m"), ["--machine m"]);
    }
}
