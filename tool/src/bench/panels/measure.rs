//! The measurements: steps of a factorisation with its look-ahead.

use super::arguments::{Arguments, Variant, WORD};
use super::calls::Broadcast;
use super::work;
use crate::bench::computation;
use crate::bench::memory::{self, Wanted};
use crate::bench::proof::Claim;
use crate::bench::timing;
use crate::session::{self, Session};
use hcube_core::Result;
use hcube_core::comm::{Comm, agree};
use hcube_hpl::options::Options;
use hcube_results::measured::Place;
use hcube_results::numbers;
use hcube_results::panels::Subject;

/// Slices of the computation, between which broadcasts make progress.
const SLICES: u64 = 8;
/// Panels of a rank that are in memory: the contents, two buffers of each broadcast by messages, and the slots of hcube.
const PANELS_IN_MEMORY: usize = 1 + 3 * 2 + 3;

/// A variant at a size.
#[derive(Debug, Clone, Copy)]
pub struct Case {
    pub bytes: usize,
    pub work_us: u32,
    pub variant: Variant,
}

/// A case under way.
pub struct Line {
    pub case: Case,
    pub broadcast: Broadcast,
    /// What it has to have called.
    pub claim: Claim,
    /// Panels so far.
    begun: usize,
    /// Panels with wrong contents, of all ranks; `None` where not verified.
    pub errors: Option<u64>,
}

/// The benchmark.
pub struct PanelBench<'a> {
    session: &'a Session,
    pub arguments: &'a Arguments,
    /// Of hcube.
    options: Options,
    /// Of a panel.
    contents: Vec<u64>,
    /// Of the computation, per microsecond.
    steps: f64,
    pub place: Place,
}

impl<'a> PanelBench<'a> {
    /// Collective: allocates the largest panel.
    pub fn new(session: &'a Session, arguments: &'a Arguments) -> Result<Self> {
        let comm = &session.comm;
        let options = agree(comm, Options::from_environment())?;
        let largest = arguments.sizes.iter().copied().max().unwrap_or(0);
        let wanted = Wanted { what: "panels", option: "--sizes", value: numbers::whole_bytes(largest) };
        // Only the check: each case has panels of its own.
        drop(memory::reserve(comm, &wanted, (PANELS_IN_MEMORY * (largest / WORD)) as u64)?);
        let place = Place {
            mpi: session::library(),
            ranks: comm.size(),
            ranks_per_node: options.ranks_per_node,
            nodes: session.node_sizes()?.len(),
            cores: hcube_core::node::processor::cores(),
        };
        let steps = computation::rate(comm)?;
        let contents = work::contents(largest / WORD);
        Ok(Self { session, arguments, options, contents, steps, place })
    }

    pub fn subject(&self, case: &Case) -> Subject {
        Subject { place: self.place.clone(), bytes: case.bytes, work_us: case.work_us }
    }

    /// Collective: a line, or why it is left out.
    pub fn line(&self, case: Case) -> Result<std::result::Result<Line, String>> {
        let claim = agree(&self.session.comm, case.variant.claim())?;
        let broadcast = Broadcast::new(&self.session.comm, case.variant, case.bytes, &self.options)?;
        Ok(broadcast.map(|broadcast| Line { case, broadcast, claim, begun: 0, errors: None }))
    }

    /// Collective: panels, each begun one step before it is read; how many were wrong on this rank.
    fn factorise(&mut self, line: &mut Line, panels: usize) -> Result<u64> {
        let comm = &self.session.comm;
        let (ranks, own) = (comm.size(), comm.rank());
        let words = line.case.bytes / WORD;
        let slice = (f64::from(line.case.work_us) * self.steps) as u64 / SLICES;
        let (first, end) = (line.begun, line.begun + panels);
        line.begun = end;
        let contents = &mut self.contents[..words];
        contents[0] = 0;
        let expected = work::sum(contents);
        let mut begin = |broadcast: &mut Broadcast, number: usize| {
            if number % ranks == own {
                contents[0] = number as u64;
            }
            broadcast.begin(comm, number, number % ranks, contents)
        };
        let mut wrong = 0;
        begin(&mut line.broadcast, first)?;
        for number in first..end {
            if number + 1 < end {
                begin(&mut line.broadcast, number + 1)?;
            }
            for _ in 0..SLICES {
                computation::compute(slice);
                line.broadcast.poll(comm, number)?;
            }
            let sum = line.broadcast.read(comm, number, work::sum)?;
            wrong += u64::from(sum != expected.wrapping_add(number as u64));
        }
        Ok(wrong)
    }

    /// Collective: verifies a line, and opens connections.
    pub fn prepare(&mut self, line: &mut Line) -> Result<()> {
        let panels = 2 * self.place.ranks;
        let (_, wrong) = timing::timed(&self.session.comm, || self.factorise(line, panels))?;
        let wrong = self.session.comm.all_gather(&[wrong])?.iter().sum();
        line.errors = (!self.arguments.common.no_verify).then_some(wrong);
        Ok(())
    }

    /// Collective: seconds of a panel.
    pub fn timed(&mut self, line: &mut Line) -> Result<f64> {
        let (session, panels) = (self.session, self.arguments.panels);
        let (seconds, _) = timing::timed(&session.comm, || self.factorise(line, panels as usize))?;
        Ok(seconds / f64::from(panels))
    }
}
