//! The picture of Fourier transforms: rates over the length of the vector, a panel for each number of ranks.

use super::{FFTW_ESTIMATE, FFTW_MEASURE, Run, SIX_STEP};
use crate::measured::{self, Place, distinct, machine};
use crate::plot::{Axis, Chart, Format, Look, Point, Scale, Series, Sheet, Variant, looks};
use crate::runs::Pictured;

/// Algorithms in the order of legends; others follow.
const ALGORITHMS: [Variant; 3] = [
    (SIX_STEP, "hcube, six steps", looks::HCUBE),
    (FFTW_ESTIMATE, "FFTW, estimate", looks::COMPETITOR),
    (FFTW_MEASURE, "FFTW, measure", looks::STOCK),
];

/// Where something was measured.
pub fn places(runs: &[Run]) -> Vec<&Place> {
    measured::places(runs.iter().map(|run| &run.subject.place))
}

/// Name, colour and marker of an algorithm.
fn named(algorithm: &str) -> (String, Look) {
    let known = ALGORITHMS.iter().find(|(name, _, _)| *name == algorithm);
    known.map_or((format!("hcube, {algorithm}"), looks::OTHER_OPTIONS), |&(_, name, look)| {
        (name.to_owned(), look)
    })
}

/// Rates over lengths at one place.
pub fn rates(runs: &[Run], place: &Place, file: Option<&'static str>) -> Chart {
    let own: Vec<&Run> = runs.iter().filter(|run| run.subject.place == *place).collect();
    let kind = |run: &&Run| (run.algorithm.clone(), run.subject.out_of_place);
    let mut kinds = distinct(own.iter().map(kind));
    kinds.sort_by_key(|(algorithm, out)| {
        let known = ALGORITHMS.iter().rev().position(|known| known.0 == algorithm);
        (known, algorithm.clone(), !out)
    });
    let series = kinds.into_iter().map(|own_kind| {
        let of = own.iter().filter(|run| kind(run) == own_kind);
        let points = of.map(|run| run.timing.rates(run.subject.length as f64, run.gflop_s));
        let (name, look) = named(&own_kind.0);
        let place = if own_kind.1 { ", out of place" } else { "" };
        Series::measured(name + place, look, Point::in_order(points))
    });
    let x = Axis::new("complex numbers", Scale::Log2, Format::PowersOfTwo);
    let y = Axis::new("GFLOP/s, higher is better", Scale::Linear, Format::Plain);
    Chart::new(format!("Fourier transform, {}", place.title()), x, y, series.collect()).named(file)
}

impl Pictured for Run {
    fn sheet(runs: &[Self]) -> Option<Sheet> {
        let panels = places(runs).into_iter().map(|place| rates(runs, place, None)).collect();
        Sheet::new("fft", "Fourier transforms", machine(runs.iter().map(|run| &run.subject.place)), panels)
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::runs;
    use super::*;

    #[test]
    fn lengths_are_in_order_with_their_ranges() {
        let mut all = runs(2, 1 << 22, [40.0, 90.0, 80.0]);
        all.extend(runs(2, 1 << 20, [10.0, 30.0, 20.0]));
        all.extend(runs(4, 1 << 20, [10.0, 30.0, 20.0]));
        let place = places(&all)[0].clone();
        let chart = rates(&all, &place, None);
        assert_eq!((chart.title.as_str(), chart.series.len()), ("Fourier transform, 2 ranks", 3));
        let hcube = chart.series.last().expect("three");
        assert_eq!((hcube.name.as_str(), hcube.points[0].x), ("hcube, six steps", f64::from(1 << 20)));
        assert!(
            hcube.points[0]
                .range
                .is_some_and(|(low, high)| low < hcube.points[0].y && hcube.points[0].y < high)
        );
        let drawn = Run::sheet(&all).expect("there are results").svg();
        for words in ["Some MPI 1.0", "4 ranks", "FFTW, measure", "2^22"] {
            assert!(drawn.contains(words), "{words} expected: {drawn}");
        }
        assert!(Run::sheet(&[]).is_none());
    }

    #[test]
    fn further_algorithms_and_places_have_names() {
        let mut all = runs(2, 1 << 20, [10.0, 30.0, 20.0]);
        all[0].algorithm = "binary-exchange".to_owned();
        all[1].subject.out_of_place = true;
        let place = all[0].subject.place.clone();
        let names: Vec<String> = rates(&all, &place, None).series.into_iter().map(|one| one.name).collect();
        assert!(names.contains(&"hcube, binary-exchange".to_owned()), "{names:?}");
        assert!(names.contains(&"FFTW, estimate, out of place".to_owned()), "{names:?}");
    }
}
