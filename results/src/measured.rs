//! What the results of several benchmarks have in common: where something was measured, and its times.

pub use crate::lists::distinct;
use crate::numbers;
use crate::plot::Point;
use crate::usage::Usage;
use serde::{Deserialize, Serialize};

/// Where something was measured.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Place {
    pub mpi: String,
    pub ranks: usize,
    /// Ranks that hcube puts on one node, as if there were several; 0 for the real nodes.
    #[serde(default)]
    pub ranks_per_node: usize,
    /// Number of nodes that the ranks are on.
    #[serde(default)]
    pub nodes: usize,
    /// Cores that a process may use.
    #[serde(default)]
    pub cores: usize,
}

/// Times of all measurements, on the slowest rank.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Timing {
    pub median_us: f64,
    /// (largest - smallest) / median.
    #[serde(default)]
    pub spread: f64,
    /// Microseconds of each measurement.
    #[serde(default)]
    pub measured_us: Vec<f64>,
    /// What a call uses besides time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
}

impl Place {
    /// The ranks, and the nodes that hcube assumes.
    pub fn ranks(&self) -> String {
        match self.ranks_per_node {
            0 => self.ranks.to_string(),
            count => format!("{} ({count}/node)", self.ranks),
        }
    }

    /// Whether every rank has a core of its own, as far as that is known.
    pub fn has_cores(&self) -> bool {
        self.cores == 0 || self.ranks <= self.cores * self.nodes.max(1)
    }

    /// The ranks in a title.
    pub fn title(&self) -> String {
        let plural = if self.ranks == 1 { "rank" } else { "ranks" };
        match self.ranks_per_node {
            0 => format!("{} {plural}", self.ranks),
            count => format!("{} {plural}, {count} per node", self.ranks),
        }
    }
}

/// The MPI libraries of these places, each once, and nodes and cores where they are known, for a picture.
pub fn machine<'a>(places: impl Iterator<Item = &'a Place> + Clone) -> String {
    let libraries = distinct(places.clone().map(|place| place.mpi.as_str())).join("; ");
    let nodes = places.clone().map(|place| place.nodes).max().unwrap_or(0);
    let cores = places.map(|place| place.cores).max().unwrap_or(0);
    if nodes == 0 || cores == 0 {
        return libraries;
    }
    let plural = if nodes == 1 { "node" } else { "nodes" };
    format!("{libraries}, {nodes} {plural} of {cores} cores")
}

/// Each place once, by the number of ranks.
pub fn places<'a>(all: impl Iterator<Item = &'a Place>) -> Vec<&'a Place> {
    let mut places = distinct(all);
    places.sort_by_key(|place| (place.ranks, place.ranks_per_node));
    places
}

impl Timing {
    /// From the seconds of each measurement.
    pub fn new(seconds: &[f64]) -> Self {
        Self::of_us(seconds.iter().map(|seconds| 1e6 * seconds).collect())
    }

    /// From the microseconds of each measurement.
    pub fn of_us(measured_us: Vec<f64>) -> Self {
        let (median_us, spread) = (numbers::median(&measured_us), numbers::spread(&measured_us));
        Self { median_us, spread, measured_us, usage: None }
    }

    /// An amount per second, from the median; 0 without a time.
    pub fn rate(&self, amount: f64) -> f64 {
        if self.median_us > 0.0 { 1e6 * amount / self.median_us } else { 0.0 }
    }

    /// What `value` makes of the median, with the range of all measurements.
    pub fn point(&self, x: f64, value: impl Fn(f64) -> f64) -> Point {
        let ends = [f64::min, f64::max].map(|end| self.measured_us.iter().map(|&us| value(us)).reduce(end));
        Point { x, y: value(self.median_us), range: ends[0].zip(ends[1]) }
    }

    /// The rate at the median, with the range of rates in all measurements.
    pub fn rates(&self, x: f64, rate: f64) -> Point {
        let amount = rate * self.median_us;
        self.point(x, |us| amount / us)
    }

    /// Fails with the first time that is not positive, which it names.
    ///
    /// # Errors
    /// The name and the value.
    pub fn check(&self) -> Result<(), (&'static str, f64)> {
        let wrong = |time: f64| !(time.is_finite() && time > 0.0);
        if wrong(self.median_us) {
            return Err(("median_us", self.median_us));
        }
        self.measured_us.iter().find(|&&time| wrong(time)).map_or(Ok(()), |&time| Err(("measured_us", time)))
    }
}

#[cfg(test)]
pub mod tests {
    use super::*;

    /// Ranks of one node.
    pub fn place(ranks: usize) -> Place {
        Place { mpi: "Some MPI 1.0".to_owned(), ranks, ..Place::default() }
    }

    #[test]
    fn places_tell_the_nodes_that_hcube_assumes() {
        let mut place = place(4);
        assert_eq!((place.ranks(), place.title()), ("4".to_owned(), "4 ranks".to_owned()));
        place.ranks_per_node = 2;
        assert_eq!(
            (place.ranks(), place.title()),
            ("4 (2/node)".to_owned(), "4 ranks, 2 per node".to_owned())
        );
        assert_eq!(self::place(1).title(), "1 rank");
        assert_eq!([0, 2, 4].map(|cores| Place { cores, ..place.clone() }.has_cores()), [true, false, true]);
        assert!(Place { cores: 2, nodes: 2, ..place }.has_cores());
    }

    #[test]
    fn times_have_median_spread_and_range() {
        let timing = Timing::new(&[2e-6, 1e-6, 4e-6]);
        assert_eq!((timing.median_us, timing.spread), (2.0, 1.5));
        assert_eq!((timing.rate(4e-6), Timing::default().rate(1.0)), (2.0, 0.0));
        let point = timing.point(7.0, |us| 1.0 / us);
        assert_eq!((point.x, point.y, point.range), (7.0, 0.5, Some((0.25, 1.0))));
        assert_eq!((timing.check(), Timing::default().check()), (Ok(()), Err(("median_us", 0.0))));
        let negative = Timing { measured_us: vec![1.0, -1.0], ..timing };
        assert_eq!(negative.check(), Err(("measured_us", -1.0)));
        assert_eq!(distinct([1, 2, 1]), [1, 2]);
    }
}
