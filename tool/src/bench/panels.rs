//! `hcube bench panels`: broadcasts of panels along a row of ranks, as LU factorisations with look-ahead make
//! them.

mod arguments;
mod calls;
mod work;

pub use arguments::Arguments;

use super::frame::{LineOf, Opened, System};
use super::job;
use super::lengths::{chosen, name};
use super::memory::{self, Wanted};
use super::proof::{Claim, Counts};
use super::{computation, timing};
use crate::session::{self, Session};
use arguments::{Variant, WORD};
use calls::Broadcast;
use hcube_core::Result;
use hcube_core::comm::{Comm, agree};
use hcube_hpl::options::Options;
use hcube_results::measured::{Place, Timing};
use hcube_results::numbers::whole_bytes;
use hcube_results::panels::{Run, Subject};
use std::process::ExitCode;

/// Measures under MPI, or draws what was measured.
pub fn run(arguments: &Arguments) -> ExitCode {
    let Arguments { common, drawn, .. } = arguments;
    drawn.run::<Run>(&common.json, || {
        session::run(|session| drawn.start(session, common, || PanelBench::new(session, arguments)))
    })
}

/// Slices of the computation, between which broadcasts make progress.
const SLICES: u64 = 8;
/// Panels of a rank that are in memory: the contents, two buffers of each broadcast by messages, and the
/// slots of hcube.
const PANELS_IN_MEMORY: usize = 1 + 3 * 2 + 3;

/// A variant at a size.
#[derive(Debug, Clone, Copy)]
struct Case {
    bytes: usize,
    work_us: u32,
    variant: Variant,
}

/// A broadcast, and the panels of it so far.
struct Work {
    broadcast: Broadcast,
    begun: usize,
}

/// The benchmark.
struct PanelBench<'a> {
    session: &'a Session,
    arguments: &'a Arguments,
    /// Of hcube.
    options: Options,
    /// Of a panel.
    contents: Vec<u64>,
    /// Of the computation, per microsecond.
    steps: f64,
    place: Place,
}

impl<'a> PanelBench<'a> {
    /// Collective: allocates the largest panel.
    fn new(session: &'a Session, arguments: &'a Arguments) -> Result<Self> {
        let comm = &session.comm;
        let options = agree(comm, Options::from_environment())?;
        let largest = arguments.sizes.iter().copied().max().unwrap_or(0);
        let wanted = Wanted { what: "panels", option: "--sizes", value: whole_bytes(largest) };
        // Only the check: each case has panels of its own.
        drop(memory::reserve(comm, &wanted, (PANELS_IN_MEMORY * (largest / WORD)) as u64)?);
        let place = job::place(session, options.ranks_per_node)?;
        let steps = computation::rate(comm)?;
        let contents = work::contents(largest / WORD);
        Ok(Self { session, arguments, options, contents, steps, place })
    }

    /// Collective: panels, each begun one step before it is read; how many were wrong on this rank.
    fn factorise(&mut self, case: Case, work: &mut Work, panels: usize) -> Result<u64> {
        let comm = &self.session.comm;
        let (ranks, own) = (comm.size(), comm.rank());
        let slice = (f64::from(case.work_us) * self.steps) as u64 / SLICES;
        let Work { broadcast, begun } = work;
        let (first, end) = (*begun, *begun + panels);
        *begun = end;
        let contents = &mut self.contents[..case.bytes / WORD];
        contents[0] = 0;
        let expected = work::sum(contents);
        let mut begin = |broadcast: &mut Broadcast, number: usize| {
            if number % ranks == own {
                contents[0] = number as u64;
            }
            broadcast.begin(comm, number, number % ranks, contents)
        };
        let mut wrong = 0;
        begin(broadcast, first)?;
        for number in first..end {
            if number + 1 < end {
                begin(broadcast, number + 1)?;
            }
            for _ in 0..SLICES {
                computation::compute(slice);
                broadcast.poll(comm, number)?;
            }
            let sum = broadcast.read(comm, number, work::sum)?;
            wrong += u64::from(sum != expected.wrapping_add(number as u64));
        }
        Ok(wrong)
    }
}

impl System for PanelBench<'_> {
    const NAME: &'static str = "panels";
    type Case = Case;
    type Work = Work;
    type Row = Run;

    fn sizes(&self) -> Vec<Vec<Case>> {
        let variants = chosen(&self.arguments.variants);
        let cases = |bytes: usize, work_us: u32| {
            variants.iter().map(|&variant| Case { bytes, work_us, variant }).collect()
        };
        let of_size = |&bytes: &usize| self.arguments.work.iter().map(move |&work| cases(bytes, work));
        self.arguments.sizes.iter().flat_map(of_size).collect()
    }

    fn name(&self, case: &Case) -> String {
        let (bytes, variant) = (whole_bytes(case.bytes), name(case.variant));
        format!("panels of {bytes}, {} us of work, {variant}", case.work_us)
    }

    fn about(&self) -> String {
        let Place { ranks, nodes, mpi, .. } = &self.place;
        format!("{ranks} rank(s) on {nodes} node(s), {mpi}\n{} panels, ", self.arguments.panels)
    }

    fn open(&mut self, case: &Case) -> Result<Opened<Work>> {
        let broadcast = Broadcast::new(&self.session.comm, case.variant, case.bytes, &self.options)?;
        let work = broadcast.map(|broadcast| Work { broadcast, begun: 0 });
        Ok(work.map_err(|reason| format!("{} left out: {reason}", name(case.variant))))
    }

    fn claim(&self, case: &Case, _: &Work) -> Result<Claim> {
        case.variant.claim()
    }

    fn counts(&self, work: &Work) -> Counts {
        work.broadcast.counts()
    }

    fn verify(&mut self, line: &mut LineOf<Self>) -> Result<Option<u64>> {
        let (session, panels) = (self.session, 2 * self.place.ranks);
        let (_, wrong) = timing::timed(&session.comm, || self.factorise(line.case, &mut line.work, panels))?;
        timing::sum(&session.comm, wrong).map(Some)
    }

    fn warm_up(&mut self, _: &impl Comm, verify: bool, lines: &mut [LineOf<Self>]) -> Result<()> {
        for line in lines {
            // Also opens connections.
            line.errors = self.verify(line)?.filter(|_| verify);
            line.batch = self.arguments.panels;
        }
        Ok(())
    }

    fn call(&mut self, line: &mut LineOf<Self>, panels: u32) -> Result<()> {
        self.factorise(line.case, &mut line.work, panels as usize).map(drop)
    }

    fn row(&mut self, line: &mut LineOf<Self>, timing: Timing) -> Result<Run> {
        let Case { bytes, work_us, variant } = line.case;
        Ok(Run {
            subject: Subject { place: self.place.clone(), bytes, work_us },
            variant: name(variant),
            timing,
            panels: line.batch,
            errors: line.errors,
            hcube_speedup: None,
        })
    }
}
