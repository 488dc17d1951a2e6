//! Results of `hcube bench stream`.

pub mod figure;

use crate::measured::{Place, Timing};
use crate::numbers::{percent, significant};
use crate::runs::{self, Row, SpeedUp};
use crate::table::{Column, SPEED_UP, cell};
use serde::{Deserialize, Serialize};

/// Kernels, in the order of STREAM.
pub const KERNELS: [&str; 4] = ["copy", "scale", "add", "triad"];

/// What is measured: hcube as programs get it, each kind of stores, the loop of a C compiler, the C library's
/// copy.
pub const HCUBE: &str = "hcube";
pub const ORDINARY: &str = "ordinary";
pub const STREAMING: &str = "streaming";
pub const PLAIN: &str = "plain-c";
pub const MEMCPY: &str = "memcpy";

pub type Results = runs::Results<Run>;

/// What is done.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Subject {
    #[serde(flatten)]
    pub place: Place,
    /// One of [`KERNELS`].
    pub kernel: String,
    /// Of each vector.
    pub bytes: usize,
    /// Ranks that run the kernel, on vectors of their own; the others wait.
    pub running: usize,
}

/// A variant of a kernel.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Run {
    #[serde(flatten)]
    pub subject: Subject,
    /// [`HCUBE`], [`ORDINARY`], [`STREAMING`], [`PLAIN`] or [`MEMCPY`].
    pub variant: String,
    #[serde(flatten)]
    pub timing: Timing,
    /// Runs of the kernel that were timed together.
    #[serde(default)]
    pub batch: u32,
    /// Bytes that the kernel reads and writes, by the rule of STREAM, in 10^9 per second and rank.
    pub gb_s: f64,
    /// Stores that hcube has selected.
    pub stores: Option<String>,
    /// Wrong elements on all ranks; nothing where not verified.
    pub errors: Option<u64>,
    /// The rate over the rate of [`PLAIN`], for the others.
    pub over_plain: Option<f64>,
}

impl Subject {
    /// Bytes that the kernel moves by the rule of STREAM.
    pub fn moved(&self) -> usize {
        let vectors = if ["copy", "scale"].contains(&self.kernel.as_str()) { 2 } else { 3 };
        self.bytes.saturating_mul(vectors)
    }

    /// The ranks that run the kernel.
    pub fn who(&self) -> String {
        if self.running == 1 { "1 rank".to_owned() } else { format!("{} ranks", self.running) }
    }
}

impl Run {
    /// A run of these times; [`Results::new`] adds what depends on other runs.
    pub fn new(subject: Subject, variant: String, timing: Timing) -> Self {
        let gb_s = 1e-9 * timing.rate(subject.moved() as f64);
        Self { subject, variant, timing, gb_s, ..Self::default() }
    }
}

impl Row for Run {
    type Subject = Subject;
    const COLUMNS: &'static [Column<Self>] = &[
        ("ranks", |run| run.subject.running.to_string()),
        ("kernel", |run| run.subject.kernel.clone()),
        ("bytes", |run| run.subject.bytes.to_string()),
        ("variant", |run| run.variant.clone()),
        ("GB/s", |run| significant(run.gb_s)),
        ("spread", |run| percent(run.timing.spread)),
        ("errors", |run| cell(run.errors)),
        ("stores", |run| cell(run.stores.as_ref())),
    ];
    const SPEED_UPS: &'static [SpeedUp<Self>] =
        &[SpeedUp { heading: SPEED_UP, value: |run| run.over_plain, over: &[PLAIN] }];

    fn measured(&self) -> (&Subject, &str, f64) {
        (&self.subject, &self.variant, self.timing.median_us)
    }

    fn timing(&self) -> Timing {
        self.timing.clone()
    }

    fn subject_name(&self) -> String {
        let Subject { kernel, bytes, .. } = &self.subject;
        format!("{kernel} of {bytes} B, {}", self.subject.who())
    }

    fn errors(&self) -> Option<u64> {
        self.errors
    }

    fn compare(runs: &mut [Self]) {
        runs::compare(runs, |run, median| {
            let plain = median(PLAIN).filter(|_| run.variant != PLAIN);
            run.over_plain = plain.map(|plain| plain / run.timing.median_us);
        });
    }

    fn legend(_: &[Self]) -> String {
        "\nranks: those that run the kernel, each on vectors of its own; bytes: of each vector; GB/s: of the slowest rank\n\
         speed-up: over the plain loop in C\n\
         hcube: with the stores that its trial has selected; memcpy: a bound for copy, not a competitor\n"
            .to_owned()
    }
}

#[cfg(test)]
pub mod tests {
    use super::*;
    use crate::measured::tests::place;
    use crate::runs::tests::{assert_json, assert_lines};

    /// hcube and the plain loop at these rates.
    pub fn runs(kernel: &str, running: usize, bytes: usize, rates: [f64; 2]) -> Vec<Run> {
        let subject = Subject { place: place(2), kernel: kernel.to_owned(), bytes, running };
        let run = |(variant, rate): (&str, f64)| {
            let seconds = 1e-9 * subject.moved() as f64 / rate;
            let timing = Timing::new(&[seconds, 1.1 * seconds, 0.9 * seconds]);
            Run::new(subject.clone(), variant.to_owned(), timing)
        };
        [HCUBE, PLAIN].into_iter().zip(rates).map(run).collect()
    }

    #[test]
    fn json_has_the_declared_form() {
        let results = Results::new(runs("triad", 2, 1 << 20, [24.0, 12.0]), Vec::new());
        let expected = [
            ("/0/variant", HCUBE.into()),
            ("/0/kernel", "triad".into()),
            ("/0/ranks", 2.into()),
            ("/0/running", 2.into()),
            ("/0/gb_s", 24.0.into()),
            ("/0/over_plain", 2.0.into()),
        ];
        assert_json(&results, &expected);
    }

    #[test]
    fn tables_have_rates_and_ratios() {
        let mut all = runs("copy", 1, 4096, [20.0, 10.0]);
        (all[0].errors, all[0].stores) = (Some(0), Some("streaming stores".to_owned()));
        all.extend(runs("copy", 2, 4096, [12.0, 16.0]));
        let expected = [
            "1 copy 4096 hcube 20.00 20% 2.00 0 streaming stores",
            "1 copy 4096 plain-c 10.00 20% - - -",
            "2 copy 4096 hcube 12.00 20% 0.75 - -",
        ];
        assert_lines(all, &expected);
    }
}
