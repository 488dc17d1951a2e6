//! Nonblocking exchanges beside a computation: the computation, the exchange (start, wait), and
//! both (start, computation, wait). hcube makes them by single copy, unless another path is asked for; the
//! competitor is the MPI library's own function.

use super::arguments::{Arguments, ELEMENT};
use super::calls::{Channel, by_hcube, by_library, repeat};
use super::kinds::{Case, Kind, Named, Variant};
use super::problem::Blocks;
use crate::bench::memory::{self, Wanted};
use crate::bench::proof::{Claim, Counts};
use crate::bench::{computation, timing};
use crate::session::Session;
use hcube_alltoall::{Options, Path};
use hcube_core::Result;
use hcube_core::comm::{Comm, agree};
use hcube_results::alltoall::kinds::{ALONE, COMPUTATION, NONBLOCKING, OVERLAPPED};
use hcube_results::numbers;

/// Batches from whose fastest the length of the computation follows.
const TRIALS: usize = 5;

/// What is done, with this number of bytes per rank.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Part {
    bytes: usize,
    /// Computation and exchange at the same time.
    overlapped: bool,
}

/// A case under way.
pub struct Line {
    case: Case<Part>,
    channel: Channel,
    blocks: Blocks,
}

/// The buffers and the computation.
pub struct Nonblocking<'a> {
    arguments: &'a Arguments,
    options: Options,
    rank: usize,
    ranks: usize,
    is_one_node: bool,
    sent: Vec<u64>,
    received: Vec<u64>,
    /// Of the computation, per microsecond.
    rate: f64,
    /// Of the present computation.
    steps: u64,
    /// Computations so far.
    computed: u64,
}

impl<'a> Nonblocking<'a> {
    /// Collective: allocates the buffers of the largest size.
    pub fn new(session: &Session, arguments: &'a Arguments) -> Result<Self> {
        let comm = &session.comm;
        let options = agree(comm, arguments.options())?;
        let path = arguments.path.unwrap_or(Path::SingleCopy);
        let largest = arguments.sizes(comm.size()).into_iter().max().unwrap_or(0);
        let wanted = Wanted { what: "two buffers", option: "--sizes", value: numbers::whole_bytes(largest) };
        let length = largest / ELEMENT;
        let mut sent = memory::reserve(comm, &wanted, 2 * length as u64)?;
        sent.resize(2 * length, 0);
        let received = sent.split_off(length);
        let (rank, ranks, rate) = (comm.rank(), comm.size(), computation::rate(comm)?);
        let options = Options { path, ..options };
        let is_one_node = session.node_sizes()?.len() == 1;
        Ok(Self { is_one_node, arguments, options, rank, ranks, sent, received, rate, steps: 0, computed: 0 })
    }

    /// Collective: one exchange, with the computation between its start and its end.
    fn exchange(&mut self, line: &Line, steps: u64) -> Result<()> {
        let ours = line.case.variant == Variant::Hcube;
        let exchange = (ours, self.arguments.uniform, &line.blocks);
        let computed = &mut self.computed;
        line.channel.around(exchange, &self.sent, &mut self.received, || {
            computation::compute(steps);
            *computed += u64::from(steps > 0);
        })
    }
}

impl Kind for Nonblocking<'_> {
    const NAME: &'static str = NONBLOCKING;
    type What = Part;
    type Line = Line;

    fn groups(&self) -> Vec<Vec<Case<Part>>> {
        let group = |bytes: usize| {
            let case = |variant, overlapped| Case { what: Part { bytes, overlapped }, variant, memory: None };
            vec![
                case(Variant::Computation, false),
                case(Variant::Hcube, false),
                case(Variant::Library, false),
                case(Variant::Hcube, true),
                case(Variant::Library, true),
            ]
        };
        self.arguments.sizes(self.ranks).into_iter().map(group).collect()
    }

    fn heading(&self) -> String {
        let (counts, function) = match self.arguments.uniform {
            true => ("equal counts".to_owned(), "MPI_Ialltoall"),
            false => (format!("random counts per pair (seed {})", self.arguments.seed), "MPI_Ialltoallv"),
        };
        let work = match self.arguments.work {
            Some(work) => format!("{work} us of computation"),
            None => "a computation as long as the library's exchange".to_owned(),
        };
        format!("64-bit integers, {counts}, {function} beside {work}")
    }

    fn named(&self, what: &Part) -> Named {
        let exchange = if what.overlapped { OVERLAPPED } else { ALONE };
        Named { exchange: exchange.to_owned(), bytes_per_rank: what.bytes, cube: None }
    }

    fn open(&mut self, case: &Case<Part>) -> Result<Line> {
        let channel = Channel::new();
        if case.variant == Variant::Hcube {
            channel.set_options(&self.options)?;
        }
        let (rank, ranks, elements) = (self.rank, self.ranks, case.what.bytes / ELEMENT);
        let blocks = match self.arguments.uniform {
            true => Blocks::uniform(rank, ranks, elements),
            false => Blocks::random(rank, ranks, elements, self.arguments.seed),
        };
        Ok(Line { case: *case, channel, blocks })
    }

    fn call(&mut self, line: &mut Line, calls: u32) -> Result<()> {
        let steps = self.steps;
        if line.case.variant == Variant::Computation {
            (0..calls).for_each(|_| computation::compute(steps));
            self.computed += u64::from(calls);
            return Ok(());
        }
        repeat(calls, || self.exchange(line, if line.case.what.overlapped { steps } else { 0 }))
    }

    fn wrong(&mut self, line: &mut Line) -> Result<Option<u64>> {
        if line.case.variant == Variant::Computation {
            return Ok(None);
        }
        line.blocks.fill(&mut self.sent);
        self.received.fill(u64::MAX);
        self.call(line, 1)?;
        Ok(Some(line.blocks.wrong(&self.received)))
    }

    /// Finds how long the computation is.
    fn prepare(&mut self, session: &Session, lines: &mut [&mut Line]) -> Result<()> {
        let is_measure =
            |line: &&mut &mut Line| line.case.variant == Variant::Library && !line.case.what.overlapped;
        let microseconds = match (self.arguments.work, lines.iter_mut().find(is_measure)) {
            (Some(work), _) => f64::from(work),
            (None, None) => 0.0,
            (None, Some(line)) => {
                let mut timed = |calls: u32| {
                    let (seconds, ()) = timing::timed(&session.comm, || self.call(line, calls))?;
                    Ok(seconds / f64::from(calls))
                };
                let calls = timing::settled(&mut timed)?;
                // Other programs only make it longer.
                1e6 * (0..TRIALS)
                    .try_fold(f64::INFINITY, |fastest, _| timed(calls).map(|one| one.min(fastest)))?
            }
        };
        self.steps = (microseconds * self.rate) as u64;
        Ok(())
    }

    fn claim(&self, case: &Case<Part>) -> Result<Claim> {
        let computes: &[&str] = if case.what.overlapped { &[COMPUTATION] } else { &[] };
        match case.variant {
            Variant::Computation => Ok(Claim::counted(COMPUTATION)),
            // It leaves those of one rank to the library, and where they are not made by single copy on one
            // node; the column of paths says so.
            Variant::Hcube => {
                let by_single_copy = self.is_one_node && self.options.path == Path::SingleCopy;
                Ok(by_hcube(self.ranks == 1 || !by_single_copy).with(computes))
            }
            Variant::Library if self.arguments.uniform => {
                Ok(by_library(&[c"MPI_Ialltoall", c"MPI_Wait"])?.with(computes))
            }
            Variant::Library => Ok(by_library(&[c"MPI_Ialltoallv", c"MPI_Wait"])?.with(computes)),
        }
    }

    fn counts(&self, line: &Line) -> Counts {
        let mut counts = line.channel.counts();
        counts.push((COMPUTATION, self.computed));
        counts
    }

    fn last_path(line: &Line) -> Result<&'static str> {
        line.channel.last_path()
    }
}
