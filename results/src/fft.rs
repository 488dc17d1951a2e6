//! Results of `hcube bench fft`: JSON, table, picture.

pub mod figure;

use crate::measured::{Place, Timing};
use crate::numbers::{self, percent, significant};
use crate::table::{self, Table};
use serde::{Deserialize, Serialize};
use std::fmt::Write;

/// Algorithms: of hcube, and FFTW by the effort of its planner.
pub const SIX_STEP: &str = "six-step";
pub const FFTW_ESTIMATE: &str = "fftw-estimate";
pub const FFTW_MEASURE: &str = "fftw-measure";

/// Whether an algorithm is the competitor's.
pub fn is_fftw(algorithm: &str) -> bool {
    algorithm.starts_with("fftw")
}

/// The results as they are written in JSON; those of several runs can be joined.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Results {
    /// Each algorithm at each length.
    pub runs: Vec<Run>,
    /// What was left out, and why.
    #[serde(default)]
    pub notes: Vec<String>,
}

/// Seconds of the stages of a transform, mean over all ranks.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Stages {
    /// Copies between memory of ranks, or messages.
    pub exchange: f64,
    /// For other ranks.
    pub wait: f64,
    /// The transforms of columns, and the factors between both transforms.
    pub columns: f64,
    /// The transforms of rows.
    pub rows: f64,
}

/// An algorithm at a length.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Run {
    #[serde(flatten)]
    pub place: Place,
    /// Complex numbers of the vector.
    pub length: usize,
    #[serde(default)]
    pub out_of_place: bool,
    /// [`SIX_STEP`], [`FFTW_ESTIMATE`], [`FFTW_MEASURE`] or another one of hcube.
    pub algorithm: String,
    #[serde(flatten)]
    pub timing: Timing,
    /// Transforms that were timed together.
    #[serde(default)]
    pub batch: u32,
    /// 5 n log2 n operations in the median time, in 10^9 per second.
    pub gflop_s: f64,
    /// Of hcube.
    #[serde(default)]
    pub stages: Option<Stages>,
    /// Memory of a rank beside its part of the vector; `None` where the kernel does not report it.
    #[serde(default)]
    pub extra_bytes: Option<u64>,
    /// Largest error after the inverse transform, in units of the rounding error times log2 n; `None` where not verified.
    #[serde(default)]
    pub error: Option<f64>,
    /// Numbers whose error is too large, of all ranks.
    #[serde(default)]
    pub errors: Option<u64>,
    /// The rate over the best one of FFTW, for algorithms of hcube.
    #[serde(default)]
    pub over_fftw: Option<f64>,
}

/// A length as a product of small numbers and a power of two: 2^20, 3*2^18.
pub fn length_name(length: usize) -> String {
    let power = length.max(1).trailing_zeros();
    match length.max(1) >> power {
        _ if power < 4 => length.to_string(),
        1 => format!("2^{power}"),
        odd => format!("{odd}*2^{power}"),
    }
}

impl Run {
    /// A run of these times; [`Results::new`] adds what depends on other runs.
    pub fn new(place: Place, length: usize, algorithm: &str, timing: Timing) -> Self {
        let operations = 5.0 * length as f64 * (length as f64).log2();
        Self {
            place,
            length,
            out_of_place: false,
            algorithm: algorithm.to_owned(),
            gflop_s: 1e-9 * timing.rate(operations),
            timing,
            batch: 1,
            stages: None,
            extra_bytes: None,
            error: None,
            errors: None,
            over_fftw: None,
        }
    }

    /// Whether both transform the same vector in the same place.
    fn is_comparable(&self, other: &Self) -> bool {
        self.place == other.place && (self.length, self.out_of_place) == (other.length, other.out_of_place)
    }

    fn cells(&self) -> Vec<(&'static str, String)> {
        let none = || "-".to_owned();
        let stages = self.stages.unwrap_or_default();
        let all = stages.exchange + stages.wait + stages.columns + stages.rows;
        let share = |part: f64| if all > 0.0 { percent(part / all) } else { none() };
        vec![
            ("ranks", self.place.ranks()),
            ("length", length_name(self.length)),
            ("place", if self.out_of_place { "out" } else { "in" }.to_owned()),
            ("algorithm", self.algorithm.clone()),
            ("ms", significant(1e-3 * self.timing.median_us)),
            ("GFLOP/s", significant(self.gflop_s)),
            ("spread", percent(self.timing.spread)),
            ("over FFTW", self.over_fftw.map_or_else(none, |ratio| format!("{ratio:.2}"))),
            ("exchange", share(stages.exchange)),
            ("wait", share(stages.wait)),
            ("columns", share(stages.columns)),
            ("rows", share(stages.rows)),
            ("extra/rank", self.extra_bytes.map_or_else(none, |bytes| numbers::bytes(bytes as f64))),
            ("error", self.error.map_or_else(none, |error| format!("{error:.2}"))),
            ("errors", self.errors.map_or_else(none, |errors| errors.to_string())),
        ]
    }
}

impl Results {
    /// From the runs of all algorithms.
    pub fn new(mut runs: Vec<Run>, notes: Vec<String>) -> Self {
        let fftw: Vec<Run> = runs.iter().filter(|run| is_fftw(&run.algorithm)).cloned().collect();
        for run in runs.iter_mut().filter(|run| !is_fftw(&run.algorithm)) {
            let same = fftw.iter().filter(|other| other.is_comparable(run));
            let best = same.map(|other| other.gflop_s).reduce(f64::max);
            run.over_fftw = best.filter(|&best| best > 0.0).map(|best| run.gflop_s / best);
        }
        Self { runs, notes }
    }

    /// The table.
    pub fn tables(&self) -> Vec<Table> {
        vec![Table::of(self.runs.iter().map(Run::cells))]
    }

    /// The lines below it.
    pub fn below(&self) -> String {
        let mut text = String::new();
        text.push_str(
            "\nms: of a transform on the slowest rank; GFLOP/s: 5 n log2 n operations; over FFTW: over the faster of its plans\n\
             exchange, wait, columns, rows: shares of the last transform, mean over ranks; extra/rank: memory beside the vector\n\
             error: largest difference after the inverse transform, in rounding errors times log2 n; more than 16 is wrong\n",
        );
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

    /// Three algorithms on these ranks.
    pub fn runs(ranks: usize, length: usize, milliseconds: [f64; 3]) -> Vec<Run> {
        let run = |(algorithm, time): (&str, f64)| {
            let timing = Timing::new(&[1e-3 * time, 0.9e-3 * time, 1.1e-3 * time]);
            Run::new(place(ranks), length, algorithm, timing)
        };
        [SIX_STEP, FFTW_ESTIMATE, FFTW_MEASURE].into_iter().zip(milliseconds).map(run).collect()
    }

    #[test]
    fn lengths_are_short() {
        let names = [1 << 20, 3 << 18, 45 << 10, 1000, 15, 1, 0].map(length_name);
        assert_eq!(names, ["2^20", "3*2^18", "45*2^10", "1000", "15", "1", "0"]);
    }

    #[test]
    fn json_has_the_declared_form() {
        let results = Results::new(runs(2, 1 << 20, [10.0, 30.0, 20.0]), Vec::new());
        let value = serde_json::to_value(&results).expect("valid");
        let first = &value["runs"][0];
        assert_eq!((first["algorithm"].as_str(), first["ranks"].as_u64()), (Some(SIX_STEP), Some(2)));
        assert_eq!((first["length"].as_u64(), first["median_us"].as_f64()), (Some(1 << 20), Some(10000.0)));
        assert_eq!(first["over_fftw"].as_f64(), Some(2.0));
        assert!(value["runs"][1]["over_fftw"].is_null());
        let back: Results = serde_json::from_value(value).expect("what was written can be read");
        assert_eq!(back.runs, results.runs);
    }

    #[test]
    fn tables_have_rates_shares_and_ratios() {
        let mut all = runs(4, 1 << 20, [10.0, 30.0, 20.0]);
        all[0].stages = Some(Stages { exchange: 0.25, wait: 0.25, columns: 0.3, rows: 0.2 });
        (all[0].extra_bytes, all[0].error, all[0].errors) = (Some(1 << 20), Some(0.5), Some(0));
        // Another number of ranks has another FFTW.
        all.extend(runs(2, 1 << 20, [10.0, 10.0, 40.0]));
        let text = Results::new(all, vec!["a note".to_owned()]).text();
        let line =
            |words: &str| text.lines().any(|line| line.split_whitespace().eq(words.split_whitespace()));
        assert!(line("4 2^20 in six-step 10.00 10.49 20% 2.00 25% 25% 30% 20% 1.0 MiB 0.50 0"), "{text}");
        assert!(line("4 2^20 in fftw-measure 20.00 5.243 20% - - - - - - - -"), "{text}");
        assert!(line("2 2^20 in six-step 10.00 10.49 20% 1.00 - - - - - - -"), "{text}");
        assert!(text.ends_with("a note\n"), "{text}");
    }
}
