//! Longest common subsequences: rates of one process, and efficiency of all ranks beside the cost model.

use super::section::Section;
use super::sources::{BENCH, Inputs, runs};
use super::table::{Table, cell, times};
use hcube_results::llcs::{Run, figure};
use hcube_results::numbers::{percent, significant};
use hcube_results::plot::Evidence::{Measured, Predicted};

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
    let runs = runs(&inputs.llcs);
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

/// Computations of one process.
fn of_one(runs: &[Run]) -> Table {
    Table::of(
        "One process",
        runs.iter().filter(|run| !run.is_distributed()),
        &[
            ("length", None, &|run| run.subject.length.to_string()),
            ("strings", None, &|run| run.subject.strings()),
            ("variant", None, &|run| run.variant.clone()),
            ("GCUPS", Some(Measured), &|run| significant(run.gentries_s)),
            ("spread", Some(Measured), &|run| percent(run.timing.spread)),
            ("speed-up over rapidfuzz", Some(Measured), &|run| times(run.over_rapidfuzz)),
            ("speed-up over plain loop", Some(Measured), &|run| times(run.over_plain)),
        ],
    )
}

/// Computations of all ranks.
fn of_all(runs: &[Run]) -> Table {
    Table::of(
        "All ranks",
        runs.iter().filter(|run| run.is_distributed()),
        &[
            ("ranks", None, &|run| run.subject.place.ranks()),
            ("length", None, &|run| run.subject.length.to_string()),
            ("strings", None, &|run| run.subject.strings()),
            ("variant", None, &|run| run.variant.clone()),
            ("blocks", None, &|run| format!("{}×{}", run.blocks[0], run.blocks[1])),
            ("GCUPS", Some(Measured), &|run| significant(run.gentries_s)),
            ("spread", Some(Measured), &|run| percent(run.timing.spread)),
            ("speed-up", Some(Measured), &|run| times(run.speedup)),
            ("efficiency", Some(Measured), &|run| cell(run.efficiency, percent)),
            ("efficiency, cost model", Some(Predicted), &|run| {
                cell(run.predicted.as_ref(), |predicted| percent(predicted.efficiency))
            }),
        ],
    )
}
