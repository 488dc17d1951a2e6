//! The picture of Fourier transforms: rates over the length of the vector, a panel for each number of ranks.

use super::{FFTW_ESTIMATE, FFTW_MEASURE, Run, SIX_STEP, length_name};
use crate::measured::{Place, distinct};
use crate::plot::{Axis, Chart, Evidence, Look, Point, Scale, Series, Sheet, looks, plain};

/// Algorithms in the order of legends, with their names and looks; others follow.
const ALGORITHMS: [(&str, &str, Look); 3] = [
    (SIX_STEP, "hcube, six steps", looks::HCUBE),
    (FFTW_ESTIMATE, "FFTW, estimate", looks::COMPETITOR),
    (FFTW_MEASURE, "FFTW, measure", looks::STOCK),
];

/// Where something was measured.
pub fn places(runs: &[Run]) -> Vec<&Place> {
    let mut all = distinct(runs.iter().map(|run| &run.place));
    all.sort_by_key(|place| (place.ranks, place.ranks_per_node));
    all
}

fn length(value: f64) -> String {
    length_name(value as usize)
}

/// Name and look of an algorithm.
fn named(algorithm: &str) -> (String, Look) {
    let known = ALGORITHMS.iter().find(|(name, _, _)| *name == algorithm);
    known.map_or((format!("hcube, {algorithm}"), looks::OTHER_OPTIONS), |&(_, name, look)| {
        (name.to_owned(), look)
    })
}

/// Rates over lengths at one place.
pub fn rates(runs: &[Run], place: &Place, file: Option<&'static str>) -> Chart {
    let own: Vec<&Run> = runs.iter().filter(|run| run.place == *place).collect();
    let mut kinds = distinct(own.iter().map(|run| (run.algorithm.as_str(), run.out_of_place)));
    kinds.sort_by_key(|&(algorithm, out)| {
        (ALGORITHMS.iter().rev().position(|known| known.0 == algorithm), algorithm, !out)
    });
    let series = kinds.into_iter().map(|(algorithm, out_of_place)| {
        let of = own.iter().filter(|run| run.algorithm == algorithm && run.out_of_place == out_of_place);
        let rate = |run: &Run| {
            let per_us = run.gflop_s * run.timing.median_us;
            run.timing.point(run.length as f64, |us| per_us / us)
        };
        let mut points: Vec<Point> = of.map(|run| rate(run)).collect();
        points.sort_by(|a, b| a.x.total_cmp(&b.x));
        let (name, look) = named(algorithm);
        let name = if out_of_place { format!("{name}, out of place") } else { name };
        Series { name, evidence: Evidence::Measured, look, points }
    });
    Chart {
        title: format!("Fourier transform, {}", place.title()),
        x: Axis::new("complex numbers", Scale::Log2, length),
        y: Axis::new("GFLOP/s, higher is better", Scale::Linear, plain),
        series: series.collect(),
        reference: None,
        file,
    }
}

/// The picture; `None` without results.
pub fn sheet(runs: &[Run]) -> Option<Sheet> {
    let panels: Vec<Chart> = places(runs).into_iter().map(|place| rates(runs, place, None)).collect();
    let title = format!("Fourier transforms: {}", runs.first()?.place.mpi);
    Some(Sheet { title, panels })
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
        let drawn = sheet(&all).expect("there are results").svg();
        for words in ["Some MPI 1.0", "4 ranks", "FFTW, measure", "2^22"] {
            assert!(drawn.contains(words), "{words} expected: {drawn}");
        }
        assert!(sheet(&[]).is_none());
    }

    #[test]
    fn further_algorithms_and_places_have_names() {
        let mut all = runs(2, 1 << 20, [10.0, 30.0, 20.0]);
        all[0].algorithm = "binary-exchange".to_owned();
        all[1].out_of_place = true;
        let place = all[0].place.clone();
        let names: Vec<String> = rates(&all, &place, None).series.into_iter().map(|one| one.name).collect();
        assert!(names.contains(&"hcube, binary-exchange".to_owned()), "{names:?}");
        assert!(names.contains(&"FFTW, estimate, out of place".to_owned()), "{names:?}");
    }
}
