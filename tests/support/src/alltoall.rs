//! Random calls of tests/c/alltoall.c, and the ways that they took.

use super::Launch;

/// What a run is asked for: the client's arguments and environment variables.
pub struct Run<'a> {
    pub ranks: usize,
    pub seed: u64,
    pub cases: u32,
    pub largest: u64,
    pub more: &'a [&'a str],
    pub environment: &'a [(&'a str, &'a str)],
}

impl Run<'_> {
    /// Runs it; the number of calls in place by way, of all ranks.
    pub fn go(&self) -> Ways {
        self.go_with(|launch| launch)
    }

    /// The same, started in a way of its own.
    pub fn go_with(&self, change: impl FnOnce(Launch) -> Launch) -> Ways {
        let numbers = [self.seed, u64::from(self.cases), self.largest].map(|number| number.to_string());
        let launch = Launch::client("alltoall", self.ranks).args(numbers).args(self.more).limit(60);
        let launch = self.environment.iter().fold(launch, |launch, (name, value)| launch.env(name, value));
        let text = change(launch).run().success();
        let line = text.lines().find(|line| line.starts_with("ok ")).expect("a line of success").to_owned();
        assert!(line.starts_with(&format!("ok {} cases", self.cases)), "{line}");
        Ways(line)
    }
}

/// The line of statistics that a run ends with.
pub struct Ways(String);

impl Ways {
    /// Calls in place that took this way.
    pub fn count(&self, way: &str) -> u64 {
        let value = self.0.split(' ').find_map(|word| word.strip_prefix(way)?.strip_prefix('='));
        value.unwrap_or_else(|| panic!("no '{way}' in {}", self.0)).parse().expect("a number")
    }
}
