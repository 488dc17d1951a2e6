//! Results of `hcube bench alltoall`.

pub mod figure;
pub mod kinds;

use crate::measured::{Place, Timing, distinct};
use crate::noise::Spread;
use crate::numbers::{self, percent};
use crate::runs::{self, Joined, Report, Row, SpeedUp};
use crate::table::{Column, Table, bytes, cell, ratio};
use crate::taken::add_date;
use serde::{Deserialize, Serialize};

/// Algorithms with which the others are compared: the MPI library's own functions.
pub const LIBRARY_IN_PLACE: &str = "library-in-place";
pub const LIBRARY_OUT_OF_PLACE: &str = "library-out-of-place";

/// One communicator of all ranks, and rows and columns of a grid of ranks.
pub const WORLD: &str = "world";
pub const ROWS: &str = "rows";
pub const COLUMNS: &str = "columns";

fn world() -> String {
    WORLD.to_owned()
}

/// In simulations, what MPI libraries do in place and out of place, with their names in words.
pub const IN_PLACE: [(&str, &str); 3] = [
    ("mpich4-in-place", "MPICH 4, in place"),
    ("mpich5-in-place", "MPICH 5, in place"),
    ("ompi-in-place", "Open MPI, in place"),
];
pub const OUT_OF_PLACE: [(&str, &str); 2] =
    [("mpich-out-of-place", "MPICH, out of place"), ("ompi-out-of-place", "Open MPI, out of place")];

/// In simulations, the simulator's own MPI_Alltoallv: in step i a rank sends to the rank at distance i and
/// receives from the one at distance -i, without copies.
pub const RING_OUT_OF_PLACE: &str = "ring-out-of-place";

/// In simulations, the exchange in place of FFTW's transpositions.
pub const FFTW_IN_PLACE: &str = "fftw-in-place";

/// The results as they are written in JSON; results of several runs can be joined.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Results {
    /// When it was measured; older files do not have it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub date: String,
    /// Blocking exchanges: each case at each size.
    pub runs: Vec<Run>,
    /// The other kinds of exchanges.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub kinds: Vec<kinds::Run>,
    /// What was left out, and why.
    #[serde(default)]
    pub notes: Vec<String>,
}

/// One case at one size. Times are of the slowest rank, bytes of the largest one.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Run {
    #[serde(flatten)]
    pub place: Place,
    /// Data of each rank.
    pub bytes_per_rank: usize,
    /// The name in `--algorithms`.
    pub algorithm: String,
    /// Additional memory that hcube might use; nothing for the library.
    pub memory: Option<usize>,
    /// Whether that was `all`.
    #[serde(default)]
    pub everything: bool,
    /// The name in `--path`; nothing for the library.
    pub path: Option<String>,
    /// What exchanged at the same time: the name in `--communicators`.
    #[serde(default = "world")]
    pub communicators: String,
    /// MPI's function; older files do not have it.
    #[serde(default)]
    pub function: String,
    /// Whether counts were equal.
    #[serde(default)]
    pub uniform: bool,
    /// Of the random counts.
    #[serde(default)]
    pub seed: u64,
    /// Of one exchange.
    #[serde(flatten)]
    pub timing: Timing,
    /// Exchanges that were timed together.
    #[serde(default)]
    pub batch: u32,
    /// Peak memory beyond the caller's buffers; nothing where the kernel does not tell.
    pub extra_bytes: Option<u64>,
    /// What of it stays until the communicator is freed.
    pub held_bytes: Option<u64>,
    /// Elements that were wrong; nothing where not verified.
    pub errors: Option<u64>,
    /// The library's median in place by this one.
    pub speedup_in_place: Option<f64>,
    /// The library's median out of place by this one.
    pub speedup_out_of_place: Option<f64>,
}

impl Run {
    /// The additional memory in words.
    pub fn memory_name(&self) -> Option<String> {
        kinds::memory_name(self.memory, self.everything)
    }
}

/// Geometric means over the sizes, a row for each case.
fn means(runs: &[Run]) -> Table {
    let case = |run: &Run| (run.algorithm.clone(), run.memory_name());
    Table::of(distinct(runs.iter().map(case)).into_iter().map(|own| {
        let mean = |ratio_of: fn(&Run) -> Option<f64>| {
            let ratios: Vec<f64> = runs.iter().filter(|run| case(run) == own).filter_map(ratio_of).collect();
            ratio(numbers::geometric_mean(&ratios))
        };
        vec![
            ("algorithm", own.0.clone()),
            ("memory", cell(own.1.as_ref())),
            (Run::SPEED_UPS[0].heading, mean(Run::SPEED_UPS[0].value)),
            (Run::SPEED_UPS[1].heading, mean(Run::SPEED_UPS[1].value)),
        ]
    }))
}

impl Row for Run {
    /// Bytes of each rank.
    type Subject = usize;
    const COLUMNS: &'static [Column<Self>] = &[
        ("bytes/rank", |run| numbers::whole_bytes(run.bytes_per_rank)),
        ("algorithm", |run| run.algorithm.clone()),
        ("memory", |run| cell(run.memory_name())),
        ("time", |run| numbers::time(1e-6 * run.timing.median_us)),
        ("spread", |run| percent(run.timing.spread)),
        ("extra memory", |run| bytes(run.extra_bytes)),
        ("errors", |run| cell(run.errors)),
    ];
    const SPEED_UPS: &'static [SpeedUp<Self>] = &[
        SpeedUp {
            heading: "speed-up\nover in-place",
            value: |run| run.speedup_in_place,
            over: &[LIBRARY_IN_PLACE],
        },
        SpeedUp {
            heading: "speed-up\nover out-of-place",
            value: |run| run.speedup_out_of_place,
            over: &[LIBRARY_OUT_OF_PLACE],
        },
    ];

    fn measured(&self) -> (&usize, &str, f64) {
        (&self.bytes_per_rank, &self.algorithm, self.timing.median_us)
    }

    fn timing(&self) -> Timing {
        self.timing.clone()
    }

    fn subject_name(&self) -> String {
        let bytes = numbers::whole_bytes(self.bytes_per_rank);
        match self.communicators.as_str() {
            "" | WORLD => format!("{bytes} per rank"),
            communicators => format!("{bytes} per rank, {communicators}"),
        }
    }

    fn errors(&self) -> Option<u64> {
        self.errors
    }

    /// With the library, at the same size.
    fn compare(runs: &mut [Self]) {
        runs::compare(runs, |run, median| {
            let own = Some(run.timing.median_us).filter(|&us| us > 0.0);
            let over = |library: &str| own.zip(median(library)).map(|(own, library)| library / own);
            run.speedup_in_place = over(LIBRARY_IN_PLACE);
            run.speedup_out_of_place = over(LIBRARY_OUT_OF_PLACE);
        });
    }

    fn legend(runs: &[Self]) -> String {
        let several = runs.iter().any(|run| run.bytes_per_rank != runs[0].bytes_per_rank);
        let means = several.then(|| format!("\nGeometric means over all sizes:\n{}", means(runs).render()));
        let words = "\nspeed-up: over the library's own function, in place and out of place\n\
                     extra memory: peak beyond the caller's buffers (one in place, two out of place)\n";
        means.unwrap_or_default() + if runs.is_empty() { "" } else { words }
    }
}

impl Results {
    /// From the runs of all sizes.
    pub fn new(mut runs: Vec<Run>, mut notes: Vec<String>) -> Self {
        Run::compare(&mut runs);
        if runs.iter().any(|run| run.extra_bytes.is_none()) {
            notes.push("extra memory not known: needs /proc/self/clear_refs and smaps_rollup".to_owned());
        }
        Self { runs, notes, ..Self::default() }
    }

    /// From the runs of another kind of exchanges.
    pub fn of_kind(mut runs: Vec<kinds::Run>, notes: Vec<String>) -> Self {
        kinds::Run::compare(&mut runs);
        Self { kinds: runs, notes, ..Self::default() }
    }
}

impl Report for Results {
    /// The table of blocking exchanges, and one for each other kind.
    fn tables(&self) -> Vec<Table> {
        let mut tables = Run::tables(&self.runs);
        tables.extend(kinds::Run::tables(&self.kinds));
        tables
    }

    fn below(&self) -> String {
        Run::legend(&self.runs) + &kinds::Run::legend(&self.kinds) + self.marks() + &runs::lines(&self.notes)
    }

    fn errors(&self) -> Vec<Option<u64>> {
        let exchanges = self.runs.iter().map(|run| run.errors);
        exchanges.chain(self.kinds.iter().map(|run| run.errors)).collect()
    }

    fn spreads(&self) -> Vec<Spread> {
        let mut all = runs::spreads(&self.runs);
        all.extend(runs::spreads(&self.kinds));
        all
    }
}

/// Adds the results of another job, or of another kind.
impl Joined for Results {
    fn add(&mut self, other: Self) {
        add_date(&mut self.date, &other.date);
        self.runs.extend(other.runs);
        self.kinds.extend(other.kinds);
        runs::add_notes(&mut self.notes, other.notes);
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
        Run::compare(&mut runs);
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
            Run::compare(&mut runs);
            results.runs.extend(runs);
        }
        let text = means(&results.runs).render();
        assert!(text.lines().any(|line| line.starts_with("auto ") && line.contains("4.00")), "{text}");
        assert!(results.text().contains("64 KiB"));
    }
}
