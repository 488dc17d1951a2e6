//! The value of `HCUBE_STATS`, and the format of the output of rank 0.

use crate::collection::{PATIENCE, Totals};
use crate::mpi_library;
use hcube_core::error::reason;
use hcube_core::node::loader;
use hcube_core::options;
use serde::Serialize;
use std::fmt::Write;

/// The request of `HCUBE_STATS`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Output {
    /// The name of a JSON file to be written in addition to the table, if any.
    pub json: Option<String>,
}

impl Output {
    /// The requested statistics; `None` if the variable is not set.
    pub fn asked() -> Option<Self> {
        Self::of(&options::value("HCUBE_STATS")?)
    }

    /// Values of `HCUBE_STATS`: nothing or 0 for none, `fftw` for the solver of FFTW only, `json:FILE` for a
    /// table and a file, anything else for a table.
    fn of(value: &str) -> Option<Self> {
        match value {
            "" | "0" | "fftw" => None,
            _ => Some(Self { json: value.strip_prefix("json:").map(str::to_owned) }),
        }
    }

    /// Prints a table, and writes a file with `contents` to the requested name with `suffix`.
    pub fn print(&self, totals: &Totals, table: &str, suffix: &str, contents: &impl Serialize) {
        let &Totals { ranks, world, .. } = totals;
        if ranks < world {
            let these = if ranks == 1 { "rank 0".to_owned() } else { format!("{ranks} of {world} ranks") };
            eprintln!(
                "hcube: other ranks have not sent their statistics: HCUBE_STATS or LD_PRELOAD is not set there, or \
                 they were not in MPI_Finalize {} s after rank 0; statistics of {these} only",
                PATIENCE.as_secs()
            );
        }
        self.write(table, suffix, contents);
    }

    /// As [`Self::print`], if no statistics are missing.
    pub fn write(&self, table: &str, suffix: &str, contents: &impl Serialize) {
        // One write: other ranks may print as well.
        eprint!("{table}");
        if let Some(path) = &self.json {
            let path = format!("{path}{suffix}");
            if let Err(error) = write_json(&path, contents) {
                eprintln!("hcube: HCUBE_STATS=json:{path}: {error}");
            }
        }
    }
}

/// Whether a library of hcube is loaded that may write its own statistics to the same file.
pub fn is_loaded(library: &str) -> bool {
    loader::loaded().iter().any(|path| path.to_string_lossy().contains(library))
}

fn write_json(path: &str, contents: &impl Serialize) -> Result<(), String> {
    let text = serde_json::to_string_pretty(contents).map_err(|error| error.to_string())?;
    std::fs::write(path, text + "\n").map_err(|error| reason(&error))
}

/// The first line of a table.
pub fn title(ranks: usize) -> String {
    let plural = if ranks == 1 { "" } else { "s" };
    format!("hcube {} in {}, {ranks} rank{plural}", env!("CARGO_PKG_VERSION"), mpi_library::name())
}

/// Lines of cells in columns; the first two are words, the others numbers.
pub fn columns<const N: usize>(head: [&str; N], lines: impl Iterator<Item = [String; N]>) -> String {
    let lines: Vec<[String; N]> = std::iter::once(head.map(str::to_owned)).chain(lines).collect();
    let widths: [usize; N] =
        std::array::from_fn(|column| lines.iter().map(|line| line[column].len()).max().unwrap_or(0));
    let mut text = String::new();
    for line in &lines {
        for (column, (cell, width)) in line.iter().zip(widths).enumerate() {
            let separator = if column == 0 { "" } else { "  " };
            let _ = if column < 2 {
                write!(text, "{separator}{cell:width$}")
            } else {
                write!(text, "{separator}{cell:>width$}")
            };
        }
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_variable_says_what_is_wanted() {
        let json = |name: &str| Some(Output { json: Some(name.to_owned()) });
        assert_eq!(["", "0", "fftw"].map(Output::of), [None, None, None]);
        assert_eq!(Output::of("1"), Some(Output { json: None }));
        assert_eq!(Output::of("json:a/b"), json("a/b"));
    }

    #[test]
    fn numbers_are_aligned_to_the_right() {
        let line = ["a".to_owned(), "bb".to_owned(), "1".to_owned()];
        assert_eq!(columns(["one", "2", "calls"], [line].into_iter()), "one  2   calls\na    bb      1\n");
    }
}
