//! Pictures of a probe: the gap over the words of a message, a line for each number of messages, for an
//! operation or for several libraries. Together the lines are the surface g(h*, c) of Krusche 2005, figures
//! 3.3 to 3.10.

use super::samples::{Exchange, Samples};
use crate::machine::bsp::{GapOperation, Pattern};
use crate::measured::distinct;
use crate::numbers::{self, median};
use crate::plot::{Axis, Chart, Evidence, Point, Scale, Series, Sheet, looks, plain};

/// Seconds per word by a model, in a superstep of some words in messages of some words.
pub type Model<'a> = &'a dyn Fn(Pattern, GapOperation, f64, f64) -> Option<f64>;

impl Samples {
    /// The median time of an empty superstep in seconds.
    pub fn empty_seconds(&self) -> f64 {
        1e-6 * median(&self.latencies[0])
    }

    /// Seconds of an exchange beyond the seconds of an empty superstep: in its fastest, median and slowest
    /// repetition. Below 0 where measurements differ.
    pub fn communication(&self, exchange: &Exchange) -> [f64; 3] {
        let empty = self.empty_seconds();
        let least = exchange.seconds.iter().copied().fold(f64::INFINITY, f64::min);
        let most = exchange.seconds.iter().copied().fold(0.0, f64::max);
        [least, median(&exchange.seconds), most].map(|seconds| seconds - empty)
    }

    fn of(&self, pattern: Pattern, operation: GapOperation) -> impl Iterator<Item = &Exchange> {
        self.exchanges.iter().filter(move |one| (one.pattern, one.operation) == (pattern, operation))
    }

    /// Pairs of a pattern and an operation that were measured.
    pub fn measured(&self) -> Vec<(Pattern, GapOperation)> {
        distinct(self.exchanges.iter().map(|one| (one.pattern, one.operation)))
    }

    /// The gap in nanoseconds per word.
    fn point(&self, exchange: &Exchange) -> Point {
        let words = exchange.total(self.processes) as f64;
        let [least, middle, most] =
            self.communication(exchange).map(|seconds| 1e9 * seconds.max(0.0) / words);
        Point { x: exchange.words as f64, y: middle, range: Some((least, most)) }
    }
}

fn words(value: f64) -> String {
    numbers::whole_bytes(value as usize * size_of::<u64>())
}

fn chart(title: String, series: Vec<Series>) -> Chart {
    Chart::new(
        title,
        Axis::new("size of a message", Scale::Log2, words),
        Axis::new("ns per word of 64 bits, lower is better", Scale::Log10, plain),
        series,
    )
}

/// The function of BSPlib that an operation calls.
fn function(operation: GapOperation) -> &'static str {
    match operation {
        GapOperation::Get => "bsp_get",
        GapOperation::HpGet => "bsp_hpget",
        GapOperation::HpPut => "bsp_hpput",
        GapOperation::Put => "bsp_put",
        GapOperation::Send => "bsp_send",
    }
}

fn title(pattern: Pattern, operation: GapOperation) -> String {
    format!("{}, {}", function(operation), pattern.name().replace('-', " "))
}

fn messages(count: usize) -> String {
    if count == 1 { "1 message".to_owned() } else { format!("{count} messages") }
}

/// The gap of an operation: what was measured, and g(h,h*).
fn surface(samples: &Samples, pattern: Pattern, operation: GapOperation, model: Model<'_>) -> Chart {
    let mut series = Vec::new();
    let all: Vec<&Exchange> = samples.of(pattern, operation).collect();
    for (number, count) in distinct(all.iter().map(|one| one.count)).into_iter().enumerate() {
        let own = || all.iter().filter(|one| one.count == count);
        let predicted = own().filter_map(|one| {
            let (total, message) = (one.total(samples.processes) as f64, one.words as f64);
            Some((message, 1e9 * model(pattern, operation, total, message)?))
        });
        let look = looks::numbered(number);
        let name = messages(count);
        series.push(Series::new(
            format!("{name}, g(h,h*) by least squares"),
            Evidence::Predicted,
            look,
            predicted,
        ));
        let points = own().map(|one| samples.point(one)).collect();
        series.push(Series { name, evidence: Evidence::Measured, look, points });
    }
    series.reverse();
    chart(title(pattern, operation), series)
}

/// The gap of an operation by several libraries, with the fewest and the most messages that all of them have.
fn comparison(all: &[&Samples], pattern: Pattern, operation: GapOperation) -> Chart {
    let counts = |samples: &Samples| distinct(samples.of(pattern, operation).map(|one| one.count));
    let mut common = all.first().map(|first| counts(first)).unwrap_or_default();
    common.retain(|count| all.iter().all(|samples| counts(samples).contains(count)));
    let shown = distinct([common.iter().min(), common.iter().max()].into_iter().flatten());
    let mut series = Vec::new();
    for (library, samples) in all.iter().enumerate() {
        for (number, &&count) in shown.iter().enumerate() {
            let own = samples.of(pattern, operation).filter(|one| one.count == count);
            series.push(Series {
                name: format!("{}, {}", samples.library, messages(count)),
                evidence: Evidence::Measured,
                look: looks::numbered(library * shown.len() + number),
                points: own.map(|one| samples.point(one)).collect(),
            });
        }
    }
    series.reverse();
    chart(title(pattern, operation), series)
}

/// Surfaces of one probe, or comparisons of several with the same number of processes; `None` without
/// exchanges, and for different numbers.
pub fn sheet(all: &[&Samples], model: Model<'_>) -> Option<Sheet> {
    let first = all.first()?;
    if all.iter().any(|samples| samples.processes != first.processes) {
        return None;
    }
    let pairs = first.measured();
    let panels = pairs.into_iter().map(|(pattern, operation)| match all {
        [one] => surface(one, pattern, operation, model),
        several => comparison(several, pattern, operation),
    });
    let panels: Vec<Chart> = panels.filter(|panel| !panel.is_empty()).collect();
    let libraries = distinct(all.iter().map(|samples| samples.library.as_str())).join("; ");
    let title = format!("Communication gap: {libraries}, {} processes", first.processes);
    (!panels.is_empty()).then_some(Sheet { title, panels })
}

#[cfg(test)]
mod tests {
    use super::super::samples::tests::TEXT;
    use super::*;

    #[test]
    fn the_gap_is_the_time_beyond_an_empty_superstep() {
        let samples = Samples::parse(&TEXT.replace("empty 1 2 3", "empty 1 1 1")).expect("valid");
        let point = samples.point(&samples.exchanges[0]);
        // 1 us for 128 words, between 0 and 2 us.
        assert!((point.y - 1000.0 / 128.0).abs() < 1e-9 && point.x == 8.0, "{point:?}");
        let (least, most) = point.range.expect("repetitions");
        assert!(least == 0.0 && (most - 2000.0 / 128.0).abs() < 1e-9, "{point:?}");
    }

    #[test]
    fn one_probe_has_surfaces_and_several_are_compared() {
        let samples = Samples::parse(TEXT).expect("valid");
        let drawn = sheet(&[&samples], &|_, _, _, _| Some(1e-9)).expect("exchanges").svg();
        for text in [
            "bsp_put, random permutation",
            "bsp_hpget, all to all",
            "16 messages, g(h,h*) by least squares",
            "4 processes",
        ] {
            assert!(drawn.contains(text), "{text} expected");
        }
        let mut other = samples.clone();
        other.library = "another".to_owned();
        other.exchanges[0].seconds = vec![9e-6];
        let drawn = sheet(&[&samples, &other], &|_, _, _, _| None).expect("exchanges").svg();
        assert!(drawn.contains("another, 16 messages") && !drawn.contains("g(h,h*)"));
        assert!(sheet(&[], &|_, _, _, _| None).is_none());
    }
}
