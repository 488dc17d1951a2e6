//! Results of `hcube bench caf`: JSON, tables, picture.

pub mod figure;

use crate::measured::distinct;
use crate::numbers::{self, percent};
use crate::table::{self, Table};
use serde::{Deserialize, Serialize};
use std::fmt::Write;

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

/// The results as they are written in JSON; those of several runs can be joined.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Results {
    /// Each variant of each operation.
    pub runs: Vec<Run>,
    /// What was left out, and why.
    #[serde(default)]
    pub notes: Vec<String>,
}

/// What is done.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Subject {
    pub mpi: String,
    pub ranks: usize,
    /// Images that hcube puts on one node, as if there were several; 0 for the real nodes.
    #[serde(default)]
    pub ranks_per_node: usize,
    pub operation: String,
    /// Bytes that an operation moves; 0 if it moves none.
    pub bytes: usize,
}

/// One variant of an operation. Times are those of the slowest rank.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Run {
    #[serde(flatten)]
    pub subject: Subject,
    /// Number of nodes that the ranks are on.
    #[serde(default)]
    pub nodes: usize,
    /// Cores that a process may use.
    #[serde(default)]
    pub cores: usize,
    /// [`HCUBE`], [`MPI`], [`OPENSHMEM`] or [`MEMCPY`].
    pub variant: String,
    /// The file of the library; empty for MPI and memcpy.
    #[serde(default)]
    pub library: String,
    /// Of an operation.
    pub median_us: f64,
    /// (largest - smallest) / median.
    #[serde(default)]
    pub spread: f64,
    /// Microseconds of an operation in each repetition.
    #[serde(default)]
    pub measured_us: Vec<f64>,
    /// Operations that were timed together.
    #[serde(default)]
    pub batch: u32,
    /// Words that were wrong on all ranks; nothing where not verified.
    #[serde(default)]
    pub errors: Option<u64>,
    /// 10^9 bytes per second, for operations that move data.
    #[serde(default)]
    pub gb_s: Option<f64>,
    /// 10^6 operations per second of all ranks, for [`SPAWN`].
    #[serde(default)]
    pub million_s: Option<f64>,
    /// Time in barriers of the same variant, for [`FINISH`].
    #[serde(default)]
    pub barriers: Option<f64>,
    /// This median by that of hcube, for the others.
    #[serde(default)]
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

    /// The ranks, and the nodes that hcube assumes.
    pub fn place(&self) -> String {
        match self.ranks_per_node {
            0 => self.ranks.to_string(),
            count => format!("{} ({count}/node)", self.ranks),
        }
    }
}

impl Run {
    /// A run of these times; [`Results::new`] adds what depends on other runs.
    pub fn new(subject: Subject, variant: &str, measured_us: Vec<f64>) -> Self {
        let median_us = numbers::median(&measured_us);
        let per_us = |amount: usize, factor: f64| {
            (amount > 0 && median_us > 0.0).then(|| amount as f64 * factor / median_us)
        };
        let is_spawn = subject.operation == SPAWN;
        let is_data = subject.is_swept() || subject.operation == STRIDED;
        Self {
            nodes: 0,
            cores: 0,
            variant: variant.to_owned(),
            library: String::new(),
            median_us,
            spread: numbers::spread(&measured_us),
            measured_us,
            batch: 1,
            errors: None,
            gb_s: if is_data { per_us(subject.bytes, 1e-3) } else { None },
            million_s: if is_spawn { per_us(subject.ranks, 1.0) } else { None },
            barriers: None,
            hcube_speedup: None,
            subject,
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
}

/// The variants that have columns, hcube first.
pub fn variants(runs: &[Run]) -> Vec<&str> {
    let mut all = distinct(runs.iter().map(|run| run.variant.as_str()).filter(|&one| one != MEMCPY));
    all.sort_by_key(|&variant| variant != HCUBE);
    all
}

/// The runs of each subject, by all variants.
pub fn by_subject(runs: &[Run]) -> Vec<Vec<&Run>> {
    let subjects = distinct(runs.iter().map(|run| &run.subject));
    let of = |subject: &Subject| runs.iter().filter(|run| run.subject == *subject).collect();
    subjects.into_iter().map(of).collect()
}

/// The run of a variant.
pub fn of_variant<'a>(runs: &[&'a Run], variant: &str) -> Option<&'a Run> {
    runs.iter().copied().find(|run| run.variant == variant)
}

/// Numbers of ranks, with the nodes that hcube assumes, in ascending order.
pub fn places(runs: &[Run]) -> Vec<(usize, usize)> {
    let mut all = distinct(runs.iter().map(|run| (run.subject.ranks, run.subject.ranks_per_node)));
    all.sort_unstable();
    all
}

impl Results {
    /// From the runs of all operations.
    pub fn new(mut runs: Vec<Run>, notes: Vec<String>) -> Self {
        runs.chunk_by_mut(|one, next| one.subject == next.subject).for_each(compare);
        let barrier = |run: &&Run| run.subject.operation == BARRIER && run.median_us > 0.0;
        let barriers: Vec<Run> = runs.iter().filter(barrier).cloned().collect();
        for run in runs.iter_mut().filter(|run| run.subject.operation == FINISH) {
            let own = barriers.iter().find(|other| {
                other.variant == run.variant
                    && (other.subject.ranks, other.subject.ranks_per_node)
                        == (run.subject.ranks, run.subject.ranks_per_node)
            });
            run.barriers = own.map(|barrier| run.median_us / barrier.median_us);
        }
        Self { runs, notes }
    }

    /// All operations, a row for each.
    fn times(&self) -> Table {
        let variants = variants(&self.runs);
        let mut headings: Vec<String> = ["ranks", "operation", "bytes"].map(String::from).to_vec();
        for variant in &variants {
            headings.extend([format!("{variant} us"), "spread".to_owned()]);
            headings.push(if *variant == HCUBE { "rate".into() } else { format!("x {variant}") });
        }
        headings.push("errors".to_owned());
        let mut table = Table::new(headings);
        let none = || "-".to_owned();
        for runs in by_subject(&self.runs) {
            let subject = &runs[0].subject;
            let mut cells = vec![subject.place(), subject.operation.clone(), subject.bytes.to_string()];
            let memcpy = of_variant(&runs, MEMCPY).and_then(|run| run.hcube_speedup);
            for variant in &variants {
                let Some(run) = of_variant(&runs, variant) else {
                    cells.extend([none(), none(), none()]);
                    continue;
                };
                cells.extend([numbers::significant(run.median_us), percent(run.spread)]);
                cells.push(if *variant == HCUBE {
                    let share = memcpy.map(|share| format!(", {} of memcpy", percent(share)));
                    run.rate().map_or_else(none, |rate| rate + &share.unwrap_or_default())
                } else {
                    run.hcube_speedup.map_or_else(none, |ratio| format!("{ratio:.2}"))
                });
            }
            let errors: Vec<u64> = runs.iter().filter_map(|run| run.errors).collect();
            cells.push(if errors.is_empty() { none() } else { errors.iter().sum::<u64>().to_string() });
            table.row(cells);
        }
        table
    }

    /// The table.
    pub fn tables(&self) -> Vec<Table> {
        vec![self.times()]
    }

    /// The lines below it.
    pub fn below(&self) -> String {
        let mut text = String::new();
        text.push_str(
            "\nus: of an operation on the slowest rank; bytes: of an operation; x: speed-up of hcube\n\
             rate: M/s counts the operations of all ranks; 1 barrier is the row 'barrier' of hcube\n",
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

/// Fills in the ratios, among the runs of one subject.
fn compare(runs: &mut [Run]) {
    let hcube = runs.iter().find(|run| run.variant == HCUBE).map(|run| run.median_us);
    let Some(hcube) = hcube.filter(|&median| median > 0.0) else { return };
    for run in runs.iter_mut().filter(|run| run.variant != HCUBE) {
        run.hcube_speedup = Some(run.median_us / hcube);
    }
}

#[cfg(test)]
pub mod tests {
    use super::*;

    /// Variants of an operation, with these times; 0 where one was not measured.
    pub fn runs(ranks: usize, operation: &str, bytes: usize, times: [f64; 4]) -> Vec<Run> {
        let mpi = "Some MPI 1.0".to_owned();
        let subject = Subject { mpi, ranks, ranks_per_node: 0, operation: operation.to_owned(), bytes };
        let run = |(variant, time): (&str, f64)| {
            Run::new(subject.clone(), variant, vec![time, 0.9 * time, 1.1 * time])
        };
        let times = [HCUBE, MPI, OPENSHMEM, MEMCPY].into_iter().zip(times);
        times.filter(|(_, time)| *time > 0.0).map(run).collect()
    }

    #[test]
    fn json_has_the_declared_form() {
        let results = Results::new(runs(2, "put", 4096, [2.0, 8.0, 6.0, 0.0]), Vec::new());
        let value = serde_json::to_value(&results).expect("valid");
        let first = &value["runs"][0];
        assert_eq!((first["variant"].as_str(), first["ranks"].as_u64()), (Some("hcube"), Some(2)));
        assert_eq!((first["operation"].as_str(), first["bytes"].as_u64()), (Some("put"), Some(4096)));
        assert_eq!((first["median_us"].as_f64(), first["hcube_speedup"].as_f64()), (Some(2.0), None));
        assert_eq!((first["gb_s"].as_f64(), first["million_s"].as_f64()), (Some(2.048), None));
        assert_eq!(value["runs"][2]["hcube_speedup"].as_f64(), Some(3.0));
        let back: Results = serde_json::from_value(value).expect("what was written can be read");
        assert_eq!(back.runs, results.runs);
    }

    #[test]
    fn tables_have_rates_and_ratios() {
        let mut all = runs(2, "put", 1 << 20, [100.0, 100.0, 75.0, 90.0]);
        all.extend(runs(2, BARRIER, 0, [0.5, 1.0, 5.0, 0.0]));
        all.extend(runs(2, FINISH, 0, [1.25, 0.0, 0.0, 0.0]));
        all.extend(runs(2, SPAWN, 8, [0.1, 1.0, 0.2, 0.0]));
        all[0].errors = Some(0);
        let results = Results::new(all, vec!["a note".to_owned()]);
        let text = results.text();
        let line =
            |words: &str| text.lines().any(|line| line.split_whitespace().eq(words.split_whitespace()));
        assert!(
            line("2 put 1048576 100.0 20% 10.49 GB/s, 90% of memcpy 100.0 20% 1.00 75.00 20% 0.75 0"),
            "{text}"
        );
        assert!(line("2 finish 0 1.250 20% 2.50 barriers - - - - - - -"), "{text}");
        assert!(line("2 spawn-xor 8 0.1000 20% 20.00 M/s 1.000 20% 10.00 0.2000 20% 2.00 -"), "{text}");
        assert!(text.ends_with("a note\n"), "{text}");
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
        let mut subject = runs(4, "get", 8, [1.0; 4])[0].subject.clone();
        assert_eq!((subject.name(), subject.place()), ("get 8 B".to_owned(), "4".to_owned()));
        subject.ranks_per_node = 1;
        assert_eq!(subject.place(), "4 (1/node)");
        assert_eq!(variants(&runs(4, "get", 8, [1.0; 4])), [HCUBE, MPI, OPENSHMEM]);
    }
}
