//! Checks of the results of HPCC's kernels.

use super::content::{Checked, positive};
use hcube_results::measured::{Place, Timing};
use hcube_results::{fft, panels, stream};

/// What all these results have.
fn check(number: usize, place: &Place, timing: &Timing) -> Result<(), String> {
    positive("runs", number, "ranks", place.ranks as f64)?;
    timing.check().or_else(|(field, value)| positive("runs", number, field, value))
}

impl Checked for fft::Results {
    fn check(&self) -> Result<(), String> {
        self.runs.iter().enumerate().try_for_each(|(number, run)| {
            check(number, &run.place, &run.timing)?;
            positive("runs", number, "length", run.length as f64)?;
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
