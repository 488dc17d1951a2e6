//! FFTW's transposes and transforms.

use super::evidence::Evidence::Measured;
use super::html::{Table, cell};
use super::inputs::{Inputs, Source};
use super::rates::series;
use super::section::{Section, looks};
use super::svg::{Axis, Chart, Scale, plain};
use super::sweeps::distinct;
use hcube_tool::fftw::Comparison;
use hcube_tool::numbers::{bytes, percent, significant};

/// All problems that were measured with and without hcube.
pub fn comparisons(inputs: &Inputs) -> Vec<Comparison<'_>> {
    inputs.fftw.iter().flat_map(|results| results.comparisons()).collect()
}

/// Times as fast as FFTW's own plan.
pub fn gain(comparison: &Comparison) -> f64 {
    1.0 / comparison.relative()
}

fn short(problem: &str) -> String {
    problem.replace('x', "×")
}

/// Times and memory beside FFTW's own.
pub fn transforms(inputs: &Inputs) -> Section {
    let mut section = Section::new(
        "fftw",
        "FFTW",
        "How many times as fast FFTW's transpositions and transforms are with hcube as by FFTW's own plans: \
         right of 1 hcube is faster. Transpositions alone are named by their sizes.",
    );
    let compared = comparisons(inputs);
    let ranks = distinct(compared.iter().map(|one| one.own.ranks));
    for (number, &count) in ranks.iter().enumerate() {
        let own: Vec<&Comparison> = compared.iter().filter(|one| one.own.ranks == count).collect();
        section.chart(gains_chart(&own, count, (number == 0).then_some("fftw")));
    }
    let mut table = Table::new(
        "Times, and memory beside the arrays",
        [
            ("problem", None),
            ("ranks", None),
            ("FFTW, ms", Some(Measured)),
            ("with hcube, ms", Some(Measured)),
            ("times as fast", Some(Measured)),
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
            format!("×{:.2}", gain(comparison)),
            percent(comparison.own.spread),
            percent(comparison.hcube.spread),
            extra(comparison.own.extra_bytes),
            extra(comparison.hcube.extra_bytes),
        ]);
    }
    section.table(table);
    section.lacks(compared.is_empty(), "FFTW's transposes, measured", Source::BenchFftw);
    section
}

fn gains_chart(own: &[&Comparison], ranks: usize, file: Option<&'static str>) -> Chart {
    // The first of the list is the highest on the page.
    let rows: Vec<&&Comparison> = own.iter().rev().collect();
    let of = |alone: bool, look, name: &str| {
        let chosen = rows.iter().enumerate().filter(move |(_, one)| one.own.is_transposition() == alone);
        series(name, Measured, look, chosen.map(|(row, one)| (gain(one), row as f64)))
    };
    Chart {
        title: format!("FFTW with hcube, {ranks} ranks"),
        x: Axis::new("times as fast as FFTW's own plan", Scale::Log10, plain),
        y: Axis::categories("", rows.iter().map(|one| short(&one.own.problem)).collect()),
        series: vec![
            of(true, looks::OTHER_WAY, "transposition alone"),
            of(false, looks::HCUBE, "whole transform"),
        ],
        reference: Some(1.0),
        file,
    }
}
