//! Local work that a simulated rank is charged for.
//!
//! In a simulation (SimGrid SMPI) thousands of ranks share one core, so how long a rank's own work takes
//! cannot be measured while it runs: algorithms say how much of which kind they have done, and the
//! back end lets simulated time pass before the rank's next call of MPI. What a unit costs is stated from
//! outside, in [`VARIABLE`]. Under a real MPI library nothing is charged.

use crate::error::{Error, Result};
use std::ops::AddAssign;

/// Where the costs stand: `generate=1,update=54.6,divide=21.75,copy=0`, in nanoseconds.
pub const VARIABLE: &str = "HCUBE_SIMULATED_COSTS";

/// Work of each kind, in units.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Work {
    /// Values of a stream generated.
    pub generated: u64,
    /// Values applied to the table.
    pub updated: u64,
    /// Values put on one of two lists; a division into more parts takes each of them several times.
    pub divided: u64,
    /// Bytes copied.
    pub copied: u64,
}

impl Work {
    /// Values generated.
    pub fn generated(values: usize) -> Self {
        Self { generated: values as u64, ..Self::default() }
    }

    /// Values applied.
    pub fn updated(values: usize) -> Self {
        Self { updated: values as u64, ..Self::default() }
    }

    /// Values divided.
    pub fn divided(values: usize) -> Self {
        Self { divided: values as u64, ..Self::default() }
    }

    /// Bytes copied.
    pub fn copied(bytes: usize) -> Self {
        Self { copied: bytes as u64, ..Self::default() }
    }
}

impl AddAssign for Work {
    fn add_assign(&mut self, more: Self) {
        self.generated += more.generated;
        self.updated += more.updated;
        self.divided += more.divided;
        self.copied += more.copied;
    }
}

/// What a unit of each kind costs, in nanoseconds.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Costs {
    generate: f64,
    update: f64,
    divide: f64,
    copy: f64,
}

impl Costs {
    /// As [`VARIABLE`] says; nothing costs time where it is not set.
    ///
    /// # Errors
    /// Where it cannot be read.
    pub fn from_environment() -> Result<Self> {
        match std::env::var_os(VARIABLE) {
            Some(text) => Self::parse(&text.to_string_lossy()),
            None => Ok(Self::default()),
        }
    }

    fn parse(text: &str) -> Result<Self> {
        let expected = "generate=, update=, divide= and copy= with nanoseconds, separated by commas";
        let refusal = || Error::argument(VARIABLE, text, expected);
        let mut costs = Self::default();
        for part in text.split(',').filter(|part| !part.is_empty()) {
            let (name, value) = part.split_once('=').ok_or_else(refusal)?;
            let value: f64 = value.parse().map_err(|_| refusal())?;
            if !(value.is_finite() && value >= 0.0) {
                return Err(refusal());
            }
            match name {
                "generate" => costs.generate = value,
                "update" => costs.update = value,
                "divide" => costs.divide = value,
                "copy" => costs.copy = value,
                _ => return Err(refusal()),
            }
        }
        Ok(costs)
    }

    /// How long work takes, in nanoseconds.
    pub fn of(&self, work: Work) -> f64 {
        let Work { generated, updated, divided, copied } = work;
        self.generate * generated as f64
            + self.update * updated as f64
            + self.divide * divided as f64
            + self.copy * copied as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn costs_are_read_and_applied() {
        let costs = Costs::parse("generate=1,update=50.5,divide=20,copy=0.5").expect("valid");
        let mut work = Work::generated(3);
        work += Work::updated(2);
        work += Work::divided(5);
        work += Work::copied(8);
        assert_eq!(costs.of(work), 3.0 + 101.0 + 100.0 + 4.0);
        assert_eq!(Costs::parse("").expect("nothing costs time").of(work), 0.0);
        for wrong in ["update", "update=x", "update=-1", "update=inf", "updates=1", "update:1"] {
            let error = Costs::parse(wrong).expect_err("refused").to_string();
            assert!(error.starts_with(&format!("{VARIABLE} = {wrong}: expected")), "{error}");
        }
    }
}
