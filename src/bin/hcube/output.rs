//! Where results go: tables to standard output, JSON to a file or instead of the tables.

use crate::session::Failure;
use serde::Serialize;
use std::path::Path;

/// Makes the folder of a file; where that fails, so does what comes next.
fn make_folder(path: &Path) {
    if let Some(folder) = path.parent() {
        drop(std::fs::create_dir_all(folder));
    }
}

/// Whether a file that an option names could be written. Leaves what is there.
pub fn check(option: &'static str, path: &Path) -> hcube::Result<()> {
    make_folder(path);
    let new = !path.exists();
    match std::fs::OpenOptions::new().append(true).create(true).open(path) {
        Ok(_) if new => drop(std::fs::remove_file(path)),
        Ok(_) => {}
        Err(error) => {
            let expected = format!("a file that can be written ({error})");
            return Err(hcube::Error::argument(option, path.display(), expected));
        }
    }
    Ok(())
}

/// Writes the file that an option names.
pub fn write(option: &str, path: &Path, text: &str) -> Result<(), Failure> {
    make_folder(path);
    std::fs::write(path, text).map_err(|error| format!("{option} {}: {error}", path.display()))
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

    /// Writes the results where they were asked for.
    pub fn write(&self, results: &impl Serialize) -> Result<(), Failure> {
        let Some(place) = &self.json else { return Ok(()) };
        let text = serde_json::to_string_pretty(results).map_err(|error| format!("JSON: {error}"))?;
        if place == "-" {
            println!("{text}");
            return Ok(());
        }
        write(Self::NAME, Path::new(place), &(text + "\n"))
    }

    /// Whether results could be written where they were asked for.
    pub fn check(&self) -> hcube::Result<()> {
        match self.json.as_deref() {
            None | Some("-") => Ok(()),
            Some(place) => check(Self::NAME, Path::new(place)),
        }
    }

    /// Whether results were asked for.
    pub fn wanted(&self) -> bool {
        self.json.is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_that_cannot_be_written_are_named_with_their_option() {
        let error = check("--plot", Path::new("/proc/none/a.svg")).expect_err("refused").to_string();
        assert!(error.starts_with("--plot = /proc/none/a.svg: expected a file"), "{error}");
        let path = std::env::temp_dir().join(format!("hcube-output-{}/a.json", std::process::id()));
        assert_eq!(check("--json", &path), Ok(()));
        assert!(!path.exists());
        drop(std::fs::remove_dir(path.parent().expect("a folder")));
    }
}
