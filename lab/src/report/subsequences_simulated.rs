//! Longest common subsequences on simulated machines, beside the predictions of the cost model.

use super::section::Section;
use super::shared::{distinct, machine_title};
use super::simulated::{points, rows, table};
use super::sources::{Inputs, SIMULATE};
use crate::simulate::lcs::{LAYOUT, Subsequence, Variant};
use hcube_results::plot::Evidence::{Predicted, Simulated};
use hcube_results::plot::{Axis, Chart, Format, Scale, Series, looks};

/// Efficiencies over the length and over alpha.
pub fn subsequences(inputs: &Inputs) -> Section {
    let mut section = Section::new(
        "lcs-machines",
        "Longest common subsequences on large machines",
        "Parallel efficiency for two random strings of equal length with 4 symbols, on models of machines: the time of all \
         entries of the matrix, divided by the total time of all ranks. The simulated and the predicted computation have the same \
         grid of blocks. The grids of Krusche 2005 have alpha block columns per rank and as many block rows as block \
         columns; with barriers each block of a rank on a diagonal is a superstep.",
    );
    let all = rows(inputs, |all| &all.lcs);
    section.chart(by_length(inputs, &all));
    section.chart(by_alpha(inputs, &all));
    let caption = "Times and efficiencies of longest common subsequences";
    section.table(table(inputs, caption, &LAYOUT, &all, 0));
    section.lacks(all.is_empty(), "longest common subsequences on large machines, simulated", SIMULATE);
    section
}

/// A simulated line, and the predicted line with the same colour and marker.
fn pair(number: usize, name: &str, rows: &[&Subsequence], x: fn(&Subsequence) -> f64) -> [Series; 2] {
    let points = |y: fn(&Subsequence) -> f64| points(rows.iter().copied(), |row| (x(row), 100.0 * y(row)));
    let look = looks::numbered(number);
    [
        Series::new(format!("{name}, cost model"), Predicted, look, points(|row| row.predicted_efficiency)),
        Series::new(name, Simulated, look, points(|row| row.efficiency)),
    ]
}

fn chart(title: String, x: Axis, series: Vec<Series>, file: &'static str) -> Chart {
    let y = Axis::new("efficiency in %, higher is better", Scale::Linear, Format::Plain);
    Chart::new(title, x, y, series).named(Some(file))
}

/// On the chosen grids.
fn by_length(inputs: &Inputs, all: &[&Subsequence]) -> Chart {
    let chosen: Vec<&Subsequence> =
        all.iter().copied().filter(|row| row.variant == Variant::Chosen).collect();
    let settings = distinct(chosen.iter().map(|row| (row.site.machine.as_str(), row.site.ranks)));
    let lines = settings.iter().enumerate().flat_map(|(number, &(machine, ranks))| {
        let is_own = |row: &&Subsequence| (row.site.machine.as_str(), row.site.ranks) == (machine, ranks);
        let own: Vec<_> = chosen.iter().copied().filter(is_own).collect();
        let name = format!("{ranks} ranks, {}", machine_title(inputs, machine));
        pair(number, &name, &own, |row| row.length as f64)
    });
    chart(
        "Longest common subsequence, chosen grid".to_owned(),
        Axis::new("symbols of each string", Scale::Log10, Format::PowersOfTen),
        lines.collect(),
        "lcs-simulated",
    )
}

/// On the grids of the thesis, for the longest strings that have several, on the fewest ranks.
fn by_alpha(inputs: &Inputs, all: &[&Subsequence]) -> Chart {
    let grids = || all.iter().copied().filter(|row| row.variant != Variant::Chosen);
    let several = || grids().filter(|row| row.alpha > 1);
    let length = several().map(|row| row.length).max().unwrap_or(0);
    let ranks = several().filter(|row| row.length == length).map(|row| row.site.ranks).min().unwrap_or(0);
    let shown: Vec<_> = grids().filter(|row| (row.length, row.site.ranks) == (length, ranks)).collect();
    let settings = distinct(shown.iter().map(|row| (row.site.machine.as_str(), row.variant)));
    let lines = settings.iter().enumerate().flat_map(|(number, &(machine, by))| {
        let is_own = |row: &&Subsequence| (row.site.machine.as_str(), row.variant) == (machine, by);
        let own: Vec<_> = shown.iter().copied().filter(is_own).collect();
        let name = format!("{}, {}", by.in_words(), machine_title(inputs, machine));
        pair(number, &name, &own, |row| row.alpha as f64)
    });
    chart(
        format!("Longest common subsequence of {length} symbols on {ranks} ranks"),
        Axis::new("block columns of a rank (alpha)", Scale::Linear, Format::Plain),
        lines.collect(),
        "lcs-alpha-simulated",
    )
}
