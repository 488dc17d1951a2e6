//! FFTW's transposes and transforms.

use super::section::Section;
use super::shared::distinct;
use super::sources::{BENCH, Inputs};
use super::table::{Table, cell, times};
use hcube_results::fftw::Comparison;
use hcube_results::fftw::plot::{gains, short};
use hcube_results::numbers::{bytes, percent, significant};
use hcube_results::plot::Evidence::Measured;

/// All problems with and without hcube.
pub fn comparisons(inputs: &Inputs) -> Vec<Comparison<'_>> {
    inputs.fftw.iter().flat_map(|results| results.comparisons()).collect()
}

/// Times and memory, and the times and memory of FFTW's own plans.
pub fn transforms(inputs: &Inputs) -> Section {
    let mut section = Section::new(
        "fftw",
        "FFTW",
        "Speed-up of FFTW's transpositions and transforms with hcube over FFTW's own plans: \
         right of 1 hcube is faster. Names without c2c or r2c are transpositions.",
    );
    let compared = comparisons(inputs);
    let ranks = distinct(compared.iter().map(|one| one.own.ranks));
    for (number, &count) in ranks.iter().enumerate() {
        let own: Vec<Comparison> = compared.iter().filter(|one| one.own.ranks == count).copied().collect();
        section.chart(gains(&own, count, (number == 0).then_some("fftw")));
    }
    let extra = |extra: Option<u64>| cell(extra, |count| bytes(count as f64));
    section.table(Table::of(
        "Times, and memory beside the arrays",
        &compared,
        &[
            ("problem", None, &|one| short(&one.own.problem)),
            ("ranks", None, &|one| one.own.ranks.to_string()),
            ("FFTW, ms", Some(Measured), &|one| significant(one.own.median_ms)),
            ("with hcube, ms", Some(Measured), &|one| significant(one.hcube.median_ms)),
            ("speed-up", Some(Measured), &|one| times(Some(one.gain()))),
            ("spread FFTW", Some(Measured), &|one| percent(one.own.spread)),
            ("spread hcube", Some(Measured), &|one| percent(one.hcube.spread)),
            ("extra FFTW", Some(Measured), &|one| extra(one.own.extra_bytes)),
            ("extra hcube", Some(Measured), &|one| extra(one.hcube.extra_bytes)),
        ],
    ));
    section.lacks(compared.is_empty(), "FFTW's transposes, measured", BENCH);
    section
}
