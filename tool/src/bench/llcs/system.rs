//! `hcube bench llcs` as a system of the bench frame.

use super::arguments::Kind;
use super::measure::{Case, Line, Llcs};
use crate::bench::frame::{Opened, System};
use crate::bench::proof::{Claim, Counts};
use crate::progress::Progress;
use crate::session::{self, Failure};
use hcube_core::Result;
use hcube_results::llcs::{Results, Run};
use hcube_results::measured::Timing;

/// Batches of 5 ms that an entry takes, one by one and many at a time as bits, on the machines of today: only the proportion counts.
const EVERY_ENTRY: f64 = 1e-7;
const MANY_ENTRIES: f64 = 1e-9;

impl System for Llcs<'_> {
    const NAME: &'static str = "llcs";
    type Case = Case;
    type Line = Line;
    /// Seconds of a computation.
    type Sample = f64;
    type Row = Run;
    type Results = Results;

    fn sizes(&self) -> Vec<Vec<Case>> {
        let variants = self.arguments.variants(self.place.ranks);
        let cases = |length: usize, symbols: u32| {
            let case = |&(variant, alpha)| Case { length, symbols: symbols as usize, variant, alpha };
            variants.iter().map(case).collect()
        };
        let of_alphabet =
            |&symbols: &u32| self.arguments.lengths.iter().map(move |&length| (length, symbols));
        let sizes = self.arguments.symbols.iter().flat_map(of_alphabet);
        sizes.map(|(length, symbols)| cases(length, symbols)).collect()
    }

    fn name(&self, case: &Case) -> String {
        let subject = self.subject(case);
        let alpha = if case.alpha > 0 { format!(" {}", case.alpha) } else { String::new() };
        format!("{}{alpha}, length {}, {}", case.variant.name(), case.length, subject.strings())
    }

    fn heading(&self) -> String {
        let model = if self.place.ranks > 1 {
            format!("predictions: {}, and the rate of an entry measured before each size\n", self.model.name)
        } else {
            String::new()
        };
        format!(
            "hcube {} llcs: {} rank(s) on {} node(s), {}\n{model}medians of {} alternating measurements\n\n",
            env!("CARGO_PKG_VERSION"),
            self.place.ranks,
            self.place.nodes,
            session::library(),
            self.arguments.common.repeat,
        )
    }

    /// The remaining time: all entries of the matrix, or the time of a batch.
    fn weight(&self, case: &Case) -> f64 {
        let entries = (case.length as f64).powi(2);
        let every_entry = matches!(case.variant.kind(), Kind::OneProcess { every_entry: true });
        1.0 + entries * if every_entry { EVERY_ENTRY } else { MANY_ENTRIES }
    }

    fn claim(&self, line: &Line) -> Claim {
        line.case.variant.claim()
    }

    fn counts(&self, _: &Line) -> Counts {
        self.worked.counts()
    }

    fn open(&mut self, case: &Case) -> Result<Opened<Line>> {
        Ok(Llcs::open(self, case)?.map_or_else(Opened::LeftOut, Opened::Ready))
    }

    fn warm_up(&mut self, lines: &mut [Line]) -> Result<()> {
        self.prepare(lines)
    }

    fn measure(&mut self, line: &mut Line, _: bool, _: &mut Progress) -> Result<f64> {
        let batch = line.batch;
        self.timed(line, batch)
    }

    fn row(&mut self, line: &mut Line, seconds: Vec<f64>) -> Result<Run> {
        let Case { length, symbols, variant, alpha } = line.case;
        let errors = self.errors(line)?;
        let timing = Timing::new(&seconds);
        let run = |running| Run {
            batch: line.batch,
            llcs: line.found,
            errors,
            ..Run::new(self.subject(&line.case), variant.name(), running, timing)
        };
        Ok(match variant.kind() {
            Kind::OneProcess { .. } => run(1),
            Kind::AllRanks { .. } => {
                let (grid, predicted) = self.model.predict(length, symbols, (variant, alpha), self.entry());
                Run {
                    alpha: grid.alpha,
                    blocks: [grid.block_columns(), grid.block_rows],
                    predicted: Some(predicted),
                    ..run(self.place.ranks)
                }
            }
        })
    }

    fn results(&self, rows: Vec<Run>, left_out: Vec<String>) -> Results {
        Results::new(rows, left_out)
    }

    fn write(&self, results: &Results) -> std::result::Result<(), Failure> {
        self.arguments.drawn.draw(results)
    }
}
