//! `hcube bench random-access`: the stand-alone RandomAccess benchmark of Plimpton et al. 2006.

mod arguments;
mod report;
mod updates;

pub use arguments::{Arguments, Case, DEFAULT_TABLE_SIZE, LADDER, MAX_TABLE_SIZE};
pub use updates::UpdateBench;

use super::{Opened, System};
use crate::progress::Progress;
use crate::session::{self, Session};
use hcube_core::Result;
use hcube_core::comm::agree;
use hcube_random_access::{Options, StreamKind, UpdateState};
use report::Results;
use std::process::ExitCode;
use updates::Measured;

/// Runs the benchmark under MPI.
pub fn run(arguments: &Arguments) -> ExitCode {
    session::run(|session| {
        super::start(session, &arguments.common, || Ok(()), || RandomAccess::new(session, arguments))
    })
}

/// What is measured.
#[derive(Debug, Clone, Copy)]
enum Competitor {
    /// Private tables, no communication.
    LocalBound(StreamKind),
    /// The case of that number.
    Case(usize),
}

/// All measurements of a competitor.
struct Row {
    competitor: Competitor,
    measured: Vec<Measured>,
}

/// The table with the cases that are measured on it.
struct RandomAccess<'a> {
    arguments: &'a Arguments,
    cases: Vec<Case>,
    /// What hcube says about each case.
    descriptions: Vec<String>,
    bench: UpdateBench<'a>,
}

impl<'a> RandomAccess<'a> {
    /// Collective: a mode that cannot work here is refused before the first measurement.
    fn new(session: &'a Session, arguments: &'a Arguments) -> Result<Self> {
        let comm = &session.comm;
        let cases = arguments.cases(&agree(comm, Options::from_environment())?);
        let bench = UpdateBench::new(session, arguments.table_size, arguments.total_updates())?;
        let mut random_access = Self { arguments, cases, descriptions: Vec::new(), bench };
        if random_access.cases[0].options.huge_pages {
            random_access.bench.use_huge_pages()?;
        }
        for case in &random_access.cases {
            random_access.descriptions.push(UpdateState::new(comm, &case.options)?.describe());
        }
        Ok(random_access)
    }
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

    fn results(&self, rows: Vec<Row>, _: Vec<String>) -> Results {
        Results::new(self, &rows)
    }
}
