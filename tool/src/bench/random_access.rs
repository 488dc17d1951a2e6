//! `hcube bench random-access`: the stand-alone RandomAccess benchmark of Plimpton et al. 2006.

mod arguments;
mod report;
mod setup;
mod updates;
mod worked;

pub use arguments::{Arguments, Case, DEFAULT_TABLE_SIZE, LADDER, MAX_TABLE_SIZE};
pub use updates::UpdateBench;

use super::frame::{LineOf, Opened, System};
use super::job;
use super::proof::{Claim, Counts};
use crate::progress::Progress;
use crate::session;
use hcube_core::Result;
use hcube_core::comm::Comm;
use hcube_results::measured::Timing;
use report::Results;
use setup::{Competitor, RandomAccess, Row};
use std::process::ExitCode;
use updates::Measured;

/// Runs the benchmark under MPI.
pub fn run(arguments: &Arguments) -> ExitCode {
    session::run(|session| {
        let new = || RandomAccess::new(session, arguments);
        job::start(session, &arguments.common, || Ok(()), new, Results::new, |_| Ok(()))
    })
}

impl RandomAccess<'_> {
    /// Collective: all updates, of which progress shows slices; their seconds.
    fn update(&mut self, line: &mut LineOf<Self>, progress: &mut Progress) -> Result<f64> {
        let measured = match line.case {
            Competitor::LocalBound(stream) => self.bench.local_bound(stream),
            Competitor::Case(number) => {
                let verify = line.work.is_empty() && !self.arguments.common.no_verify;
                self.bench.measure(&self.cases[number], verify, progress)
            }
        }?;
        let seconds = measured.seconds;
        line.work.push(measured);
        Ok(seconds)
    }
}

impl System for RandomAccess<'_> {
    const NAME: &'static str = "random-access";
    type Case = Competitor;
    /// All measurements.
    type Work = Vec<Measured>;
    type Row = Row;

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

    fn about(&self) -> String {
        report::about(self)
    }

    fn heading(&self, _repeat: u32) -> String {
        format!("hcube {} {}: {}", env!("CARGO_PKG_VERSION"), Self::NAME, self.about())
    }

    fn open(&mut self, _: &Competitor) -> Result<Opened<Vec<Measured>>> {
        Ok(Ok(Vec::new()))
    }

    fn claim(&self, competitor: &Competitor, _: &Vec<Measured>) -> Result<Claim> {
        Ok(match *competitor {
            Competitor::LocalBound(_) => worked::claim_of_bound(),
            Competitor::Case(number) => worked::claim(self.cases[number].options.mode, self.bench.ranks()),
        })
    }

    fn counts(&self, _: &Vec<Measured>) -> Counts {
        self.bench.worked.counts()
    }

    /// Each measurement begins with a trial of its own.
    fn warm_up(&mut self, _: &impl Comm, _verify: bool, _: &mut [LineOf<Self>]) -> Result<()> {
        Ok(())
    }

    fn call(&mut self, line: &mut LineOf<Self>, _calls: u32) -> Result<()> {
        self.update(line, &mut Progress::new(Self::NAME, false)).map(drop)
    }

    fn measure(&mut self, _: &impl Comm, line: &mut LineOf<Self>, progress: &mut Progress) -> Result<f64> {
        self.update(line, progress)
    }

    fn row(&mut self, line: &mut LineOf<Self>, _: Timing) -> Result<Row> {
        Ok(Row { competitor: line.case, measured: std::mem::take(&mut line.work) })
    }
}
