//! `hcube bench random-access`: the stand-alone RandomAccess benchmark of Plimpton et al. 2006.

mod arguments;
mod report;
mod setup;
mod updates;
mod worked;

pub use arguments::{Arguments, Case, DEFAULT_TABLE_SIZE, LADDER, MAX_TABLE_SIZE};
pub use updates::UpdateBench;

use super::frame::{self, Opened, System};
use super::proof::{Claim, Counts};
use crate::progress::Progress;
use crate::session;
use hcube_core::Result;
use report::Results;
use setup::{Competitor, RandomAccess, Row};
use std::process::ExitCode;
use updates::Measured;

/// Runs the benchmark under MPI.
pub fn run(arguments: &Arguments) -> ExitCode {
    session::run(|session| {
        frame::start(session, &arguments.common, || Ok(()), || RandomAccess::new(session, arguments))
    })
}

impl System for RandomAccess<'_> {
    const NAME: &'static str = "random-access";
    type Case = Competitor;
    type Line = Competitor;
    type Sample = Measured;
    type Row = Row;
    type Results = Results;

    fn sizes(&self) -> Vec<Vec<Competitor>> {
        let bound = self.arguments.local_bound.then_some(Competitor::LocalBound(self.cases[0].stream));
        vec![bound.into_iter().chain((0..self.cases.len()).map(Competitor::Case)).collect()]
    }

    fn name(&self, competitor: &Competitor) -> String {
        match *competitor {
            Competitor::LocalBound(_) => "local bound".to_owned(),
            Competitor::Case(number) => self.cases[number].name(),
        }
    }

    fn heading(&self) -> String {
        report::heading(self)
    }

    fn claim(&self, competitor: &Competitor) -> Claim {
        match *competitor {
            Competitor::LocalBound(_) => worked::claim_of_bound(),
            Competitor::Case(number) => worked::claim(self.cases[number].options.mode, self.bench.ranks()),
        }
    }

    fn counts(&self, _: &Competitor) -> Counts {
        self.bench.worked.counts()
    }

    fn open(&mut self, &competitor: &Competitor) -> Result<Opened<Competitor>> {
        Ok(Opened::Ready(competitor))
    }

    fn measure(
        &mut self,
        competitor: &mut Competitor,
        first: bool,
        progress: &mut Progress,
    ) -> Result<Measured> {
        match *competitor {
            Competitor::LocalBound(stream) => self.bench.local_bound(stream),
            Competitor::Case(number) => {
                let verify = first && !self.arguments.common.no_verify;
                self.bench.measure(&self.cases[number], verify, progress)
            }
        }
    }

    fn row(&mut self, &mut competitor: &mut Competitor, measured: Vec<Measured>) -> Result<Row> {
        Ok(Row { competitor, measured })
    }

    fn results(&self, rows: Vec<Row>, left_out: Vec<String>) -> Results {
        Results::new(self, &rows, left_out)
    }
}
