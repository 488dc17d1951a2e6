//! The picture of distributed matrix multiplication: ratios over the sizes of square products, and a row for
//! each other problem.

use super::{HCUBE, Problem, Run, block_name};
use crate::measured::{distinct, machine};
use crate::plot::{Axis, Chart, Format, Point, Rows, Scale, Series, Sheet, looks};
use crate::runs::Pictured;

/// What is drawn of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ratio {
    /// To ScaLAPACK with wider panels: the fair comparison.
    Raised,
    /// To ScaLAPACK as installed.
    Scalapack,
    /// To the local products.
    Bound,
}

impl Ratio {
    pub const ALL: [Self; 3] = [Self::Raised, Self::Scalapack, Self::Bound];

    /// Of a run.
    pub fn of(self, run: &Run) -> Option<f64> {
        match self {
            Self::Scalapack => run.speedup,
            Self::Raised => run.speedup_raised,
            Self::Bound => run.of_bound,
        }
    }

    /// On an axis.
    fn axis(self) -> Axis {
        match self {
            Self::Scalapack | Self::Raised => {
                Axis::new("speed-up, higher is better", Scale::Log10, Format::Plain)
            }
            Self::Bound => {
                Axis::new("share of the local bound, higher is better", Scale::Linear, Format::Plain)
            }
        }
    }

    /// What is compared.
    fn title(self) -> &'static str {
        match self {
            Self::Scalapack => "hcube over ScaLAPACK as installed",
            Self::Raised => "hcube over ScaLAPACK with wider panels",
            Self::Bound => "hcube, of the rate of local products",
        }
    }
}

/// The first word of the name of an MPI library, or two: Open MPI, MPICH.
fn short(mpi: &str) -> &str {
    if mpi.starts_with("Open MPI") { "Open MPI" } else { mpi.split(' ').next().unwrap_or(mpi) }
}

/// Whether a problem belongs to the square products, of which all have the same blocks.
fn is_square(problem: &Problem, blocks: [usize; 3]) -> bool {
    problem.work_name() == "pdgemm NN" && problem.is_square() && problem.blocks == blocks
}

/// The name of a row: what is not usual. Small screens have no room for more.
fn row_name(problem: &Problem, usual: [usize; 3]) -> String {
    let work = problem.work_name();
    let mut name = format!("{} {}", work.strip_prefix("pdgemm ").unwrap_or(&work), problem.size_name());
    if problem.blocks != usual {
        name += &format!(", NB {}", problem.block_name());
    }
    name.replace('x', "×")
}

/// hcube's runs of the square products, and of the others; and the block sizes of the square ones.
fn divided(runs: &[Run]) -> ([Vec<&Run>; 2], [usize; 3]) {
    let ours = || runs.iter().filter(|run| run.variant == HCUBE);
    let of = |blocks| ours().filter(move |run| is_square(&run.problem, blocks));
    let blocks = distinct(ours().map(|run| run.problem.blocks));
    // The first of those with most runs.
    let usual = blocks.into_iter().rev().max_by_key(|&blocks| of(blocks).count()).unwrap_or_default();
    let mut square: Vec<&Run> = of(usual).collect();
    square.sort_by_key(|run| run.problem.n);
    let sizes = distinct(square.iter().map(|run| run.problem.n));
    // One size makes no line.
    let square = if sizes.len() > 1 { square } else { Vec::new() };
    let others = ours().filter(|run| !square.contains(run)).collect();
    ([square, others], usual)
}

/// A series: grid and MPI library.
fn keys(runs: &[Run]) -> Vec<([usize; 2], &str)> {
    distinct(runs.iter().map(|run| (run.problem.grid, run.problem.place.mpi.as_str())))
}

/// A series for each grid, with the points of its runs.
fn series<'a>(all: &'a [Run], own: &[&'a Run], point: impl Fn(&'a Run) -> Option<Point>) -> Vec<Series> {
    let keys = keys(all);
    let several = distinct(keys.iter().map(|key| short(key.1))).len() > 1;
    let series = |(number, key): (usize, &([usize; 2], &str))| {
        let ([rows, columns], mpi) = *key;
        let library = if several { format!(", {}", short(mpi)) } else { String::new() };
        let of_key = own.iter().filter(|run| (run.problem.grid, run.problem.place.mpi.as_str()) == *key);
        let name = format!("{rows}×{columns} ranks{library}");
        Series::measured(name, looks::numbered(number), of_key.filter_map(|run| point(run)))
    };
    // The first in the legend is the last of the list.
    keys.iter().enumerate().rev().map(series).collect()
}

/// A ratio of the square products over their sizes.
pub fn over_sizes(runs: &[Run], ratio: Ratio, file: Option<&'static str>) -> Chart {
    let ([square, _], usual) = divided(runs);
    let series = series(runs, &square, |run| Some(Point::new(run.problem.n as f64, ratio.of(run)?)));
    let title = format!("{}: N×N×N, NB {}", ratio.title(), block_name(usual));
    Chart::new(title, Axis::new("N", Scale::Log2, Format::Plain), ratio.axis(), series)
        .beside(1.0)
        .named(file)
}

/// A ratio of all other problems, a row for each.
pub fn others(runs: &[Run], ratio: Ratio, file: Option<&'static str>) -> Chart {
    let ([_, others], usual) = divided(runs);
    let compared = others.iter().filter(|run| ratio.of(run).is_some());
    let rows = Rows::new(compared.map(|run| row_name(&run.problem, usual)));
    let series = series(runs, &others, |run| rows.point(ratio.of(run)?, &row_name(&run.problem, usual)));
    let title = format!("{}: others, NB {}", ratio.title(), block_name(usual));
    rows.chart(title, ratio.axis(), series).beside(1.0).named(file)
}

impl Pictured for Run {
    const UNDRAWN: &'static str = "hcube was not measured beside any other variant: there is nothing to draw";

    fn sheet(runs: &[Self]) -> Option<Sheet> {
        let mut panels: Vec<Chart> = Ratio::ALL.iter().map(|&ratio| over_sizes(runs, ratio, None)).collect();
        panels.extend(Ratio::ALL.map(|ratio| others(runs, ratio, None)));
        let machine = machine(runs.iter().map(|run| &run.problem.place));
        Sheet::new("gemm", "Distributed matrix multiplication", machine, panels)
    }
}

#[cfg(test)]
mod tests {
    use super::super::Results;
    use super::super::tests::{problem, runs};
    use super::*;

    fn measured() -> Vec<Run> {
        let mut all = Vec::new();
        for grid in [[1, 2], [2, 2]] {
            for n in [1024, 512] {
                all.extend(runs(&problem(grid, "NN", n), [1.0, 2.0, 1.25, 0.8]));
            }
            all.extend(runs(&problem(grid, "TN", 1024), [1.0, 3.0, 2.0, 0.7]));
        }
        Results::new(all, Vec::new()).runs
    }

    #[test]
    fn square_products_have_lines_and_others_rows() {
        let measured = measured();
        let chart = over_sizes(&measured, Ratio::Raised, None);
        let names: Vec<&str> = chart.series.iter().map(|series| series.name.as_str()).collect();
        assert_eq!(names, ["2×2 ranks", "1×2 ranks"]);
        assert_eq!(chart.series[1].points, [Point::new(512.0, 1.25), Point::new(1024.0, 1.25)]);
        let chart = others(&measured, Ratio::Bound, None);
        assert_eq!(chart.y.value(0.0), "TN 1024");
        assert_eq!(chart.series[1].points, [Point::new(0.7, 0.0)]);
        let drawn = Run::sheet(&measured).expect("there are results").svg();
        // The fair comparison stands first.
        let place = |title: &str| drawn.find(title).unwrap_or_else(|| panic!("{title}: {drawn}"));
        assert!(place("hcube over ScaLAPACK with wider panels") < place("hcube over ScaLAPACK as installed"));
        for words in ["Some MPI 1.0", "2×2 ranks, measured: 1024, 2", "3, TN 1024"] {
            assert!(drawn.contains(words), "{words} expected: {drawn}");
        }
    }

    #[test]
    fn what_cannot_be_compared_is_not_drawn() {
        assert!(Run::sheet(&[]).is_none());
        let alone: Vec<Run> = measured()
            .into_iter()
            .filter(|run| run.variant == HCUBE)
            .map(|run| Run { speedup: None, speedup_raised: None, of_bound: None, ..run })
            .collect();
        assert!(Run::sheet(&alone).is_none());
        // One size is a row.
        let one = Results::new(runs(&problem([1, 1], "NN", 64), [1.0; 4]), Vec::new()).runs;
        assert!(over_sizes(&one, Ratio::Scalapack, None).is_empty());
        assert!(!others(&one, Ratio::Scalapack, None).is_empty());
    }
}
