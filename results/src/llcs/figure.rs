//! The pictures of longest common subsequences, as in chapter 5 of Krusche's thesis: rates of one process
//! over the length (figures 5.8 and 5.14); efficiency over the length, measured and predicted (5.9 to 5.11,
//! 5.13 and 5.15); speed-up over the number of ranks (5.12 and 5.16).

use super::{ALPHA, BARRIERS, GRID, HCUBE, PLAIN, PLANES, RAPIDFUZZ, Run, STANDARD, Subject, WORDS};
use crate::measured::{distinct, machine};
use crate::plot::{
    Axis, Chart, Colour, Evidence, Format, Look, Marker, Point, Scale, Series, Sheet, Variant, looks,
};
use crate::runs::Pictured;

/// The variants of one process in the order of legends.
const VARIANTS: [Variant; 6] = [
    (HCUBE, "hcube", looks::HCUBE),
    (RAPIDFUZZ, "rapidfuzz", looks::STOCK),
    (PLANES, "hcube, kernel planes", looks::OTHER_OPTIONS),
    (WORDS, "hcube, kernel words", (Colour::Green, Marker::Down)),
    (STANDARD, "hcube, kernel standard", looks::COMPETITOR),
    (PLAIN, "plain loop", (Colour::Ink, Marker::Diamond)),
];

/// Lengths of the chart over ranks, at most.
const MAX_LENGTHS: usize = 4;

/// Strings of one kind, of any length, on a number of ranks.
fn kind(subject: &Subject) -> (usize, usize, usize, u32, &str) {
    let place = &subject.place;
    (place.ranks, place.ranks_per_node, subject.symbols, subject.common, &place.mpi)
}

/// A subject of each kind, those with computations of all ranks or those without.
pub fn kinds(runs: &[Run], distributed: bool) -> Vec<&Subject> {
    let is_distributed =
        |subject: &Subject| runs.iter().any(|run| run.is_distributed() && run.subject.place == subject.place);
    let mut all: Vec<&Subject> = Vec::new();
    for subject in runs.iter().map(|run| &run.subject) {
        if is_distributed(subject) == distributed && all.iter().all(|other| kind(other) != kind(subject)) {
            all.push(subject);
        }
    }
    all.sort_by_key(|subject| kind(subject));
    all
}

/// The axis of lengths.
fn lengths() -> Axis {
    Axis::new("symbols of each string", Scale::Log10, Format::PowersOfTen)
}

/// Rates of one process over the length.
pub fn rates(runs: &[Run], subject: &Subject, file: Option<&'static str>) -> Chart {
    let series = Series::of_variants(&VARIANTS, |variant| {
        let own = runs.iter().filter(|run| run.variant == variant && kind(&run.subject) == kind(subject));
        Point::in_order(own.map(|run| run.timing.rates(run.subject.length as f64, run.gentries_s)))
    });
    let y = Axis::new("GCUPS, higher is better", Scale::Log10, Format::Plain);
    Chart::new(format!("LLCS, 1 process, {}", subject.strings()), lengths(), y, series).named(file)
}

/// Measured and predicted efficiency of a variant with one alpha; the selected grid may have any.
fn efficiencies(runs: &[&Run], name: &str, look: Look) -> [Series; 2] {
    let at = |run: &Run| run.subject.length as f64;
    let measured = runs.iter().filter_map(|run| Some(run.timing.rates(at(run), run.efficiency?)));
    let predicted =
        runs.iter().filter_map(|run| Some(Point::new(at(run), run.predicted.as_ref()?.efficiency)));
    let measured = Series::measured(name, look, Point::in_order(measured));
    let (name, points) = (format!("{name}, cost model"), Point::in_order(predicted));
    [Series { name, evidence: Evidence::Predicted, look, points }, measured]
}

/// Efficiency of all ranks over the length: the selected grid beside square ones, or square ones with
/// barriers.
pub fn efficiency(runs: &[Run], subject: &Subject, barriers: bool, file: Option<&'static str>) -> Chart {
    let own = |variant: &str, alpha: Option<usize>| -> Vec<&Run> {
        let is_own = |run: &&Run| run.variant == variant && kind(&run.subject) == kind(subject);
        runs.iter().filter(is_own).filter(|run| alpha.is_none_or(|alpha| run.alpha == alpha)).collect()
    };
    let square = if barriers { BARRIERS } else { ALPHA };
    let mut alphas = distinct(own(square, None).iter().map(|run| run.alpha));
    alphas.sort_unstable();
    let mut series = Vec::new();
    for alpha in alphas.into_iter().rev() {
        // Blue is the selected grid.
        let look = looks::numbered(alpha);
        series.extend(efficiencies(&own(square, Some(alpha)), &format!("alpha = {alpha}"), look));
    }
    if !barriers {
        series.extend(efficiencies(&own(GRID, None), "selected grid", looks::HCUBE));
    }
    let how = if barriers { "with barriers" } else { "without barriers" };
    let title = format!("LLCS, {}, {}, {how}", subject.place.title(), subject.strings());
    let y = Axis::new("efficiency, higher is better", Scale::Linear, Format::Plain);
    Chart::new(title, lengths(), y, series).beside(1.0).named(file)
}

/// Strings of one kind on any number of ranks.
fn strings(subject: &Subject) -> (&str, usize, u32) {
    (&subject.place.mpi, subject.symbols, subject.common)
}

/// A subject of each kind of strings with computations of all ranks.
pub fn on_ranks(runs: &[Run]) -> Vec<&Subject> {
    let mut all: Vec<&Subject> = Vec::new();
    for subject in kinds(runs, true) {
        if all.iter().all(|other| strings(other) != strings(subject)) {
            all.push(subject);
        }
    }
    all
}

/// Speed-up over the number of ranks, on the selected grid, for the longest strings; empty with one number of
/// ranks.
pub fn over_ranks(runs: &[Run], subject: &Subject, file: Option<&'static str>) -> Chart {
    let same = |run: &&Run| run.variant == GRID && strings(&run.subject) == strings(subject);
    let shown: Vec<&Run> = runs.iter().filter(same).collect();
    let several = distinct(shown.iter().map(|run| run.running)).len() > 1;
    let mut lengths = distinct(shown.iter().filter(|_| several).map(|run| run.subject.length));
    lengths.sort_unstable_by(|a, b| b.cmp(a));
    lengths.truncate(MAX_LENGTHS);
    let series = lengths.iter().enumerate().rev().map(|(number, &one)| {
        let own = shown.iter().filter(|run| run.subject.length == one);
        let points = own.filter_map(|run| Some(run.timing.rates(run.running as f64, run.speedup?)));
        let name = format!("{} symbols", Format::PowersOfTen.text(one as f64));
        Series::measured(name, looks::numbered(number), Point::in_order(points))
    });
    let x = Axis::new("ranks", Scale::Log2, Format::Plain);
    let y = Axis::new("speed-up over one process", Scale::Linear, Format::Plain);
    let title = format!("LLCS, selected grid, {}", subject.strings());
    Chart::new(title, x, y, series.collect()).named(file)
}

impl Pictured for Run {
    fn sheet(runs: &[Self]) -> Option<Sheet> {
        let machine = machine(runs.iter().map(|run| &run.subject.place));
        let mut panels: Vec<Chart> =
            kinds(runs, false).into_iter().map(|subject| rates(runs, subject, None)).collect();
        for subject in kinds(runs, true) {
            panels.extend([false, true].map(|barriers| efficiency(runs, subject, barriers, None)));
        }
        panels.extend(on_ranks(runs).into_iter().map(|subject| over_ranks(runs, subject, None)));
        Sheet::new("llcs", "Longest common subsequences", machine, panels)
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{of_all, of_one};
    use super::super::{Results, Run};
    use super::*;

    fn with_ratios(runs: Vec<Run>) -> Vec<Run> {
        Results::new(runs, Vec::new()).runs
    }

    #[test]
    fn rates_are_those_of_jobs_of_one_process() {
        let mut all = of_one(100_000, [100.0, 30.0, 8.0, 1.0]);
        all.extend(of_one(1000, [30.0, 20.0, 7.0, 1.0]));
        all.extend(of_all(2, 1000, [30.0, 50.0, 40.0]));
        let all = with_ratios(all);
        let alone = kinds(&all, false);
        assert_eq!(alone.len(), 1);
        let chart = rates(&all, alone[0], None);
        assert_eq!(chart.title, "LLCS, 1 process, 4 symbols");
        let hcube = chart.series.last().expect("six");
        assert_eq!((hcube.points.len(), hcube.points[0].x), (2, 1000.0));
        assert!(hcube.points[0].range.is_some_and(|(low, high)| low < 30.0 && high > 30.0));
        let drawn = Run::sheet(&all).expect("there are results").svg();
        for words in ["Some MPI 1.0", "rapidfuzz", "2 ranks, 4 symbols, without barriers", "alpha = 1"] {
            assert!(drawn.contains(words), "{words} expected: {drawn}");
        }
        assert!(Run::sheet(&[]).is_none());
    }

    #[test]
    fn efficiencies_are_measured_and_predicted() {
        let all = with_ratios(of_all(2, 1000, [30.0, 45.0, 30.0]));
        let chart = efficiency(&all, kinds(&all, true)[0], false, None);
        let found: Vec<(&str, f64)> =
            chart.series.iter().map(|series| (series.name.as_str(), series.points[0].y)).collect();
        let expected = [
            ("alpha = 1, cost model", 0.8),
            ("alpha = 1", 0.5),
            ("selected grid, cost model", 0.8),
            ("selected grid", 0.75),
        ];
        assert!(found.iter().zip(expected).all(|(a, b)| a.0 == b.0 && (a.1 - b.1).abs() < 1e-9), "{found:?}");
        assert!(efficiency(&all, kinds(&all, true)[0], true, None).is_empty());
    }

    #[test]
    fn speedups_need_several_numbers_of_ranks() {
        let mut all = of_all(2, 1000, [30.0, 45.0, 30.0]);
        assert!(over_ranks(&with_ratios(all.clone()), &all[0].subject, None).is_empty());
        all.extend(of_all(4, 1000, [30.0, 60.0, 30.0]));
        let all = with_ratios(all);
        let chart = over_ranks(&all, &all[0].subject, None);
        let points: Vec<(f64, f64)> = chart.series[0].points.iter().map(|point| (point.x, point.y)).collect();
        assert_eq!(points, [(2.0, 1.5), (4.0, 2.0)]);
        assert_eq!(
            [1e4, 1e6, 20_000.0, 1000.0].map(|value| Format::PowersOfTen.text(value)),
            ["10^4", "10^6", "20000", "1000"]
        );
    }
}
