//! Where results go: tables to standard output, JSON to a file or instead of the tables.

use crate::session::Failure;
use serde::Serialize;
use std::fs::{self, File};
use std::io::{ErrorKind, Write};
use std::path::Path;

/// Makes the folder of a file; if that fails, opening the file fails too.
fn make_folder(path: &Path) {
    if let Some(folder) = path.parent() {
        drop(fs::create_dir_all(folder));
    }
}

/// Whether the file that an option names can be written. Does not change it.
pub fn check(option: &'static str, path: &Path) -> hcube_core::Result<()> {
    make_folder(path);
    let new = !path.exists();
    match fs::OpenOptions::new().append(true).create(true).open(path) {
        Ok(_) if new => drop(fs::remove_file(path)),
        Ok(_) => {}
        Err(error) => {
            let expected = format!("a file that can be written ({error})");
            return Err(hcube_core::Error::argument(option, path.display(), expected));
        }
    }
    Ok(())
}

/// Writes the file that an option names, if possible whole or not at all.
pub fn write(option: &str, path: &Path, text: &str) -> Result<(), Failure> {
    make_folder(path);
    put(path, text).map_err(|error| format!("{option} {}: {error}", path.display()))
}

/// Writes beside the file and renames, so that neither a full disk nor an interruption leaves half of it or
/// destroys the previous one.
fn put(path: &Path, text: &str) -> std::io::Result<()> {
    let former = path.symlink_metadata();
    // A pipe or a device cannot be replaced, and a link (/dev/stdout is one) must stay one.
    if former.as_ref().is_ok_and(|former| !former.is_file()) {
        return fs::write(path, text);
    }
    let mut beside = path.as_os_str().to_owned();
    // Several processes may write one file.
    beside.push(format!(".{}.new", std::process::id()));
    let mut file = match File::create(&beside) {
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

/// The option `--json`.
#[derive(Debug, Clone, clap::Args)]
pub struct JsonOption {
    /// Write the results as JSON, to FILE beside the tables; without FILE or with '-' to standard
    /// output instead of them
    #[arg(long, value_name = "FILE", num_args = 0..=1, default_missing_value = "-")]
    json: Option<String>,
}

impl JsonOption {
    const NAME: &str = "--json";

    /// Whether tables are printed.
    pub fn tables(&self) -> bool {
        self.json.as_deref() != Some("-")
    }

    /// Writes the results where the option says.
    pub fn write(&self, results: &impl Serialize) -> Result<(), Failure> {
        let Some(place) = &self.json else { return Ok(()) };
        let text = serde_json::to_string_pretty(results).map_err(|error| format!("JSON: {error}"))?;
        if place == "-" {
            println!("{text}");
            return Ok(());
        }
        write(Self::NAME, Path::new(place), &(text + "\n"))
    }

    /// Whether results can be written where the option says.
    pub fn check(&self) -> hcube_core::Result<()> {
        match self.json.as_deref() {
            None | Some("-") => Ok(()),
            Some(place) => check(Self::NAME, Path::new(place)),
        }
    }

    /// Whether the option is set.
    pub fn wanted(&self) -> bool {
        self.json.is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Read;
    use std::os::unix::fs::{FileTypeExt, PermissionsExt, symlink};
    use std::path::PathBuf;
    use std::process::Command;

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
        let error = check("--plot", Path::new("/proc/none/a.svg")).expect_err("refused").to_string();
        assert!(error.starts_with("--plot = /proc/none/a.svg: expected a file"), "{error}");
        let error = write("--plot", Path::new("/proc/none/a.svg"), "text").expect_err("refused");
        assert!(error.starts_with("--plot /proc/none/a.svg: "), "{error}");
        let path = folder("check").join("a.json");
        assert_eq!(check("--json", &path), Ok(()));
        assert!(!path.exists());
        drop(fs::remove_dir(path.parent().expect("a folder")));
    }

    #[test]
    fn a_file_is_replaced_and_keeps_its_permissions() {
        let folder = folder("replace");
        let (path, kept) = (folder.join("a.json"), folder.join("kept"));
        assert_eq!(write("--json", &path, "first, and longer"), Ok(()));
        fs::set_permissions(&path, fs::Permissions::from_mode(0o604)).expect("its own file");
        // A second name for the first file: it stays as it is where the file is replaced.
        fs::hard_link(&path, &kept).expect("a link");
        assert_eq!(write("--json", &path, "second"), Ok(()));
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
        assert_eq!(write("--json", &path, "first, and longer"), Ok(()));
        symlink(&path, &link).expect("a link");
        assert_eq!(write("--json", &link, "second"), Ok(()));
        assert!(link.symlink_metadata().expect("a link").is_symlink());
        assert_eq!(fs::read_to_string(&path).expect("a file"), "second");
        assert!(Command::new("mkfifo").arg(&pipe).status().expect("it starts").success());
        // Open in both directions, so that neither side waits for the other.
        let mut reader = File::options().read(true).write(true).open(&pipe).expect("a pipe");
        assert_eq!(write("--json", &pipe, "text"), Ok(()));
        assert!(pipe.symlink_metadata().expect("a pipe").file_type().is_fifo());
        let mut text = [0; 4];
        reader.read_exact(&mut text).expect("four bytes");
        assert_eq!(text, *b"text");
        // Through a link: a mistake here must not cost the machine its device.
        symlink("/dev/full", &full).expect("a link");
        let error = write("--json", &full, "text").expect_err("no room");
        assert!(error.contains("full: ") && full.is_symlink(), "{error}");
        assert_eq!(files(&folder), ["a.json", "full", "link", "pipe"]);
        drop(fs::remove_dir_all(folder));
    }
}
