//! `hcube bench caf` as a system of the bench frame.

use super::measure::{Caf, Line};
use super::report;
use crate::bench::frame::{Opened, System};
use crate::bench::proof::{Claim, Counts};
use crate::progress::Progress;
use crate::session::Failure;
use hcube_core::Result;
use hcube_results::caf::{Results, Run};

impl System for Caf<'_> {
    const NAME: &'static str = "caf";
    /// The numbers of a task and of a variant.
    type Case = (usize, usize);
    type Line = Line;
    /// Seconds of an operation.
    type Sample = f64;
    type Row = Run;
    type Results = Results;

    fn sizes(&self) -> Vec<Vec<Self::Case>> {
        let cases = |(number, task)| {
            let variants = 0..self.variants.len();
            variants.filter(|&one| self.variants[one].has(task)).map(|one| (number, one)).collect()
        };
        self.tasks.iter().enumerate().map(cases).collect()
    }

    fn name(&self, &(task, variant): &Self::Case) -> String {
        let described = self.tasks[task].described(String::new(), 0, 0);
        format!("{}, {}", described.name(), self.variants[variant].name)
    }

    fn heading(&self) -> String {
        report::heading(self)
    }

    fn claim(&self, line: &Line) -> Claim {
        Caf::claim(self, line)
    }

    fn counts(&self, _: &Line) -> Counts {
        Caf::counts(self)
    }

    fn open(&mut self, &(task, variant): &Self::Case) -> Result<Opened<Line>> {
        let of = &self.variants[variant];
        if let Some(reason) = of.missing() {
            return Ok(Opened::LeftOut(format!("{} left out: {reason}", of.name)));
        }
        Ok(Opened::Ready(Line { task: self.tasks[task], variant, batch: 1, errors: None }))
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
