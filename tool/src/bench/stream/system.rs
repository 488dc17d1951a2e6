//! `hcube bench stream` as a system of the bench frame.

use super::measure::{Case, Line, StreamBench};
use crate::bench::frame::{Opened, System};
use crate::bench::proof::{Claim, Counts};
use crate::progress::Progress;
use crate::session::{self, Failure};
use hcube_core::Result;
use hcube_results::measured::Timing;
use hcube_results::numbers;
use hcube_results::stream::{Results, Run};

impl System for StreamBench<'_> {
    const NAME: &'static str = "stream";
    type Case = Case;
    type Line = Line;
    /// Seconds of a kernel.
    type Sample = f64;
    type Row = Run;
    type Results = Results;

    fn sizes(&self) -> Vec<Vec<Case>> {
        self.arguments.sizes.iter().map(|&bytes| self.cases(bytes)).collect()
    }

    fn name(&self, case: &Case) -> String {
        let bytes = numbers::whole_bytes(case.bytes);
        format!("{} of {bytes} on {}, {}", case.kernel.name(), self.subject(case).who(), case.variant.name())
    }

    fn heading(&self) -> String {
        format!(
            "hcube {} stream: {} rank(s) on {} node(s), {}\nmedians of {} alternating measurements\n\n",
            env!("CARGO_PKG_VERSION"),
            self.place.ranks,
            self.place.nodes,
            session::library(),
            self.arguments.common.repeat,
        )
    }

    fn claim(&self, line: &Line) -> Claim {
        line.claim.clone()
    }

    fn counts(&self, _: &Line) -> Counts {
        StreamBench::counts(self)
    }

    fn open(&mut self, case: &Case) -> Result<Opened<Line>> {
        self.prepare_vectors(case.bytes)?;
        let claim = self.agree(case.variant.claim())?;
        Ok(Opened::Ready(Line { case: *case, claim, batch: 1, errors: None }))
    }

    fn warm_up(&mut self, lines: &mut [Line]) -> Result<()> {
        lines.iter_mut().try_for_each(|line| self.prepare(line))
    }

    fn measure(&mut self, line: &mut Line, _: bool, _: &mut Progress) -> Result<f64> {
        self.timed(&line.case, line.batch)
    }

    fn row(&mut self, line: &mut Line, seconds: Vec<f64>) -> Result<Run> {
        let case = line.case;
        let run = Run::new(self.subject(&case), case.variant.name(), Timing::new(&seconds));
        let stores = self.stores(&case).map(str::to_owned);
        Ok(Run { batch: line.batch, errors: line.errors, stores, ..run })
    }

    fn results(&self, rows: Vec<Run>, left_out: Vec<String>) -> Results {
        Results::new(rows, left_out)
    }

    fn write(&self, results: &Results) -> std::result::Result<(), Failure> {
        self.arguments.drawn.draw(results)
    }
}
