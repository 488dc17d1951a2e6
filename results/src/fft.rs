//! Results of `hcube bench fft`.

pub mod figure;

use crate::measured::{Place, Timing};
use crate::numbers::{length_name, percent, significant};
use crate::runs::{self, Row, SpeedUp};
use crate::table::{Column, SPEED_UP, bytes, cell, ratio};
use serde::{Deserialize, Serialize};

/// Algorithms: of hcube, and FFTW by the effort of its planner.
pub const SIX_STEP: &str = "six-step";
pub const FFTW_ESTIMATE: &str = "fftw-estimate";
pub const FFTW_MEASURE: &str = "fftw-measure";

/// Whether an algorithm is the competitor's.
pub fn is_fftw(algorithm: &str) -> bool {
    algorithm.starts_with("fftw")
}

pub type Results = runs::Results<Run>;

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

/// What is transformed.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Subject {
    #[serde(flatten)]
    pub place: Place,
    /// Complex numbers of the vector.
    pub length: usize,
    #[serde(default)]
    pub out_of_place: bool,
}

/// An algorithm at a length.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Run {
    #[serde(flatten)]
    pub subject: Subject,
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
    pub stages: Option<Stages>,
    /// Memory of a rank beside its part of the vector; `None` where the kernel does not report it.
    pub extra_bytes: Option<u64>,
    /// Largest error after the inverse transform, in units of the rounding error times log2 n; `None` where
    /// not verified.
    pub error: Option<f64>,
    /// Numbers whose error is too large, of all ranks.
    pub errors: Option<u64>,
    /// The rate over the best one of FFTW, for algorithms of hcube.
    pub over_fftw: Option<f64>,
}

impl Run {
    /// A run of these times; [`Results::new`] adds what depends on other runs.
    pub fn new(subject: Subject, algorithm: String, timing: Timing) -> Self {
        let length = subject.length as f64;
        let gflop_s = 1e-9 * timing.rate(5.0 * length * length.log2());
        Self { subject, algorithm, gflop_s, timing, ..Self::default() }
    }
}

impl Run {
    /// A stage's share of the last transform.
    fn share(&self, of: fn(&Stages) -> f64) -> String {
        let stages = self.stages.unwrap_or_default();
        let all = stages.exchange + stages.wait + stages.columns + stages.rows;
        cell((all > 0.0).then(|| percent(of(&stages) / all)))
    }
}

impl Row for Run {
    type Subject = Subject;
    const COLUMNS: &'static [Column<Self>] = &[
        ("ranks", |run| run.subject.place.ranks()),
        ("length", |run| length_name(run.subject.length)),
        ("place", |run| if run.subject.out_of_place { "out" } else { "in" }.to_owned()),
        ("algorithm", |run| run.algorithm.clone()),
        ("ms", |run| significant(1e-3 * run.timing.median_us)),
        ("GFLOP/s", |run| significant(run.gflop_s)),
        ("spread", |run| percent(run.timing.spread)),
        ("exchange", |run| run.share(|stages| stages.exchange)),
        ("wait", |run| run.share(|stages| stages.wait)),
        ("columns", |run| run.share(|stages| stages.columns)),
        ("rows", |run| run.share(|stages| stages.rows)),
        ("extra/rank", |run| bytes(run.extra_bytes)),
        ("error", |run| ratio(run.error)),
        ("errors", |run| cell(run.errors)),
    ];
    const SPEED_UPS: &'static [SpeedUp<Self>] =
        &[SpeedUp { heading: SPEED_UP, value: |run| run.over_fftw, over: &[FFTW_ESTIMATE, FFTW_MEASURE] }];

    fn measured(&self) -> (&Subject, &str, f64) {
        (&self.subject, &self.algorithm, self.timing.median_us)
    }

    fn timing(&self) -> Timing {
        self.timing.clone()
    }

    fn subject_name(&self) -> String {
        format!("{}, {} ranks", length_name(self.subject.length), self.subject.place.ranks())
    }

    fn errors(&self) -> Option<u64> {
        self.errors
    }

    fn compare(runs: &mut [Self]) {
        runs::compare(runs, |run, median| {
            let fftw = [FFTW_ESTIMATE, FFTW_MEASURE].into_iter().filter_map(median).reduce(f64::min);
            let fftw = fftw.filter(|_| !is_fftw(&run.algorithm));
            run.over_fftw = fftw.map(|fftw| fftw / run.timing.median_us);
        });
    }

    fn legend(_: &[Self]) -> String {
        "\nms: of a transform on the slowest rank; GFLOP/s: 5 n log2 n operations; speed-up: over the faster of FFTW's plans\n\
         exchange, wait, columns, rows: shares of the last transform, mean over ranks; extra/rank: memory beside the vector\n\
         error: largest difference after the inverse transform, in rounding errors times log2 n; more than 16 is wrong\n"
            .to_owned()
    }
}

#[cfg(test)]
pub mod tests {
    use super::*;
    use crate::measured::tests::place;
    use crate::runs::tests::{assert_json, assert_lines};

    /// Three algorithms on these ranks.
    pub fn runs(ranks: usize, length: usize, milliseconds: [f64; 3]) -> Vec<Run> {
        let run = |(algorithm, time): (&str, f64)| {
            let timing = Timing::new(&[1e-3 * time, 0.9e-3 * time, 1.1e-3 * time]);
            let subject = Subject { place: place(ranks), length, out_of_place: false };
            Run::new(subject, algorithm.to_owned(), timing)
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
        let expected = [
            ("/0/algorithm", SIX_STEP.into()),
            ("/0/ranks", 2.into()),
            ("/0/length", (1 << 20).into()),
            ("/0/median_us", 10000.0.into()),
            ("/0/over_fftw", 2.0.into()),
            ("/1/over_fftw", ().into()),
        ];
        assert_json(&results, &expected);
    }

    #[test]
    fn tables_have_rates_shares_and_ratios() {
        let mut all = runs(4, 1 << 20, [10.0, 30.0, 20.0]);
        all[0].stages = Some(Stages { exchange: 0.25, wait: 0.25, columns: 0.3, rows: 0.2 });
        (all[0].extra_bytes, all[0].error, all[0].errors) = (Some(1 << 20), Some(0.5), Some(0));
        // Another number of ranks has another FFTW.
        all.extend(runs(2, 1 << 20, [10.0, 10.0, 40.0]));
        let expected = [
            "4 2^20 in six-step 10.00 10.49 20% 2.00 25% 25% 30% 20% 1.0 MiB 0.50 0",
            "4 2^20 in fftw-measure 20.00 5.243 20% - - - - - - - -",
            "2 2^20 in six-step 10.00 10.49 20% 1.00~ - - - - - - -",
        ];
        assert_lines(all, &expected);
    }
}
