//! The picture of STREAM: rates of the kernels on the longest vectors, and of triad over the size of the
//! vectors; a pair of panels for each place where they were measured, since no line joins different machines
//! or numbers of ranks.

use super::{HCUBE, KERNELS, MEMCPY, ORDINARY, PLAIN, Run, STREAMING};
use crate::measured::{self, Place, distinct, machine};
use crate::plot::{Axis, Chart, Colour, Format, Marker, Point, Rows, Scale, Series, Sheet, Variant, looks};
use crate::runs::Pictured;

/// The variants in the order of legends.
const VARIANTS: [Variant; 5] = [
    (HCUBE, "hcube", looks::HCUBE),
    (PLAIN, "plain C", looks::STOCK),
    (STREAMING, "streaming stores", looks::OTHER_OPTIONS),
    (ORDINARY, "ordinary stores", (Colour::Green, Marker::Down)),
    (MEMCPY, "memcpy", looks::COMPETITOR),
];

/// Where something was measured.
pub fn places(runs: &[Run]) -> Vec<&Place> {
    measured::places(runs.iter().map(|run| &run.subject.place))
}

/// The runs of a place.
fn at<'a>(runs: &'a [Run], place: &Place) -> impl Iterator<Item = &'a Run> {
    runs.iter().filter(move |run| run.subject.place == *place)
}

/// The axis of rates.
fn rates() -> Axis {
    Axis::new("GB/s of a rank, higher is better", Scale::Linear, Format::Plain)
}

/// Rates of all kernels on the longest vectors, a row for each kernel and number of ranks that run it.
pub fn kernels(runs: &[Run], place: &Place, file: Option<&'static str>) -> Chart {
    let longest = at(runs, place).map(|run| run.subject.bytes).max().unwrap_or(0);
    let mut shown: Vec<&Run> = at(runs, place).filter(|run| run.subject.bytes == longest).collect();
    let order = |kernel: &str| KERNELS.iter().position(|&known| known == kernel).unwrap_or(KERNELS.len());
    shown.sort_by_key(|run| (run.subject.running, order(&run.subject.kernel)));
    let row = |run: &Run| format!("{}, {}", run.subject.kernel, run.subject.who());
    let rows = Rows::new(shown.iter().map(|run| row(run)));
    let series = Series::of_variants(&VARIANTS, |variant| {
        let own = shown.iter().filter(|run| run.variant == variant);
        own.filter_map(|run| rows.point(run.gb_s, &row(run))).collect()
    });
    let title = format!("STREAM, {}, vectors of {}", place.title(), crate::numbers::whole_bytes(longest));
    rows.chart(title, rates(), series).named(file)
}

/// The rate of triad over the size of the vectors, where all ranks run it; empty with one size.
pub fn over_sizes(runs: &[Run], place: &Place, file: Option<&'static str>) -> Chart {
    let most = at(runs, place).map(|run| run.subject.running).max().unwrap_or(0);
    let is_shown = |run: &&Run| run.subject.kernel == "triad" && run.subject.running == most;
    let shown: Vec<&Run> = at(runs, place).filter(is_shown).collect();
    let several = distinct(shown.iter().map(|run| run.subject.bytes)).len() > 1;
    let series = Series::of_variants(&VARIANTS, |variant| {
        let own = shown.iter().filter(|run| several && run.variant == variant);
        Point::in_order(own.map(|run| run.timing.rates(run.subject.bytes as f64, run.gb_s)))
    });
    let title = format!("STREAM triad, {most} ranks at once");
    Chart::new(title, Axis::bytes("size of a vector"), rates(), series).named(file)
}

impl Pictured for Run {
    fn sheet(runs: &[Self]) -> Option<Sheet> {
        let of_place = |place: &Place| [kernels(runs, place, None), over_sizes(runs, place, None)];
        let panels = places(runs).into_iter().flat_map(of_place).collect();
        Sheet::new("stream", "STREAM", machine(runs.iter().map(|run| &run.subject.place)), panels)
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::runs;
    use super::*;

    #[test]
    fn kernels_have_rows_and_sizes_a_panel() {
        let mut all = runs("triad", 2, 1 << 25, [22.0, 14.0]);
        all.extend(runs("triad", 2, 1 << 14, [80.0, 90.0]));
        all.extend(runs("copy", 1, 1 << 25, [24.0, 16.0]));
        let place = all[0].subject.place.clone();
        let chart = kernels(&all, &place, None);
        assert_eq!([1.0, 0.0].map(|row| chart.y.value(row)), ["copy, 1 rank", "triad, 2 ranks"]);
        let chart = over_sizes(&all, &place, None);
        let hcube = chart.series.last().expect("five");
        assert_eq!((hcube.points.len(), hcube.points[0].x), (2, f64::from(1 << 14)));
        let drawn = Run::sheet(&all).expect("there are results").svg();
        for words in ["Some MPI 1.0", "vectors of 32 MiB", "plain C", "triad, 2 ranks at once"] {
            assert!(drawn.contains(words), "{words} expected: {drawn}");
        }
        assert!(over_sizes(&all[..2], &place, None).is_empty() && Run::sheet(&[]).is_none());
    }

    #[test]
    fn no_line_joins_places() {
        let mut all = runs("triad", 2, 1 << 25, [22.0, 14.0]);
        let mut others = runs("triad", 2, 1 << 14, [80.0, 90.0]);
        others.iter_mut().for_each(|run| run.subject.place.mpi = "Another MPI 2.0".to_owned());
        all.extend(others);
        let panels = Run::sheet(&all).expect("there are results").panels;
        // With one size at each place there is nothing over sizes.
        assert_eq!(panels.len(), 2);
        assert!(panels.iter().flat_map(|panel| &panel.series).all(|series| series.points.len() < 2));
    }
}
