//! The blocking exchange as a system of the bench frame.

use super::arguments::Case;
use super::measure::{Alltoall, Line, Measured};
use super::report;
use crate::bench::frame::{Opened, System};
use crate::bench::proof::{Claim, Counts};
use crate::bench::timing;
use crate::progress::Progress;
use hcube_core::{Error, Result};
use hcube_results::alltoall::{Results, Run};
use hcube_results::numbers;

/// Calls from whose fastest the length of a batch follows: a single call may have waited for another program,
/// and in its first exchanges hcube finds out which path is faster.
const TRIALS: usize = 8;

impl System for Alltoall<'_> {
    const NAME: &'static str = "alltoall";
    type Case = (usize, Case);
    type Line = Line;
    type Sample = f64;
    type Row = Run;
    type Results = Results;

    fn sizes(&self) -> Vec<Vec<Self::Case>> {
        let cases = |&bytes: &usize| self.cases.iter().map(|&case| (bytes, case)).collect();
        self.arguments.sizes().iter().map(cases).collect()
    }

    fn name(&self, (bytes, case): &Self::Case) -> String {
        format!("{} of {}", case.algorithm.name(), numbers::whole_bytes(*bytes))
    }

    fn heading(&self) -> String {
        report::heading(self)
    }

    fn claim(&self, line: &Line) -> Claim {
        line.claim.clone()
    }

    fn counts(&self, line: &Line) -> Counts {
        line.channel.counts()
    }

    fn open(&mut self, &(bytes, case): &Self::Case) -> Result<Opened<Line>> {
        let name = case.algorithm.name();
        if self.has_no_node_for(&case) {
            return Ok(Opened::LeftOut(format!("{name} left out: every rank is alone on its node")));
        }
        Ok(match self.channel(&case, bytes) {
            Ok(channel) => {
                let blocks = self.blocks(bytes);
                let claim = self.claim(&case)?;
                Opened::Ready(Line { case, claim, bytes, channel, blocks, errors: None })
            }
            Err(reason) if case.optional => Opened::LeftOut(format!("{name} left out: {reason}")),
            Err(reason) => {
                let expected = format!("an algorithm that works here: {reason}");
                return Err(Error::argument("--algorithms", name, expected));
            }
        })
    }

    /// Verifies each case, and finds how many calls are to be timed together.
    fn warm_up(&mut self, lines: &mut [Line]) -> Result<()> {
        for line in &mut *lines {
            let wrong = self.verify(line)?;
            line.errors = (!self.arguments.common.no_verify).then_some(wrong);
        }
        let mut seconds = Vec::new();
        for line in lines {
            let mut fastest = f64::INFINITY;
            for _ in 0..TRIALS {
                fastest = fastest.min(self.timed(line, 1)?);
            }
            seconds.push(fastest);
        }
        self.batch = timing::batch(&seconds);
        Ok(())
    }

    fn measure(&mut self, line: &mut Line, _: bool, _: &mut Progress) -> Result<f64> {
        self.timed(line, self.batch)
    }

    fn row(&mut self, line: &mut Line, seconds: Vec<f64>) -> Result<Run> {
        let added = self.footprint(line)?;
        if let [own @ .., (_, library)] = &line.channel.counts()[..] {
            // Not an error where hcube may choose it, but to be told.
            if own.iter().map(|path| path.1).sum::<u64>() < *library {
                self.left.push(format!(
                    "{}: most exchanges left to the MPI library",
                    self.name(&(line.bytes, line.case))
                ));
            }
        }
        Ok(report::run(self, line, &Measured { seconds, batch: self.batch, added }))
    }

    fn results(&self, rows: Vec<Run>, mut left_out: Vec<String>) -> Results {
        left_out.extend(self.left.iter().cloned());
        Results::new(rows, left_out)
    }
}
