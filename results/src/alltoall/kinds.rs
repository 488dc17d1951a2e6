//! Results of the kinds of `hcube bench alltoall` besides the blocking exchange: JSON and tables.

pub mod figure;

use crate::measured::{Place, Timing, distinct};
use crate::numbers::{self, percent};
use crate::runs::{Row, SpeedUp, table_of};
use crate::table::{Column, SPEED_UP, Table, bytes, cell, ratio};
use serde::{Deserialize, Serialize};

/// The names in `--kinds`.
pub const GENERAL: &str = "general";
pub const NEIGHBOURS: &str = "neighbours";
pub const NONBLOCKING: &str = "nonblocking";

/// What is measured.
pub const HCUBE: &str = "hcube";
pub const LIBRARY: &str = "library";
pub const COMPUTATION: &str = "computation";

/// What the lines of nonblocking exchanges are: each part by itself, and both at the same time.
pub const ALONE: &str = "alone";
pub const OVERLAPPED: &str = "overlapped";

/// What is exchanged.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Subject {
    #[serde(flatten)]
    pub place: Place,
    /// [`GENERAL`], [`NEIGHBOURS`] or [`NONBLOCKING`].
    pub kind: String,
    /// Of neighbours, the form of faces and the ends of the grid; of nonblocking exchanges, [`ALONE`] or
    /// [`OVERLAPPED`].
    pub exchange: String,
    /// Data of each rank: of neighbours, the data of six faces.
    pub bytes_per_rank: usize,
    /// Doubles along an edge of a rank's cube; only of neighbours.
    pub cube: Option<usize>,
    /// Whether counts were equal.
    #[serde(default)]
    pub uniform: bool,
    /// Of the random counts.
    #[serde(default)]
    pub seed: u64,
}

/// A subject by one variant. Times are of the slowest rank.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Run {
    #[serde(flatten)]
    pub subject: Subject,
    /// [`HCUBE`], [`LIBRARY`], or [`COMPUTATION`] without an exchange.
    pub variant: String,
    /// Additional memory that hcube might use; only of the general exchange.
    pub memory: Option<usize>,
    /// Whether that was `all`.
    #[serde(default)]
    pub everything: bool,
    /// Path of hcube's last exchange.
    pub path: Option<String>,
    #[serde(flatten)]
    pub timing: Timing,
    /// Exchanges that were timed together.
    #[serde(default)]
    pub batch: u32,
    /// Peak memory beyond the caller's buffer; only of the general exchange, and nothing where the kernel
    /// does not tell.
    pub extra_bytes: Option<u64>,
    /// Elements that were wrong; nothing where not verified.
    pub errors: Option<u64>,
    /// The library's median by this one.
    pub speedup: Option<f64>,
    /// This median by the longer one of computation and exchange by themselves; only of [`OVERLAPPED`].
    pub over_longer: Option<f64>,
}

/// Additional memory in words.
pub fn memory_name(memory: Option<usize>, everything: bool) -> Option<String> {
    memory.map(|memory| if everything { "all".to_owned() } else { numbers::whole_bytes(memory) })
}

impl Run {
    /// The additional memory in words.
    pub fn memory_name(&self) -> Option<String> {
        memory_name(self.memory, self.everything)
    }

    /// Whether another run is of the same exchange by this variant.
    fn is_beside(&self, other: &Self, exchange: &str, variant: &str) -> bool {
        let subject = Subject { exchange: exchange.to_owned(), ..self.subject.clone() };
        other.variant == variant && other.subject == subject
    }
}

/// The library's time by the time of a run, and its time by the time of the longer part.
fn ratios(run: &Run, all: &[Run]) -> (Option<f64>, Option<f64>) {
    let median = |exchange: &str, variant: &str| {
        let other = all.iter().find(|other| run.is_beside(other, exchange, variant))?;
        Some(other.timing.median_us).filter(|&median| median > 0.0)
    };
    let own = run.timing.median_us;
    let speedup = median(&run.subject.exchange, LIBRARY).map(|library| library / own);
    let parts = median(ALONE, COMPUTATION).zip(median(ALONE, &run.variant));
    let parts = parts.filter(|_| run.subject.exchange == OVERLAPPED);
    (speedup, parts.map(|(computation, exchange)| own / computation.max(exchange)))
}

/// What the table of a kind means.
fn legend(kind: &str) -> &'static str {
    match kind {
        GENERAL => {
            "speed-up: over a copy of the buffer and the library's own MPI_Alltoallv from there\n\
             extra memory: peak beyond the caller's buffer\n"
        }
        NEIGHBOURS => "bytes/rank: of six faces; speed-up: over the library's own function\n",
        _ => {
            "overlapped: start, computation, wait; speed-up: over the library's own function\n\
             by longer: time by the time of the longer part, computation or exchange, by itself\n"
        }
    }
}

/// The kinds of these runs.
fn all_kinds(runs: &[Run]) -> Vec<&str> {
    distinct(runs.iter().map(|run| run.subject.kind.as_str()))
}

impl Row for Run {
    type Subject = Subject;
    const COLUMNS: &'static [Column<Self>] = &[
        ("cube", |run| cell(run.subject.cube)),
        ("bytes/rank", |run| numbers::whole_bytes(run.subject.bytes_per_rank)),
        ("exchange", |run| run.subject.exchange.clone()),
        ("variant", |run| run.variant.clone()),
        ("memory", |run| cell(run.memory_name())),
        ("path", |run| cell(run.path.as_ref())),
        ("time", |run| numbers::time(1e-6 * run.timing.median_us)),
        ("spread", |run| percent(run.timing.spread)),
        ("extra memory", |run| bytes(run.extra_bytes)),
        ("by longer", |run| ratio(run.over_longer)),
        ("errors", |run| cell(run.errors)),
    ];
    const SPEED_UPS: &'static [SpeedUp<Self>] =
        &[SpeedUp { heading: SPEED_UP, value: |run| run.speedup, over: &[LIBRARY] }];

    fn measured(&self) -> (&Subject, &str, f64) {
        (&self.subject, &self.variant, self.timing.median_us)
    }

    fn timing(&self) -> Timing {
        self.timing.clone()
    }

    fn subject_name(&self) -> String {
        let parts = [self.subject.kind.clone(), self.subject.exchange.clone()];
        let parts = parts.into_iter().filter(|part| !part.is_empty());
        let bytes = numbers::whole_bytes(self.subject.bytes_per_rank);
        parts.chain([format!("{bytes} per rank")]).collect::<Vec<_>>().join(", ")
    }

    fn errors(&self) -> Option<u64> {
        self.errors
    }

    /// A table for each kind, without the columns that it has no figures for.
    fn tables(runs: &[Self]) -> Vec<Table> {
        let table = |kind: &str| {
            let own = runs.iter().filter(|run| run.subject.kind == kind);
            table_of(Self::COLUMNS, Self::SPEED_UPS, own, runs).without_empty_columns()
        };
        all_kinds(runs).into_iter().map(table).collect()
    }

    fn compare(runs: &mut [Self]) {
        let all = runs.to_vec();
        for run in runs.iter_mut().filter(|run| run.variant != COMPUTATION && run.timing.median_us > 0.0) {
            (run.speedup, run.over_longer) = ratios(run, &all);
        }
    }

    /// What each of the tables means.
    fn legend(runs: &[Self]) -> String {
        all_kinds(runs).into_iter().map(|kind| format!("\n{}", legend(kind))).collect()
    }
}

#[cfg(test)]
pub mod tests {
    use super::*;
    use crate::measured::tests::place;
    use crate::table::tests::has_line;

    fn text(runs: &[Run]) -> String {
        crate::table::text(&Run::tables(runs), &Run::legend(runs))
    }

    /// A subject by these variants, in these microseconds.
    pub fn runs(kind: &str, exchange: &str, bytes: usize, times: &[(&str, f64)]) -> Vec<Run> {
        let subject = Subject {
            place: place(2),
            kind: kind.to_owned(),
            exchange: exchange.to_owned(),
            bytes_per_rank: bytes,
            cube: (kind == NEIGHBOURS).then_some(64),
            uniform: false,
            seed: 1,
        };
        let run = |&(variant, us): &(&str, f64)| {
            let timing = Timing::new(&[1e-6 * us, 0.9e-6 * us, 1.1e-6 * us]);
            Run { subject: subject.clone(), variant: variant.to_owned(), timing, ..Run::default() }
        };
        times.iter().map(run).collect()
    }

    /// As tables have it.
    fn rounded(ratio: Option<f64>) -> Option<String> {
        ratio.map(|ratio| format!("{ratio:.2}"))
    }

    #[test]
    fn general_exchanges_have_memory_and_a_speed_up() {
        let mut all = runs(GENERAL, "", 1 << 20, &[(HCUBE, 120.0), (LIBRARY, 180.0)]);
        (all[0].memory, all[0].errors, all[0].path) = (Some(65536), Some(0), Some("shared".to_owned()));
        all[1].extra_bytes = Some(1 << 20);
        Run::compare(&mut all);
        let ratios = [all[0].speedup, all[1].speedup, all[0].over_longer].map(rounded);
        assert_eq!(ratios, [Some("1.50".to_owned()), Some("1.00".to_owned()), None]);
        let text = text(&all);
        let heading = "bytes/rank variant memory path time spread speed-up extra memory errors";
        assert!(has_line(&text, heading), "{text}");
        assert!(has_line(&text, "1 MiB hcube 64 KiB shared 120.0 us 20% 1.50 - 0"), "{text}");
        assert!(text.contains("speed-up: over a copy"), "{text}");
    }

    #[test]
    fn overlapped_exchanges_are_compared_with_the_longer_part() {
        let mut all = runs(NONBLOCKING, ALONE, 8, &[(COMPUTATION, 100.0), (HCUBE, 50.0), (LIBRARY, 200.0)]);
        all.extend(runs(NONBLOCKING, OVERLAPPED, 8, &[(HCUBE, 125.0), (LIBRARY, 250.0)]));
        // Another size has no part in it.
        all.extend(runs(NONBLOCKING, ALONE, 16, &[(HCUBE, 500.0)]));
        Run::compare(&mut all);
        let ratios: Vec<_> = all.iter().map(|run| [run.speedup, run.over_longer].map(rounded)).collect();
        let expected = [
            [None, None],
            [Some("4.00"), None],
            [Some("1.00"), None],
            [Some("2.00"), Some("1.25")],
            [Some("1.00"), Some("1.25")],
            [None, None],
        ];
        assert_eq!(ratios, expected.map(|both| both.map(|ratio| ratio.map(str::to_owned))));
        assert!(has_line(&text(&all), "8 B overlapped hcube 125.0 us 20% 2.00 1.25"), "{}", text(&all));
    }

    #[test]
    fn json_has_the_declared_form_and_kinds_have_tables() {
        let mut all = runs(NEIGHBOURS, "packed, open", 196_608, &[(HCUBE, 120.0), (LIBRARY, 180.0)]);
        Run::compare(&mut all);
        let value = serde_json::to_value(&all).expect("valid");
        let first = &value[0];
        assert_eq!((first["kind"].as_str(), first["variant"].as_str()), (Some(NEIGHBOURS), Some(HCUBE)));
        assert_eq!((first["ranks"].as_u64(), first["cube"].as_u64()), (Some(2), Some(64)));
        let times = [first["median_us"].as_f64(), first["speedup"].as_f64()].map(rounded);
        assert_eq!(times, [Some("120.00".to_owned()), Some("1.50".to_owned())]);
        let back: Vec<Run> = serde_json::from_value(value).expect("what was written can be read");
        assert_eq!(back, all);
        all.extend(runs(GENERAL, "", 8, &[(HCUBE, 1.2)]));
        let text = text(&all);
        assert!(has_line(&text, "64 192 KiB packed, open hcube 120.0 us 20% 1.50"), "{text}");
        assert!(has_line(&text, "8 B hcube 1.200 us 20%"), "{text}");
    }
}
