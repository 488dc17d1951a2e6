//! The picture of Fortran programs with coarrays: speed-ups over OpenCoarrays and over MPI, a row for each
//! operation; times of contiguous transfers over their size.

use super::{HCUBE, OPENCOARRAYS, Run, SWEPT, Subject, counterpart, subjects};
use crate::measured::{Place, distinct, machine};
use crate::plot::{
    Axis, Chart, Colour, Format, Look, Marker, Point, Rows, Scale, Series, Sheet, Variant, looks,
};
use crate::runs::Pictured;

/// The libraries in the order of legends.
const VARIANTS: [Variant; 2] = [(HCUBE, "hcube", looks::HCUBE), (OPENCOARRAYS, "OpenCoarrays", looks::STOCK)];

/// Colours and markers of the numbers of images, which are not libraries.
const IMAGES: [Look; 4] =
    [looks::OTHER_OPTIONS, looks::COMPETITOR, (Colour::Green, Marker::Down), (Colour::Ink, Marker::Circle)];

/// The places of coarrays, in ascending order.
pub fn places(runs: &[Run]) -> Vec<&Place> {
    distinct(subjects(runs).into_iter().map(|subject| &subject.place))
}

fn images(place: &Place) -> String {
    place.title().replace("rank", "image")
}

/// Values of hcube where there are some, a row for each operation and a series for each number of images.
fn rows(
    runs: &[Run],
    value: impl Fn(&Run) -> Option<f64>,
    title: &str,
    x: &str,
    reference: Option<f64>,
    file: Option<&'static str>,
) -> Chart {
    let shown: Vec<(&Run, f64)> = runs
        .iter()
        .filter(|run| run.variant == HCUBE)
        .filter_map(|run| Some((run, value(run).filter(|&value| value > 0.0)?)))
        .collect();
    let is_shown = |subject: &&Subject| shown.iter().any(|(run, _)| run.subject == **subject);
    let rows = Rows::new(subjects(runs).into_iter().filter(is_shown).map(Subject::name));
    let series = places(runs).into_iter().enumerate().map(|(number, place)| {
        let own = shown.iter().filter(|(run, _)| run.subject.place == *place);
        let points = own.filter_map(|(run, value)| rows.point(*value, &run.subject.name()));
        Series::measured(images(place), IMAGES[number % IMAGES.len()], points)
    });
    let mut series: Vec<Series> = series.filter(|series| !series.points.is_empty()).collect();
    // The first in the legend is the last of the list.
    series.reverse();
    let chart = rows.chart(title, Axis::new(x, Scale::Log10, Format::Plain), series).named(file);
    Chart { reference, ..chart }
}

/// The runs in which every image has a core of its own, and the others.
fn by_cores(runs: &[Run]) -> [Vec<Run>; 2] {
    let (own, shared) = runs.iter().cloned().partition(|run| run.subject.place.has_cores());
    [own, shared]
}

/// Speed-ups over OpenCoarrays, except for transfers over sizes; without it, times.
pub fn statements(runs: &[Run], file: Option<&'static str>) -> Chart {
    let is_swept = |run: &Run| SWEPT.contains(&run.subject.operation.as_str());
    if runs.iter().any(|run| run.over_opencoarrays.is_some()) {
        let x = "speed-up over OpenCoarrays, higher is better";
        let speedup = |run: &Run| run.over_opencoarrays.filter(|_| !is_swept(run));
        return rows(runs, speedup, "Operations, over OpenCoarrays", x, Some(1.0), file);
    }
    let is_other = |run: &Run| is_swept(run) || counterpart(&run.subject.operation).is_some();
    let time = |run: &Run| (!is_other(run)).then_some(run.timing.median_us);
    rows(runs, time, "Operations of coarrays", "µs, lower is better", None, file)
}

/// Speed-ups of programs over the same programs with MPI.
pub fn programs(runs: &[Run], file: Option<&'static str>) -> Chart {
    let x = "speed-up over MPI, higher is better";
    rows(runs, |run| run.over_mpi, "Programs with coarrays against MPI", x, Some(1.0), file)
}

/// Time of a contiguous transfer over its size.
pub fn over_sizes(runs: &[Run], place: &Place, operation: &str, file: Option<&'static str>) -> Chart {
    let is_shown = |run: &&Run| run.subject.operation == operation && run.subject.place == *place;
    let mut series = Series::of_variants(&VARIANTS, |variant| {
        let own = runs.iter().filter(is_shown).filter(|run| run.variant == variant);
        Point::in_order(own.map(|run| run.timing.point(run.subject.bytes as f64, |us| us)))
    });
    series.retain(|series| !series.points.is_empty());
    let y = Axis::new("µs, lower is better", Scale::Log10, Format::Plain);
    let title = format!("Contiguous {operation}, {}", images(place));
    Chart::new(title, Axis::bytes("size"), y, series).named(file)
}

impl Pictured for Run {
    fn sheet(runs: &[Self]) -> Option<Sheet> {
        let mut panels = Vec::new();
        // Images that share cores wait for the scheduler with both libraries: they stand behind the others.
        for (runs, note) in by_cores(runs).iter().zip(["", ", more images than cores"]) {
            for mut panel in [statements(runs, None), programs(runs, None)] {
                panel.title += note;
                panels.push(panel);
            }
            for place in places(runs) {
                panels.extend(SWEPT.map(|operation| over_sizes(runs, place, operation, None)));
            }
        }
        let machine = machine(runs.iter().map(|run| &run.subject.place));
        Sheet::new("gfortran", "Fortran programs with coarrays", machine, panels)
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::runs;
    use super::super::{MPI, Results};
    use super::*;

    fn measured() -> Vec<Run> {
        let mut all = Vec::new();
        for images in [4, 2] {
            all.extend(runs(images, "put", 64, [0.5, 4.0, 0.0]));
            all.extend(runs(images, "put", 8, [0.5, 2.0, 0.0]));
            all.extend(runs(images, "co_sum", 64, [0.5, 4.0, 0.0]));
            all.extend(runs(images, "co_sum", 8, [0.5, 2.0, 0.0]));
            all.extend(runs(images, "sync-all", 0, [0.5, 3.0, 0.0]));
            all.extend(runs(images, "jacobi", 4096, [4.0, 40.0, 3.0]));
        }
        Results::new(all, Vec::new()).runs
    }

    #[test]
    fn operations_have_rows_and_images_have_series() {
        let chart = statements(&measured(), None);
        let rows = [3.0, 2.0, 1.0, 0.0].map(|row| chart.y.value(row));
        assert_eq!(rows, ["sync-all", "co_sum 8 B", "co_sum 64 B", "jacobi"]);
        let two = chart.series.last().expect("two");
        let points: Vec<(f64, f64)> = two.points.iter().map(|point| (point.x, point.y)).collect();
        assert_eq!(
            (two.name.as_str(), &points[..]),
            ("2 images", &[(8.0, 1.0), (4.0, 2.0), (6.0, 3.0), (10.0, 0.0)][..])
        );
        let chart = programs(&measured(), None);
        assert_eq!((chart.series.len(), chart.series[0].points[0].x), (2, 0.75));
    }

    #[test]
    fn without_opencoarrays_there_are_times() {
        let mut all = measured();
        all.retain(|run| run.variant == HCUBE);
        all.iter_mut().for_each(|run| run.over_opencoarrays = None);
        let chart = statements(&all, None);
        assert_eq!(chart.series.last().map(|series| series.points[0].x), Some(0.5));
        assert_eq!((chart.reference, chart.series[0].points.len()), (None, 3));
    }

    #[test]
    fn images_with_cores_of_their_own_stand_first() {
        let mut all = measured();
        all.iter_mut().for_each(|run| run.subject.place.cores = 2);
        let drawn = Run::sheet(&all).expect("there are results").svg();
        let place = |words: &str| drawn.find(words).unwrap_or_else(|| panic!("{words}: {drawn}"));
        let shared = place("Operations, over OpenCoarrays, more images than cores");
        assert!(
            place("Contiguous put, 2 images") < shared && shared < place("Contiguous put, 4 images"),
            "{drawn}"
        );
        let [own, others] = by_cores(&all);
        let charts = [statements(&own, None), statements(&others, None)];
        let names = charts
            .each_ref()
            .map(|chart| chart.series.iter().map(|one| one.name.as_str()).collect::<Vec<_>>());
        assert_eq!(names, [["2 images"], ["4 images"]]);
    }

    #[test]
    fn the_picture_has_panels_for_sizes() {
        let all = measured();
        let chart = over_sizes(&all, places(&all)[1], "put", None);
        let hcube = chart.series.last().expect("two");
        assert_eq!((hcube.name.as_str(), hcube.points[0].x, hcube.points[1].y), ("hcube", 8.0, 0.5));
        let drawn = Run::sheet(&all).expect("there are results").svg();
        for words in ["Some MPI 1.0", "Contiguous put, 2 images", "OpenCoarrays, measured"] {
            assert!(drawn.contains(words), "{words} expected: {drawn}");
        }
        assert!(!drawn.contains("Contiguous get") && Run::sheet(&[]).is_none());
        assert!(all.iter().any(|run| run.variant == MPI));
    }
}
