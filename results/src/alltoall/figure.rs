//! The picture of exchanges: which results make which series.

use super::kinds::figure::panels;
use super::{Results, Run};
use crate::measured::machine;
use crate::numbers;
use crate::plot::{Axis, Chart, Colour, Format, Look, Marker, Point, Scale, Series, Sheet, Variant, looks};

/// The x axis.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Over {
    /// Numbers of ranks, a panel for each size.
    Ranks,
    /// Bytes per rank, a panel for each number of ranks.
    Sizes,
}

/// Algorithms in the order of tables.
pub const ALGORITHMS: [Variant; 10] = [
    ("auto", "hcube, in place", looks::HCUBE),
    ("library-in-place", "MPI library, in place", looks::STOCK),
    ("library-out-of-place", "MPI library, out of place", looks::COMPETITOR),
    ("mpich", "MPICH order", (Colour::Ink, Marker::Down)),
    ("linear-shift", "linear shift", looks::OTHER_OPTIONS),
    ("hierarchical-sets", "hierarchical sets", (Colour::Green, Marker::Circle)),
    ("hypercube", "hypercube", (Colour::Ink, Marker::Up)),
    ("auto-out-of-place", "hcube, out of place", (Colour::Green, Marker::Up)),
    ("single-copy", "single copy", (Colour::Blue, Marker::Diamond)),
    ("shared", "shared slots", (Colour::Ochre, Marker::Square)),
];

/// hcube with its defaults, which stands beside the library and beside the schedules.
const HCUBE: &str = ALGORITHMS[0].0;

/// Whether an algorithm is a fixed schedule or path of hcube, and no function that a program calls.
fn is_schedule(algorithm: &str) -> bool {
    !["auto", "library-in-place", "library-out-of-place", "auto-out-of-place"].contains(&algorithm)
}

/// A time on an axis.
pub fn time(seconds: f64) -> String {
    Format::Seconds.text(seconds)
}

/// A size on an axis.
pub fn size(bytes: f64) -> String {
    numbers::whole_bytes(bytes as usize)
}

/// All values of a key, each once, in ascending order.
fn distinct(runs: &[&Run], key: impl Fn(&Run) -> usize) -> Vec<usize> {
    let mut values: Vec<usize> = runs.iter().map(|run| key(run)).collect();
    values.sort_unstable();
    values.dedup();
    values
}

/// A series: the algorithm, and its additional memory where that varies.
type Key = (String, Option<String>);

/// The key of each run.
fn keys(runs: &[&Run]) -> Vec<Key> {
    let key = |run: &&Run| {
        let varies =
            |other: &&Run| other.algorithm == run.algorithm && other.memory_name() != run.memory_name();
        let memory = run.memory_name().filter(|_| runs.iter().any(varies));
        (run.algorithm.clone(), memory)
    };
    runs.iter().map(key).collect()
}

/// Names, colours and markers of the series with these keys. Series that are not in [`ALGORITHMS`] or have a
/// varied memory get an unused pair of colour and marker, with an unused colour while there is one.
fn named(keys: &[&Key]) -> Vec<(String, Look)> {
    let known = |key: &Key| ALGORITHMS.iter().find(|(name, _, _)| *name == key.0);
    let fixed = |key: &Key| known(key).filter(|_| key.1.is_none()).map(|(_, _, look)| *look);
    let mut used: Vec<Look> = keys.iter().filter_map(|key| fixed(key)).collect();
    let mut named = Vec::new();
    for (number, key) in keys.iter().enumerate() {
        let name = known(key).map_or(key.0.as_str(), |(_, name, _)| name);
        let name = key.1.as_ref().map_or(name.to_owned(), |memory| format!("{name}, {memory}"));
        let look = fixed(key).unwrap_or_else(|| {
            let all = || (0..looks::DISTINCT).map(looks::numbered);
            let free = all().find(|look| used.iter().all(|other| other.0 != look.0));
            let free = free.or_else(|| all().find(|look| !used.contains(look)));
            free.unwrap_or_else(|| looks::numbered(number))
        });
        used.push(look);
        named.push((name, look));
    }
    named
}

/// The points of a series in seconds: medians where the same was measured several times.
fn points(runs: &[&Run], x: impl Fn(&Run) -> usize) -> Vec<Point> {
    let point = |place: usize| {
        let own: Vec<&&Run> = runs.iter().filter(|run| x(run) == place).collect();
        let medians: Vec<f64> = own.iter().map(|run| run.timing.median_us).collect();
        let y = 1e-6 * numbers::median(&medians);
        // The range of one of several measurements is not the range of their median.
        let range = if let [run] = own[..] {
            run.timing.point(0.0, |us| 1e-6 * us).range.or(Some((y, y)))
        } else {
            None
        };
        Point { x: place as f64, y, range }
    };
    distinct(runs, &x).into_iter().map(point).collect()
}

/// What all pictures of this module are of.
const SUBJECT: &str = "All-to-all exchange";

/// The picture of all kinds of exchanges; `None` without results.
pub fn sheet_of_all(over: Option<Over>, results: &Results) -> Option<Sheet> {
    let panels = panels(&results.kinds);
    let sheet = match sheet(over, &results.runs) {
        Some(mut sheet) => {
            sheet.panels.extend(panels);
            sheet
        }
        None => {
            let machine = machine(results.kinds.iter().map(|run| &run.subject.place));
            Sheet::new("alltoall-measured", SUBJECT, machine, panels)?
        }
    };
    Some(Sheet { date: results.date.clone(), ..sheet })
}

/// The picture of blocking exchanges with one MPI library, the first in the list; `None` without results.
/// Over ranks where there are several numbers of ranks, unless `over` says otherwise.
pub fn sheet(over: Option<Over>, runs: &[Run]) -> Option<Sheet> {
    let mpi = &runs.first()?.place.mpi;
    // One rank exchanges nothing, in far less time than the others take.
    let single = runs.iter().all(|run| run.place.ranks == 1);
    let runs: Vec<&Run> =
        runs.iter().filter(|run| &run.place.mpi == mpi && (single || run.place.ranks > 1)).collect();
    let (ranks, sizes) = (distinct(&runs, |run| run.place.ranks), distinct(&runs, |run| run.bytes_per_rank));
    let over = over.unwrap_or(if ranks.len() > 1 { Over::Ranks } else { Over::Sizes });
    let of_each = keys(&runs);
    let keys: Vec<&Key> = crate::measured::distinct(&of_each);
    let names = named(&keys);
    let panel = |value: usize, schedules: bool| {
        let belongs = |run: &Run| match over {
            Over::Ranks => run.bytes_per_rank == value,
            Over::Sizes => run.place.ranks == value,
        };
        let series = |(&key, (name, look)): (&&Key, &(String, Look))| {
            let own = runs.iter().zip(&of_each).filter(|(run, own)| belongs(run) && *own == key);
            let own: Vec<&Run> = own.map(|(run, _)| *run).collect();
            let points = match over {
                Over::Ranks => points(&own, |run| run.place.ranks),
                Over::Sizes => points(&own, |run| run.bytes_per_rank),
            };
            Series::measured(name, *look, points)
        };
        let is_shown =
            |(key, _): &(&&Key, &(String, Look))| key.0 == HCUBE || is_schedule(&key.0) == schedules;
        let (title, x) = match over {
            Over::Ranks => (
                format!("{} per rank", numbers::whole_bytes(value)),
                Axis::new("ranks", Scale::Log2, Format::Plain),
            ),
            Over::Sizes => {
                let plural = if value == 1 { "" } else { "s" };
                (format!("{value} rank{plural}"), Axis::bytes("data per rank"))
            }
        };
        let y = Axis::new("time of one exchange, lower is better", Scale::Log10, Format::Seconds);
        // The first is in front.
        Chart::new(title, x, y, keys.iter().zip(&names).filter(is_shown).map(series).rev().collect())
    };
    let has_schedules = keys.iter().any(|key| is_schedule(&key.0));
    let values = if over == Over::Ranks { sizes } else { ranks };
    let panels = values.into_iter().flat_map(|value| {
        let schedules = has_schedules.then(|| {
            let chart = panel(value, true);
            Chart { title: format!("{}, schedules", chart.title), ..chart }
        });
        std::iter::once(panel(value, false)).chain(schedules)
    });
    Sheet::new("alltoall-measured", SUBJECT, machine(runs.iter().map(|run| &run.place)), panels.collect())
}

#[cfg(test)]
mod tests {
    use super::super::tests::run;
    use super::*;

    fn drawn(over: Option<Over>, runs: &[Run]) -> Sheet {
        sheet(over, runs).expect("there are results")
    }

    fn names(chart: &Chart) -> Vec<&str> {
        chart.series.iter().rev().map(|series| series.name.as_str()).collect()
    }

    #[test]
    fn one_rank_is_drawn_if_it_is_the_only_one() {
        let sheet = drawn(None, &[run(1, 64, "auto", 1.0)]);
        assert_eq!((sheet.panels.len(), sheet.panels[0].title.as_str()), (1, "1 rank"));
    }

    #[test]
    fn ranks_are_the_axis_where_they_vary() {
        let runs = [
            run(4, 1 << 16, "auto", 40.0),
            run(2, 1 << 16, "auto", 20.0),
            run(2, 1 << 16, "auto", 30.0),
            run(2, 1 << 20, "library-in-place", 300.0),
            run(1, 1 << 20, "auto", 0.1),
        ];
        let sheet = drawn(None, &runs);
        assert_eq!((sheet.panels.len(), sheet.panels[0].title.as_str()), (2, "64 KiB per rank"));
        let [first, second] = &sheet.panels[..] else { panic!("two panels") };
        assert_eq!(names(first), ["hcube, in place", "MPI library, in place"]);
        let points = &first.series[1].points;
        let rounded: Vec<(f64, f64)> = points.iter().map(|one| (one.x, (1e6 * one.y).round())).collect();
        assert_eq!(rounded, [(2.0, 25.0), (4.0, 40.0)]);
        assert!(points[0].range.is_none() && points[1].range.is_some());
        assert!(first.series[0].points.is_empty() && second.series[1].points.is_empty());
    }

    #[test]
    fn memory_is_named_where_it_varies() {
        let mut runs = vec![run(2, 1 << 16, "shared", 1.0); 3];
        (runs[0].memory, runs[1].memory, runs[2].memory) = (Some(0), Some(65536), Some(70000));
        runs[2].everything = true;
        runs.push(run(2, 1 << 20, "auto", 1.0));
        (runs[0].place.nodes, runs[0].place.cores) = (1, 2);
        let sheet = drawn(Some(Over::Sizes), &runs);
        let expected = ["shared slots, 0 B", "shared slots, 64 KiB", "shared slots, all", "hcube, in place"];
        assert_eq!(names(&sheet.panels[1]), expected);
        let titles: Vec<&str> = sheet.panels.iter().map(|panel| panel.title.as_str()).collect();
        assert_eq!(titles, ["2 ranks", "2 ranks, schedules"]);
        assert_eq!(sheet.machine, "Some MPI 1.0, 1 node of 2 cores");
    }

    #[test]
    fn looks_differ() {
        let varied = |memory: &str| ("hierarchical-sets".to_owned(), Some(memory.to_owned()));
        let mut keys: Vec<Key> = ["0 B", "64 KiB", "1 MiB", "all"].map(varied).into();
        keys.extend(ALGORITHMS.map(|(key, _, _)| (key.to_owned(), None)));
        let looks: Vec<Look> = named(&keys.iter().collect::<Vec<_>>()).into_iter().map(|one| one.1).collect();
        assert!(looks.iter().enumerate().all(|(number, look)| !looks[..number].contains(look)), "{looks:?}");
        // Beside two competitors, four amounts of memory have colours of their own.
        keys.truncate(4);
        keys.extend(["library-in-place", "library-out-of-place"].map(|key| (key.to_owned(), None)));
        let mut colours: Vec<_> =
            named(&keys.iter().collect::<Vec<_>>()).into_iter().map(|one| one.1.0.class()).collect();
        colours.sort_unstable();
        colours.dedup();
        assert_eq!(colours.len(), 6);
    }

    #[test]
    fn times_are_short() {
        let times = [100e-6, 0.000_999_5, 2e-3, 1.0].map(time);
        assert_eq!(times, ["100 µs", "0.9995 ms", "2 ms", "1 s"]);
    }
}
