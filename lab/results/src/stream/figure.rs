//! The picture of STREAM: rates of the kernels on the longest vectors, and of triad over the size of the vectors.

use super::{HCUBE, KERNELS, MEMCPY, ORDINARY, PLAIN, Run, STREAMING};
use crate::measured::distinct;
use crate::plot::{Axis, Chart, Colour, Evidence, Look, Marker, Point, Scale, Series, Sheet, looks, plain};

/// The variants in the order of legends, with their names and looks.
const VARIANTS: [(&str, &str, Look); 5] = [
    (HCUBE, "hcube", looks::HCUBE),
    (PLAIN, "plain C", looks::STOCK),
    (STREAMING, "streaming stores", looks::OTHER_OPTIONS),
    (ORDINARY, "ordinary stores", (Colour::Green, Marker::Down)),
    (MEMCPY, "memcpy", looks::COMPETITOR),
];

/// Series of the variants, the first one in front.
fn series(points: impl Fn(&str) -> Vec<Point>) -> Vec<Series> {
    let one = |(variant, name, look): (&str, &str, Look)| Series {
        name: name.to_owned(),
        evidence: Evidence::Measured,
        look,
        points: points(variant),
    };
    VARIANTS.into_iter().rev().map(one).collect()
}

/// Rates of all kernels on the longest vectors, a row for each kernel and number of ranks that run it.
pub fn kernels(runs: &[Run], file: Option<&'static str>) -> Chart {
    let longest = runs.iter().map(|run| run.subject.bytes).max().unwrap_or(0);
    let mut shown: Vec<&Run> = runs.iter().filter(|run| run.subject.bytes == longest).collect();
    let order = |kernel: &str| KERNELS.iter().position(|&known| known == kernel).unwrap_or(KERNELS.len());
    shown.sort_by_key(|run| (run.subject.running, order(&run.subject.kernel)));
    let row = |run: &Run| format!("{}, {}", run.subject.kernel, run.subject.who());
    let mut names = distinct(shown.iter().map(|run| row(run)));
    // The first of the list is the top row.
    names.reverse();
    let points = |variant: &str| {
        let own = shown.iter().filter(|run| run.variant == variant);
        let place = |run: &Run| names.iter().position(|name| *name == row(run));
        own.filter_map(|run| Some(Point::new(run.gb_s, place(run)? as f64))).collect()
    };
    Chart {
        title: format!("STREAM, vectors of {}", crate::numbers::whole_bytes(longest)),
        x: Axis::new("GB/s of a rank, higher is better", Scale::Linear, plain),
        series: series(points),
        y: Axis::categories("", names.clone()),
        reference: None,
        file,
    }
}

/// The rate of triad over the size of the vectors, where all ranks run it; empty with one size.
pub fn over_sizes(runs: &[Run], file: Option<&'static str>) -> Chart {
    let most = runs.iter().map(|run| run.subject.running).max().unwrap_or(0);
    let is_shown = |run: &&Run| run.subject.kernel == "triad" && run.subject.running == most;
    let shown: Vec<&Run> = runs.iter().filter(is_shown).collect();
    let several = distinct(shown.iter().map(|run| run.subject.bytes)).len() > 1;
    let points = |variant: &str| {
        let own = shown.iter().filter(|run| several && run.variant == variant);
        let rate = |run: &Run| {
            let amount = run.gb_s * run.timing.median_us;
            run.timing.point(run.subject.bytes as f64, |us| amount / us)
        };
        let mut points: Vec<Point> = own.map(|run| rate(run)).collect();
        points.sort_by(|a, b| a.x.total_cmp(&b.x));
        points
    };
    Chart {
        title: format!("STREAM triad, {most} ranks at once"),
        x: Axis::new("size of a vector", Scale::Log2, |bytes| crate::numbers::whole_bytes(bytes as usize)),
        y: Axis::new("GB/s of a rank, higher is better", Scale::Linear, plain),
        series: series(points),
        reference: None,
        file,
    }
}

/// The picture; `None` without results.
pub fn sheet(runs: &[Run]) -> Option<Sheet> {
    let title = format!("STREAM: {}", runs.first()?.subject.place.mpi);
    let mut panels = vec![kernels(runs, None), over_sizes(runs, None)];
    panels.retain(|panel| !panel.is_empty());
    Some(Sheet { title, panels })
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
        let chart = kernels(&all, None);
        assert_eq!([1.0, 0.0].map(|row| chart.y.value(row)), ["copy, 1 rank", "triad, 2 ranks"]);
        let chart = over_sizes(&all, None);
        let hcube = chart.series.last().expect("five");
        assert_eq!((hcube.points.len(), hcube.points[0].x), (2, f64::from(1 << 14)));
        let drawn = sheet(&all).expect("there are results").svg();
        for words in ["Some MPI 1.0", "vectors of 32 MiB", "plain C", "triad, 2 ranks at once"] {
            assert!(drawn.contains(words), "{words} expected: {drawn}");
        }
        assert!(over_sizes(&all[..2], None).is_empty() && sheet(&[]).is_none());
    }
}
