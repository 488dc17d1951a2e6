//! The picture of BSP programs: times of supersteps that transfer little, and the time of a message over its
//! size.

use super::{LATENCIES, Run, SWEPT, variants};
use crate::measured::{distinct, machine};
use crate::plot::{Axis, Chart, Format, Look, Point, Rows, Scale, Series, Sheet, looks};
use crate::runs::Pictured;

/// Numbers of ranks, in ascending order.
pub fn ranks(runs: &[Run]) -> Vec<usize> {
    let mut all = distinct(runs.iter().map(|run| run.superstep.place.ranks));
    all.sort_unstable();
    all
}

/// The name of a variant in legends.
fn name_of(variant: &str) -> &str {
    if variant == super::MPI { "MPI" } else { variant }
}

/// Time of a superstep with hardly any data, a row for each kind and number of ranks.
pub fn latency(runs: &[Run], file: Option<&'static str>) -> Chart {
    let row = |run: &Run| format!("{}, {}", run.superstep.operation, run.superstep.place.ranks);
    let mut shown: Vec<&Run> = runs.iter().filter(|run| !run.superstep.is_swept()).collect();
    let order = |run: &Run| LATENCIES.iter().position(|&name| name == run.superstep.operation);
    shown.sort_by_key(|run| (run.superstep.place.ranks, order(run)));
    let rows = Rows::new(shown.iter().map(|run| row(run)));
    let series = variants(runs).into_iter().enumerate().rev().map(|(number, variant)| {
        let own = shown.iter().filter(|run| run.variant == variant);
        let points = own.filter_map(|run| rows.point(run.timing.median_us, &row(run)));
        Series::measured(name_of(variant), look(number, false), points)
    });
    let (series, x) = (series.collect(), Axis::new("µs, lower is better", Scale::Log10, Format::Plain));
    rows.chart("bsp_sync: superstep, by kind and ranks", x, series).named(file)
}

/// The colour and marker of a variant by its number, with few messages or with many.
fn look(variant: usize, many: bool) -> Look {
    let kinds =
        [looks::HCUBE, looks::STOCK, looks::COMPETITOR, looks::MODEL, looks::OTHER_OPTIONS, looks::PAPER];
    let (colour, _) = kinds[variant % kinds.len()];
    (colour, if many { looks::OTHER_OPTIONS.1 } else { looks::HCUBE.1 })
}

/// Time of a message over its size, with the fewest messages of a superstep and with the most that were
/// measured.
pub fn over_sizes(runs: &[Run], ranks: usize, operation: &str, file: Option<&'static str>) -> Chart {
    let is_shown = |run: &&Run| run.superstep.operation == operation && run.superstep.place.ranks == ranks;
    let shown: Vec<&Run> = runs.iter().filter(is_shown).collect();
    let sizes = distinct(shown.iter().map(|run| run.superstep.bytes));
    let counts = shown.iter().map(|run| run.superstep.messages);
    let (fewest, most) = (counts.clone().min().unwrap_or(1), counts.max().unwrap_or(1));
    let mut series = Vec::new();
    for (number, variant) in variants(runs).into_iter().enumerate() {
        for many in [false, true] {
            if many && most == fewest {
                continue;
            }
            let points = sizes.iter().filter_map(|&size| {
                let mut own =
                    shown.iter().filter(|run| run.superstep.bytes == size && run.variant == variant);
                let run = if many {
                    own.max_by_key(|run| run.superstep.messages)
                } else {
                    own.find(|run| run.superstep.messages == fewest)
                };
                run.map(|run| run.timing.point(size as f64, |us| us / run.per_message()))
            });
            let messages = match (many, fewest) {
                (true, _) => format!("up to {most} messages"),
                (false, 1) => "1 message".to_owned(),
                (false, _) => format!("{fewest} messages"),
            };
            let name = format!("{}, {messages}", name_of(variant));
            series.push(Series::measured(name, look(number, many), Point::in_order(points)));
        }
    }
    // The first in the legend is the last of the list.
    series.reverse();
    let y = Axis::new("µs per message, lower is better", Scale::Log10, Format::Plain);
    let title = format!("bsp_{operation}: time per message, {ranks} ranks");
    Chart::new(title, Axis::bytes("size of a message"), y, series).named(file)
}

impl Pictured for Run {
    fn sheet(runs: &[Self]) -> Option<Sheet> {
        let mut panels = vec![latency(runs, None)];
        for ranks in ranks(runs) {
            panels.extend(SWEPT.map(|operation| over_sizes(runs, ranks, operation, None)));
        }
        let machine = machine(runs.iter().map(|run| &run.superstep.place));
        Sheet::new("bsp", "Supersteps of BSP programs", machine, panels)
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::runs;
    use super::*;

    fn measured() -> Vec<Run> {
        let mut all = Vec::new();
        for ranks in [2, 4] {
            all.extend(runs(ranks, "empty", 0, 0, [0.5, 1.0, 5.0]));
            all.extend(runs(ranks, "put", 64, 1, [1.0, 4.0, 9.0]));
            for messages in [1, 16] {
                all.extend(runs(ranks, "put", 8, messages, [1.0, 4.0, 8.0].map(|us| us * messages as f64)));
            }
        }
        all
    }

    #[test]
    fn few_and_many_messages_have_lines() {
        let chart = over_sizes(&measured(), 4, "put", None);
        let names: Vec<&str> = chart.series.iter().rev().map(|series| series.name.as_str()).collect();
        let of_hcube = ["hcube, 1 message", "hcube, up to 16 messages"];
        assert!(names.len() == 6 && names[..2] == of_hcube && names[2] == "MPI, 1 message", "{names:?}");
        let places: Vec<(f64, f64)> = chart.series[5].points.iter().map(|point| (point.x, point.y)).collect();
        assert_eq!(places, [(8.0, 1.0), (64.0, 1.0)]);
        assert_eq!(chart.series[5].points[0].range, Some((0.9, 1.1)));
        assert!(over_sizes(&measured(), 2, "get", None).is_empty());
    }

    #[test]
    fn latencies_have_rows() {
        let chart = latency(&measured(), None);
        assert_eq!([chart.y.value(1.0), chart.y.value(0.0)], ["empty, 2", "empty, 4"]);
        let hcube = chart.series.last().expect("three");
        assert_eq!(hcube.points, [Point::new(0.5, 1.0), Point::new(0.5, 0.0)]);
        let drawn = Run::sheet(&measured()).expect("there are results").svg();
        for words in ["Some MPI 1.0", "bsp_put: time per message, 2 ranks", "other, 1 message"] {
            assert!(drawn.contains(words), "{words} expected: {drawn}");
        }
        assert!(Run::sheet(&[]).is_none());
    }
}
