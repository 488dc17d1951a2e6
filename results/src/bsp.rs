//! Results of `hcube bench bsp`.

pub mod comparison;
pub mod figure;
pub mod prediction;
pub mod samples;
pub mod surface;

use crate::measured::{Place, Timing, distinct};
use crate::numbers;
use crate::runs::{self, Beside, Row};
use crate::table::{Column, Table};
use serde::{Deserialize, Serialize};

/// The names of what is measured; a further BSPlib has the name of its file.
pub const HCUBE: &str = "hcube";
pub const MPI: &str = "mpi";

/// Operations of supersteps that measure the latency, and operations of the sweep.
pub const LATENCIES: [&str; 3] = ["empty", "shift", "all-to-all"];
pub const SWEPT: [&str; 5] = ["put", "hpput", "get", "hpget", "send"];

pub use runs::{by_subject as by_superstep, of_variant, variants};

pub type Results = runs::Results<Run>;

/// What each process does in a superstep.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Superstep {
    #[serde(flatten)]
    pub place: Place,
    /// One of [`LATENCIES`] or [`SWEPT`].
    pub operation: String,
    /// Bytes of a message.
    pub bytes: usize,
    /// Messages of a process.
    pub messages: usize,
}

/// One variant of a superstep. Times are of the slowest rank.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Run {
    #[serde(flatten)]
    pub superstep: Superstep,
    /// [`HCUBE`], [`MPI`], or the name of another library.
    pub variant: String,
    /// The file of the library; empty for MPI.
    #[serde(default)]
    pub library: String,
    /// Of a superstep.
    #[serde(flatten)]
    pub timing: Timing,
    /// Supersteps that were timed together.
    #[serde(default)]
    pub batch: u32,
    /// Words that were wrong on all ranks; nothing where not verified.
    pub errors: Option<u64>,
    /// This median by the median of hcube, for competitors.
    pub hcube_speedup: Option<f64>,
}

impl Superstep {
    /// Whether it is one of the sweep.
    pub fn is_swept(&self) -> bool {
        SWEPT.contains(&self.operation.as_str())
    }

    /// All of it but the ranks.
    pub fn name(&self) -> String {
        if self.is_swept() { format!("{} {}", self.operation, self.load()) } else { self.operation.clone() }
    }

    /// Messages and their size.
    fn load(&self) -> String {
        format!("{} x {}", self.messages, numbers::whole_bytes(self.bytes))
    }
}

impl Run {
    /// A run of these times; [`Results::new`] adds the ratios.
    pub fn new(superstep: Superstep, variant: &str, timing: Timing) -> Self {
        Self { superstep, variant: variant.to_owned(), timing, ..Self::default() }
    }

    /// Messages by which the time is divided.
    pub fn per_message(&self) -> f64 {
        self.superstep.messages.max(1) as f64
    }
}

/// hcube's speed-ups over each competitor: geometric means of an operation, and the smallest.
fn means(runs: &[Run]) -> Table {
    let mut table = Table::new(["ranks", "operation", "over", "mean", "smallest", "at"]);
    let compared = || runs.iter().filter(|run| run.hcube_speedup.is_some());
    let key = |run: &Run| (run.superstep.place.ranks, run.superstep.operation.clone(), run.variant.clone());
    for own in distinct(compared().map(key)) {
        let same: Vec<&Run> = compared().filter(|run| key(run) == own).collect();
        let ratios: Vec<f64> = same.iter().filter_map(|run| run.hcube_speedup).collect();
        let ratio = |run: &&&Run| run.hcube_speedup.unwrap_or(f64::INFINITY);
        let smallest = same.iter().min_by(|a, b| ratio(a).total_cmp(&ratio(b)));
        let (Some(mean), Some(smallest)) = (numbers::geometric_mean(&ratios), smallest) else { continue };
        let (ranks, operation, variant) = own;
        let place = if smallest.superstep.is_swept() { smallest.superstep.load() } else { String::new() };
        table.row([
            ranks.to_string(),
            operation,
            variant,
            format!("{mean:.2}"),
            format!("{:.2}", ratio(&smallest)),
            place,
        ]);
    }
    table
}

/// How variants stand beside each other.
pub const VARIANTS: Beside<Run> = Beside {
    timing: |run| &run.timing,
    own_heading: "us/message",
    own_cell: |run, _| numbers::significant(run.timing.median_us / run.per_message()),
    speed_up: |run| run.hcube_speedup,
};

impl Row for Run {
    type Subject = Superstep;
    const COLUMNS: &'static [Column<Self>] = &[
        ("ranks", |run| run.superstep.place.ranks()),
        ("operation", |run| run.superstep.operation.clone()),
        ("bytes", |run| run.superstep.bytes.to_string()),
        ("messages", |run| run.superstep.messages.to_string()),
    ];

    fn measured(&self) -> (&Superstep, &str, f64) {
        (&self.superstep, &self.variant, self.timing.median_us)
    }

    fn timing(&self) -> Timing {
        self.timing.clone()
    }

    fn subject_name(&self) -> String {
        format!("{}, {} ranks", self.superstep.name(), self.superstep.place.ranks())
    }

    fn errors(&self) -> Option<u64> {
        self.errors
    }

    /// A row for each superstep.
    fn tables(runs: &[Self]) -> Vec<Table> {
        vec![VARIANTS.table(runs, &variants(runs))]
    }

    fn compare(runs: &mut [Self]) {
        runs::compare_with_hcube(runs, |run| &mut run.hcube_speedup);
    }

    fn legend(runs: &[Self]) -> String {
        let compared = runs.iter().any(|run| run.hcube_speedup.is_some());
        let means = compared.then(|| format!("\nhcube's speed-up:\n{}", means(runs).render()));
        means.unwrap_or_default()
            + "\nus: of a superstep; bytes: of a message; messages: of a process in a superstep\n\
               speed-up: of hcube\n"
    }
}

#[cfg(test)]
pub mod tests {
    use super::*;
    use crate::measured::tests::place;
    use crate::runs::Report;
    use crate::runs::tests::{assert_json, assert_lines};

    /// All variants of a superstep, with these times.
    pub fn runs(ranks: usize, operation: &str, bytes: usize, messages: usize, times: [f64; 3]) -> Vec<Run> {
        let superstep = Superstep { place: place(ranks), operation: operation.to_owned(), bytes, messages };
        let run = |(variant, us): (&str, f64)| {
            Run::new(superstep.clone(), variant, Timing::of_us(vec![us, 0.9 * us, 1.1 * us]))
        };
        [HCUBE, MPI, "other"].into_iter().zip(times).map(run).collect()
    }

    #[test]
    fn json_has_the_declared_form() {
        let results = Results::new(runs(2, "put", 8, 16, [2.0, 8.0, 6.0]), Vec::new());
        let expected = [
            ("/0/variant", "hcube".into()),
            ("/0/ranks", 2.into()),
            ("/0/operation", "put".into()),
            ("/0/bytes", 8.into()),
            ("/0/median_us", 2.0.into()),
            ("/0/hcube_speedup", ().into()),
            ("/2/hcube_speedup", 3.0.into()),
        ];
        assert_json(&results, &expected);
    }

    #[test]
    fn tables_have_ratios_and_the_smallest_of_them() {
        let mut all = runs(2, "empty", 0, 0, [0.5, 1.0, 5.0]);
        all.extend(runs(2, "put", 8, 16, [2.0, 8.0, 6.0]));
        all.extend(runs(2, "put", 1 << 20, 4, [100.0, 100.0, 75.0]));
        all.pop();
        all[3].errors = Some(0);
        let expected = [
            "2 put 8 16 2.000 20% 0.1250 8.000 20% 4.00 6.000 20% 3.00 0",
            "2 put 1048576 4 100.0 20% 25.00 100.0 20% 1.00~ - - - -",
            "2 put mpi 2.00 1.00 4 x 1 MiB",
            "2 empty other 10.00 10.00",
        ];
        assert_lines(all, &expected);
    }

    #[test]
    fn hcube_comes_first_and_may_be_missing() {
        let all = Results::new(runs(2, "get", 8, 1, [1.0, 2.0, 3.0]).split_off(1), Vec::new());
        assert_eq!(variants(&all.runs), [MPI, "other"]);
        assert!(all.runs.iter().all(|run| run.hcube_speedup.is_none()));
        assert!(!all.text().contains("hcube's speed-up"));
    }
}
