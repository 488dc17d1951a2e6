//! What the kinds besides the blocking exchange have in common: exchanges by hcube and by the MPI library, as
//! a system of the bench frame.

use super::arguments::{Arguments, Memory};
use crate::bench::footprint::Added;
use crate::bench::frame::{self, LineOf, Opened, System};
use crate::bench::job;
use crate::bench::proof::{Claim, Counts};
use crate::bench::timing;
use crate::session::{self, Session};
use hcube_core::Result;
use hcube_core::comm::{Comm, agree};
use hcube_results::alltoall::kinds::{COMPUTATION, HCUBE, LIBRARY, Run, Subject};
use hcube_results::measured::Timing;

/// Who makes the exchange.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Variant {
    Hcube,
    Library,
    /// No exchange, only the computation.
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
    /// Collective: one exchange of known data; elements of this rank that are wrong then, or nothing where a
    /// line is what others are compared with, on all ranks.
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
    /// Local: the path of the last exchange of a line of hcube.
    fn last_path(line: &Self::Line) -> Result<&'static str>;
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
}

impl<'a, K: Kind> Measured<'a, K> {
    /// Collective.
    pub fn new(session: &'a Session, arguments: &'a Arguments, kind: K) -> Result<Self> {
        Ok(Self { session, arguments, node_sizes: session.node_sizes()?, kind })
    }
}

impl<K: Kind> System for Measured<'_, K> {
    const NAME: &'static str = "alltoall";
    type Case = Case<K::What>;
    type Work = K::Line;
    type Row = Run;

    fn sizes(&self) -> Vec<Vec<Self::Case>> {
        self.kind.groups()
    }

    fn name(&self, case: &Self::Case) -> String {
        let Named { exchange, bytes_per_rank, .. } = self.kind.named(&case.what);
        let bytes = hcube_results::numbers::whole_bytes(bytes_per_rank);
        let exchange = if exchange.is_empty() { exchange } else { format!(", {exchange}") };
        format!("{} of {bytes}{exchange}, {}", K::NAME, case.variant.name())
    }

    fn about(&self) -> String {
        format!("{}\n{}; ", session::shape(&self.node_sizes), self.kind.heading())
    }

    fn open(&mut self, case: &Self::Case) -> Result<Opened<K::Line>> {
        let left_out = |reason| format!("{}, {} left out: {reason}", K::NAME, case.variant.name());
        Ok(self.kind.open(case).map_err(left_out))
    }

    fn claim(&self, case: &Self::Case, _: &K::Line) -> Result<Claim> {
        self.kind.claim(case)
    }

    fn counts(&self, line: &K::Line) -> Counts {
        self.kind.counts(line)
    }

    fn verify(&mut self, line: &mut LineOf<Self>) -> Result<Option<u64>> {
        let comm = &self.session.comm;
        let wrong = agree(comm, self.kind.wrong(&mut line.work))?;
        let all = timing::sum(comm, wrong.unwrap_or(0))?;
        Ok(wrong.map(|_| all))
    }

    fn warm_up(&mut self, comm: &impl Comm, verify: bool, lines: &mut [LineOf<Self>]) -> Result<()> {
        for line in &mut *lines {
            line.errors = self.verify(line)?.filter(|_| verify);
        }
        let mut own: Vec<&mut K::Line> = lines.iter_mut().map(|line| &mut line.work).collect();
        self.kind.prepare(self.session, &mut own)?;
        frame::settle_together(self, comm, lines, f64::INFINITY)
    }

    fn call(&mut self, line: &mut LineOf<Self>, calls: u32) -> Result<()> {
        self.kind.call(&mut line.work, calls)
    }

    fn row(&mut self, line: &mut LineOf<Self>, timing: Timing) -> Result<Run> {
        let Case { what, variant, memory } = line.case;
        let added = self.kind.footprint(self.session, &line.work)?;
        let Named { exchange, bytes_per_rank, cube } = self.kind.named(&what);
        let (place, kind) = (job::place(self.session, 0)?, K::NAME.to_owned());
        let Arguments { uniform, seed, .. } = *self.arguments;
        let path = (variant == Variant::Hcube).then(|| K::last_path(&line.work)).transpose()?;
        Ok(Run {
            subject: Subject { place, kind, exchange, bytes_per_rank, cube, uniform, seed },
            variant: variant.name().to_owned(),
            memory: memory.map(|(bytes, _)| bytes),
            everything: memory.is_some_and(|(_, memory)| memory == Memory::Everything),
            path: path.map(str::to_owned),
            timing,
            batch: line.batch,
            extra_bytes: added.map(|added| added.peak),
            errors: line.errors,
            ..Run::default()
        })
    }
}
