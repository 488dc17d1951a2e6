//! Results of `hcube bench bsp`: JSON, tables, picture.

pub mod comparison;
pub mod figure;
pub mod prediction;
pub mod samples;
pub mod surface;

use crate::numbers::{self, percent};
use crate::table::{self, Table};
use serde::{Deserialize, Serialize};
use std::fmt::Write;

/// The names of what is measured; a further BSPlib has the name of its file.
pub const HCUBE: &str = "hcube";
pub const MPI: &str = "mpi";

/// Operations of supersteps that measure the latency, and those of the sweep.
pub const LATENCIES: [&str; 3] = ["empty", "shift", "all-to-all"];
pub const SWEPT: [&str; 5] = ["put", "hpput", "get", "hpget", "send"];

/// The results as they are written in JSON; those of several runs can be joined.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Results {
    /// Each variant of each superstep.
    pub runs: Vec<Run>,
    /// What was left out, and why.
    #[serde(default)]
    pub notes: Vec<String>,
}

/// What each process does in a superstep.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Superstep {
    pub mpi: String,
    pub ranks: usize,
    /// One of [`LATENCIES`] or [`SWEPT`].
    pub operation: String,
    /// Bytes of a message.
    pub bytes: usize,
    /// Messages of a process.
    pub messages: usize,
}

/// One variant of a superstep. Times are those of the slowest rank.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Run {
    #[serde(flatten)]
    pub superstep: Superstep,
    /// Number of nodes that the ranks are on.
    #[serde(default)]
    pub nodes: usize,
    /// Cores that a process may use.
    #[serde(default)]
    pub cores: usize,
    /// [`HCUBE`], [`MPI`], or the name of another library.
    pub variant: String,
    /// The file of the library; empty for MPI.
    #[serde(default)]
    pub library: String,
    /// Of a superstep.
    pub median_us: f64,
    /// (largest - smallest) / median.
    #[serde(default)]
    pub spread: f64,
    /// Microseconds of a superstep in each repetition.
    #[serde(default)]
    pub measured_us: Vec<f64>,
    /// Supersteps that were timed together.
    #[serde(default)]
    pub batch: u32,
    /// Words that were wrong on all ranks; nothing where not verified.
    #[serde(default)]
    pub errors: Option<u64>,
    /// This median by that of hcube, for competitors.
    #[serde(default)]
    pub hcube_speedup: Option<f64>,
}

/// Each value once, in the order of the list.
fn distinct<T: PartialEq>(values: impl Iterator<Item = T>) -> Vec<T> {
    let mut all = Vec::new();
    for value in values {
        if !all.contains(&value) {
            all.push(value);
        }
    }
    all
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
    pub fn new(superstep: Superstep, variant: &str, measured_us: Vec<f64>) -> Self {
        Self {
            superstep,
            nodes: 0,
            cores: 0,
            variant: variant.to_owned(),
            library: String::new(),
            median_us: numbers::median(&measured_us),
            spread: numbers::spread(&measured_us),
            measured_us,
            batch: 1,
            errors: None,
            hcube_speedup: None,
        }
    }

    /// Messages by which the time is divided.
    pub fn per_message(&self) -> f64 {
        self.superstep.messages.max(1) as f64
    }
}

/// The variants, hcube first.
pub fn variants(runs: &[Run]) -> Vec<&str> {
    let mut all = distinct(runs.iter().map(|run| run.variant.as_str()));
    all.sort_by_key(|&variant| variant != HCUBE);
    all
}

/// The runs of each superstep: hcube's, if it was measured, and those of the variants.
pub fn by_superstep(runs: &[Run]) -> Vec<Vec<&Run>> {
    let steps = distinct(runs.iter().map(|run| &run.superstep));
    steps.into_iter().map(|step| runs.iter().filter(|run| run.superstep == *step).collect()).collect()
}

/// The run of a variant.
pub fn of_variant<'a>(runs: &[&'a Run], variant: &str) -> Option<&'a Run> {
    runs.iter().copied().find(|run| run.variant == variant)
}

impl Results {
    /// From the runs of all supersteps.
    pub fn new(mut runs: Vec<Run>, notes: Vec<String>) -> Self {
        runs.chunk_by_mut(|one, next| one.superstep == next.superstep).for_each(compare);
        Self { runs, notes }
    }

    /// All supersteps, a row for each.
    fn times(&self) -> Table {
        let variants = variants(&self.runs);
        let mut headings: Vec<String> =
            ["ranks", "operation", "bytes", "messages"].map(String::from).to_vec();
        for variant in &variants {
            headings.extend([format!("{variant} us"), "spread".to_owned()]);
            headings.push(if *variant == HCUBE { "us/message".into() } else { format!("x {variant}") });
        }
        headings.push("errors".to_owned());
        let mut table = Table::new(headings);
        let none = || "-".to_owned();
        for runs in by_superstep(&self.runs) {
            let Superstep { ranks, operation, bytes, messages, .. } = &runs[0].superstep;
            let mut cells =
                vec![ranks.to_string(), operation.clone(), bytes.to_string(), messages.to_string()];
            for variant in &variants {
                let Some(run) = of_variant(&runs, variant) else {
                    cells.extend([none(), none(), none()]);
                    continue;
                };
                cells.extend([numbers::significant(run.median_us), percent(run.spread)]);
                cells.push(if *variant == HCUBE {
                    numbers::significant(run.median_us / run.per_message())
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

    /// hcube's speed-ups over each competitor: geometric means of an operation, and the smallest.
    fn means(&self) -> Table {
        let mut table = Table::new(["ranks", "operation", "over", "mean", "smallest", "at"]);
        let compared = || self.runs.iter().filter(|run| run.hcube_speedup.is_some());
        let key = |run: &Run| (run.superstep.ranks, run.superstep.operation.clone(), run.variant.clone());
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

    /// The table.
    pub fn tables(&self) -> Vec<Table> {
        vec![self.times()]
    }

    /// The lines below it.
    pub fn below(&self) -> String {
        let mut text = String::new();
        if self.runs.iter().any(|run| run.hcube_speedup.is_some()) {
            let _ = write!(text, "\nhcube's speed-up:\n{}", self.means().render());
        }
        text.push_str(
            "\nus: of a superstep; bytes: of a message; messages: of a process in a superstep\n\
             x: speed-up of hcube\n",
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

/// Fills in the ratios, among the runs of one superstep.
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

    /// All variants of a superstep, with these times.
    pub fn runs(ranks: usize, operation: &str, bytes: usize, messages: usize, times: [f64; 3]) -> Vec<Run> {
        let mpi = "Some MPI 1.0".to_owned();
        let superstep = Superstep { mpi, ranks, operation: operation.to_owned(), bytes, messages };
        let run = |(variant, time): (&str, f64)| {
            Run::new(superstep.clone(), variant, vec![time, 0.9 * time, 1.1 * time])
        };
        [HCUBE, MPI, "other"].into_iter().zip(times).map(run).collect()
    }

    #[test]
    fn json_has_the_declared_form() {
        let results = Results::new(runs(2, "put", 8, 16, [2.0, 8.0, 6.0]), Vec::new());
        let value = serde_json::to_value(&results).expect("valid");
        let first = &value["runs"][0];
        assert_eq!((first["variant"].as_str(), first["ranks"].as_u64()), (Some("hcube"), Some(2)));
        assert_eq!((first["operation"].as_str(), first["bytes"].as_u64()), (Some("put"), Some(8)));
        assert_eq!((first["median_us"].as_f64(), first["hcube_speedup"].as_f64()), (Some(2.0), None));
        assert_eq!(value["runs"][2]["hcube_speedup"].as_f64(), Some(3.0));
        let back: Results = serde_json::from_value(value).expect("what was written can be read");
        assert_eq!(back.runs, results.runs);
    }

    #[test]
    fn tables_have_ratios_and_the_smallest_of_them() {
        let mut all = runs(2, "empty", 0, 0, [0.5, 1.0, 5.0]);
        all.extend(runs(2, "put", 8, 16, [2.0, 8.0, 6.0]));
        all.extend(runs(2, "put", 1 << 20, 4, [100.0, 100.0, 75.0]));
        all.pop();
        all[3].errors = Some(0);
        let text = Results::new(all, vec!["a note".to_owned()]).text();
        let line =
            |words: &str| text.lines().any(|line| line.split_whitespace().eq(words.split_whitespace()));
        assert!(line("2 put 8 16 2.000 20% 0.1250 8.000 20% 4.00 6.000 20% 3.00 0"), "{text}");
        assert!(line("2 put 1048576 4 100.0 20% 25.00 100.0 20% 1.00 - - - -"), "{text}");
        assert!(line("2 put mpi 2.00 1.00 4 x 1 MiB") && line("2 empty other 10.00 10.00"), "{text}");
        assert!(text.ends_with("a note\n"), "{text}");
    }

    #[test]
    fn hcube_comes_first_and_may_be_missing() {
        let all = Results::new(runs(2, "get", 8, 1, [1.0, 2.0, 3.0]).split_off(1), Vec::new());
        assert_eq!(variants(&all.runs), [MPI, "other"]);
        assert!(all.runs.iter().all(|run| run.hcube_speedup.is_none()));
        assert!(!all.text().contains("hcube's speed-up"));
    }
}
