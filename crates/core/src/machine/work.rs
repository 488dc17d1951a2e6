//! Local work for which the clock of a simulated rank is advanced.
//!
//! In a simulation (SimGrid SMPI) thousands of ranks share one core, so the time of a rank's own work cannot
//! be measured while it runs. Instead, algorithms state how much work they have done, and the back end
//! advances simulated time before the rank's next MPI call. Every system declares its own [`Unit`]s as
//! constants; this module knows only the common unit. The cost of a unit comes from [`VARIABLE`], by the name
//! of the unit. With a real MPI library this has no effect.

use crate::error::{Error, Result};

/// The environment variable with the costs in nanoseconds: `unit=1,other=2.5`. A unit
/// that it does not name costs nothing.
pub const VARIABLE: &str = "HCUBE_SIMULATED_COSTS";

/// A byte copied.
pub const COPY: Unit = Unit::new("copy");

/// The time that a simulated rank adds to each pause of a wait. If every message takes seconds, on a machine
/// with correspondingly lower bandwidth, ranks that poll every microsecond would keep the simulator busy.
pub const REST: Unit = Unit::new("rest");

/// A kind of work. Units of the same name are the same unit, wherever they are declared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Unit(&'static str);

impl Unit {
    /// The unit of a name: lower-case letters and hyphens.
    pub const fn new(name: &'static str) -> Self {
        Self(name)
    }

    /// The name of the unit in [`VARIABLE`].
    pub const fn name(self) -> &'static str {
        self.0
    }

    /// An amount of this work.
    #[inline]
    pub const fn of(self, amount: usize) -> Work {
        Work { unit: self, amount: amount as u64 }
    }
}

/// An amount of one kind of work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Work {
    /// The unit that is counted.
    pub unit: Unit,
    /// Number of units.
    pub amount: u64,
}

/// Sums of work by unit.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Ledger(Vec<Work>);

impl Ledger {
    /// Adds to the sum of a unit.
    pub fn add(&mut self, work: Work) {
        match self.0.iter_mut().find(|sum| sum.unit == work.unit) {
            Some(sum) => sum.amount += work.amount,
            None => self.0.push(work),
        }
    }

    /// The sum of a unit.
    pub fn amount(&self, unit: Unit) -> u64 {
        self.0.iter().find(|sum| sum.unit == unit).map_or(0, |sum| sum.amount)
    }
}

/// Costs of units in nanoseconds.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Costs(Vec<(String, f64)>);

impl Costs {
    /// Reads [`VARIABLE`]; without it nothing costs time.
    ///
    /// # Errors
    /// [`Error::Argument`] for a value that is not a list of names with costs.
    pub fn from_environment() -> Result<Self> {
        match std::env::var_os(VARIABLE) {
            Some(text) => Self::parse(&text.to_string_lossy()),
            None => Ok(Self::default()),
        }
    }

    fn parse(text: &str) -> Result<Self> {
        let expected = "names of units with nanoseconds, as in unit=1,other=2.5, separated by commas";
        let refusal = || Error::argument(VARIABLE, text, expected);
        let mut costs = Vec::new();
        for part in text.split(',').filter(|part| !part.is_empty()) {
            let (name, value) = part.split_once('=').ok_or_else(refusal)?;
            let value: f64 = value.parse().map_err(|_| refusal())?;
            let is_name =
                !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-');
            let is_new = costs.iter().all(|(known, _)| known != name);
            if !(is_name && is_new && value.is_finite() && value >= 0.0) {
                return Err(refusal());
            }
            costs.push((name.to_owned(), value));
        }
        Ok(Self(costs))
    }

    /// The time of work in nanoseconds.
    pub fn of(&self, ledger: &Ledger) -> f64 {
        let cost =
            |unit: Unit| self.0.iter().find(|(name, _)| name == unit.name()).map_or(0.0, |&(_, cost)| cost);
        ledger.0.iter().map(|sum| cost(sum.unit) * sum.amount as f64).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MIX: Unit = Unit::new("mix");
    const BAKE: Unit = Unit::new("bake");

    #[test]
    fn costs_are_read_and_applied_by_name() {
        let costs = Costs::parse("mix=1,bake=50.5,serve=3").expect("valid");
        let mut ledger = Ledger::default();
        for work in [MIX.of(3), BAKE.of(1), Unit::new("mix").of(4), Unit::new("taste").of(1000)] {
            ledger.add(work);
        }
        assert_eq!((ledger.amount(MIX), ledger.amount(BAKE), ledger.amount(Unit::new("serve"))), (7, 1, 0));
        assert_eq!(costs.of(&ledger), 7.0 + 50.5);
        assert_eq!(Costs::parse("").expect("nothing costs time").of(&ledger), 0.0);
    }

    #[test]
    fn malformed_costs_are_refused() {
        for wrong in ["mix", "mix=x", "mix=-1", "mix=inf", "mix:1", "=1", "Mix=1", "mix=1,mix=2"] {
            let error = Costs::parse(wrong).expect_err("refused").to_string();
            assert!(error.starts_with(&format!("{VARIABLE} = {wrong}: expected")), "{error}");
        }
    }
}
