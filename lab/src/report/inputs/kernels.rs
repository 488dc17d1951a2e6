//! Checks of the results of HPCC's kernels and of longest common subsequences, and what simulations have found about them.

use super::content::{Checked, positive};
use hcube_results::measured::{Place, Timing};
use hcube_results::{fft, llcs, panels, stream};
use serde::Deserialize;

/// A simulated Fourier transform.
#[derive(Debug, Clone, Deserialize)]
pub struct Transform {
    pub machine: String,
    pub ranks: usize,
    pub ranks_per_node: usize,
    /// `six-step` or `binary-exchange`.
    pub algorithm: String,
    /// Complex numbers of a rank.
    pub part: usize,
    pub seconds: f64,
    /// Of these, exchanges and waits.
    pub exchange_seconds: f64,
    pub gflops: f64,
    /// Wrong numbers.
    pub errors: u64,
}

impl Transform {
    /// What is more than 0.
    pub fn positive(&self) -> [(&'static str, f64); 4] {
        [
            ("ranks", self.ranks as f64),
            ("part", self.part as f64),
            ("seconds", self.seconds),
            ("gflops", self.gflops),
        ]
    }
}

/// Simulated panels at a place of an LU factorisation.
#[derive(Debug, Clone, Deserialize)]
pub struct Panels {
    pub machine: String,
    pub ranks: usize,
    pub ranks_per_node: usize,
    /// Of the process grid.
    pub rows: usize,
    pub columns: usize,
    /// Of the matrix.
    pub order: usize,
    pub topology: String,
    /// Of one panel.
    pub seconds: f64,
    /// The same if panels took no time to travel.
    pub bound_seconds: f64,
    /// Wrong bytes.
    pub errors: u64,
}

impl Panels {
    /// What is more than 0.
    pub fn positive(&self) -> [(&'static str, f64); 4] {
        [
            ("ranks", self.ranks as f64),
            ("order", self.order as f64),
            ("seconds", self.seconds),
            ("bound_seconds", self.bound_seconds),
        ]
    }

    /// The factorisation that it belongs to.
    pub fn whole(&self) -> (&str, usize, usize, &str) {
        (&self.machine, self.ranks, self.ranks_per_node, &self.topology)
    }
}

/// What all these results have.
fn check(number: usize, place: &Place, timing: &Timing) -> Result<(), String> {
    positive("runs", number, "ranks", place.ranks as f64)?;
    timing.check().or_else(|(field, value)| positive("runs", number, field, value))
}

impl Checked for fft::Results {
    fn check(&self) -> Result<(), String> {
        self.runs.iter().enumerate().try_for_each(|(number, run)| {
            check(number, &run.subject.place, &run.timing)?;
            positive("runs", number, "length", run.subject.length as f64)?;
            positive("runs", number, "gflop_s", run.gflop_s)
        })
    }
}

impl Checked for stream::Results {
    fn check(&self) -> Result<(), String> {
        self.runs.iter().enumerate().try_for_each(|(number, run)| {
            check(number, &run.subject.place, &run.timing)?;
            positive("runs", number, "bytes", run.subject.bytes as f64)?;
            positive("runs", number, "running", run.subject.running as f64)?;
            positive("runs", number, "gb_s", run.gb_s)
        })
    }
}

impl Checked for panels::Results {
    fn check(&self) -> Result<(), String> {
        self.runs.iter().enumerate().try_for_each(|(number, run)| {
            check(number, &run.subject.place, &run.timing)?;
            positive("runs", number, "bytes", run.subject.bytes as f64)
        })
    }
}

impl Checked for llcs::Results {
    fn check(&self) -> Result<(), String> {
        self.runs.iter().enumerate().try_for_each(|(number, run)| {
            check(number, &run.subject.place, &run.timing)?;
            positive("runs", number, "length", run.subject.length as f64)?;
            positive("runs", number, "running", run.running as f64)?;
            positive("runs", number, "gentries_s", run.gentries_s)
        })
    }
}
