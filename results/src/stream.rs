//! Results of `hcube bench stream`: JSON, table, picture.

pub mod figure;

use crate::measured::{Place, Timing};
use crate::numbers::{percent, significant};
use crate::table::{self, Table};
use serde::{Deserialize, Serialize};
use std::fmt::Write;

/// Kernels, in the order of STREAM.
pub const KERNELS: [&str; 4] = ["copy", "scale", "add", "triad"];

/// What is measured: hcube as programs get it, each kind of stores, the loop of a C compiler, the C library's copy.
pub const HCUBE: &str = "hcube";
pub const ORDINARY: &str = "ordinary";
pub const STREAMING: &str = "streaming";
pub const PLAIN: &str = "plain-c";
pub const MEMCPY: &str = "memcpy";

/// The results as they are written in JSON; those of several runs can be joined.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Results {
    /// Each variant of each kernel.
    pub runs: Vec<Run>,
    /// What was left out, and why.
    #[serde(default)]
    pub notes: Vec<String>,
}

/// What is done.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
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
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
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
    #[serde(default)]
    pub stores: Option<String>,
    /// Wrong elements on all ranks; nothing where not verified.
    #[serde(default)]
    pub errors: Option<u64>,
    /// The rate over that of [`PLAIN`], for the others.
    #[serde(default)]
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
    pub fn new(subject: Subject, variant: &str, timing: Timing) -> Self {
        let gb_s = 1e-9 * timing.rate(subject.moved() as f64);
        Self {
            subject,
            variant: variant.to_owned(),
            timing,
            batch: 1,
            gb_s,
            stores: None,
            errors: None,
            over_plain: None,
        }
    }

    fn cells(&self) -> Vec<(&'static str, String)> {
        let none = || "-".to_owned();
        vec![
            ("ranks", self.subject.running.to_string()),
            ("kernel", self.subject.kernel.clone()),
            ("bytes", self.subject.bytes.to_string()),
            ("variant", self.variant.clone()),
            ("GB/s", significant(self.gb_s)),
            ("spread", percent(self.timing.spread)),
            ("over plain C", self.over_plain.map_or_else(none, |ratio| format!("{ratio:.2}"))),
            ("errors", self.errors.map_or_else(none, |errors| errors.to_string())),
            ("stores", self.stores.clone().unwrap_or_else(none)),
        ]
    }
}

impl Results {
    /// From the runs of all variants.
    pub fn new(mut runs: Vec<Run>, notes: Vec<String>) -> Self {
        let plain: Vec<Run> = runs.iter().filter(|run| run.variant == PLAIN).cloned().collect();
        for run in runs.iter_mut().filter(|run| run.variant != PLAIN) {
            let same = plain.iter().find(|other| other.subject == run.subject && other.gb_s > 0.0);
            run.over_plain = same.map(|other| run.gb_s / other.gb_s);
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
            "\nranks: those that run the kernel, each on vectors of its own; bytes: of each vector; GB/s: of the slowest rank\n\
             hcube: with the stores that its trial has selected; memcpy: a bound for copy, not a competitor\n",
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

    /// hcube and the plain loop at these rates.
    pub fn runs(kernel: &str, running: usize, bytes: usize, rates: [f64; 2]) -> Vec<Run> {
        let subject = Subject { place: place(2), kernel: kernel.to_owned(), bytes, running };
        let run = |(variant, rate): (&str, f64)| {
            let seconds = 1e-9 * subject.moved() as f64 / rate;
            Run::new(subject.clone(), variant, Timing::new(&[seconds, 1.1 * seconds, 0.9 * seconds]))
        };
        [HCUBE, PLAIN].into_iter().zip(rates).map(run).collect()
    }

    #[test]
    fn json_has_the_declared_form() {
        let results = Results::new(runs("triad", 2, 1 << 20, [24.0, 12.0]), Vec::new());
        let value = serde_json::to_value(&results).expect("valid");
        let first = &value["runs"][0];
        assert_eq!((first["variant"].as_str(), first["kernel"].as_str()), (Some(HCUBE), Some("triad")));
        assert_eq!((first["ranks"].as_u64(), first["running"].as_u64()), (Some(2), Some(2)));
        assert!(first["gb_s"].as_f64().is_some_and(|rate| (rate - 24.0).abs() < 1e-9), "{first}");
        assert!(first["over_plain"].as_f64().is_some_and(|ratio| (ratio - 2.0).abs() < 1e-9), "{first}");
        let back: Results = serde_json::from_value(value).expect("what was written can be read");
        assert_eq!(back.runs.len(), 2);
    }

    #[test]
    fn tables_have_rates_and_ratios() {
        let mut all = runs("copy", 1, 4096, [20.0, 10.0]);
        (all[0].errors, all[0].stores) = (Some(0), Some("streaming stores".to_owned()));
        all.extend(runs("copy", 2, 4096, [12.0, 16.0]));
        let text = Results::new(all, vec!["a note".to_owned()]).text();
        let line =
            |words: &str| text.lines().any(|line| line.split_whitespace().eq(words.split_whitespace()));
        assert!(line("1 copy 4096 hcube 20.00 20% 2.00 0 streaming stores"), "{text}");
        assert!(line("1 copy 4096 plain-c 10.00 20% - - -"), "{text}");
        assert!(line("2 copy 4096 hcube 12.00 20% 0.75 - -"), "{text}");
        assert!(text.ends_with("a note\n"), "{text}");
    }
}
