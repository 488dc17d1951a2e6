//! A program with hcube and one without, in turn, each several times as a job of its own; and what such
//! programs have measured, as lines.

use crate::hosts::cases::Measured;
use crate::hosts::site::Site;
use hcube_hosts::placement::Order;
use hcube_results::hosts::Comparison;
use hcube_results::measured::{Timing, distinct};
use hcube_results::runs::{Results, Row};
use hcube_results::table::Column;
use hcube_results::usage::Usage;
use hcube_tool::bench::frame::alternating;
use hcube_tool::output;
use serde::{Deserialize, Serialize};
use std::ffi::OsString;
use std::fs;
use std::path::Path;

/// What runs in turn.
pub struct Plan {
    /// The name of the case.
    pub case: &'static str,
    /// The program with hcube, and its competitor.
    pub programs: [Program; 2],
    /// Jobs of each.
    pub repeat: u32,
    /// Files that the programs read in their folder.
    pub files: Vec<(&'static str, String)>,
    /// Whether a job that writes to this folder has measured everything, so that it may be ended.
    pub has_done_enough: fn(&Path) -> bool,
    /// What a job has measured.
    pub read: Read,
    /// What is missing.
    pub notes: Vec<String>,
}

/// Reads what a job of a program, by its name, has measured on this number of ranks, from its folder and from
/// what it has printed.
type Read = fn(&str, usize, &Path, &str) -> Result<Vec<Figure>, String>;

/// A program of all ranks.
pub struct Program {
    pub name: &'static str,
    /// Its path and its arguments.
    pub line: Vec<OsString>,
}

/// What a job has measured.
#[derive(Debug, Clone, PartialEq)]
pub struct Figure {
    pub subject: String,
    pub seconds: f64,
    pub errors: u64,
    /// What was used in this time.
    pub usage: Option<Usage>,
}

/// What all jobs of a program have measured of a subject.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Run {
    pub subject: String,
    pub program: String,
    pub timing: Timing,
    pub errors: u64,
}

impl Row for Run {
    type Subject = String;
    /// Only lines of a comparison are printed.
    const COLUMNS: &'static [Column<Self>] = &[];

    fn measured(&self) -> (&String, &str, f64) {
        (&self.subject, &self.program, self.timing.median_us)
    }

    fn timing(&self) -> Timing {
        self.timing.clone()
    }

    fn subject_name(&self) -> String {
        self.subject.clone()
    }

    fn errors(&self) -> Option<u64> {
        Some(self.errors)
    }

    fn compare(_: &mut [Self]) {}

    fn legend(_: &[Self]) -> String {
        String::new()
    }
}

/// The name of the program with hcube.
pub const HCUBE: &str = "hcube";

/// Runs the programs in turn.
pub fn in_turn(site: &Site, plan: &Plan) -> Result<Measured, String> {
    let mut figures: [Vec<Figure>; 2] = Default::default();
    for (turn, number) in alternating(plan.programs.len(), plan.repeat) {
        figures[number].extend(plan.job(site, &plan.programs[number], turn)?);
    }
    let [hcube, competitor] = &plan.programs;
    let runs = [runs(hcube.name, &figures[0]), runs(competitor.name, &figures[1])].concat();
    let (lines, _) = compared(site, plan.case, runs);
    Ok((lines, plan.notes.clone()))
}

/// The lines in which hcube stands beside a competitor.
pub fn compared(site: &Site, case: &str, runs: Vec<Run>) -> Measured {
    let comparison = Comparison { variant: HCUBE, competitors: &[STOCK, FFTW] };
    let results = Results::new(runs, Vec::new());
    (comparison.lines(&site.about(), case, &results, Run::subject_name), Vec::new())
}

impl Plan {
    /// A job of one of the programs.
    fn job(&self, site: &Site, program: &Program, turn: usize) -> Result<Vec<Figure>, String> {
        let Program { name, line } = program;
        let folder = site.file(self.case, &format!("-{name}-{turn}"));
        let failed = output::failure(&folder);
        // Results of an earlier run must not be mistaken for results of this one.
        drop(fs::remove_dir_all(&folder));
        fs::create_dir_all(&folder).map_err(failed)?;
        for (file, text) in &self.files {
            fs::write(folder.join(file), text).map_err(failed)?;
        }
        let said = folder.join("output.txt");
        site.run((&folder, Order::Filling), line, &said, || (self.has_done_enough)(&folder))?;
        let text = String::from_utf8_lossy(&fs::read(&said).map_err(failed)?).into_owned();
        (self.read)(name, site.place.ranks(), &folder, &text)
            .map_err(|reason| format!("{name}: {reason}, see {}", folder.display()))
    }
}

/// The name of the program without hcube, and the name of FFTW's own plan.
pub const STOCK: &str = "stock";
pub const FFTW: &str = "fftw";

/// All jobs of a program together.
fn runs(program: &str, figures: &[Figure]) -> Vec<Run> {
    let of_subject = |subject: &String| {
        let own = || figures.iter().filter(|figure| figure.subject == *subject);
        let seconds: Vec<f64> = own().map(|figure| figure.seconds).collect();
        let used: Vec<Usage> = own().filter_map(|figure| figure.usage).collect();
        Run {
            subject: subject.clone(),
            program: program.to_owned(),
            timing: Timing { usage: Usage::mean(&used), ..Timing::new(&seconds) },
            errors: own().map(|figure| figure.errors).sum(),
        }
    };
    distinct(figures.iter().map(|figure| &figure.subject)).into_iter().map(of_subject).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn jobs_of_a_program_become_medians_of_each_subject() {
        let usage = |switches| Usage { switches, ..Usage::default() };
        let figure = |subject: &str, seconds: f64, errors| {
            let usage = (errors == 0).then(|| usage(seconds));
            Figure { subject: subject.to_owned(), seconds, errors, usage }
        };
        let figures = [
            figure("a", 1.0, 0),
            figure("b", 9.0, 1),
            figure("a", 3.0, 0),
            figure("b", 7.0, 2),
            figure("a", 2.0, 0),
            figure("b", 8.0, 0),
        ];
        let runs = runs(STOCK, &figures);
        let found: Vec<_> =
            runs.iter().map(|run| (run.subject_name(), run.timing.median_us, run.errors)).collect();
        assert_eq!(found, [("a".to_owned(), 2e6, 0), ("b".to_owned(), 8e6, 3)]);
        assert!(runs.iter().all(|run| run.program == STOCK && run.spread() > 0.2));
        assert_eq!(
            runs.iter().map(|run| run.timing.usage).collect::<Vec<_>>(),
            [2.0, 8.0].map(|one| Some(usage(one)))
        );
    }
}
