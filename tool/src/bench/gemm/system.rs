//! `hcube bench gemm` as a system of the bench frame.

use super::arguments::Variant;
use super::measure::{Gemm, Line};
use super::problem::Routine;
use super::report;
use crate::bench::frame::{Opened, System};
use crate::bench::proof::{Claim, Counts};
use crate::bench::timing;
use crate::progress::Progress;
use crate::session::Failure;
use hcube_core::Result;
use hcube_results::gemm::{Results, Run};

/// Calls from whose fastest the length of a batch follows, as long as they do not take this many seconds.
const TRIALS: usize = 8;
const TRIAL_SECONDS: f64 = 0.02;

/// Operations that take as long as a batch of small products with its verification.
const SMALL_FLOPS: f64 = 1e9;

impl System for Gemm<'_> {
    const NAME: &'static str = "gemm";
    /// The number of a problem, and a variant.
    type Case = (usize, Variant);
    type Line = Line;
    /// Seconds.
    type Sample = f64;
    type Row = Run;
    type Results = Results;

    fn sizes(&self) -> Vec<Vec<Self::Case>> {
        let variants = self.arguments.variants();
        let cases = |number| variants.iter().map(|&variant| (number, variant)).collect();
        (0..self.problems.len()).map(cases).collect()
    }

    fn name(&self, &(number, variant): &Self::Case) -> String {
        let problem = self.problems[number].described(String::new(), self.grid.place);
        format!("{}, {}", problem.name(), variant.name())
    }

    fn heading(&self) -> String {
        report::heading(self)
    }

    fn weight(&self, &(number, _): &Self::Case) -> f64 {
        SMALL_FLOPS + self.problems[number].flops()
    }

    fn claim(&self, line: &Line) -> Claim {
        line.claim.clone()
    }

    fn counts(&self, _: &Line) -> Counts {
        self.grid.counts()
    }

    fn open(&mut self, &(number, variant): &Self::Case) -> Result<Opened<Line>> {
        if variant == Variant::Bound && self.problems[number].routine != Routine::Gemm {
            return Ok(Opened::LeftOut("local-bound left out: only products have it".to_owned()));
        }
        if variant == Variant::Raised && !self.replaceable {
            let reason = format!("{} does not call the pilaenv_ of programs", self.grid.file());
            return Ok(Opened::LeftOut(format!("scalapack-raised left out: {reason}")));
        }
        self.prepare(number)?;
        // Until it is known what the products of the problem count.
        let claim = self.grid.claim(variant, [1, 1]);
        Ok(Opened::Ready(Line { variant, errors: None, claim }))
    }

    /// Verifies each variant, and finds how many calls are to be timed together.
    fn warm_up(&mut self, lines: &mut [Line]) -> Result<()> {
        if lines.is_empty() {
            return Ok(());
        }
        self.verify(lines)?;
        let mut seconds = Vec::new();
        for line in lines {
            let (mut fastest, mut spent) = (f64::INFINITY, 0.0);
            for _ in 0..TRIALS {
                let one = self.timed(line.variant, 1)?;
                (fastest, spent) = (fastest.min(one), spent + one);
                if spent > TRIAL_SECONDS {
                    break;
                }
            }
            seconds.push(fastest);
        }
        self.batch = if self.may_repeat() { timing::batch(&seconds) } else { 1 };
        Ok(())
    }

    fn measure(&mut self, line: &mut Line, _: bool, _: &mut Progress) -> Result<f64> {
        self.timed(line.variant, self.batch)
    }

    fn row(&mut self, line: &mut Line, seconds: Vec<f64>) -> Result<Run> {
        Ok(report::run(self, line, &seconds))
    }

    fn results(&self, rows: Vec<Run>, left_out: Vec<String>) -> Results {
        Results::new(rows, left_out)
    }

    fn write(&self, results: &Results) -> std::result::Result<(), Failure> {
        report::draw(self.arguments, results)
    }
}
