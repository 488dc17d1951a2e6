//! Results of `hcube bench panels`: JSON, table, picture.

pub mod figure;

use crate::measured::{Place, Timing};
use crate::numbers::{percent, significant};
use crate::table::{self, Table};
use serde::{Deserialize, Serialize};
use std::fmt::Write;

/// What is measured: panels that stay in the memory of a node, MPI's broadcasts, and the pipelined one of hcube.
pub const HCUBE: &str = "hcube";
pub const BCAST: &str = "mpi-bcast";
pub const IBCAST: &str = "mpi-ibcast";
pub const PIPELINED: &str = "pipelined";

/// The results as they are written in JSON; those of several runs can be joined.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Results {
    /// Each variant of each size.
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
    /// Of a panel.
    pub bytes: usize,
    /// Microseconds of computation per panel and rank.
    pub work_us: u32,
}

/// A variant at a size.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Run {
    #[serde(flatten)]
    pub subject: Subject,
    /// [`HCUBE`], [`BCAST`], [`IBCAST`] or [`PIPELINED`].
    pub variant: String,
    /// Of a panel, with the computation.
    #[serde(flatten)]
    pub timing: Timing,
    /// Panels that were timed together.
    #[serde(default)]
    pub panels: u32,
    /// Panels with wrong contents, of all ranks; nothing where not verified.
    #[serde(default)]
    pub errors: Option<u64>,
    /// This median by that of hcube, for the others.
    #[serde(default)]
    pub hcube_speedup: Option<f64>,
}

impl Run {
    /// A run of these times; [`Results::new`] adds what depends on other runs.
    pub fn new(subject: Subject, variant: &str, timing: Timing) -> Self {
        let variant = variant.to_owned();
        Self { subject, variant, timing, panels: 1, errors: None, hcube_speedup: None }
    }

    fn cells(&self) -> Vec<(&'static str, String)> {
        let none = || "-".to_owned();
        vec![
            ("ranks", self.subject.place.ranks()),
            ("bytes", self.subject.bytes.to_string()),
            ("work us", self.subject.work_us.to_string()),
            ("variant", self.variant.clone()),
            ("us", significant(self.timing.median_us)),
            ("spread", percent(self.timing.spread)),
            ("x hcube", self.hcube_speedup.map_or_else(none, |ratio| format!("{ratio:.2}"))),
            ("errors", self.errors.map_or_else(none, |errors| errors.to_string())),
        ]
    }
}

impl Results {
    /// From the runs of all variants.
    pub fn new(mut runs: Vec<Run>, notes: Vec<String>) -> Self {
        let hcube: Vec<Run> = runs.iter().filter(|run| run.variant == HCUBE).cloned().collect();
        for run in runs.iter_mut().filter(|run| run.variant != HCUBE) {
            let same = hcube.iter().find(|own| own.subject == run.subject && own.timing.median_us > 0.0);
            run.hcube_speedup = same.map(|own| run.timing.median_us / own.timing.median_us);
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
            "\nus: of a panel on the slowest rank: its root writes it, all ranks read it, and compute for the time in 'work us'\n\
             x hcube: speed-up of hcube over this broadcast\n",
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

    /// All variants, with these times.
    pub fn runs(ranks: usize, bytes: usize, work_us: u32, microseconds: [f64; 4]) -> Vec<Run> {
        let subject = Subject { place: place(ranks), bytes, work_us };
        let run = |(variant, us): (&str, f64)| {
            Run::new(subject.clone(), variant, Timing::new(&[1e-6 * us, 0.9e-6 * us, 1.1e-6 * us]))
        };
        [HCUBE, BCAST, IBCAST, PIPELINED].into_iter().zip(microseconds).map(run).collect()
    }

    #[test]
    fn json_has_the_declared_form() {
        let results = Results::new(runs(2, 65536, 0, [10.0, 20.0, 30.0, 15.0]), Vec::new());
        let value = serde_json::to_value(&results).expect("valid");
        let second = &value["runs"][1];
        assert_eq!((second["variant"].as_str(), second["ranks"].as_u64()), (Some(BCAST), Some(2)));
        assert_eq!((second["bytes"].as_u64(), second["work_us"].as_u64()), (Some(65536), Some(0)));
        assert!(second["hcube_speedup"].as_f64().is_some_and(|ratio| (ratio - 2.0).abs() < 1e-9));
        assert!(value["runs"][0]["hcube_speedup"].is_null());
        let back: Results = serde_json::from_value(value).expect("what was written can be read");
        assert_eq!(back.runs.len(), 4);
    }

    #[test]
    fn tables_have_times_and_ratios() {
        let mut all = runs(4, 65536, 100, [10.0, 20.0, 30.0, 15.0]);
        all[0].errors = Some(0);
        all.extend(runs(2, 65536, 100, [20.0, 10.0, 30.0, 15.0]));
        let text = Results::new(all, vec!["a note".to_owned()]).text();
        let line =
            |words: &str| text.lines().any(|line| line.split_whitespace().eq(words.split_whitespace()));
        assert!(line("4 65536 100 hcube 10.00 20% - 0"), "{text}");
        assert!(line("4 65536 100 mpi-ibcast 30.00 20% 3.00 -"), "{text}");
        assert!(line("2 65536 100 mpi-bcast 10.00 20% 0.50 -"), "{text}");
        assert!(text.ends_with("a note\n"), "{text}");
    }
}
