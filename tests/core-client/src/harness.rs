//! The common code of all checks.

use hcube_core::comm::Comm;
use hcube_core::progress::wait::Patience;
use std::fmt::Debug;

/// The findings of the checks of one rank.
#[derive(Debug, Default)]
pub struct Report {
    /// Number of checks.
    pub checks: usize,
    /// The error.
    pub failures: Vec<String>,
}

impl Report {
    pub(crate) fn check(&mut self, right: bool, what: impl FnOnce() -> String) {
        self.checks += 1;
        if !right {
            self.failures.push(what());
        }
    }

    pub(crate) fn equal<T: PartialEq + Debug>(&mut self, what: &str, found: T, expected: T) {
        let right = found == expected;
        self.check(right, || format!("{what}: {found:?}, expected {expected:?}"));
    }
}

/// How the ranks wait: as ranks do that share cores.
pub(crate) fn patience<C: Comm>(comm: &C) -> Patience {
    Patience::new(true, comm.simulated())
}
