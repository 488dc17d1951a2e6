//! The picture of coarrays: times of short operations, times of puts and gets over their size, rates of
//! spawned functions.

use super::{BARRIER, DRAWN, FINISH, HCUBE, MPI, OPENSHMEM, Run, SPAWN, places};
use crate::measured::{Place, distinct, machine};
use crate::plot::{Axis, Chart, Format, Point, Rows, Scale, Series, Sheet, Variant, looks};
use crate::runs::Pictured;

/// The variants in the order of legends. Points of memcpy would lie below the points of hcube.
const VARIANTS: [Variant; 3] =
    [(HCUBE, "hcube", looks::HCUBE), (MPI, "MPI", looks::STOCK), (OPENSHMEM, "OpenSHMEM", looks::COMPETITOR)];

/// Rows of the chart of times, from the top; others follow.
const ROWS: [&str; 8] =
    ["fetch-add", "compare-swap", "put-strided", "event", "lock", BARRIER, FINISH, "copy-async"];

/// The axis of times.
fn times_axis() -> Axis {
    Axis::new("µs, lower is better", Scale::Log10, Format::Plain)
}

/// Times of all operations but puts, gets and spawned functions, a row for each and its ranks.
pub fn times(runs: &[Run], file: Option<&'static str>) -> Chart {
    let is_shown = |run: &&Run| {
        let operation = run.subject.operation.as_str();
        !DRAWN.contains(&operation) && operation != SPAWN
    };
    let mut shown: Vec<&Run> = runs.iter().filter(is_shown).collect();
    let order = |run: &Run| {
        let row = ROWS.iter().position(|&name| name == run.subject.operation).unwrap_or(ROWS.len());
        (row, run.subject.operation.clone(), run.subject.bytes)
    };
    shown.sort_by_key(|run| (run.subject.place.ranks, run.subject.place.ranks_per_node, order(run)));
    let row = |run: &Run| format!("{}, {}", run.subject.name(), run.subject.place.ranks());
    let rows = Rows::new(shown.iter().map(|run| row(run)));
    let series = Series::of_variants(&VARIANTS, |variant| {
        let own = shown.iter().filter(|run| run.variant == variant);
        own.filter_map(|run| rows.point(run.timing.median_us, &row(run))).collect()
    });
    rows.chart("Coarrays: time by operation and ranks", times_axis(), series).named(file)
}

/// Time of a put or a get over its size.
pub fn over_sizes(runs: &[Run], place: &Place, operation: &str, file: Option<&'static str>) -> Chart {
    let is_shown = |run: &&Run| run.subject.operation == operation && run.subject.place == *place;
    let series = Series::of_variants(&VARIANTS, |variant| {
        let own = runs.iter().filter(is_shown).filter(|run| run.variant == variant);
        Point::in_order(own.map(|run| run.timing.point(run.subject.bytes as f64, |us| us)))
    });
    let nodes = match place.ranks_per_node {
        0 => String::new(),
        count => format!(", {count} per node"),
    };
    let title = format!("Coarrays: {operation}, {} ranks{nodes}", place.ranks);
    Chart::new(title, Axis::bytes("size"), times_axis(), series).named(file)
}

/// Rate of functions that are shipped to change a word each, and of atomic operations that change it from
/// afar.
pub fn spawned(runs: &[Run], file: Option<&'static str>) -> Chart {
    let mut shown: Vec<&Run> = runs.iter().filter(|run| run.subject.operation == SPAWN).collect();
    shown.sort_by_key(|run| (run.subject.place.ranks, run.subject.place.ranks_per_node));
    let names = distinct(shown.iter().map(|run| run.subject.place.ranks()));
    let series = Series::of_variants(&VARIANTS, |variant| {
        let own = shown.iter().filter(|run| run.variant == variant);
        let points = own.filter_map(|run| {
            let place = names.iter().position(|name| *name == run.subject.place.ranks())?;
            Some(run.timing.point(place as f64, |us| run.subject.place.ranks as f64 / us))
        });
        points.collect()
    });
    let y = Axis::new("10⁶ per second of all ranks, higher is better", Scale::Log10, Format::Plain);
    Chart::new("Coarrays: exclusive-or on random words", Axis::categories("ranks", names), y, series)
        .named(file)
}

impl Pictured for Run {
    fn sheet(runs: &[Self]) -> Option<Sheet> {
        let mut panels = vec![times(runs, None), spawned(runs, None)];
        for place in places(runs) {
            panels.extend(DRAWN.map(|operation| over_sizes(runs, place, operation, None)));
        }
        let machine = machine(runs.iter().map(|run| &run.subject.place));
        Sheet::new("coarrays", "Coarrays", machine, panels)
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::runs;
    use super::*;
    use crate::measured::tests::place;

    fn measured() -> Vec<Run> {
        let mut all = Vec::new();
        for ranks in [2, 4] {
            all.extend(runs(ranks, "put", 64, [1.0, 4.0, 2.0, 0.0]));
            all.extend(runs(ranks, "put", 8, [0.5, 3.0, 1.0, 0.0]));
            all.extend(runs(ranks, "broadcast", 8, [0.5, 3.0, 0.0, 0.0]));
            all.extend(runs(ranks, "fetch-add", 8, [0.5, 3.0, 1.0, 0.0]));
            all.extend(runs(ranks, SPAWN, 8, [0.1, 2.0, 0.2, 0.0]));
        }
        all
    }

    #[test]
    fn sizes_are_in_order_with_their_ranges() {
        let chart = over_sizes(&measured(), &place(4), "put", None);
        let hcube = chart.series.last().expect("three");
        let places: Vec<(f64, f64)> = hcube.points.iter().map(|point| (point.x, point.y)).collect();
        assert_eq!((hcube.name.as_str(), &places[..]), ("hcube", &[(8.0, 0.5), (64.0, 1.0)][..]));
        assert_eq!(hcube.points[1].range, Some((0.9, 1.1)));
        assert!(over_sizes(&measured(), &Place { ranks_per_node: 1, ..place(4) }, "put", None).is_empty());
    }

    #[test]
    fn times_have_rows_and_spawned_functions_rates() {
        let chart = times(&measured(), None);
        let rows = [3.0, 2.0, 1.0, 0.0].map(|row| chart.y.value(row));
        assert_eq!(rows, ["fetch-add, 2", "broadcast 8 B, 2", "fetch-add, 4", "broadcast 8 B, 4"]);
        let chart = spawned(&measured(), None);
        let hcube = chart.series.last().expect("three");
        assert_eq!((hcube.points[1].x, hcube.points[1].y), (1.0, 40.0));
        assert_eq!(hcube.points[1].range.map(|(low, high)| low < 40.0 && high > 40.0), Some(true));
    }

    #[test]
    fn the_picture_has_a_panel_for_each_place() {
        let drawn = Run::sheet(&measured()).expect("there are results").svg();
        for words in
            ["Some MPI 1.0", "Coarrays: put, 2 ranks", "Coarrays: put, 4 ranks", "OpenSHMEM, measured"]
        {
            assert!(drawn.contains(words), "{words} expected: {drawn}");
        }
        assert!(Run::sheet(&[]).is_none());
    }
}
