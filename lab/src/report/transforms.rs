//! FFTW's transposes and transforms.

use super::section::Section;
use super::shared::distinct;
use super::sources::{BENCH, Inputs};
use super::table::{Table, cell};
use hcube_results::fftw::Comparison;
use hcube_results::fftw::plot::{gains, short};
use hcube_results::numbers::{bytes, percent, significant};
use hcube_results::plot::Evidence::Measured;

/// All problems with and without hcube.
pub fn comparisons(inputs: &Inputs) -> Vec<Comparison<'_>> {
    inputs.fftw.iter().flat_map(|results| results.comparisons()).collect()
}

/// Times and memory, and those of FFTW's own plans.
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
    let mut table = Table::new(
        "Times, and memory beside the arrays",
        [
            ("problem", None),
            ("ranks", None),
            ("FFTW, ms", Some(Measured)),
            ("with hcube, ms", Some(Measured)),
            ("speed-up", Some(Measured)),
            ("spread FFTW", Some(Measured)),
            ("spread hcube", Some(Measured)),
            ("extra FFTW", Some(Measured)),
            ("extra hcube", Some(Measured)),
        ],
    );
    for comparison in &compared {
        let extra = |extra: Option<u64>| cell(extra, |count| bytes(count as f64));
        table.row([
            short(&comparison.own.problem),
            comparison.own.ranks.to_string(),
            significant(comparison.own.median_ms),
            significant(comparison.hcube.median_ms),
            format!("×{:.2}", comparison.gain()),
            percent(comparison.own.spread),
            percent(comparison.hcube.spread),
            extra(comparison.own.extra_bytes),
            extra(comparison.hcube.extra_bytes),
        ]);
    }
    section.table(table);
    section.lacks(compared.is_empty(), "FFTW's transposes, measured", BENCH);
    section
}
