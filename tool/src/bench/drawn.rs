//! The options of benchmarks whose results can be drawn, and joined from several runs.

use super::frame::System;
use super::job::{self, Common};
use crate::output::{self, JsonOption};
use crate::session::{self, Failure, Session, Verdict};
use hcube_core::error::{Result, reason};
use hcube_results::json;
use hcube_results::numbers::date;
use hcube_results::plot::Sheet;
use hcube_results::runs::{Joined, Pictured, Report, Results};
use serde::de::DeserializeOwned;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{SystemTime, UNIX_EPOCH};

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

/// The date of a measurement.
pub fn today() -> String {
    date(SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs()))
}

/// Whether the plot that was asked for can be written.
pub fn check(plot: Option<&Path>) -> Result<()> {
    plot.map_or(Ok(()), |path| output::check("--plot", path, &output::PLOT))
}

/// Writes the plot where it was asked for; or says that there is nothing to draw.
pub fn draw(
    plot: Option<&Path>,
    sheet: impl FnOnce() -> Option<Sheet>,
    undrawn: &str,
) -> std::result::Result<(), Failure> {
    let Some(path) = plot else { return Ok(()) };
    let sheet = sheet().ok_or_else(|| format!("--plot: {undrawn}"))?;
    output::write("--plot", path, &output::PLOT, &sheet.svg())
}

/// Reads the files that `--from` names, which hold what is `expected`.
pub fn read<T>(
    paths: &[PathBuf],
    expected: &str,
    parse: impl Fn(&str) -> std::result::Result<T, String>,
) -> std::result::Result<Vec<T>, Failure> {
    let read = |path: &PathBuf| {
        let failure = |problem: String| format!("--from {}: {problem}; expected {expected}", path.display());
        let text = std::fs::read_to_string(path).map_err(|error| failure(reason(&error)))?;
        parse(&text).map_err(failure)
    };
    paths.iter().map(read).collect()
}

/// Reads results in JSON from the files that `--from` names.
pub fn read_results<T: DeserializeOwned>(paths: &[PathBuf]) -> std::result::Result<Vec<T>, Failure> {
    read(paths, "results that --json=FILE has written", json::parse)
}

impl Drawn {
    /// The plot that was asked for.
    pub fn plot(&self) -> Option<&Path> {
        self.plot.as_deref()
    }

    /// The files of earlier runs.
    pub fn files(&self) -> &[PathBuf] {
        &self.from
    }

    /// Whether the plot that was asked for can be written.
    pub fn check(&self) -> Result<()> {
        check(self.plot.as_deref())
    }

    /// Writes the plot where it was asked for.
    pub fn draw<R: Pictured>(&self, results: &Results<R>) -> std::result::Result<(), Failure> {
        let sheet = || Some(Sheet { date: results.date.clone(), ..R::sheet(&results.runs)? });
        draw(self.plot.as_deref(), sheet, R::UNDRAWN)
    }

    /// Joins, prints and draws the results of earlier runs, where there are some; else measures.
    pub fn run<R: Pictured>(&self, json: &JsonOption, measure: impl FnOnce() -> ExitCode) -> ExitCode {
        if self.from.is_empty() { measure() } else { session::without_mpi(|| self.join::<R>(json)) }
    }

    fn join<R: Pictured>(&self, json: &JsonOption) -> std::result::Result<(), Failure> {
        json.check().and_then(|()| self.check()).map_err(|error| error.to_string())?;
        let mut joined = Results::<R>::default();
        read_results(&self.from)?.into_iter().for_each(|results| joined.add(results));
        if json.tables() {
            print!("{}", joined.text());
        }
        json.write(&joined)?;
        self.draw(&joined)
    }

    /// Collective: measures a system, and draws it.
    pub fn start<R: Pictured, S: System<Row = R>, const REPEAT: u32>(
        &self,
        session: &Session,
        common: &Common<REPEAT>,
        new: impl FnOnce() -> Result<S>,
    ) -> std::result::Result<Verdict, Failure> {
        let results = |_: &S, rows, left_out| Results { date: today(), ..Results::new(rows, left_out) };
        job::start(session, common, || self.check(), new, results, |results| self.draw(results))
    }
}
