//! Random calls of tests/c/alltoall.c, and their paths.

use super::Launch;

/// The client's arguments and environment variables.
pub struct Run<'a> {
    pub ranks: usize,
    pub seed: u64,
    pub cases: u32,
    pub largest: u64,
    pub more: &'a [&'a str],
    pub environment: &'a [(&'a str, &'a str)],
}

impl Run<'_> {
    /// Runs it; returns the number of calls by path, summed over ranks.
    pub fn go(&self) -> UsedPaths {
        self.go_with(|launch| launch)
    }

    /// The same, with a changed launch.
    pub fn go_with(&self, change: impl FnOnce(Launch) -> Launch) -> UsedPaths {
        let numbers = [self.seed, u64::from(self.cases), self.largest].map(|number| number.to_string());
        let launch = Launch::client("alltoall", self.ranks).args(numbers).args(self.more).limit(60);
        let launch = launch.envs(self.environment);
        let text = change(launch).run().success();
        let line = text.lines().find(|line| line.starts_with("ok ")).expect("a line of success").to_owned();
        assert!(line.starts_with(&format!("ok {} cases", self.cases)), "{line}");
        UsedPaths(line)
    }
}

/// The line of statistics that a run ends with.
pub struct UsedPaths(String);

impl UsedPaths {
    /// Calls in place on this path; out of place with `out-of-place:` before its name.
    pub fn count(&self, path: &str) -> u64 {
        let value = self.0.split(' ').find_map(|word| word.strip_prefix(path)?.strip_prefix('='));
        value.unwrap_or_else(|| panic!("no '{path}' in {}", self.0)).parse().expect("a number")
    }
}
