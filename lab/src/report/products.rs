//! Distributed matrix multiplication.

use super::section::Section;
use super::sources::{BENCH, Inputs, runs};
use super::table::{Table, cell, times};
use hcube_results::gemm::HCUBE;
use hcube_results::gemm::figure::{Ratio, others, over_sizes};
use hcube_results::numbers::{percent, significant};
use hcube_results::plot::Evidence::Measured;

/// hcube's speed-ups over ScaLAPACK with wider panels, and over ScaLAPACK as installed.
pub fn speed_ups(inputs: &Inputs) -> [Vec<f64>; 2] {
    let of = |ratio: Ratio| {
        runs(&inputs.gemm).iter().filter(|run| run.variant == HCUBE).filter_map(move |run| ratio.of(run))
    };
    [of(Ratio::Raised).collect(), of(Ratio::Scalapack).collect()]
}

/// Ratios to ScaLAPACK and to the local products.
pub fn products(inputs: &Inputs) -> Section {
    let mut section = Section::new(
        "gemm",
        "Distributed matrix multiplication",
        "Speed-up of hcube's p?gemm_ over ScaLAPACK with wider panels, which is the fair comparison, and over ScaLAPACK \
         as installed: above or right of 1 hcube is faster. The local bound is the rate of all ranks' local products at the same time, without \
         communication. pdgetrf is ScaLAPACK's LU factorisation with the products of each.",
    );
    let runs = runs(&inputs.gemm);
    let (files, other_files) = (
        ["gemm", "gemm-installed", "gemm-bound"],
        ["gemm-others", "gemm-others-installed", "gemm-others-bound"],
    );
    for (ratio, file) in Ratio::ALL.into_iter().zip(files) {
        section.chart(over_sizes(runs, ratio, Some(file)));
    }
    for (ratio, file) in Ratio::ALL.into_iter().zip(other_files) {
        section.chart(others(runs, ratio, Some(file)));
    }
    let ours = || runs.iter().filter(|run| run.variant == HCUBE);
    section.table(Table::of(
        "Times of hcube, and ratios",
        ours(),
        &[
            ("routine", None, &|run| run.problem.work_name()),
            ("grid", None, &|run| run.problem.grid_name().replace('x', "×")),
            ("size", None, &|run| run.problem.size_name().replace('x', "×")),
            ("NB", None, &|run| run.problem.block_name()),
            ("ms", Some(Measured), &|run| significant(run.median_ms)),
            ("GFLOP/s", Some(Measured), &|run| significant(run.gflops)),
            ("spread", Some(Measured), &|run| percent(run.spread)),
            ("speed-up over wider panels", Some(Measured), &|run| times(run.speedup_raised)),
            ("speed-up over ScaLAPACK", Some(Measured), &|run| times(run.speedup)),
            ("of local bound", Some(Measured), &|run| cell(run.of_bound, percent)),
        ],
    ));
    section.lacks(ours().next().is_none(), "distributed matrix multiplication, measured", BENCH);
    section
}
