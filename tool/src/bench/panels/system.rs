//! `hcube bench panels` as a system of the bench frame.

use super::measure::{Case, Line, PanelBench};
use crate::bench::frame::{Opened, System};
use crate::bench::proof::{Claim, Counts};
use crate::progress::Progress;
use crate::session::{self, Failure};
use hcube_core::Result;
use hcube_results::measured::Timing;
use hcube_results::numbers;
use hcube_results::panels::{Results, Run};

impl System for PanelBench<'_> {
    const NAME: &'static str = "panels";
    type Case = Case;
    type Line = Line;
    /// Seconds of a panel.
    type Sample = f64;
    type Row = Run;
    type Results = Results;

    fn sizes(&self) -> Vec<Vec<Case>> {
        let cases = |bytes: usize, work_us: u32| {
            let variants = self.arguments.variants().into_iter();
            variants.map(|variant| Case { bytes, work_us, variant }).collect()
        };
        let of_size = |&bytes: &usize| self.arguments.work.iter().map(move |&work| cases(bytes, work));
        self.arguments.sizes.iter().flat_map(of_size).collect()
    }

    fn name(&self, case: &Case) -> String {
        let bytes = numbers::whole_bytes(case.bytes);
        format!("panels of {bytes}, {} us of work, {}", case.work_us, case.variant.name())
    }

    fn heading(&self) -> String {
        format!(
            "hcube {} panels: {} rank(s) on {} node(s), {}\n{} panels, medians of {} alternating measurements\n\n",
            env!("CARGO_PKG_VERSION"),
            self.place.ranks,
            self.place.nodes,
            session::library(),
            self.arguments.panels,
            self.arguments.common.repeat,
        )
    }

    fn claim(&self, line: &Line) -> Claim {
        line.claim.clone()
    }

    fn counts(&self, line: &Line) -> Counts {
        line.broadcast.counts()
    }

    fn open(&mut self, case: &Case) -> Result<Opened<Line>> {
        Ok(match self.line(*case)? {
            Ok(line) => Opened::Ready(line),
            Err(reason) => Opened::LeftOut(format!("{} left out: {reason}", case.variant.name())),
        })
    }

    fn warm_up(&mut self, lines: &mut [Line]) -> Result<()> {
        lines.iter_mut().try_for_each(|line| self.prepare(line))
    }

    fn measure(&mut self, line: &mut Line, _: bool, _: &mut Progress) -> Result<f64> {
        self.timed(line)
    }

    fn row(&mut self, line: &mut Line, seconds: Vec<f64>) -> Result<Run> {
        let case = line.case;
        let run = Run::new(self.subject(&case), case.variant.name(), Timing::new(&seconds));
        Ok(Run { panels: self.arguments.panels, errors: line.errors, ..run })
    }

    fn results(&self, rows: Vec<Run>, left_out: Vec<String>) -> Results {
        Results::new(rows, left_out)
    }

    fn write(&self, results: &Results) -> std::result::Result<(), Failure> {
        self.arguments.drawn.draw(results)
    }
}
