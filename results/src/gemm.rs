//! Results of `hcube bench gemm`: JSON, tables, picture.

pub mod figure;

use crate::numbers::{self, percent};
use crate::table::{self, Table};
use serde::{Deserialize, Serialize};
use std::fmt::Write;

/// The names of what is measured, in `--variants` and in results.
pub const HCUBE: &str = "hcube";
pub const SCALAPACK: &str = "scalapack";
pub const RAISED: &str = "scalapack-raised";
pub const BOUND: &str = "local-bound";

/// The results as they are written in JSON; those of several runs can be joined.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Results {
    /// Each variant of each problem.
    pub runs: Vec<Run>,
    /// What was left out, and why.
    #[serde(default)]
    pub notes: Vec<String>,
}

/// What is computed, and on which ranks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Problem {
    pub mpi: String,
    pub ranks: usize,
    /// Process rows and columns.
    pub grid: [usize; 2],
    /// The name of the routine, such as pdgemm.
    pub routine: String,
    /// TRANSA and TRANSB, such as NT; empty where a matrix is factorised.
    #[serde(default)]
    pub operations: String,
    pub m: usize,
    pub n: usize,
    pub k: usize,
    /// Block sizes of A, B and C, in rows and in columns.
    pub blocks: [usize; 3],
    /// How far from the first row or column the sub-matrices begin.
    #[serde(default)]
    pub offset: usize,
    /// Whether the product is subtracted from C, instead of C := A B.
    #[serde(default)]
    pub update: bool,
}

/// One variant of a problem. Times are those of the slowest rank.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Run {
    #[serde(flatten)]
    pub problem: Problem,
    /// Number of nodes that the ranks are on.
    #[serde(default)]
    pub nodes: usize,
    /// Cores that a process may use.
    #[serde(default)]
    pub cores: usize,
    /// Threads of the BLAS in each rank; nothing where it does not tell.
    #[serde(default)]
    pub threads: Option<usize>,
    /// The file of ScaLAPACK.
    #[serde(default)]
    pub scalapack: String,
    /// The name in `--variants`.
    pub variant: String,
    /// Width of ScaLAPACK's panels, where it was raised.
    #[serde(default)]
    pub panel: Option<usize>,
    pub median_ms: f64,
    /// The lower and the upper quartile.
    #[serde(default)]
    pub quartiles_ms: [f64; 2],
    /// (largest - smallest) / median.
    #[serde(default)]
    pub spread: f64,
    /// Milliseconds of one call in each repetition.
    #[serde(default)]
    pub measured_ms: Vec<f64>,
    /// Calls that were timed together.
    #[serde(default)]
    pub batch: u32,
    /// 10^9 floating-point operations per second of all ranks together.
    pub gflops: f64,
    /// Numbers, and pivots, that differ from those of ScaLAPACK; nothing where not verified.
    #[serde(default)]
    pub errors: Option<u64>,
    /// ScaLAPACK's median by this one.
    #[serde(default)]
    pub speedup: Option<f64>,
    /// The median of ScaLAPACK with its panels raised by this one.
    #[serde(default)]
    pub speedup_raised: Option<f64>,
    /// The median of the local products by this one.
    #[serde(default)]
    pub of_bound: Option<f64>,
}

/// Block sizes: one number where all are the same.
fn block_name([a, b, c]: [usize; 3]) -> String {
    if a == b && b == c { a.to_string() } else { format!("{a}:{b}:{c}") }
}

impl Problem {
    /// Process rows and columns.
    pub fn grid_name(&self) -> String {
        format!("{}x{}", self.grid[0], self.grid[1])
    }

    /// Whether all sizes are the same.
    pub fn is_square(&self) -> bool {
        self.m == self.n && self.n == self.k
    }

    /// Sizes: one number where all are the same.
    pub fn size_name(&self) -> String {
        let Self { m, n, k, .. } = self;
        if self.is_square() { n.to_string() } else { format!("{m}x{n}x{k}") }
    }

    /// Block sizes: one number where all are the same.
    pub fn block_name(&self) -> String {
        block_name(self.blocks)
    }

    /// The routine and what it does with its operands.
    pub fn work_name(&self) -> String {
        let mut name = self.routine.clone();
        for part in [self.operations.as_str(), if self.update { "update" } else { "" }] {
            name += if part.is_empty() { "" } else { " " };
            name += part;
        }
        if self.offset > 0 {
            let _ = write!(name, " offset {}", self.offset);
        }
        name
    }

    /// All of it but the grid.
    pub fn name(&self) -> String {
        format!("{} {}, NB {}", self.work_name(), self.size_name(), self.block_name())
    }
}

impl Run {
    /// A run of these times; [`Results::new`] adds the ratios.
    pub fn new(problem: Problem, variant: &str, measured_ms: Vec<f64>, operations: f64) -> Self {
        let median_ms = numbers::median(&measured_ms);
        Self {
            problem,
            nodes: 0,
            cores: 0,
            threads: None,
            scalapack: String::new(),
            variant: variant.to_owned(),
            panel: None,
            median_ms,
            quartiles_ms: numbers::quartiles(&measured_ms),
            spread: numbers::spread(&measured_ms),
            measured_ms,
            batch: 1,
            gflops: if median_ms > 0.0 { 1e-6 * operations / median_ms } else { 0.0 },
            errors: None,
            speedup: None,
            speedup_raised: None,
            of_bound: None,
        }
    }

    /// The columns of the table: a heading and the cell of this run.
    fn columns(&self) -> Vec<(&'static str, String)> {
        let or_none = |cell: Option<String>| cell.unwrap_or_else(|| "-".to_owned());
        let ratio = |ratio: Option<f64>| or_none(ratio.map(|ratio| format!("{ratio:.2}")));
        let [low, high] = self.quartiles_ms.map(numbers::significant);
        vec![
            ("routine", self.problem.work_name()),
            ("grid", self.problem.grid_name()),
            ("size", self.problem.size_name()),
            ("NB", self.problem.block_name()),
            ("variant", self.variant.clone()),
            ("ms", numbers::significant(self.median_ms)),
            ("quartiles", format!("{low} - {high}")),
            ("GFLOP/s", numbers::significant(self.gflops)),
            ("x raised", ratio(self.speedup_raised)),
            ("x ScaLAPACK", ratio(self.speedup)),
            ("of bound", or_none(self.of_bound.map(percent))),
            ("errors", or_none(self.errors.map(|errors| errors.to_string()))),
        ]
    }
}

impl Results {
    /// From the runs of all problems.
    pub fn new(mut runs: Vec<Run>, notes: Vec<String>) -> Self {
        runs.chunk_by_mut(|one, next| one.problem == next.problem).for_each(compare);
        Self { runs, notes }
    }

    /// Geometric means over the sizes of square problems, a row for each kind of them and grid.
    fn means(&self) -> Table {
        let mut table = Table::new(["routine", "grid", "NB", "x raised", "x ScaLAPACK", "of bound"]);
        let kind = |run: &Run| {
            [
                run.problem.work_name(),
                run.problem.grid_name(),
                run.problem.block_name(),
                run.problem.mpi.clone(),
            ]
        };
        let ours = || self.runs.iter().filter(|run| run.variant == HCUBE && run.problem.is_square());
        let mut done = Vec::new();
        for run in ours() {
            let own = kind(run);
            if done.contains(&own) {
                continue;
            }
            let same = |other: &&Run| kind(other) == own;
            let mean = |ratio: fn(&Run) -> Option<f64>| {
                let ratios: Vec<f64> = ours().filter(same).filter_map(ratio).collect();
                numbers::geometric_mean(&ratios).map_or("-".to_owned(), |mean| format!("{mean:.2}"))
            };
            let ratios = [mean(|run| run.speedup_raised), mean(|run| run.speedup), mean(|run| run.of_bound)];
            let [work, grid, blocks, _] = own.clone();
            table.row([work, grid, blocks].into_iter().chain(ratios));
            done.push(own);
        }
        table
    }

    /// The table of all runs.
    pub fn tables(&self) -> Vec<Table> {
        vec![Table::of(self.runs.iter().map(Run::columns))]
    }

    /// The table of means and the lines below.
    pub fn below(&self) -> String {
        let mut text = String::new();
        let mut sizes = self.runs.iter().filter(|run| run.problem.is_square()).map(|run| run.problem.n);
        if sizes.next().is_some_and(|first| sizes.any(|other| other != first)) {
            let _ = write!(text, "\nhcube, geometric means over the sizes N:\n{}", self.means().render());
        }
        text.push_str(
            "\nx raised: speed-up over ScaLAPACK with wider panels, the fair comparison; x ScaLAPACK: over ScaLAPACK as installed\n\
             of bound: share of the rate of all ranks' local products at the same time, without communication\n\
             errors: numbers of the result that differ from those of ScaLAPACK\n",
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

/// Fills in the ratios, among the runs of one problem.
fn compare(runs: &mut [Run]) {
    let median =
        |variant: &str, runs: &[Run]| runs.iter().find(|run| run.variant == variant).map(|run| run.median_ms);
    let [own, raised, bound] = [SCALAPACK, RAISED, BOUND].map(|variant| median(variant, runs));
    for run in runs.iter_mut().filter(|run| run.median_ms > 0.0) {
        let ratio = |other: Option<f64>| other.map(|median_ms| median_ms / run.median_ms);
        let ratios = [own, raised, bound].map(ratio);
        [run.speedup, run.speedup_raised, run.of_bound] = ratios;
    }
}

#[cfg(test)]
pub mod tests {
    use super::*;

    /// A problem on a grid.
    pub fn problem(grid: [usize; 2], operations: &str, n: usize) -> Problem {
        Problem {
            mpi: "Some MPI 1.0".to_owned(),
            ranks: grid[0] * grid[1],
            grid,
            routine: "pdgemm".to_owned(),
            operations: operations.to_owned(),
            m: n,
            n,
            k: n,
            blocks: [64; 3],
            offset: 0,
            update: false,
        }
    }

    /// All variants of a problem, with these times.
    pub fn runs(problem: &Problem, times: [f64; 4]) -> Vec<Run> {
        let operations = 2.0 * (problem.m * problem.n * problem.k) as f64;
        let run = |(variant, time): (&str, f64)| {
            Run::new(problem.clone(), variant, vec![time, 0.9 * time, 1.1 * time], operations)
        };
        [HCUBE, SCALAPACK, RAISED, BOUND].into_iter().zip(times).map(run).collect()
    }

    #[test]
    fn json_has_the_declared_form() {
        let results = Results::new(runs(&problem([2, 3], "NT", 1000), [4.0, 8.0, 6.0, 3.0]), Vec::new());
        let value = serde_json::to_value(&results).expect("valid");
        let first = &value["runs"][0];
        assert_eq!((first["variant"].as_str(), first["ranks"].as_u64()), (Some("hcube"), Some(6)));
        assert_eq!((first["routine"].as_str(), first["operations"].as_str()), (Some("pdgemm"), Some("NT")));
        assert_eq!((first["median_ms"].as_f64(), first["gflops"].as_f64()), (Some(4.0), Some(500.0)));
        assert_eq!((first["speedup"].as_f64(), first["speedup_raised"].as_f64()), (Some(2.0), Some(1.5)));
        assert_eq!(first["of_bound"].as_f64(), Some(0.75));
        let back: Results = serde_json::from_value(value).expect("what was written can be read");
        assert_eq!(back.runs, results.runs);
    }

    #[test]
    fn tables_have_ratios_and_means() {
        let mut all = runs(&problem([1, 2], "NN", 512), [1.0, 2.0, 1.5, 0.9]);
        all.extend(runs(&problem([1, 2], "NN", 1024), [1.0, 8.0, 6.0, 0.4]));
        let text = Results::new(all, vec!["a note".to_owned()]).text();
        let mean = ["pdgemm", "NN", "1x2", "64", "3.00", "4.00", "0.60"];
        assert!(text.lines().any(|line| line.split_whitespace().eq(mean)), "{text}");
        assert!(text.contains("90%") && text.contains("a note\n"), "{text}");
    }

    #[test]
    fn problems_are_named_by_what_differs() {
        let mut one = problem([2, 2], "TN", 256);
        assert_eq!(one.name(), "pdgemm TN 256, NB 64");
        (one.k, one.blocks, one.offset, one.update) = (64, [32, 48, 80], 5, true);
        assert_eq!(one.name(), "pdgemm TN update offset 5 256x256x64, NB 32:48:80");
        (one.routine, one.operations, one.offset, one.update) = ("pdgetrf".into(), String::new(), 0, false);
        assert_eq!(one.work_name(), "pdgetrf");
    }
}
