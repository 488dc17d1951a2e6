//! Results of `hcube bench caf`.

pub mod figure;

use crate::measured::{self, Place, Timing};
use crate::numbers::{self, percent};
use crate::runs::{self, Beside, Row};
use crate::table::{Column, Table};
use serde::{Deserialize, Serialize};

/// The names of what is measured.
pub const HCUBE: &str = "hcube";
pub const MPI: &str = "mpi";
pub const OPENSHMEM: &str = "openshmem";
/// A copy by the processor between the same two pages: a bound, not a competitor.
pub const MEMCPY: &str = "memcpy";

/// Operations that are measured over sizes.
pub const SWEPT: [&str; 5] = ["put", "get", "copy-async", "broadcast", "allreduce"];
/// Operations that are drawn over sizes.
pub const DRAWN: [&str; 2] = ["put", "get"];
pub const STRIDED: &str = "put-strided";
pub const BARRIER: &str = "barrier";
pub const FINISH: &str = "finish";
pub const SPAWN: &str = "spawn-xor";

pub use runs::{by_subject, of_variant};

pub type Results = runs::Results<Run>;

/// What is done.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Subject {
    #[serde(flatten)]
    pub place: Place,
    pub operation: String,
    /// Bytes that an operation moves; 0 if it moves none.
    pub bytes: usize,
}

/// One variant of an operation. Times are of the slowest rank.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Run {
    #[serde(flatten)]
    pub subject: Subject,
    /// [`HCUBE`], [`MPI`], [`OPENSHMEM`] or [`MEMCPY`].
    pub variant: String,
    /// The file of the library; empty for MPI and memcpy.
    #[serde(default)]
    pub library: String,
    /// Of an operation.
    #[serde(flatten)]
    pub timing: Timing,
    /// Operations that were timed together.
    #[serde(default)]
    pub batch: u32,
    /// Words that were wrong on all ranks; nothing where not verified.
    pub errors: Option<u64>,
    /// 10^9 bytes per second, for operations that move data.
    pub gb_s: Option<f64>,
    /// 10^6 operations per second of all ranks, for [`SPAWN`].
    pub million_s: Option<f64>,
    /// Time in barriers of the same variant, for [`FINISH`].
    pub barriers: Option<f64>,
    /// This median by the median of hcube, for the others.
    pub hcube_speedup: Option<f64>,
}

impl Subject {
    /// Whether it is one of several sizes.
    pub fn is_swept(&self) -> bool {
        SWEPT.contains(&self.operation.as_str())
    }

    /// All of it but the ranks.
    pub fn name(&self) -> String {
        if self.is_swept() {
            format!("{} {}", self.operation, numbers::whole_bytes(self.bytes))
        } else {
            self.operation.clone()
        }
    }
}

impl Run {
    /// A run of these times; [`Results::new`] adds what depends on other runs.
    pub fn new(subject: Subject, variant: &str, timing: Timing) -> Self {
        let per_us = |amount: usize, factor: f64| {
            let us = timing.median_us;
            (amount > 0 && us > 0.0).then(|| amount as f64 * factor / us)
        };
        let is_spawn = subject.operation == SPAWN;
        let is_data = subject.is_swept() || subject.operation == STRIDED;
        Self {
            variant: variant.to_owned(),
            gb_s: if is_data { per_us(subject.bytes, 1e-3) } else { None },
            million_s: if is_spawn { per_us(subject.place.ranks, 1.0) } else { None },
            subject,
            timing,
            ..Self::default()
        }
    }

    /// The time as a rate, or in barriers.
    pub fn rate(&self) -> Option<String> {
        let written = |value: Option<f64>, unit: &str| {
            value.map(|value| format!("{} {unit}", numbers::significant(value)))
        };
        written(self.million_s, "M/s")
            .or_else(|| self.barriers.map(|count| format!("{count:.2} barriers")))
            .or_else(|| written(self.gb_s, "GB/s"))
    }

    /// The rate, and the share of the copies by the processor that were measured beside it.
    fn rate_of_memcpy(&self, beside: &[&Self]) -> String {
        let memcpy = of_variant(beside, MEMCPY).and_then(|run| run.hcube_speedup);
        let share = memcpy.map_or_else(String::new, |share| format!(", {} of memcpy", percent(share)));
        self.rate().map_or_else(|| "-".to_owned(), |rate| rate + &share)
    }
}

/// Where operations were measured, by the number of ranks.
pub fn places(runs: &[Run]) -> Vec<&Place> {
    measured::places(runs.iter().map(|run| &run.subject.place))
}

/// How variants stand beside each other.
pub const VARIANTS: Beside<Run> = Beside {
    timing: |run| &run.timing,
    own_heading: "rate",
    own_cell: Run::rate_of_memcpy,
    speed_up: |run| run.hcube_speedup,
};

impl Row for Run {
    type Subject = Subject;
    const COLUMNS: &'static [Column<Self>] = &[
        ("ranks", |run| run.subject.place.ranks()),
        ("operation", |run| run.subject.operation.clone()),
        ("bytes", |run| run.subject.bytes.to_string()),
    ];

    fn measured(&self) -> (&Subject, &str, f64) {
        (&self.subject, &self.variant, self.timing.median_us)
    }

    fn timing(&self) -> Timing {
        self.timing.clone()
    }

    fn subject_name(&self) -> String {
        format!("{}, {} ranks", self.subject.name(), self.subject.place.ranks())
    }

    fn errors(&self) -> Option<u64> {
        self.errors
    }

    /// A row for each operation.
    fn tables(runs: &[Self]) -> Vec<Table> {
        let mut variants = runs::variants(runs);
        variants.retain(|&variant| variant != MEMCPY);
        vec![VARIANTS.table(runs, &variants)]
    }

    fn compare(runs: &mut [Self]) {
        runs::compare_with_hcube(runs, |run| &mut run.hcube_speedup);
        let barrier = |run: &&Self| run.subject.operation == BARRIER && run.timing.median_us > 0.0;
        let barriers: Vec<Self> = runs.iter().filter(barrier).cloned().collect();
        for run in runs.iter_mut().filter(|run| run.subject.operation == FINISH) {
            let place = |run: &Self| (run.variant.clone(), run.subject.place.clone());
            let own = barriers.iter().find(|other| place(other) == place(run));
            run.barriers = own.map(|barrier| run.timing.median_us / barrier.timing.median_us);
        }
    }

    fn legend(_: &[Self]) -> String {
        "\nus: of an operation on the slowest rank; bytes: of an operation; speed-up: of hcube\n\
         rate: M/s counts the operations of all ranks; 1 barrier is the row 'barrier' of hcube\n"
            .to_owned()
    }
}

#[cfg(test)]
pub mod tests {
    use super::*;
    use crate::measured::tests::place;
    use crate::runs::tests::{assert_json, assert_lines};

    /// Variants of an operation, with these times; 0 where one was not measured.
    pub fn runs(ranks: usize, operation: &str, bytes: usize, times: [f64; 4]) -> Vec<Run> {
        let subject = Subject { place: place(ranks), operation: operation.to_owned(), bytes };
        let run = |(variant, us): (&str, f64)| {
            Run::new(subject.clone(), variant, Timing::of_us(vec![us, 0.9 * us, 1.1 * us]))
        };
        let times = [HCUBE, MPI, OPENSHMEM, MEMCPY].into_iter().zip(times);
        times.filter(|(_, time)| *time > 0.0).map(run).collect()
    }

    #[test]
    fn json_has_the_declared_form() {
        let results = Results::new(runs(2, "put", 4096, [2.0, 8.0, 6.0, 0.0]), Vec::new());
        let expected = [
            ("/0/variant", "hcube".into()),
            ("/0/ranks", 2.into()),
            ("/0/operation", "put".into()),
            ("/0/bytes", 4096.into()),
            ("/0/median_us", 2.0.into()),
            ("/0/hcube_speedup", ().into()),
            ("/0/gb_s", 2.048.into()),
            ("/0/million_s", ().into()),
            ("/2/hcube_speedup", 3.0.into()),
        ];
        assert_json(&results, &expected);
    }

    #[test]
    fn tables_have_rates_and_ratios() {
        let mut all = runs(2, "put", 1 << 20, [100.0, 100.0, 75.0, 90.0]);
        all.extend(runs(2, BARRIER, 0, [0.5, 1.0, 5.0, 0.0]));
        all.extend(runs(2, FINISH, 0, [1.25, 0.0, 0.0, 0.0]));
        all.extend(runs(2, SPAWN, 8, [0.1, 1.0, 0.2, 0.0]));
        all[0].errors = Some(0);
        let expected = [
            "2 put 1048576 100.0 20% 10.49 GB/s, 90% of memcpy 100.0 20% 1.00~ 75.00 20% 0.75 0",
            "2 finish 0 1.250 20% 2.50 barriers - - - - - - -",
            "2 spawn-xor 8 0.1000 20% 20.00 M/s 1.000 20% 10.00 0.2000 20% 2.00 -",
        ];
        assert_lines(all, &expected);
    }

    #[test]
    fn barriers_are_those_of_the_same_ranks() {
        let mut all = runs(2, BARRIER, 0, [1.0, 0.0, 0.0, 0.0]);
        all.extend(runs(4, BARRIER, 0, [4.0, 0.0, 0.0, 0.0]));
        all.extend(runs(4, FINISH, 0, [8.0, 0.0, 0.0, 0.0]));
        all.extend(runs(8, FINISH, 0, [8.0, 0.0, 0.0, 0.0]));
        let results = Results::new(all, Vec::new());
        assert_eq!((results.runs[2].barriers, results.runs[3].barriers), (Some(2.0), None));
    }

    #[test]
    fn several_nodes_in_one_are_told() {
        let mut run = runs(4, "get", 8, [1.0; 4]).remove(0);
        assert_eq!(run.subject.name(), "get 8 B");
        run.subject.place.ranks_per_node = 1;
        assert_lines(vec![run], &["4 (1/node) get 8 1.000 20% 0.008000 GB/s -"]);
    }
}
