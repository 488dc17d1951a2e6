//! The options of benchmarks whose results can be drawn, and joined from several runs.

use super::{files, frame};
use crate::output::{self, JsonOption};
use crate::session::{self, Failure};
use hcube_results::plot::Sheet;
use hcube_results::table::Table;
use hcube_results::{fft, gfortran, llcs, panels, stream};
use serde::de::DeserializeOwned;
use std::path::PathBuf;
use std::process::ExitCode;

#[derive(Debug, Clone, clap::Args)]
pub struct Drawn {
    /// Draw the results into an SVG file
    #[arg(long, value_name = "FILE")]
    plot: Option<PathBuf>,
    /// Do not measure (no mpirun needed): read the results of earlier runs with --json, print and draw them,
    /// and join them with --json
    #[arg(long, value_name = "FILE[,FILE...]", value_delimiter = ',')]
    from: Vec<PathBuf>,
}

/// Results that can be drawn and joined. Ratios stay those of each run.
pub trait Joined: frame::Results + DeserializeOwned + Default {
    /// Adds those of another run.
    fn add(&mut self, other: Self);
    /// The picture; nothing without results.
    fn sheet(&self) -> Option<Sheet>;
}

impl Drawn {
    /// Whether the plot that was asked for can be written.
    pub fn check(&self) -> hcube_core::Result<()> {
        self.plot.as_deref().map_or(Ok(()), |path| output::check("--plot", path, &output::PLOT))
    }

    /// Writes the plot where it was asked for.
    pub fn draw(&self, results: &impl Joined) -> Result<(), Failure> {
        let Some(path) = &self.plot else { return Ok(()) };
        let sheet = results.sheet().ok_or("--plot: nothing was measured: there is nothing to draw")?;
        output::write("--plot", path, &output::PLOT, &sheet.svg())
    }

    /// Joins, prints and draws the results of earlier runs, where there are some; else measures.
    pub fn run<R: Joined>(&self, json: &JsonOption, measure: impl FnOnce() -> ExitCode) -> ExitCode {
        if self.from.is_empty() { measure() } else { session::without_mpi(|| self.join::<R>(json)) }
    }

    fn join<R: Joined>(&self, json: &JsonOption) -> Result<(), Failure> {
        json.check().and_then(|()| self.check()).map_err(|error| error.to_string())?;
        let mut joined = R::default();
        files::read::<R>(&self.from)?.into_iter().for_each(|results| joined.add(results));
        if json.tables() {
            print!("{}", joined.text());
        }
        json.write(&joined)?;
        self.draw(&joined)
    }
}

/// The results of a system with `runs`, each with `errors`, and `notes`.
macro_rules! joined {
    ($system:ident) => {
        impl frame::Results for $system::Results {
            fn tables(&self) -> Vec<Table> {
                self.tables()
            }

            fn below(&self) -> String {
                self.below()
            }

            fn errors(&self) -> Vec<Option<u64>> {
                self.runs.iter().map(|run| run.errors.into()).collect()
            }
        }

        impl Joined for $system::Results {
            fn add(&mut self, other: Self) {
                self.runs.extend(other.runs);
                self.notes.extend(other.notes);
                self.notes.sort();
                self.notes.dedup();
            }

            fn sheet(&self) -> Option<Sheet> {
                $system::figure::sheet(&self.runs)
            }
        }
    };
}

joined!(fft);
joined!(stream);
joined!(panels);
joined!(llcs);
joined!(gfortran);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notes_are_told_once() {
        let results = |notes: &[&str]| fft::Results {
            runs: Vec::new(),
            notes: notes.iter().map(|&note| note.to_owned()).collect(),
        };
        let mut joined = results(&["b"]);
        joined.add(results(&["a", "b"]));
        assert_eq!(joined.notes, ["a", "b"]);
        assert!(Joined::sheet(&joined).is_none());
    }
}
