//! `hcube bench bsp` as a system of the bench frame.

use super::measure::{Bsp, Line};
use super::report;
use crate::bench::frame::{Opened, System};
use crate::bench::proof::{Claim, Counts};
use crate::progress::Progress;
use crate::session::Failure;
use hcube_core::Result;
use hcube_results::bsp::{Results, Run};

impl System for Bsp<'_> {
    const NAME: &'static str = "bsp";
    /// The numbers of a superstep and of a variant.
    type Case = (usize, usize);
    type Line = Line;
    /// Seconds of a superstep.
    type Sample = f64;
    type Row = Run;
    type Results = Results;

    fn sizes(&self) -> Vec<Vec<Self::Case>> {
        let cases = |step| (0..self.variants.len()).map(|variant| (step, variant)).collect();
        (0..self.steps.len()).map(cases).collect()
    }

    fn name(&self, &(step, variant): &Self::Case) -> String {
        let described = self.steps[step].described(String::new(), 0);
        format!("{}, {}", described.name(), self.variants[variant].name)
    }

    fn heading(&self) -> String {
        report::heading(self)
    }

    fn claim(&self, line: &Line) -> Claim {
        Claim::of(&self.variants[line.variant].origin)
    }

    /// None: a library of BSPlib has one implementation, and does not count its calls.
    fn counts(&self, _: &Line) -> Counts {
        Counts::new()
    }

    fn open(&mut self, &(step, variant): &Self::Case) -> Result<Opened<Line>> {
        if self.variants[variant].is_missing() {
            return Ok(Opened::LeftOut("mpi left out: MPI_Win_create fails here".to_owned()));
        }
        Ok(Opened::Ready(Line { step: self.steps[step], variant, batch: 1, errors: None }))
    }

    fn warm_up(&mut self, lines: &mut [Line]) -> Result<()> {
        lines.iter_mut().try_for_each(|line| self.prepare(line))
    }

    fn measure(&mut self, line: &mut Line, _: bool, _: &mut Progress) -> Result<f64> {
        self.timed(line, line.batch)
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
