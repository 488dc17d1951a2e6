//! What the kinds besides the blocking exchange have in common: exchanges by hcube and by the MPI library, as a system of
//! the bench frame.

use super::arguments::{Arguments, Memory};
use crate::bench::footprint::Added;
use crate::bench::frame::{Opened, System};
use crate::bench::proof::{Claim, Counts};
use crate::bench::timing;
use crate::progress::Progress;
use crate::session::{self, Session};
use hcube_core::Result;
use hcube_core::comm::{Comm, agree};
use hcube_results::alltoall::Results;
use hcube_results::alltoall::kinds::{COMPUTATION, HCUBE, LIBRARY, Run, Subject};
use hcube_results::measured::{Place, Timing};

/// Calls from whose fastest the length of a batch follows.
const TRIALS: usize = 8;

/// Who makes the exchange.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Variant {
    Hcube,
    Library,
    /// There is none, only the computation.
    Computation,
}

impl Variant {
    /// The name in results.
    pub fn name(self) -> &'static str {
        match self {
            Self::Hcube => HCUBE,
            Self::Library => LIBRARY,
            Self::Computation => COMPUTATION,
        }
    }
}

/// What is measured in a line: what is exchanged, and by whom.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Case<W> {
    pub what: W,
    pub variant: Variant,
    /// Additional memory of hcube, where it matters, in bytes and as it was asked for.
    pub memory: Option<(usize, Memory)>,
}

/// What is exchanged, in results.
pub struct Named {
    pub exchange: String,
    pub bytes_per_rank: usize,
    pub cube: Option<usize>,
}

/// A kind of exchanges.
pub trait Kind {
    /// The name in `--kinds`.
    const NAME: &'static str;
    /// What is exchanged.
    type What: Copy;
    /// What a case needs while it is measured.
    type Line;

    /// The cases, in groups that are measured alternately.
    fn groups(&self) -> Vec<Vec<Case<Self::What>>>;
    /// A line that says what is measured.
    fn heading(&self) -> String;
    fn named(&self, what: &Self::What) -> Named;
    /// Collective: prepares a case, or says why it cannot be measured here, on all ranks.
    fn open(&mut self, case: &Case<Self::What>) -> Result<Self::Line>;
    /// Collective: the exchange, several times.
    fn call(&mut self, line: &mut Self::Line, calls: u32) -> Result<()>;
    /// Collective: one exchange of known data; elements of this rank that are wrong then, or nothing where a line is what
    /// others are compared with, on all ranks.
    fn wrong(&mut self, line: &mut Self::Line) -> Result<Option<u64>>;
    /// Collective: what depends on the other lines of a group, before they are measured.
    fn prepare(&mut self, _session: &Session, _lines: &mut [&mut Self::Line]) -> Result<()> {
        Ok(())
    }
    /// What has to make the exchanges of a case.
    ///
    /// # Errors
    /// Where it is not what it should be; ranks may differ.
    fn claim(&self, case: &Case<Self::What>) -> Result<Claim>;
    /// Local: what has worked so far for a line, as it counts itself.
    fn counts(&self, line: &Self::Line) -> Counts;
    /// Local: the path of the last exchange, where hcube makes it.
    fn path(&self, line: &Self::Line) -> Result<Option<&'static str>>;
    /// Collective: what an exchange adds to the memory of a process, where that is measured.
    fn footprint(&mut self, _session: &Session, _line: &Self::Line) -> Result<Option<Added>> {
        Ok(None)
    }
}

/// A kind under way.
pub struct Measured<'a, K> {
    session: &'a Session,
    arguments: &'a Arguments,
    node_sizes: Vec<usize>,
    kind: K,
    /// Calls that are timed together in the present group.
    batch: u32,
}

/// A line with what verification has found.
pub struct Line<W, L> {
    case: Case<W>,
    claim: Claim,
    errors: Option<u64>,
    line: L,
}

impl<'a, K: Kind> Measured<'a, K> {
    /// Collective.
    pub fn new(session: &'a Session, arguments: &'a Arguments, kind: K) -> Result<Self> {
        Ok(Self { session, arguments, node_sizes: session.node_sizes()?, kind, batch: 1 })
    }

    fn timed(&mut self, line: &mut Line<K::What, K::Line>, calls: u32) -> Result<f64> {
        let session = self.session;
        let (seconds, ()) = timing::timed(&session.comm, || self.kind.call(&mut line.line, calls))?;
        Ok(seconds / f64::from(calls))
    }

    fn subject(&self, what: &K::What) -> Subject {
        let Named { exchange, bytes_per_rank, cube } = self.kind.named(what);
        let place = Place {
            mpi: session::library(),
            ranks: self.session.comm.size(),
            ranks_per_node: 0,
            nodes: self.node_sizes.len(),
            cores: hcube_core::node::processor::cores(),
        };
        let Arguments { uniform, seed, .. } = *self.arguments;
        Subject { place, kind: K::NAME.to_owned(), exchange, bytes_per_rank, cube, uniform, seed }
    }
}

impl<K: Kind> System for Measured<'_, K> {
    const NAME: &'static str = "alltoall";
    type Case = Case<K::What>;
    type Line = Line<K::What, K::Line>;
    /// Seconds of an exchange.
    type Sample = f64;
    type Row = Run;
    type Results = Results;

    fn sizes(&self) -> Vec<Vec<Self::Case>> {
        self.kind.groups()
    }

    fn name(&self, case: &Self::Case) -> String {
        let Named { exchange, bytes_per_rank, .. } = self.kind.named(&case.what);
        let bytes = hcube_results::numbers::whole_bytes(bytes_per_rank);
        let exchange = if exchange.is_empty() { exchange } else { format!(", {exchange}") };
        format!("{} of {bytes}{exchange}, {}", K::NAME, case.variant.name())
    }

    fn heading(&self) -> String {
        format!(
            "hcube {} alltoall: {}\n{}; medians of {} alternating measurements\n\n",
            env!("CARGO_PKG_VERSION"),
            session::shape(&self.node_sizes),
            self.kind.heading(),
            self.arguments.common.repeat,
        )
    }

    fn claim(&self, line: &Self::Line) -> Claim {
        line.claim.clone()
    }

    fn counts(&self, line: &Self::Line) -> Counts {
        self.kind.counts(&line.line)
    }

    fn open(&mut self, case: &Self::Case) -> Result<Opened<Self::Line>> {
        let claim = agree(&self.session.comm, self.kind.claim(case))?;
        Ok(match self.kind.open(case) {
            Ok(line) => Opened::Ready(Line { case: *case, claim, errors: None, line }),
            Err(reason) => {
                Opened::LeftOut(format!("{}, {} left out: {reason}", K::NAME, case.variant.name()))
            }
        })
    }

    /// Verifies each case, and finds how many calls are to be timed together.
    fn warm_up(&mut self, lines: &mut [Self::Line]) -> Result<()> {
        let comm = &self.session.comm;
        for line in &mut *lines {
            let wrong = agree(comm, self.kind.wrong(&mut line.line))?;
            let verified = wrong.is_some() && !self.arguments.common.no_verify;
            let all = comm.all_gather(&[wrong.unwrap_or(0)])?.iter().sum();
            line.errors = verified.then_some(all);
        }
        let mut own: Vec<&mut K::Line> = lines.iter_mut().map(|line| &mut line.line).collect();
        self.kind.prepare(self.session, &mut own)?;
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

    fn measure(&mut self, line: &mut Self::Line, _: bool, _: &mut Progress) -> Result<f64> {
        self.timed(line, self.batch)
    }

    fn row(&mut self, line: &mut Self::Line, seconds: Vec<f64>) -> Result<Run> {
        let case = line.case;
        let added = self.kind.footprint(self.session, &line.line)?;
        let run = Run::new(self.subject(&case.what), case.variant.name(), Timing::new(&seconds));
        Ok(Run {
            memory: case.memory.map(|(bytes, _)| bytes),
            everything: case.memory.is_some_and(|(_, memory)| memory == Memory::Everything),
            path: self.kind.path(&line.line)?.map(str::to_owned),
            batch: self.batch,
            extra_bytes: added.map(|added| added.peak),
            errors: line.errors,
            ..run
        })
    }

    fn results(&self, rows: Vec<Run>, left_out: Vec<String>) -> Results {
        Results::of_kind(rows, left_out)
    }
}
