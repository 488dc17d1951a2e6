//! Longest common subsequences: rates of one process, and efficiency of all ranks beside the cost model.

use super::section::Section;
use super::sources::{BENCH, Inputs};
use super::table::{Table, cell};
use hcube_results::llcs::{self, Run, figure};
use hcube_results::numbers::{percent, significant};
use hcube_results::plot::Evidence::{Measured, Predicted};

/// The runs.
pub fn runs(inputs: &Inputs) -> &[Run] {
    inputs.llcs.as_ref().map_or(&[], |results: &llcs::Results| &results.runs)
}

/// Rates, efficiency, and both tables.
pub fn subsequences(inputs: &Inputs) -> Section {
    let mut section = Section::new(
        "llcs",
        "Longest common subsequences",
        "The length of a longest common subsequence of two random strings. One process: entries of the matrix in a second, by \
         hcube, its kernels, a plain loop over every entry, and the crate rapidfuzz. All ranks: the speed-up over one process \
         as a share of the number of ranks, on the grid of blocks that hcube selects and on square grids with alpha block \
         columns per rank, beside the prediction of the cost model.",
    );
    let runs = runs(inputs);
    for (number, subject) in figure::kinds(runs, false).into_iter().enumerate() {
        section.chart(figure::rates(runs, subject, (number == 0).then_some("llcs")));
    }
    for (number, subject) in figure::kinds(runs, true).into_iter().enumerate() {
        let file = |name| (number == 0).then_some(name);
        section.chart(figure::efficiency(runs, subject, false, file("llcs-ranks")));
        section.chart(figure::efficiency(runs, subject, true, file("llcs-barriers")));
    }
    for (number, subject) in figure::on_ranks(runs).into_iter().enumerate() {
        section.chart(figure::over_ranks(runs, subject, (number == 0).then_some("llcs-speed-up")));
    }
    section.table(of_one(runs));
    section.table(of_all(runs));
    section.lacks(runs.is_empty(), "longest common subsequences, measured", BENCH);
    section
}

fn times(ratio: Option<f64>) -> String {
    cell(ratio, |ratio| format!("×{ratio:.2}"))
}

/// Computations of one process.
fn of_one(runs: &[Run]) -> Table {
    let mut table = Table::new(
        "One process",
        [
            ("length", None),
            ("strings", None),
            ("variant", None),
            ("10^9 entries/s", Some(Measured)),
            ("spread", Some(Measured)),
            ("over rapidfuzz", Some(Measured)),
            ("over plain loop", Some(Measured)),
        ],
    );
    for run in runs.iter().filter(|run| !run.is_distributed()) {
        table.row([
            run.subject.length.to_string(),
            run.subject.strings(),
            run.variant.clone(),
            significant(run.gentries_s),
            percent(run.timing.spread),
            times(run.over_rapidfuzz),
            times(run.over_plain),
        ]);
    }
    table
}

/// Computations of all ranks.
fn of_all(runs: &[Run]) -> Table {
    let mut table = Table::new(
        "All ranks",
        [
            ("ranks", None),
            ("length", None),
            ("strings", None),
            ("variant", None),
            ("blocks", None),
            ("10^9 entries/s", Some(Measured)),
            ("spread", Some(Measured)),
            ("speed-up", Some(Measured)),
            ("efficiency", Some(Measured)),
            ("efficiency, cost model", Some(Predicted)),
        ],
    );
    for run in runs.iter().filter(|run| run.is_distributed()) {
        table.row([
            run.subject.place.ranks(),
            run.subject.length.to_string(),
            run.subject.strings(),
            run.variant.clone(),
            format!("{}×{}", run.blocks[0], run.blocks[1]),
            significant(run.gentries_s),
            percent(run.timing.spread),
            times(run.speedup),
            cell(run.efficiency, percent),
            cell(run.predicted.as_ref(), |predicted| percent(predicted.efficiency)),
        ]);
    }
    table
}
