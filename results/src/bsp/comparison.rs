//! Predictions for all machines, libraries and programs of Krusche 2005 beside what it has published: results
//! of `hcube bsp published`, and tables of doc/bsp-model.md.

use super::prediction::ByModel;
use crate::measured::distinct;
use crate::published::bsp as published;
use crate::table::{Column, Table};
use published::Program;
use serde::Serialize;

/// A published run and its predicted efficiencies.
#[derive(Debug, Clone, Copy)]
pub struct Run {
    pub published: published::Row,
    /// Per cent, by the equations as they are corrected.
    pub corrected: ByModel,
    /// Per cent, by the equations and rates as they are printed.
    pub printed: ByModel,
    /// Whether the published efficiency may be of another size than the prediction.
    pub may_be_larger: bool,
}

/// A program on a machine with a library.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Compared {
    pub program: &'static str,
    pub machine: &'static str,
    pub library: &'static str,
    /// Rows of matrices or symbols of strings.
    pub size: usize,
    /// Published runs for which the machine has figures.
    pub runs: usize,
    /// Mean difference of efficiencies, in points.
    pub points: ByModel,
    /// The same by the equations as they are printed.
    pub printed_points: ByModel,
    /// The same by the corrected equations for the runs whose size is certain.
    pub certain_points: ByModel,
    /// Mean difference of predicted and published times by the longer of both, in per cent, with a constant
    /// gap.
    pub error_constant_percent: f64,
    /// The same with [`Program::model`].
    pub error_model_percent: f64,
    /// The mean errors that the thesis has for its own predictions of the same runs.
    pub published_constant_percent: f64,
    pub published_model_percent: f64,
}

/// All of them.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Comparison {
    pub rows: Vec<Compared>,
}

fn mean(values: impl Iterator<Item = f64>) -> f64 {
    let values: Vec<f64> = values.collect();
    values.iter().sum::<f64>() / values.len() as f64
}

/// The difference of two times by the longer one, in per cent, from the efficiencies, which are inverse to
/// the times.
fn time_error_percent(efficiency: f64, other: f64) -> f64 {
    100.0 * (1.0 - efficiency.min(other) / efficiency.max(other))
}

/// The place of a program's second model in [`ByModel::all`].
fn second_model(program: Program) -> usize {
    ByModel::NAMES.iter().position(|name| *name == program.model()).unwrap_or_default()
}

impl Compared {
    /// From the runs with an efficiency and both errors; nothing without any.
    fn new(program: Program, machine: &'static str, library: &'static str, runs: &[&Run]) -> Option<Self> {
        let complete = |run: &&&Run| run.published.efficiency_percent.is_some();
        let runs: Vec<&Run> = runs.iter().filter(complete).copied().collect();
        runs.first()?;
        let efficiency = |run: &Run| run.published.efficiency_percent.unwrap_or_default();
        let points = |of: fn(&Run) -> ByModel, runs: &[&Run]| {
            ByModel::of(
                [0, 1, 2]
                    .map(|model| mean(runs.iter().map(|run| (of(run).all()[model] - efficiency(run)).abs()))),
            )
        };
        let certain: Vec<&Run> = runs.iter().filter(|run| !run.may_be_larger).copied().collect();
        let error = |model: usize| {
            mean(runs.iter().map(|run| time_error_percent(run.corrected.all()[model], efficiency(run))))
        };
        let published =
            |of: fn(&published::Row) -> Option<f64>| mean(runs.iter().filter_map(|run| of(&run.published)));
        Some(Self {
            program: program.name(),
            machine,
            library,
            size: program.size(),
            runs: runs.len(),
            points: points(|run| run.corrected, &runs),
            printed_points: points(|run| run.printed, &runs),
            certain_points: points(|run| run.corrected, &certain),
            error_constant_percent: error(0),
            error_model_percent: error(second_model(program)),
            published_constant_percent: published(|row| row.error_constant_percent),
            published_model_percent: published(|row| row.error_model_percent),
        })
    }
}

/// The columns of tables.
const COLUMNS: [Column<Compared>; 12] = [
    ("program", |row| row.program.to_owned()),
    ("machine", |row| row.machine.to_owned()),
    ("library", |row| row.library.to_owned()),
    ("runs", |row| row.runs.to_string()),
    ("points, constant g", |row| one(row.points.constant)),
    ("g(h)", |row| one(row.points.words)),
    ("g(h,h*)", |row| one(row.points.messages)),
    ("printed", |row| one(row.printed_points.constant)),
    ("error in %, constant g", |row| one(row.error_constant_percent)),
    ("thesis", |row| one(row.published_constant_percent)),
    ("second model", |row| one(row.error_model_percent)),
    ("thesis", |row| one(row.published_model_percent)),
];

/// With one decimal.
fn one(value: f64) -> String {
    format!("{value:.1}")
}

impl Comparison {
    /// One row for each program, machine and library, in the order of tables.
    pub fn new(runs: &[Run]) -> Self {
        let key = |run: &Run| (run.published.program, run.published.machine, run.published.library);
        let groups = distinct(
            Program::ALL
                .into_iter()
                .flat_map(|program| runs.iter().map(key).filter(move |key| key.0 == program)),
        );
        let compared = |own: (Program, &'static str, &'static str)| {
            let runs: Vec<&Run> = runs.iter().filter(|run| key(run) == own).collect();
            Compared::new(own.0, own.1, own.2, &runs)
        };
        Self { rows: groups.into_iter().filter_map(compared).collect() }
    }

    /// The table and what its columns are.
    pub fn text(&self) -> String {
        let table = Table::with(&COLUMNS, &self.rows);
        format!(
            "Predictions for the machines of Krusche 2005 beside its tables D.1 to G.3\n\n{}\npoints: mean difference of \
             predicted and published efficiencies; printed: with a constant g by the equations and rates as they are printed\n\
             error: mean difference of predicted and published times by the longer of both; second model: g(h,h*) for matmul, \
             g(h) for llcs\nthesis: the mean errors that it prints for its own predictions, over all sizes\n",
            table.render()
        )
    }

    /// The table in Markdown, and the sentences below it.
    pub fn markdown(&self) -> String {
        let line = |cells: &[String]| format!("| {} |\n", cells.join(" | "));
        let headings = COLUMNS.map(|(heading, _)| heading.to_owned());
        let rows = self.rows.iter().map(|row| line(&COLUMNS.map(|(_, cell)| cell(row))));
        let rows: String = rows.collect();
        format!("{}{}|\n{rows}\n{}", line(&headings), "|---".repeat(COLUMNS.len()), self.sentences())
    }

    /// What the table shows, counted.
    fn sentences(&self) -> String {
        let of = |program: Program| self.rows.iter().filter(move |row| row.program == program.name());
        let closer = |rows: &mut dyn Iterator<Item = &Compared>| {
            let closer: Vec<bool> =
                rows.map(|row| row.points.constant < row.printed_points.constant).collect();
            format!("{} of {}", closer.iter().filter(|closer| **closer).count(), closer.len())
        };
        let products = of(Program::MatmulCustomized).chain(of(Program::MatmulStatic));
        let moved = products.map(|row| (row.certain_points.constant - row.points.constant).abs());
        format!(
            "- With a constant g, the corrected equations are closer to the published efficiencies than the printed ones in {}\n  \
             combinations for customized matrices and in {} for static ones; for the standard `llcs` on argus and aracari,\n  the \
             exchanged rates are closer in {}.\n\
             - Without the runs whose matrices may have had up to 10000 rows (§4.3: the fewest blocks for each number of\n  \
             processes), the mean differences of `matmul` change by at most {:.1} points.\n",
            closer(&mut of(Program::MatmulCustomized)),
            closer(&mut of(Program::MatmulStatic)),
            closer(&mut of(Program::LlcsStandard).filter(|row| row.machine != "skua")),
            moved.fold(0.0, f64::max),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(program: Program, library: &'static str, efficiency: Option<f64>, predicted: [f64; 3]) -> Run {
        let published = published::Row {
            program,
            machine: "skua",
            library,
            processes: 4,
            parameter: 8,
            efficiency_percent: efficiency,
            error_constant_percent: efficiency.map(|_| 10.0),
            error_model_percent: efficiency.map(|_| 20.0),
        };
        let corrected = ByModel::of(predicted);
        Run { published, corrected, printed: corrected.map(|value| value / 2.0), may_be_larger: false }
    }

    #[test]
    fn means_are_over_the_runs_that_were_published() {
        let product = Program::MatmulCustomized;
        let runs = [
            run(product, "mpi", Some(50.0), [100.0, 60.0, 40.0]),
            Run { may_be_larger: true, ..run(product, "mpi", Some(80.0), [60.0, 80.0, 80.0]) },
            run(product, "mpi", None, [1.0; 3]),
            run(Program::LlcsStandard, "pub", None, [1.0; 3]),
        ];
        let comparison = Comparison::new(&runs);
        assert_eq!(comparison.rows.len(), 1);
        let row = &comparison.rows[0];
        assert_eq!((row.runs, row.points.all(), row.certain_points.constant), (2, [35.0, 5.0, 5.0], 50.0));
        // Half of 100 is 50, half of 60 is 50 points from 80.
        assert_eq!(row.printed_points.constant, 25.0);
        // Twice as long, and 60 by 80; by the second model 40 by 50 and equal.
        assert!((row.error_constant_percent - 37.5).abs() < 1e-9, "{row:?}");
        assert!((row.error_model_percent - 10.0).abs() < 1e-9, "{row:?}");
        assert_eq!((row.published_constant_percent, row.published_model_percent), (10.0, 20.0));
        let page = comparison.markdown();
        let line =
            "| matmul-customized | skua | mpi | 2 | 35.0 | 5.0 | 5.0 | 25.0 | 37.5 | 10.0 | 10.0 | 20.0 |\n";
        assert!(page.contains(line), "{page}");
        let prose = page.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(prose.contains("0 of 1 combinations") && prose.contains("at most 15.0 points"), "{page}");
        assert!(comparison.text().contains("matmul-customized  skua"), "{}", comparison.text());
    }

    #[test]
    fn the_second_model_is_that_of_the_tables() {
        assert_eq!(Program::ALL.map(second_model), [2, 2, 1, 1]);
    }
}
