//! Results of `hcube bench llcs`.

pub mod figure;

use crate::measured::{Place, Timing};
use crate::numbers::{percent, significant};
use crate::runs::{self, Row, SpeedUp, table_of};
use crate::table::{Column, SPEED_UP, Table, cell};
use serde::{Deserialize, Serialize};

/// What one process runs: hcube as programs get it, each kernel of hcube, every entry by a plain loop, the
/// competitor.
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

pub type Results = runs::Results<Run>;

/// The strings, and who has them.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
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
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
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
    /// Results that differ from the results of another algorithm; nothing where not verified.
    pub errors: Option<u64>,
    /// The rate over the rates of [`RAPIDFUZZ`] and [`PLAIN`].
    pub over_rapidfuzz: Option<f64>,
    pub over_plain: Option<f64>,
    /// Of all ranks: the rate over the rate of [`HCUBE`], and its share of the number of ranks.
    pub speedup: Option<f64>,
    pub efficiency: Option<f64>,
    pub predicted: Option<Prediction>,
    /// (predicted - measured) / measured, of the time.
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
    pub fn new(subject: Subject, variant: String, running: usize, timing: Timing) -> Self {
        let gentries_s = 1e-9 * timing.rate(subject.entries());
        Self { subject, variant, running, timing, gentries_s, ..Self::default() }
    }

    /// Whether all ranks have computed it together.
    pub fn is_distributed(&self) -> bool {
        [GRID, ALPHA, BARRIERS].contains(&self.variant.as_str())
    }
}

/// Columns of both tables.
const RANKS: Column<Run> = ("ranks", |run| {
    let place = &run.subject.place;
    let alone = if !run.is_distributed() && place.ranks > 1 { "1 of " } else { "" };
    format!("{alone}{}", place.ranks())
});
const LENGTH: Column<Run> = ("length", |run| run.subject.length.to_string());
const SYMBOLS: Column<Run> = ("symbols", |run| run.subject.symbols.to_string());
const COMMON: Column<Run> = ("common", |run| format!("{}%", run.subject.common));
const VARIANT: Column<Run> = ("variant", |run| run.variant.clone());
const TIME: Column<Run> = ("ms", |run| significant(1e-3 * run.timing.median_us));
const RATE: Column<Run> = ("GCUPS", |run| significant(run.gentries_s));
const SPREAD: Column<Run> = ("spread", |run| percent(run.timing.spread));
const ERRORS: Column<Run> = ("errors", |run| cell(run.errors));

/// The table of all ranks.
const OF_ALL: [Column<Run>; 15] = [
    RANKS,
    LENGTH,
    SYMBOLS,
    COMMON,
    VARIANT,
    ("alpha", |run| run.alpha.to_string()),
    ("blocks", |run| format!("{}x{}", run.blocks[0], run.blocks[1])),
    TIME,
    RATE,
    SPREAD,
    ("efficiency", |run| cell(run.efficiency.map(percent))),
    ("predicted ms", |run| cell(run.predicted.as_ref().map(|one| significant(1e3 * one.seconds)))),
    ("predicted eff.", |run| cell(run.predicted.as_ref().map(|one| percent(one.efficiency)))),
    ("deviation", |run| cell(run.prediction_error.map(|error| format!("{:+.0}%", 100.0 * error)))),
    ERRORS,
];

impl Row for Run {
    type Subject = Subject;
    /// The columns of runs on one process.
    const COLUMNS: &'static [Column<Self>] = &[
        RANKS,
        LENGTH,
        SYMBOLS,
        COMMON,
        VARIANT,
        TIME,
        RATE,
        SPREAD,
        ("LLCS", |run| run.llcs.to_string()),
        ERRORS,
    ];
    /// Two of one process, and one of all ranks.
    const SPEED_UPS: &'static [SpeedUp<Self>] = &[
        SpeedUp { heading: "speed-up\nover rapidfuzz", value: |run| run.over_rapidfuzz, over: &[RAPIDFUZZ] },
        SpeedUp { heading: "speed-up\nover plain loop", value: |run| run.over_plain, over: &[PLAIN] },
        SpeedUp { heading: SPEED_UP, value: |run| run.speedup, over: &[HCUBE] },
    ];

    fn measured(&self) -> (&Subject, &str, f64) {
        (&self.subject, &self.variant, self.timing.median_us)
    }

    fn timing(&self) -> Timing {
        self.timing.clone()
    }

    fn subject_name(&self) -> String {
        format!("{} symbols of {}, {} ranks", self.subject.length, self.subject.symbols, self.running)
    }

    fn errors(&self) -> Option<u64> {
        self.errors
    }

    fn compare(runs: &mut [Self]) {
        runs::compare(runs, |run, median| {
            let own = run.timing.median_us;
            let over = |variant: &str| median(variant).map(|other| other / own);
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
            let measured = 1e-6 * own;
            let predicted = run.predicted.as_ref().filter(|_| measured > 0.0);
            run.prediction_error = predicted.map(|one| (one.seconds - measured) / measured);
        });
    }

    /// The table of runs on one process, and the table of runs on all ranks.
    fn tables(runs: &[Self]) -> Vec<Table> {
        let (of_all, of_one): (Vec<&Self>, Vec<&Self>) = runs.iter().partition(|run| run.is_distributed());
        let (one, all) = Self::SPEED_UPS.split_at(2);
        vec![table_of(Self::COLUMNS, one, of_one, runs), table_of(&OF_ALL, all, of_all, runs)]
    }

    fn legend(runs: &[Self]) -> String {
        let of_all = if runs.iter().any(Self::is_distributed) {
            "grid: the blocks that hcube selects; alpha: square grids; barriers: square grids with a barrier after each \
             block, as in the thesis\n\
             speed-up: over hcube on one process; deviation: of the predicted time from the measured time\n"
        } else {
            ""
        };
        "\nms: of a computation, on the slowest rank; 10^9/s: entries of the matrix, the square of the length; LLCS: the result\n"
            .to_owned()
            + of_all
    }
}

#[cfg(test)]
pub mod tests {
    use super::*;
    use crate::measured::tests::place;
    use crate::runs::Report;
    use crate::runs::tests::{assert_json, assert_lines};

    fn run(ranks: usize, length: usize, variant: &str, rate: f64) -> Run {
        let subject = Subject { place: place(ranks), length, symbols: 4, common: 0 };
        let seconds = 1e-9 * subject.entries() / rate;
        let timing = Timing::new(&[seconds, 1.1 * seconds, 0.9 * seconds]);
        let running = if [GRID, ALPHA, BARRIERS].contains(&variant) { ranks } else { 1 };
        Run::new(subject, variant.to_owned(), running, timing)
    }

    /// hcube, rapidfuzz and the kernels at these rates.
    pub fn of_one(length: usize, rates: [f64; 4]) -> Vec<Run> {
        let variants = [HCUBE, RAPIDFUZZ, STANDARD, PLAIN];
        variants.into_iter().zip(rates).map(|(variant, rate)| run(1, length, variant, rate)).collect()
    }

    /// hcube on one process, on the selected grid and on the grid of alpha = 1 at these rates, and
    /// predictions that are 10% less.
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
        let expected = [
            ("/1/variant", GRID.into()),
            ("/1/length", 10_000.into()),
            ("/1/ranks", 2.into()),
            ("/1/blocks/1", 2.into()),
            ("/1/speedup", 1.8.into()),
            ("/1/prediction_error", (-0.1).into()),
            ("/0/efficiency", ().into()),
        ];
        assert_json(&results, &expected);
    }

    #[test]
    fn tables_have_rates_ratios_and_predictions() {
        let mut all = of_one(10_000, [100.0, 25.0, 8.0, 1.0]);
        (all[0].llcs, all[0].errors) = (6500, Some(0));
        all.extend(of_all(2, 10_000, [100.0, 180.0, 120.0]));
        let expected = [
            "1 10000 4 0% hcube 1.000 100.0 20% 4.00 - 6500 0",
            "1 10000 4 0% standard 12.50 8.000 20% 0.32 8.00 0 -",
            "1 of 2 10000 4 0% hcube 1.000 100.0 20% - - 0 -",
            "2 10000 4 0% alpha 1 2x2 0.8333 120.0 20% 1.20~ 60% 0.7500 80% -10% -",
        ];
        assert_lines(all, &expected);
        let text = Results::new(of_one(100, [4.0, 3.0, 2.0, 1.0]), Vec::new()).text();
        assert!(!text.contains("alpha"), "{text}");
    }
}
