//! The picture of a probe: the gap over the words of a message, with the fewest and with the most messages in
//! a superstep, a line for each operation or library. Together the lines are the surface g(h*, c) of Krusche
//! 2005, figures 3.3 to 3.10.

use super::samples::{Exchange, Samples};
use crate::machine::bsp::{GapOperation, Pattern};
use crate::measured::distinct;
use crate::numbers::median;
use crate::plot::{Axis, Chart, Evidence, Format, Point, Scale, Series, Sheet, looks};

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

fn chart(title: String, series: Vec<Series>) -> Chart {
    Chart::new(
        title,
        Axis::new("size of a message", Scale::Log2, Format::Words),
        Axis::new("ns per word of 64 bits, lower is better", Scale::Log10, Format::Plain),
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

fn messages(count: usize) -> String {
    if count == 1 { "1 message".to_owned() } else { format!("{count} messages") }
}

/// The first pattern that was measured, and the fewest and the most messages of a superstep: a chart each.
fn shown(all: &[&Samples]) -> Option<(Pattern, Vec<usize>)> {
    let (pattern, _) = *all.first()?.measured().first()?;
    let counts = |samples: &Samples| {
        let own = samples.exchanges.iter().filter(|one| one.pattern == pattern);
        distinct(own.map(|one| one.count))
    };
    let mut common = counts(all[0]);
    common.retain(|count| all.iter().all(|samples| counts(samples).contains(count)));
    let ends = [common.iter().min(), common.iter().max()];
    Some((pattern, distinct(ends.into_iter().flatten().copied())))
}

/// The gap by all operations of one probe, measured and g(h,h*); by the operations in [`COMPARED`] where
/// several probes are compared.
fn gaps(all: &[&Samples], pattern: Pattern, count: usize, model: Model<'_>) -> Chart {
    let mut series = Vec::new();
    for samples in all {
        let operations = distinct(samples.measured().into_iter().map(|(_, operation)| operation));
        let is_drawn = |operation: &GapOperation| all.len() == 1 || COMPARED.contains(operation);
        for operation in operations.into_iter().filter(is_drawn) {
            let own = || samples.of(pattern, operation).filter(|one| one.count == count);
            let look = looks::numbered(series.len() / 2);
            let library = if all.len() > 1 { format!(", {}", samples.library) } else { String::new() };
            let name = format!("{}{library}", function(operation));
            let predicted = own().filter(|_| all.len() == 1).filter_map(|one| {
                let (total, message) = (one.total(samples.processes) as f64, one.words as f64);
                Some((message, 1e9 * model(pattern, operation, total, message)?))
            });
            let least_squares = format!("{name}, g(h,h*) by least squares");
            series.push(Series::new(least_squares, Evidence::Predicted, look, predicted));
            let points = own().map(|one| samples.point(one)).collect();
            series.push(Series { name, evidence: Evidence::Measured, look, points });
        }
    }
    series.reverse();
    let title = format!("{} in a superstep, {}", messages(count), pattern.name().replace('-', " "));
    chart(title, series)
}

/// Operations in comparisons of several libraries.
const COMPARED: [GapOperation; 2] = [GapOperation::Put, GapOperation::Get];

/// The gap with the fewest and with the most messages, of one probe or of several with the same number of
/// processes; `None` without exchanges, and for different numbers.
pub fn sheet(all: &[&Samples], model: Model<'_>) -> Option<Sheet> {
    let first = all.first()?;
    if all.iter().any(|samples| samples.processes != first.processes) {
        return None;
    }
    let (pattern, counts) = shown(all)?;
    let panels = counts.into_iter().map(|count| gaps(all, pattern, count, model)).collect();
    let libraries = distinct(all.iter().map(|samples| samples.library.as_str())).join("; ");
    let subject = format!("Communication gap on {} processes", first.processes);
    Sheet::new("bsp-gap", subject, libraries, panels)
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
        for text in ["bsp_put, g(h,h*) by least squares", "16 messages in a superstep", "4 processes"] {
            assert!(drawn.contains(text), "{text} expected");
        }
        let mut other = samples.clone();
        other.library = "another".to_owned();
        other.exchanges[0].seconds = vec![9e-6];
        let drawn = sheet(&[&samples, &other], &|_, _, _, _| None).expect("exchanges").svg();
        assert!(drawn.contains("bsp_put, another") && !drawn.contains("g(h,h*)"));
        assert!(sheet(&[], &|_, _, _, _| None).is_none());
    }
}
