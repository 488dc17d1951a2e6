//! Results of `hcube bench gemm`.

pub mod figure;

use crate::measured::{Place, Timing, distinct};
use crate::numbers::{self, percent, significant};
use crate::runs::{self, Row, SpeedUp};
use crate::table::{Column, Table, cell, ratio};
use crate::usage::Usage;
use serde::{Deserialize, Serialize};
use std::fmt::Write;

/// The names of what is measured, in `--variants` and in results.
pub const HCUBE: &str = "hcube";
pub const SCALAPACK: &str = "scalapack";
pub const RAISED: &str = "scalapack-raised";
pub const BOUND: &str = "local-bound";

pub type Results = runs::Results<Run>;

/// What is computed, and on which ranks.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Problem {
    #[serde(flatten)]
    pub place: Place,
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

/// One variant of a problem. Times are of the slowest rank.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Run {
    #[serde(flatten)]
    pub problem: Problem,
    /// Threads of the BLAS in each rank; nothing where it does not tell.
    pub threads: Option<usize>,
    /// The file of ScaLAPACK.
    #[serde(default)]
    pub scalapack: String,
    /// The name in `--variants`.
    pub variant: String,
    /// Width of ScaLAPACK's panels, where it was raised.
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
    /// What a call uses besides time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
    /// 10^9 floating-point operations per second of all ranks together.
    pub gflops: f64,
    /// Numbers, and pivots, that differ from the results of ScaLAPACK; nothing where not verified.
    pub errors: Option<u64>,
    /// ScaLAPACK's median by this one.
    pub speedup: Option<f64>,
    /// The median of ScaLAPACK with its panels raised by this one.
    pub speedup_raised: Option<f64>,
    /// The median of the local products by this one.
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
            variant: variant.to_owned(),
            median_ms,
            quartiles_ms: numbers::quartiles(&measured_ms),
            spread: numbers::spread(&measured_ms),
            measured_ms,
            gflops: if median_ms > 0.0 { 1e-6 * operations / median_ms } else { 0.0 },
            ..Self::default()
        }
    }
}

impl Run {
    fn quartiles(&self) -> String {
        let [low, high] = self.quartiles_ms.map(significant);
        format!("{low} - {high}")
    }
}

/// Geometric means over the sizes of square problems, a row for each kind of them and grid.
fn means(runs: &[Run]) -> Table {
    let kind = |run: &Run| {
        let problem = &run.problem;
        [problem.work_name(), problem.grid_name(), problem.block_name(), problem.place.mpi.clone()]
    };
    let ours = || runs.iter().filter(|run| run.variant == HCUBE && run.problem.is_square());
    let mut table = Table::new([
        "routine",
        "grid",
        "NB",
        Run::SPEED_UPS[0].heading,
        Run::SPEED_UPS[1].heading,
        "of bound",
    ]);
    for own in distinct(ours().map(kind)) {
        let mean = |ratio_of: fn(&Run) -> Option<f64>| {
            let ratios: Vec<f64> = ours().filter(|run| kind(run) == own).filter_map(ratio_of).collect();
            ratio(numbers::geometric_mean(&ratios))
        };
        let means = [mean(|run| run.speedup_raised), mean(|run| run.speedup), mean(|run| run.of_bound)];
        let [work, grid, blocks, _] = own.clone();
        table.row([work, grid, blocks].into_iter().chain(means));
    }
    table
}

impl Row for Run {
    type Subject = Problem;
    const COLUMNS: &'static [Column<Self>] = &[
        ("routine", |run| run.problem.work_name()),
        ("grid", |run| run.problem.grid_name()),
        ("size", |run| run.problem.size_name()),
        ("NB", |run| run.problem.block_name()),
        ("variant", |run| run.variant.clone()),
        ("ms", |run| significant(run.median_ms)),
        ("quartiles", |run| run.quartiles()),
        ("GFLOP/s", |run| significant(run.gflops)),
        ("spread", |run| percent(run.spread)),
        ("of bound", |run| cell(run.of_bound.map(percent))),
        ("errors", |run| cell(run.errors)),
    ];
    const SPEED_UPS: &'static [SpeedUp<Self>] = &[
        SpeedUp { heading: "speed-up\nover raised", value: |run| run.speedup_raised, over: &[RAISED] },
        SpeedUp { heading: "speed-up\nover ScaLAPACK", value: |run| run.speedup, over: &[SCALAPACK] },
    ];

    fn measured(&self) -> (&Problem, &str, f64) {
        (&self.problem, &self.variant, self.median_ms)
    }

    fn timing(&self) -> Timing {
        Timing {
            median_us: 1e3 * self.median_ms,
            spread: self.spread,
            measured_us: self.measured_ms.iter().map(|ms| 1e3 * ms).collect(),
            usage: self.usage,
        }
    }

    fn subject_name(&self) -> String {
        format!("{}, {}", self.problem.name(), self.problem.grid_name())
    }

    fn errors(&self) -> Option<u64> {
        self.errors
    }

    fn compare(runs: &mut [Self]) {
        runs::compare(runs, |run, median| {
            let over = |variant: &str| median(variant).map(|other| other / run.median_ms);
            [run.speedup, run.speedup_raised, run.of_bound] = [SCALAPACK, RAISED, BOUND].map(over);
        });
    }

    fn legend(runs: &[Self]) -> String {
        let mut sizes = runs.iter().filter(|run| run.problem.is_square()).map(|run| run.problem.n);
        let several = sizes.next().is_some_and(|first| sizes.any(|other| other != first));
        let means =
            several.then(|| format!("\nhcube, geometric means over the sizes N:\n{}", means(runs).render()));
        means.unwrap_or_default()
            + "\nspeed-up over raised: over ScaLAPACK with wider panels, the fair comparison; over ScaLAPACK: as installed\n\
               of bound: share of the rate of all ranks' local products at the same time, without communication\n\
               errors: numbers of the result that differ from ScaLAPACK's\n"
    }
}

#[cfg(test)]
pub mod tests {
    use super::*;
    use crate::measured::tests::place;
    use crate::runs::Report;
    use crate::runs::tests::{assert_json, assert_lines};

    /// A problem on a grid.
    pub fn problem(grid: [usize; 2], operations: &str, n: usize) -> Problem {
        Problem {
            place: place(grid[0] * grid[1]),
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
        let expected = [
            ("/0/variant", "hcube".into()),
            ("/0/ranks", 6.into()),
            ("/0/routine", "pdgemm".into()),
            ("/0/operations", "NT".into()),
            ("/0/median_ms", 4.0.into()),
            ("/0/gflops", 500.0.into()),
            ("/0/speedup", 2.0.into()),
            ("/0/speedup_raised", 1.5.into()),
            ("/0/of_bound", 0.75.into()),
        ];
        assert_json(&results, &expected);
    }

    #[test]
    fn tables_have_ratios_and_means() {
        let mut all = runs(&problem([1, 2], "NN", 512), [1.0, 2.0, 1.5, 0.9]);
        all.extend(runs(&problem([1, 2], "NN", 1024), [1.0, 8.0, 6.0, 0.4]));
        assert!(Results::new(all.clone(), Vec::new()).text().contains("90%"));
        assert_lines(all, &["pdgemm NN 1x2 64 3.00 4.00 0.60"]);
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
