//! Results of the benchmark of FFTW's transposes, and pairs of them; tables and picture.

pub mod plot;

use crate::noise::{self, Spread};
use crate::numbers::{self, percent, significant};
use crate::table::{Column, SPEED_UP, Table, bytes, cell};
use crate::taken::Taken;
use crate::usage::Usage;
use serde::de::IntoDeserializer;
use serde::{Deserialize, Serialize};

/// The planner of the transposes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Solver {
    /// One of FFTW's own; the plan names it.
    Pairwise,
    Hcube,
}

impl Solver {
    /// The inverse of its name in files of results.
    pub fn from_name(name: &str) -> Result<Self, String> {
        Self::deserialize(name.into_deserializer())
            .map_err(|error: serde::de::value::Error| error.to_string())
    }
}

/// One problem, number of ranks and solver. Times are of the slowest rank.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Run {
    /// The name of the problem.
    pub problem: String,
    pub ranks: usize,
    pub solver: Solver,
    /// The median of all times.
    #[serde(default)]
    pub median_ms: f64,
    /// (largest - smallest) / median.
    #[serde(default)]
    pub spread: f64,
    /// Median of the time in calls of MPI or hcube that move data between ranks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub median_exchange_ms: Option<f64>,
    /// Peak memory of a rank beside its arrays; `None` if not measured.
    #[serde(default)]
    pub extra_bytes: Option<u64>,
    /// Bytes of its arrays.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub data_bytes: Option<u64>,
    /// FFTW's text of the plan on rank 0.
    #[serde(default)]
    pub plan: String,
    /// All times.
    pub times_ms: Vec<f64>,
    /// The part of each time in calls of MPI or hcube.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub exchange_ms: Vec<f64>,
    /// What an execution uses besides time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
}

#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Results {
    /// Where and when; nothing of several files.
    #[serde(flatten)]
    pub taken: Taken,
    /// In the order of measurement.
    pub runs: Vec<Run>,
}

/// One problem by both solvers.
#[derive(Debug, Clone, Copy)]
pub struct Comparison<'a> {
    /// By FFTW itself.
    pub own: &'a Run,
    pub hcube: &'a Run,
}

impl Comparison<'_> {
    /// The columns of the table.
    const COLUMNS: [Column<Self>; 12] = [
        ("problem", |one| one.own.problem.clone()),
        ("ranks", |one| one.own.ranks.to_string()),
        ("FFTW ms", |one| significant(one.own.median_ms)),
        ("hcube ms", |one| significant(one.hcube.median_ms)),
        ("spread\nFFTW", |one| percent(one.own.spread)),
        ("spread\nhcube", |one| percent(one.hcube.spread)),
        (SPEED_UP, |one| noise::speed_up(Some(one.gain()), [one.own.spread, one.hcube.spread])),
        ("extra\nFFTW", |one| bytes(one.own.extra_bytes)),
        ("extra\nhcube", |one| bytes(one.hcube.extra_bytes)),
        ("in MPI", |one| one.own.exchange_share()),
        ("in hcube", |one| one.hcube.exchange_share()),
        ("plan", |one| one.hcube.solvers()),
    ];

    /// hcube's time as a share of FFTW's own.
    pub fn relative(&self) -> f64 {
        self.hcube.median_ms / self.own.median_ms
    }

    /// The speed-up over FFTW's own plan.
    pub fn gain(&self) -> f64 {
        1.0 / self.relative()
    }
}

impl Run {
    /// A run with times and a plan; [`Results::summarise`] adds median and spread.
    pub fn new(problem: String, ranks: usize, solver: Solver, times_ms: Vec<f64>, plan: String) -> Self {
        Self {
            problem,
            ranks,
            solver,
            median_ms: 0.0,
            spread: 0.0,
            median_exchange_ms: None,
            extra_bytes: None,
            data_bytes: None,
            plan,
            times_ms,
            exchange_ms: Vec::new(),
            usage: None,
        }
    }

    /// Fills in what follows from the times.
    fn summarise(&mut self) -> Result<(), String> {
        if self.times_ms.is_empty() {
            return Err(format!("there are no times of '{}'", self.problem));
        }
        self.median_ms = numbers::median(&self.times_ms);
        self.spread = numbers::spread(&self.times_ms);
        if !self.exchange_ms.is_empty() {
            self.median_exchange_ms = Some(numbers::median(&self.exchange_ms));
        }
        Ok(())
    }

    /// Whether it is only a transposition.
    pub fn is_transposition(&self) -> bool {
        self.problem.starts_with(|first: char| first.is_ascii_digit())
    }

    fn exchange_share(&self) -> String {
        cell(self.median_exchange_ms.map(|exchange| percent(exchange / self.median_ms)))
    }

    /// hcube's solvers in the plan.
    fn solvers(&self) -> String {
        let solvers = ["whole", "exchange"];
        let used =
            solvers.into_iter().filter(|name| self.plan.contains(&format!("mpi-transpose-hcube/{name}")));
        used.collect::<Vec<_>>().join(", ")
    }
}

impl Results {
    /// Fills in medians and spreads.
    pub fn summarise(&mut self) -> Result<(), String> {
        self.runs.iter_mut().try_for_each(Run::summarise)
    }

    /// All problems with results of both solvers.
    pub fn comparisons(&self) -> Vec<Comparison<'_>> {
        let of = |solver: Solver| self.runs.iter().filter(move |run| run.solver == solver);
        let compared = |own: &Run| {
            let same = |run: &&Run| run.problem == own.problem && run.ranks == own.ranks;
            // The first of those that were measured several times.
            Some(Comparison { own: of(Solver::Pairwise).find(same)?, hcube: of(Solver::Hcube).find(same)? })
        };
        of(Solver::Pairwise).filter_map(compared).collect()
    }

    /// The table and what its columns mean.
    pub fn text(&self) -> String {
        let table = Table::with(&Comparison::COLUMNS, self.comparisons());
        let spread = |run: &Run| -> Spread {
            let name = match run.solver {
                Solver::Pairwise => "FFTW",
                Solver::Hcube => "hcube",
            };
            (format!("{}, {} ranks, {name}", run.problem, run.ranks), run.spread)
        };
        let marks = if table.has_marks() { noise::LEGEND } else { "" };
        let noise = noise::sentence(&self.runs.iter().map(spread).collect::<Vec<_>>());
        format!(
            "{}\nspeed-up: over FFTW's own plan; spread: (largest - smallest) / median of each\nextra: peak memory of a \
             rank beside its arrays\nin MPI, in hcube: share of the time in calls that move data between ranks; \
             'whole' also transposes inside the blocks\n{marks}{noise}",
            table.render()
        )
    }
}

#[cfg(test)]
pub mod tests {
    use super::*;

    /// A minimal file of the benchmark.
    pub fn results() -> Results {
        let run = |problem: &str, solver: &str, time: f64, extra: u64| {
            format!(
                r#"{{"problem": "{problem}", "ranks": 2, "solver": "{solver}", "times_ms": [{time}, {time}, 9],
                    "exchange_ms": [0.5, 0.5, 0.5], "extra_bytes": {extra}, "plan": "(mpi-transpose-{solver}/whole)"}}"#
            )
        };
        let runs = [
            run("c2c 128x128x128 in place OUT", "pairwise", 4.0, 8 << 20),
            run("c2c 128x128x128 in place OUT", "hcube", 2.0, 1 << 20),
            run("128x128x256 in place", "pairwise", 2.0, 8 << 20),
            run("128x128x256 in place", "hcube", 0.5, 0),
        ];
        let mut results: Results =
            serde_json::from_str(&format!(r#"{{"runs": [{}]}}"#, runs.join(","))).expect("valid");
        results.summarise().expect("there are times");
        results
    }

    #[test]
    fn problems_of_both_are_compared() {
        let results = results();
        let comparisons = results.comparisons();
        assert_eq!(comparisons.len(), 2);
        assert_eq!(comparisons[0].relative(), 0.5);
        assert!(!comparisons[0].own.is_transposition() && comparisons[1].own.is_transposition());
    }

    #[test]
    fn the_table_has_ratios_and_memory() {
        let text = results().text();
        let line = text.lines().find(|line| line.starts_with("c2c")).expect("a row");
        for cell in ["4.000", "2.000", "2.00", "8.0 MiB", "1.0 MiB", "whole"] {
            assert!(line.contains(cell), "{cell} expected: {text}");
        }
    }

    #[test]
    fn json_has_the_declared_form() {
        let value = serde_json::to_value(results()).expect("valid");
        let first = &value["runs"][0];
        assert_eq!((first["solver"].as_str(), first["median_ms"].as_f64()), (Some("pairwise"), Some(4.0)));
        assert_eq!((first["ranks"].as_u64(), first["extra_bytes"].as_u64()), (Some(2), Some(8 << 20)));
        let mut back: Results = serde_json::from_value(value).expect("what was written can be read");
        back.runs[0].times_ms.clear();
        assert!(back.summarise().expect_err("no times").contains("c2c"));
    }
}
