//! The picture of broadcasts of panels: time of a panel over its size, a panel for each number of ranks and
//! amount of work.

use super::{BCAST, HCUBE, IBCAST, PIPELINED, Run};
use crate::measured::{Place, distinct, machine};
use crate::plot::{Axis, Chart, Format, Point, Scale, Series, Sheet, Variant, looks};
use crate::runs::Pictured;

/// The variants in the order of legends.
const VARIANTS: [Variant; 4] = [
    (HCUBE, "hcube, in node memory", looks::HCUBE),
    (BCAST, "MPI_Bcast", looks::STOCK),
    (IBCAST, "MPI_Ibcast", looks::COMPETITOR),
    (PIPELINED, "hcube, pipelined", looks::OTHER_OPTIONS),
];

/// Ranks and microseconds of work, in ascending order.
pub fn settings(runs: &[Run]) -> Vec<(&Place, u32)> {
    let mut all = distinct(runs.iter().map(|run| (&run.subject.place, run.subject.work_us)));
    all.sort_by_key(|(place, work)| (place.ranks, place.ranks_per_node, *work));
    all
}

/// Time of a panel over its size.
pub fn times(runs: &[Run], (place, work_us): (&Place, u32), file: Option<&'static str>) -> Chart {
    let own = |run: &&Run| run.subject.place == *place && run.subject.work_us == work_us;
    let series = Series::of_variants(&VARIANTS, |variant| {
        let own = runs.iter().filter(own).filter(|run| run.variant == variant);
        Point::in_order(own.map(|run| run.timing.point(run.subject.bytes as f64, |us| us)))
    });
    let work = if work_us == 0 { String::new() } else { format!(", {work_us} µs of work") };
    let y = Axis::new("µs per panel, lower is better", Scale::Log10, Format::Plain);
    let title = format!("Panels, {}{work}", place.title());
    Chart::new(title, Axis::bytes("size of a panel"), y, series).named(file)
}

impl Pictured for Run {
    fn sheet(runs: &[Self]) -> Option<Sheet> {
        let panels = settings(runs).into_iter().map(|setting| times(runs, setting, None)).collect();
        Sheet::new(
            "panels",
            "Broadcasts of panels",
            machine(runs.iter().map(|run| &run.subject.place)),
            panels,
        )
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::runs;
    use super::*;

    #[test]
    fn sizes_are_in_order_and_settings_have_panels() {
        let mut all = runs(2, 1 << 20, 0, [100.0, 200.0, 300.0, 150.0]);
        all.extend(runs(2, 1 << 16, 0, [10.0, 20.0, 30.0, 15.0]));
        all.extend(runs(2, 1 << 16, 500, [510.0, 520.0, 530.0, 515.0]));
        assert_eq!(settings(&all).iter().map(|(_, work)| *work).collect::<Vec<_>>(), [0, 500]);
        let chart = times(&all, settings(&all)[0], None);
        let hcube = chart.series.last().expect("four");
        assert_eq!((hcube.points.len(), hcube.points[0].x), (2, f64::from(1 << 16)));
        let drawn = Run::sheet(&all).expect("there are results").svg();
        for words in ["Some MPI 1.0", "Panels, 2 ranks, 500 µs of work", "MPI_Ibcast", "64 KiB"] {
            assert!(drawn.contains(words), "{words} expected: {drawn}");
        }
        assert!(Run::sheet(&[]).is_none());
    }
}
