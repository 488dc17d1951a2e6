//! Where results go: tables to standard output, JSON and comma-separated values to files or instead of the
//! tables.
//!
//! All files that a command writes because the command line names them are written here. A file that exists
//! is replaced only if it is empty or of the [`Kind`] that is written, or with `--force`; and never if
//! another argument names it, as an input or for another output.

mod csv;
mod kind;
mod named;

pub use kind::{Kind, MACHINE, PLOT, RESULTS, first_line};
pub use named::parse;

use crate::session::Failure;
use hcube_core::error::reason;
use serde::Serialize;
use serde_json::Value;
use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Write};
use std::path::Path;

/// What is said of a file that cannot be read or written.
pub fn failure(path: &Path) -> impl Fn(io::Error) -> Failure + Copy {
    |error| format!("{}: {}", path.display(), reason(&error))
}

/// Makes the folder of a file; if that fails, opening the file fails too.
fn make_folder(path: &Path) {
    if let Some(folder) = path.parent() {
        drop(fs::create_dir_all(folder));
    }
}

/// Whether the file that an option names can be written, and holds nothing that must not be lost. Does not
/// change it.
pub fn check(option: &'static str, path: &Path, kind: &Kind) -> hcube_core::Result<()> {
    let refuse = |expected| hcube_core::Error::argument(option, path.display(), expected);
    make_folder(path);
    loss(option, path, kind).map_or(Ok(()), |expected| Err(refuse(expected)))?;
    // A pipe or a device is opened when it is written, a link may lead to what does not exist yet.
    if path.metadata().is_ok_and(|data| !data.is_file() && !data.is_dir()) {
        return Ok(());
    }
    let target = fs::canonicalize(path).unwrap_or_else(|_| {
        fs::read_link(path).map_or(path.to_owned(), |to| path.parent().unwrap_or(Path::new(".")).join(to))
    });
    let new = !target.exists();
    match OpenOptions::new().append(true).create(true).open(path) {
        Ok(_) if new => drop(fs::remove_file(target)),
        Ok(_) => {}
        Err(error) => return Err(refuse(format!("a file that can be written ({})", reason(&error)))),
    }
    Ok(())
}

/// What is expected instead of a file, if writing it would lose something.
fn loss(option: &str, path: &Path, kind: &Kind) -> Option<String> {
    if let Some(other) = named::elsewhere(option, path) {
        return Some(format!("another file: {other} names this one, which would be overwritten"));
    }
    // Pipes and devices hold nothing; what cannot be opened fails when it is written.
    let is_file = path.metadata().is_ok_and(|data| data.is_file() && data.len() > 0);
    if !is_file || named::force() || named::is_standard_output(path) {
        return None;
    }
    match fs::read(path) {
        Ok(bytes) if (kind.holds)(&bytes) => None,
        Ok(_) => Some(format!(
            "a new file, or one with {}: it holds something else; --force replaces it",
            kind.name
        )),
        Err(error) => Some(format!("a new file, or one with {} ({})", kind.name, reason(&error))),
    }
}

/// Writes the file that an option names, if possible whole or not at all.
pub fn write(option: &str, path: &Path, kind: &Kind, text: &str) -> Result<(), Failure> {
    make_folder(path);
    if let Some(expected) = loss(option, path, kind) {
        // It was checked before the measurement, whose results are not lost because the file has changed
        // since.
        let mut beside = path.as_os_str().to_owned();
        beside.push(format!(".{}.new", std::process::id()));
        let kept = match put(Path::new(&beside), text) {
            Ok(()) => format!("; written to {} instead", Path::new(&beside).display()),
            Err(_) => String::new(),
        };
        return Err(format!("{option} = {}: expected {expected}{kept}", path.display()));
    }
    put(path, text).map_err(|error| format!("{option} {}: {}", path.display(), reason(&error)))
}

/// Writes beside the file and renames, so that neither a full disk nor an interruption leaves half of it or
/// destroys the previous one.
fn put(path: &Path, text: &str) -> io::Result<()> {
    // Behind what has been printed, which opening it again would remove.
    if named::is_standard_output(path) {
        let mut output = io::stdout().lock();
        return output.write_all(text.as_bytes()).and_then(|()| output.flush());
    }
    let former = path.symlink_metadata();
    // A pipe or a device cannot be replaced, and a link must stay one.
    if former.as_ref().is_ok_and(|former| !former.is_file()) {
        return fs::write(path, text);
    }
    let mut beside = path.as_os_str().to_owned();
    // Several processes may write one file.
    beside.push(format!(".{}.new", std::process::id()));
    let mut file = match File::create_new(&beside) {
        Ok(file) => file,
        Err(error) if matches!(error.kind(), ErrorKind::StorageFull | ErrorKind::QuotaExceeded) => {
            return Err(error);
        }
        // The file may be writable where its folder is not.
        Err(_) => return fs::write(path, text),
    };
    let written = file.write_all(text.as_bytes()).and_then(|()| {
        if let Ok(former) = former {
            file.set_permissions(former.permissions())?;
        }
        // A network file system may report only now that it has no room.
        file.sync_all()
    });
    let result = match written {
        // A file that is a mount point cannot be replaced; there is room, as the new file shows.
        Ok(()) => fs::rename(&beside, path).or_else(|_| fs::write(path, text)),
        Err(error) => Err(error),
    };
    // Does not exist after it was renamed.
    drop(fs::remove_file(&beside));
    result
}

/// Results as JSON, with the version that has written them.
fn json(results: &impl Serialize) -> serde_json::Result<String> {
    let text = hcube_results::json::text(results)?;
    let value: Value = serde_json::from_str(&text)?;
    let is_marked =
        value.as_object().is_none_or(|keys| keys.contains_key(kind::VERSION_KEY) || keys.is_empty());
    Ok(match text.strip_prefix('{') {
        Some(rest) if !is_marked => {
            format!("{{\n  \"{}\": \"{}\",{rest}", kind::VERSION_KEY, env!("CARGO_PKG_VERSION"))
        }
        _ => text,
    })
}

/// Writes the file that an option names, or to standard output.
fn put_or_print(option: &str, place: &str, kind: &Kind, text: &str) -> Result<(), Failure> {
    if place == "-" {
        print!("{text}");
        return Ok(());
    }
    write(option, Path::new(place), kind, text)
}

/// The options `--json` and `--csv`.
#[derive(Debug, Clone, clap::Args)]
pub struct JsonOption {
    /// Write the results as JSON, to FILE beside the tables; without FILE or with '-' to standard
    /// output instead of them
    #[arg(long, value_name = "FILE", num_args = 0..=1, require_equals = true, default_missing_value = "-")]
    json: Option<String>,
    /// Write the results as comma-separated values, to FILE beside the tables; without FILE or with '-' to
    /// standard output instead of them. A line is a run, columns are the keys of --json
    #[arg(long, value_name = "FILE", num_args = 0..=1, require_equals = true, default_missing_value = "-")]
    csv: Option<String>,
    #[command(flatten)]
    pub force: ForceOption,
}

/// The option `--force`, which [`parse`] remembers for all files that the command writes.
#[derive(Debug, Clone, clap::Args)]
pub struct ForceOption {
    /// Replace files that hold something else; without this option, only files of the kind that is written
    /// are replaced
    #[arg(long)]
    pub force: bool,
}

impl JsonOption {
    const NAME: &str = "--json";
    const CSV: &str = "--csv";

    /// Whether tables are printed.
    pub fn tables(&self) -> bool {
        ![&self.json, &self.csv].iter().any(|place| place.as_deref() == Some("-"))
    }

    /// Writes the results where the option says.
    pub fn write(&self, results: &impl Serialize) -> Result<(), Failure> {
        let form = |error| format!("results: {error}");
        if let Some(place) = &self.csv {
            put_or_print(Self::CSV, place, &csv::CSV, &csv::of(results).map_err(form)?)?;
        }
        let Some(place) = &self.json else { return Ok(()) };
        put_or_print(Self::NAME, place, &RESULTS, &(json(results).map_err(form)? + "\n"))
    }

    /// Whether results can be written where the option says.
    pub fn check(&self) -> hcube_core::Result<()> {
        let (json, csv) = (self.json.as_deref(), self.csv.as_deref());
        if (json, csv) == (Some("-"), Some("-")) {
            let expected = format!("a file, as {} has standard output", Self::CSV);
            return Err(hcube_core::Error::argument(Self::NAME, "-", expected));
        }
        for (option, place, kind) in [(Self::NAME, json, &RESULTS), (Self::CSV, csv, &csv::CSV)] {
            if let Some(place) = place.filter(|&place| place != "-") {
                check(option, Path::new(place), kind)?;
            }
        }
        Ok(())
    }

    /// Whether the option is set.
    pub fn wanted(&self) -> bool {
        self.json.is_some() || self.csv.is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Read;
    use std::os::unix::fs::{FileTypeExt, PermissionsExt, symlink};
    use std::path::PathBuf;
    use std::process::Command;

    /// These tests are about how files are written.
    const ANY: Kind = Kind { name: "anything", holds: |_| true };

    /// A folder of the test's own.
    fn folder(name: &str) -> PathBuf {
        std::env::temp_dir().join(format!("hcube-output-{name}-{}", std::process::id()))
    }

    fn files(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).expect("a folder").flatten();
        let mut names: Vec<_> =
            entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }

    #[test]
    fn files_that_cannot_be_written_are_named_with_their_option() {
        let error = check("--plot", Path::new("/proc/none/a.svg"), &ANY).expect_err("refused").to_string();
        assert!(error.starts_with("--plot = /proc/none/a.svg: expected a file"), "{error}");
        let error = write("--plot", Path::new("/proc/none/a.svg"), &ANY, "text").expect_err("refused");
        assert!(error.starts_with("--plot /proc/none/a.svg: "), "{error}");
        let path = folder("check").join("a.json");
        assert_eq!(check("--json", &path, &ANY), Ok(()));
        assert!(!path.exists());
        drop(fs::remove_dir(path.parent().expect("a folder")));
    }

    #[test]
    fn a_file_is_replaced_and_keeps_its_permissions() {
        let folder = folder("replace");
        let (path, kept) = (folder.join("a.json"), folder.join("kept"));
        assert_eq!(write("--json", &path, &ANY, "first, and longer"), Ok(()));
        fs::set_permissions(&path, fs::Permissions::from_mode(0o604)).expect("its own file");
        // A second name for the first file: it stays as it is where the file is replaced.
        fs::hard_link(&path, &kept).expect("a link");
        assert_eq!(write("--json", &path, &ANY, "second"), Ok(()));
        assert_eq!(fs::read_to_string(&path).expect("a file"), "second");
        assert_eq!(fs::read_to_string(&kept).expect("a file"), "first, and longer");
        assert_eq!(path.metadata().expect("a file").permissions().mode() & 0o777, 0o604);
        assert_eq!(files(&folder), ["a.json", "kept"]);
        drop(fs::remove_dir_all(folder));
    }

    #[test]
    fn what_is_no_file_is_written_to() {
        let folder = folder("straight");
        let [path, link, pipe, full] = ["a.json", "link", "pipe", "full"].map(|name| folder.join(name));
        assert_eq!(write("--json", &path, &ANY, "first, and longer"), Ok(()));
        symlink(&path, &link).expect("a link");
        assert_eq!(write("--json", &link, &ANY, "second"), Ok(()));
        assert!(link.symlink_metadata().expect("a link").is_symlink());
        assert_eq!(fs::read_to_string(&path).expect("a file"), "second");
        assert!(Command::new("mkfifo").arg(&pipe).status().expect("it starts").success());
        // Open in both directions, so that neither side waits for the other.
        let mut reader = File::options().read(true).write(true).open(&pipe).expect("a pipe");
        assert_eq!(write("--json", &pipe, &ANY, "text"), Ok(()));
        assert!(pipe.symlink_metadata().expect("a pipe").file_type().is_fifo());
        let mut text = [0; 4];
        reader.read_exact(&mut text).expect("four bytes");
        assert_eq!(text, *b"text");
        // Through a link: a mistake here must not cost the machine its device.
        symlink("/dev/full", &full).expect("a link");
        let error = write("--json", &full, &ANY, "text").expect_err("no room");
        assert!(error.contains("full: ") && full.is_symlink(), "{error}");
        assert_eq!(files(&folder), ["a.json", "full", "link", "pipe"]);
        drop(fs::remove_dir_all(folder));
    }
}
