//! The picture of the kinds besides the blocking exchange: a panel for each, with times in rows.

use super::{COMPUTATION, GENERAL, HCUBE, LIBRARY, NEIGHBOURS, NONBLOCKING, Run};
use crate::numbers;
use crate::plot::{Axis, Chart, Format, Rows, Scale, Series, Variant, looks};

/// The variants in the order of legends.
const VARIANTS: [Variant; 3] = [
    (HCUBE, "hcube", looks::HCUBE),
    (LIBRARY, "MPI library", looks::STOCK),
    (COMPUTATION, "only the computation", looks::OTHER_OPTIONS),
];

/// Kinds with the titles of their panels.
const KINDS: [(&str, &str); 3] = [
    (GENERAL, "General exchange in place"),
    (NEIGHBOURS, "Exchange between neighbours"),
    (NONBLOCKING, "Nonblocking exchange"),
];

/// The row of a run; its memory is named where that varies.
fn row(run: &Run, runs: &[&Run]) -> String {
    let subject = &run.subject;
    let varies = |other: &&Run| {
        other.subject == *subject && other.variant == run.variant && other.memory_name() != run.memory_name()
    };
    let size = match subject.cube {
        Some(edge) => format!("{edge}³"),
        None => numbers::whole_bytes(subject.bytes_per_rank),
    };
    let memory =
        run.memory_name().filter(|_| runs.iter().any(varies)).map(|memory| format!("memory {memory}"));
    let parts = [Some(subject.exchange.clone()), Some(size), memory, Some(subject.place.title())];
    let parts: Vec<String> = parts.into_iter().flatten().filter(|part| !part.is_empty()).collect();
    parts.join(", ")
}

/// Times of a kind.
fn times(runs: &[Run], kind: &str, title: &str) -> Chart {
    let mut shown: Vec<&Run> = runs.iter().filter(|run| run.subject.kind == kind).collect();
    shown.sort_by_key(|run| run.subject.place.ranks);
    let rows = Rows::new(shown.iter().map(|run| row(run, &shown)));
    let mut series = Series::of_variants(&VARIANTS, |variant| {
        let own = shown.iter().filter(|run| run.variant == variant);
        own.filter_map(|run| rows.point(run.timing.median_us, &row(run, &shown))).collect()
    });
    series.retain(|series| !series.points.is_empty());
    rows.chart(title, Axis::new("µs, lower is better", Scale::Log10, Format::Plain), series)
}

/// A panel for each kind that was measured.
pub fn panels(runs: &[Run]) -> Vec<Chart> {
    let measured = |(kind, _): &(&str, &str)| runs.iter().any(|run| run.subject.kind == *kind);
    KINDS.into_iter().filter(measured).map(|(kind, title)| times(runs, kind, title)).collect()
}

#[cfg(test)]
mod tests {
    use super::super::tests::runs;
    use super::super::{ALONE, OVERLAPPED};
    use super::*;

    #[test]
    fn kinds_have_panels_and_exchanges_rows() {
        let mut all = runs(NONBLOCKING, ALONE, 8, &[(COMPUTATION, 100.0), (HCUBE, 50.0), (LIBRARY, 200.0)]);
        all.extend(runs(NONBLOCKING, OVERLAPPED, 8, &[(HCUBE, 125.0)]));
        all.extend(runs(NEIGHBOURS, "packed, open", 98304, &[(HCUBE, 125.0)]));
        let mut general = runs(GENERAL, "", 8, &[(HCUBE, 1.0), (HCUBE, 2.0), (LIBRARY, 3.0)]);
        (general[0].memory, general[1].memory) = (Some(65536), Some(1 << 20));
        let chart = &panels(&general)[0];
        let rows = [2.0, 1.0, 0.0].map(|row| chart.y.value(row));
        assert_eq!(rows, ["8 B, memory 64 KiB, 2 ranks", "8 B, memory 1 MiB, 2 ranks", "8 B, 2 ranks"]);
        general.remove(1);
        assert_eq!(panels(&general)[0].y.value(0.0), "8 B, 2 ranks");
        let panels = panels(&all);
        let titles: Vec<&str> = panels.iter().map(|panel| panel.title.as_str()).collect();
        assert_eq!(titles, ["Exchange between neighbours", "Nonblocking exchange"]);
        assert_eq!(panels[0].y.value(0.0), "packed, open, 64³, 2 ranks");
        let rows = [1.0, 0.0].map(|row| panels[1].y.value(row));
        assert_eq!(rows, ["alone, 8 B, 2 ranks", "overlapped, 8 B, 2 ranks"]);
        let hcube = panels[1].series.last().expect("three");
        let points: Vec<(f64, f64)> = hcube.points.iter().map(|point| (point.x.round(), point.y)).collect();
        assert_eq!((hcube.name.as_str(), points), ("hcube", vec![(50.0, 1.0), (125.0, 0.0)]));
        assert_eq!(panels[0].series.len(), 1);
    }
}
