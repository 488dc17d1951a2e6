//! Results of `hcube bench llcs`: JSON, tables, picture.

pub mod figure;

use crate::measured::{Place, Timing};
use crate::numbers::{percent, significant};
use crate::table::{self, Table};
use serde::{Deserialize, Serialize};
use std::fmt::Write;

/// What one process runs: hcube as programs get it, each kernel of hcube, every entry by a plain loop, the competitor.
pub const HCUBE: &str = "hcube";
pub const STANDARD: &str = "standard";
pub const WORDS: &str = "words";
pub const PLANES: &str = "planes";
pub const PLAIN: &str = "plain-loop";
pub const RAPIDFUZZ: &str = "rapidfuzz";

/// What all ranks run: hcube as programs get it, on square grids, on square grids with barriers.
pub const GRID: &str = "grid";
pub const ALPHA: &str = "alpha";
pub const BARRIERS: &str = "barriers";

/// The results as they are written in JSON; those of several runs can be joined.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Results {
    /// Each variant for each pair of strings.
    pub runs: Vec<Run>,
    /// What was left out, and why.
    #[serde(default)]
    pub notes: Vec<String>,
}

/// The strings, and who has them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Subject {
    #[serde(flatten)]
    pub place: Place,
    /// Symbols of each string.
    pub length: usize,
    /// Size of the alphabet.
    pub symbols: usize,
    /// Per cent of the symbols that both strings have in common at their ends.
    #[serde(default)]
    pub common: u32,
}

/// What the cost model says before the computation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Prediction {
    /// Whose messages.
    pub machine: String,
    /// Of an entry of the matrix, measured on all ranks at the same time.
    pub entry_ns: f64,
    pub seconds: f64,
    /// The predicted time of one rank over the time of all ranks together.
    pub efficiency: f64,
}

/// A variant.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Run {
    #[serde(flatten)]
    pub subject: Subject,
    /// One of the names above.
    pub variant: String,
    /// Ranks that compute; the others wait.
    pub running: usize,
    /// Block columns of a rank, and all block columns and rows; 0 on one process.
    #[serde(default)]
    pub alpha: usize,
    #[serde(default)]
    pub blocks: [usize; 2],
    #[serde(flatten)]
    pub timing: Timing,
    /// Computations that were timed together.
    #[serde(default)]
    pub batch: u32,
    /// Entries of the matrix, 10^9 per second.
    pub gentries_s: f64,
    /// The length of a longest common subsequence.
    #[serde(default)]
    pub llcs: u64,
    /// Results that differ from those of another algorithm; nothing where not verified.
    #[serde(default)]
    pub errors: Option<u64>,
    /// The rate over those of [`RAPIDFUZZ`] and [`PLAIN`].
    #[serde(default)]
    pub over_rapidfuzz: Option<f64>,
    #[serde(default)]
    pub over_plain: Option<f64>,
    /// Of all ranks: the rate over that of [`HCUBE`], and its share of the number of ranks.
    #[serde(default)]
    pub speedup: Option<f64>,
    #[serde(default)]
    pub efficiency: Option<f64>,
    #[serde(default)]
    pub predicted: Option<Prediction>,
    /// (predicted - measured) / measured, of the time.
    #[serde(default)]
    pub prediction_error: Option<f64>,
}

impl Subject {
    /// Entries of the matrix.
    pub fn entries(&self) -> f64 {
        self.length as f64 * self.length as f64
    }

    /// The alphabet and what the strings have in common.
    pub fn strings(&self) -> String {
        let plural = if self.symbols == 1 { "symbol" } else { "symbols" };
        match self.common {
            0 => format!("{} {plural}", self.symbols),
            common => format!("{} {plural}, {common}% in common", self.symbols),
        }
    }
}

impl Run {
    /// A run of these times; [`Results::new`] adds what depends on other runs.
    pub fn new(subject: Subject, variant: &str, running: usize, timing: Timing) -> Self {
        Self {
            gentries_s: 1e-9 * timing.rate(subject.entries()),
            subject,
            variant: variant.to_owned(),
            running,
            alpha: 0,
            blocks: [0; 2],
            timing,
            batch: 1,
            llcs: 0,
            errors: None,
            over_rapidfuzz: None,
            over_plain: None,
            speedup: None,
            efficiency: None,
            predicted: None,
            prediction_error: None,
        }
    }

    /// Whether all ranks have computed it together.
    pub fn is_distributed(&self) -> bool {
        [GRID, ALPHA, BARRIERS].contains(&self.variant.as_str())
    }

    fn common_cells(&self) -> Vec<(&'static str, String)> {
        let ranks = match (self.is_distributed(), self.subject.place.ranks) {
            (false, 2..) => format!("1 of {}", self.subject.place.ranks()),
            _ => self.subject.place.ranks(),
        };
        vec![
            ("ranks", ranks),
            ("length", self.subject.length.to_string()),
            ("symbols", self.subject.symbols.to_string()),
            ("common", format!("{}%", self.subject.common)),
            ("variant", self.variant.clone()),
        ]
    }

    fn times(&self) -> [(&'static str, String); 3] {
        [
            ("ms", significant(1e-3 * self.timing.median_us)),
            ("10^9/s", significant(self.gentries_s)),
            ("spread", percent(self.timing.spread)),
        ]
    }

    /// A line of the table of one process.
    fn cells(&self) -> Vec<(&'static str, String)> {
        let mut cells = self.common_cells();
        cells.extend(self.times());
        cells.extend([
            ("over rapidfuzz", ratio(self.over_rapidfuzz)),
            ("over plain loop", ratio(self.over_plain)),
            ("LLCS", self.llcs.to_string()),
            ("errors", self.errors.map_or_else(none, |errors| errors.to_string())),
        ]);
        cells
    }

    /// A line of the table of all ranks.
    fn distributed_cells(&self) -> Vec<(&'static str, String)> {
        let predicted = self.predicted.as_ref();
        let mut cells = self.common_cells();
        cells.push(("alpha", self.alpha.to_string()));
        cells.push(("blocks", format!("{}x{}", self.blocks[0], self.blocks[1])));
        cells.extend(self.times());
        cells.extend([
            ("speed-up", ratio(self.speedup)),
            ("efficiency", self.efficiency.map_or_else(none, percent)),
            ("predicted ms", predicted.map_or_else(none, |one| significant(1e3 * one.seconds))),
            ("predicted eff.", predicted.map_or_else(none, |one| percent(one.efficiency))),
            ("deviation", self.prediction_error.map_or_else(none, |error| format!("{:+.0}%", 100.0 * error))),
            ("errors", self.errors.map_or_else(none, |errors| errors.to_string())),
        ]);
        cells
    }
}

fn none() -> String {
    "-".to_owned()
}

fn ratio(value: Option<f64>) -> String {
    value.map_or_else(none, |value| format!("{value:.2}"))
}

impl Results {
    /// From the runs of all variants.
    pub fn new(mut runs: Vec<Run>, notes: Vec<String>) -> Self {
        let all = runs.clone();
        for run in &mut runs {
            let over = |variant: &str| {
                let same = all.iter().find(|one| one.variant == variant && one.subject == run.subject);
                same.filter(|one| one.gentries_s > 0.0).map(|one| run.gentries_s / one.gentries_s)
            };
            if run.variant != RAPIDFUZZ {
                run.over_rapidfuzz = over(RAPIDFUZZ);
            }
            if run.variant == STANDARD {
                run.over_plain = over(PLAIN);
            }
            if run.is_distributed() {
                run.speedup = over(HCUBE);
                run.efficiency = run.speedup.map(|speedup| speedup / run.running.max(1) as f64);
            }
            let measured = 1e-6 * run.timing.median_us;
            let predicted = run.predicted.as_ref().filter(|_| measured > 0.0);
            run.prediction_error = predicted.map(|one| (one.seconds - measured) / measured);
        }
        Self { runs, notes }
    }

    /// The tables of one process and of all ranks.
    pub fn tables(&self) -> Vec<Table> {
        let (of_all, of_one): (Vec<&Run>, Vec<&Run>) = self.runs.iter().partition(|run| run.is_distributed());
        let one = Table::of(of_one.iter().map(|run| run.cells()));
        let all = Table::of(of_all.iter().map(|run| run.distributed_cells()));
        vec![one, all]
    }

    /// The lines below them.
    pub fn below(&self) -> String {
        let mut text = String::new();
        text.push_str(
            "\nms: of a computation, on the slowest rank; 10^9/s: entries of the matrix, the square of the length; LLCS: the result\n",
        );
        if self.runs.iter().any(Run::is_distributed) {
            text.push_str(
                "grid: the blocks that hcube selects; alpha: square grids; barriers: square grids with a barrier after each \
                 block, as in the thesis\n\
                 speed-up: over hcube on one process; deviation: of the predicted time from the measured time\n",
            );
        }
        for note in &self.notes {
            let _ = writeln!(text, "{note}");
        }
        text
    }

    /// The tables and the lines below them.
    pub fn text(&self) -> String {
        table::text(&self.tables(), &self.below())
    }
}

#[cfg(test)]
pub mod tests {
    use super::*;
    use crate::measured::tests::place;

    fn run(ranks: usize, length: usize, variant: &str, rate: f64) -> Run {
        let subject = Subject { place: place(ranks), length, symbols: 4, common: 0 };
        let seconds = 1e-9 * subject.entries() / rate;
        let timing = Timing::new(&[seconds, 1.1 * seconds, 0.9 * seconds]);
        let running = if [GRID, ALPHA, BARRIERS].contains(&variant) { ranks } else { 1 };
        Run::new(subject, variant, running, timing)
    }

    /// hcube, rapidfuzz and the kernels at these rates.
    pub fn of_one(length: usize, rates: [f64; 4]) -> Vec<Run> {
        let variants = [HCUBE, RAPIDFUZZ, STANDARD, PLAIN];
        variants.into_iter().zip(rates).map(|(variant, rate)| run(1, length, variant, rate)).collect()
    }

    /// hcube on one process, on the selected grid and on that of alpha = 1 at these rates, and predictions that are 10% less.
    pub fn of_all(ranks: usize, length: usize, rates: [f64; 3]) -> Vec<Run> {
        let mut runs: Vec<Run> = [HCUBE, GRID, ALPHA]
            .into_iter()
            .zip(rates)
            .map(|(variant, rate)| run(ranks, length, variant, rate))
            .collect();
        for one in &mut runs[1..] {
            (one.alpha, one.blocks) = (1, [ranks, ranks]);
            one.predicted = Some(Prediction {
                machine: "a machine".to_owned(),
                entry_ns: 0.01,
                seconds: 0.9e-6 * one.timing.median_us,
                efficiency: 0.8,
            });
        }
        runs
    }

    #[test]
    fn json_has_the_declared_form() {
        let results = Results::new(of_all(2, 10_000, [100.0, 180.0, 120.0]), Vec::new());
        let value = serde_json::to_value(&results).expect("valid");
        let grid = &value["runs"][1];
        assert_eq!((grid["variant"].as_str(), grid["length"].as_u64()), (Some(GRID), Some(10_000)));
        assert_eq!((grid["ranks"].as_u64(), grid["blocks"][1].as_u64()), (Some(2), Some(2)));
        assert!(grid["speedup"].as_f64().is_some_and(|ratio| (ratio - 1.8).abs() < 1e-9), "{grid}");
        assert!(grid["prediction_error"].as_f64().is_some_and(|error| (error + 0.1).abs() < 1e-9), "{grid}");
        assert!(value["runs"][0]["efficiency"].is_null());
        let back: Results = serde_json::from_value(value).expect("what was written can be read");
        assert_eq!(back.runs, results.runs);
    }

    #[test]
    fn tables_have_rates_ratios_and_predictions() {
        let mut all = of_one(10_000, [100.0, 25.0, 8.0, 1.0]);
        (all[0].llcs, all[0].errors) = (6500, Some(0));
        all.extend(of_all(2, 10_000, [100.0, 180.0, 120.0]));
        let text = Results::new(all, vec!["a note".to_owned()]).text();
        let line =
            |words: &str| text.lines().any(|line| line.split_whitespace().eq(words.split_whitespace()));
        assert!(line("1 10000 4 0% hcube 1.000 100.0 20% 4.00 - 6500 0"), "{text}");
        assert!(line("1 10000 4 0% standard 12.50 8.000 20% 0.32 8.00 0 -"), "{text}");
        assert!(line("1 of 2 10000 4 0% hcube 1.000 100.0 20% - - 0 -"), "{text}");
        assert!(line("2 10000 4 0% alpha 1 2x2 0.8333 120.0 20% 1.20 60% 0.7500 80% -10% -"), "{text}");
        assert!(text.ends_with("a note\n"), "{text}");
        let text = Results::new(of_one(100, [4.0, 3.0, 2.0, 1.0]), Vec::new()).text();
        assert!(!text.contains("alpha"), "{text}");
    }
}
