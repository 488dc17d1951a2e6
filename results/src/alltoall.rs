//! Results of `hcube bench alltoall`: JSON, tables, picture.

pub mod figure;
pub mod kinds;

use crate::numbers::{self, percent};
use crate::table::{self, Table};
use serde::{Deserialize, Serialize};
use std::fmt::Write;

/// Algorithms with which the others are compared: the MPI library's own functions.
pub const LIBRARY_IN_PLACE: &str = "library-in-place";
pub const LIBRARY_OUT_OF_PLACE: &str = "library-out-of-place";

/// In simulations, the simulator's own MPI_Alltoallv: in step i a rank sends to the rank at distance i and receives from
/// the one at distance -i, without copies.
pub const RING_OUT_OF_PLACE: &str = "ring-out-of-place";

/// The results as they are written in JSON; those of several runs can be joined.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Results {
    /// Blocking exchanges: each case at each size.
    pub runs: Vec<Run>,
    /// The other kinds of exchanges.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub kinds: Vec<kinds::Run>,
    /// What was left out, and why.
    #[serde(default)]
    pub notes: Vec<String>,
}

/// One case at one size. Times and bytes are those of the slowest and of the largest rank.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Run {
    pub mpi: String,
    pub ranks: usize,
    /// Number of nodes that they are on.
    #[serde(default)]
    pub nodes: usize,
    /// Cores that a process may use.
    #[serde(default)]
    pub cores: usize,
    /// Data of each rank.
    pub bytes_per_rank: usize,
    /// The name in `--algorithms`.
    pub algorithm: String,
    /// Additional memory that hcube might use; nothing for the library.
    #[serde(default)]
    pub memory: Option<usize>,
    /// Whether that was `all`.
    #[serde(default)]
    pub everything: bool,
    /// The name in `--path`; nothing for the library.
    #[serde(default)]
    pub path: Option<String>,
    /// Whether counts were equal.
    #[serde(default)]
    pub uniform: bool,
    /// Of the random counts.
    #[serde(default)]
    pub seed: u64,
    /// Microseconds of one exchange.
    pub median_us: f64,
    /// (largest - smallest) / median.
    #[serde(default)]
    pub spread: f64,
    /// Microseconds of one exchange in each repetition.
    #[serde(default)]
    pub measured_us: Vec<f64>,
    /// Exchanges that were timed together.
    #[serde(default)]
    pub batch: u32,
    /// Peak memory beyond the caller's buffers; nothing where the kernel does not tell.
    pub extra_bytes: Option<u64>,
    /// What of it stays until the communicator is freed.
    #[serde(default)]
    pub held_bytes: Option<u64>,
    /// Elements that were wrong; nothing where not verified.
    #[serde(default)]
    pub errors: Option<u64>,
    /// The library's median in place by this one.
    #[serde(default)]
    pub speedup_in_place: Option<f64>,
    /// The library's median out of place by this one.
    #[serde(default)]
    pub speedup_out_of_place: Option<f64>,
}

impl Run {
    /// The additional memory in words.
    pub fn memory_name(&self) -> Option<String> {
        let memory = self.memory?;
        Some(if self.everything { "all".to_owned() } else { numbers::whole_bytes(memory) })
    }

    /// The columns of the table: a heading and the cell of this run.
    fn columns(&self) -> Vec<(&'static str, String)> {
        let or_none = |cell: Option<String>| cell.unwrap_or_else(|| "-".to_owned());
        let ratio = |ratio: Option<f64>| or_none(ratio.map(|ratio| format!("{ratio:.2}")));
        vec![
            ("bytes/rank", numbers::whole_bytes(self.bytes_per_rank)),
            ("algorithm", self.algorithm.clone()),
            ("memory", or_none(self.memory_name())),
            ("time", numbers::time(1e-6 * self.median_us)),
            ("spread", percent(self.spread)),
            ("extra memory", or_none(self.extra_bytes.map(|bytes| numbers::bytes(bytes as f64)))),
            ("x in-place", ratio(self.speedup_in_place)),
            ("x out-of-place", ratio(self.speedup_out_of_place)),
            ("errors", or_none(self.errors.map(|errors| errors.to_string()))),
        ]
    }
}

impl Results {
    /// From the runs of all sizes.
    pub fn new(mut runs: Vec<Run>, mut notes: Vec<String>) -> Self {
        runs.chunk_by_mut(|one, next| one.bytes_per_rank == next.bytes_per_rank).for_each(compare);
        if runs.iter().any(|run| run.extra_bytes.is_none()) {
            notes.push("extra memory not known: needs /proc/self/clear_refs and smaps_rollup".to_owned());
        }
        Self { runs, kinds: Vec::new(), notes }
    }

    /// From the runs of another kind of exchanges.
    pub fn of_kind(mut runs: Vec<kinds::Run>, notes: Vec<String>) -> Self {
        kinds::compare(&mut runs);
        Self { runs: Vec::new(), kinds: runs, notes }
    }

    /// Adds those of another run, or of another kind.
    pub fn add(&mut self, other: Self) {
        self.runs.extend(other.runs);
        self.kinds.extend(other.kinds);
        self.notes.extend(other.notes);
        self.notes.sort();
        self.notes.dedup();
    }

    /// Geometric means over the sizes, a row for each case.
    fn means(&self) -> Table {
        let mut table = Table::new(["algorithm", "memory", "x in-place", "x out-of-place"]);
        let mut done: Vec<(&str, Option<String>)> = Vec::new();
        for run in &self.runs {
            let case = (run.algorithm.as_str(), run.memory_name());
            if done.contains(&case) {
                continue;
            }
            let same = |other: &&Run| (other.algorithm.as_str(), other.memory_name()) == case;
            let mean = |ratio: fn(&Run) -> Option<f64>| {
                let ratios: Vec<f64> = self.runs.iter().filter(same).filter_map(ratio).collect();
                numbers::geometric_mean(&ratios).map_or("-".to_owned(), |mean| format!("{mean:.2}"))
            };
            let memory = case.1.clone().unwrap_or_else(|| "-".to_owned());
            let (in_place, out_of_place) =
                (mean(|run| run.speedup_in_place), mean(|run| run.speedup_out_of_place));
            table.row([run.algorithm.clone(), memory, in_place, out_of_place]);
            done.push(case);
        }
        table
    }

    /// The table of blocking exchanges, and one for each other kind.
    pub fn tables(&self) -> Vec<Table> {
        let exchanges = Table::of(self.runs.iter().map(Run::columns));
        [exchanges].into_iter().chain(kinds::tables(&self.kinds)).collect()
    }

    /// The table of means and the lines below.
    pub fn below(&self) -> String {
        let mut text = String::new();
        if self.runs.iter().any(|run| run.bytes_per_rank != self.runs[0].bytes_per_rank) {
            let _ = write!(text, "\nGeometric means over all sizes:\n{}", self.means().render());
        }
        if !self.runs.is_empty() {
            text.push_str(
                "\nx: speed-up over the library's own function, in place and out of place\n\
                 extra memory: peak beyond the caller's buffers (one in place, two out of place)\n",
            );
        }
        text.push_str(&kinds::below(&self.kinds));
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

/// Fills in the ratios to the library, among runs of one size.
fn compare(runs: &mut [Run]) {
    let median = |algorithm: &str, runs: &[Run]| {
        runs.iter().find(|run| run.algorithm == algorithm).map(|run| run.median_us)
    };
    let in_place = median(LIBRARY_IN_PLACE, runs);
    let out_of_place = median(LIBRARY_OUT_OF_PLACE, runs);
    for run in runs {
        let ratio =
            |library: Option<f64>| library.filter(|_| run.median_us > 0.0).map(|us| us / run.median_us);
        (run.speedup_in_place, run.speedup_out_of_place) = (ratio(in_place), ratio(out_of_place));
    }
}

#[cfg(test)]
pub mod tests {
    use super::*;

    /// A run as the least of it in JSON.
    pub fn run(ranks: usize, bytes: usize, algorithm: &str, median_us: f64) -> Run {
        let text = format!(
            r#"{{"mpi": "Some MPI 1.0", "ranks": {ranks}, "bytes_per_rank": {bytes}, "algorithm": "{algorithm}",
                "median_us": {median_us}, "extra_bytes": null}}"#
        );
        serde_json::from_str(&text).expect("valid")
    }

    #[test]
    fn json_has_the_declared_form() {
        let mut runs = vec![run(2, 8 << 20, "auto", 350.0), run(2, 8 << 20, "library-in-place", 700.0)];
        runs[0].extra_bytes = Some(65536);
        compare(&mut runs);
        let value = serde_json::to_value(Results { runs, ..Results::default() }).expect("valid");
        let first = &value["runs"][0];
        assert_eq!((first["mpi"].as_str(), first["ranks"].as_u64()), (Some("Some MPI 1.0"), Some(2)));
        assert_eq!(
            (first["bytes_per_rank"].as_u64(), first["extra_bytes"].as_u64()),
            (Some(8 << 20), Some(65536))
        );
        assert_eq!((first["algorithm"].as_str(), first["median_us"].as_f64()), (Some("auto"), Some(350.0)));
        assert_eq!(first["speedup_in_place"].as_f64(), Some(2.0));
        assert!(first["speedup_out_of_place"].is_null() && value["runs"][1]["extra_bytes"].is_null());
        let back: Results = serde_json::from_value(value).expect("what was written can be read");
        assert_eq!(back.runs.len(), 2);
    }

    #[test]
    fn means_are_over_sizes() {
        let mut results = Results::default();
        for (bytes, ours) in [(1 << 16, 50.0), (1 << 20, 200.0)] {
            let mut runs = vec![run(2, bytes, "auto", ours), run(2, bytes, "library-in-place", 400.0)];
            compare(&mut runs);
            results.runs.extend(runs);
        }
        let text = results.means().render();
        assert!(text.lines().any(|line| line.starts_with("auto ") && line.contains("4.00")), "{text}");
        assert!(results.text().contains("64 KiB"));
    }
}
