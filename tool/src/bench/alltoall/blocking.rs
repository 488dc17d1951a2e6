//! The blocking exchange: buffers, and exchanges on them.

use super::arguments::{Algorithm, Arguments, Case, ELEMENT, Memory};
use super::calls::{BlockTypes, Channel, Exchange, Form, by_hcube, by_library, by_path, repeat};
use super::communicators::{Member, OnNodes};
use super::problem::Blocks;
use crate::bench::footprint::{self, Added};
use crate::bench::frame::{self, LineOf, Opened, System};
use crate::bench::job;
use crate::bench::lengths::name;
use crate::bench::memory::{self, Wanted};
use crate::bench::proof::{Claim, Counts};
use crate::bench::timing;
use crate::session::{self, Session};
use hcube_alltoall::{Options, Path, UsedPath};
use hcube_core::comm::{Comm, agree};
use hcube_core::{Error, Result};
use hcube_results::alltoall::Run;
use hcube_results::measured::Timing;
use hcube_results::numbers;

/// Exchanges between nodes in which hcube compares algorithms, with each other and with the MPI library
/// without votes: those are not measured.
const COMPARED: u32 = 100;
/// Seconds after which the measurements begin in any case.
const COMPARED_SECONDS: f64 = 2.0;

/// What a case at one size needs.
pub struct Work {
    channel: Channel,
    blocks: Blocks,
    /// For MPI_Alltoallw.
    types: Option<BlockTypes>,
}

/// The buffers and what is measured with them.
pub struct Blocking<'a> {
    session: &'a Session,
    arguments: &'a Arguments,
    cases: Vec<Case>,
    /// What is sent out of place, then what is received.
    words: Vec<u64>,
    /// This rank among those that exchange.
    member: Member,
    on_nodes: OnNodes,
    /// Ranks of each node, largest first.
    node_sizes: Vec<usize>,
    /// Exchanges that hcube has forwarded to the library.
    pub left: Vec<String>,
}

impl<'a> Blocking<'a> {
    /// Collective: allocates the buffers of the largest size.
    pub fn new(session: &'a Session, arguments: &'a Arguments) -> Result<Self> {
        let cases = arguments.cases(&agree(&session.comm, Options::from_environment())?);
        let comm = &session.comm;
        let member = arguments.communicators.member(comm.rank(), comm.size());
        let on_nodes = arguments.communicators.on_nodes(&comm.node_numbers()?);
        let largest = arguments.sizes(member.ranks).into_iter().max().unwrap_or(0);
        let wanted = Wanted { what: "two buffers", option: "--sizes", value: numbers::whole_bytes(largest) };
        let length = 2 * largest / ELEMENT;
        let mut words = memory::reserve(comm, &wanted, length as u64)?;
        words.resize(length, 0);
        let node_sizes = session.node_sizes()?;
        Ok(Self { session, arguments, cases, words, member, on_nodes, node_sizes, left: Vec::new() })
    }

    /// Ranks of each exchange.
    fn ranks(&self) -> usize {
        self.member.ranks
    }

    fn blocks(&self, bytes: usize) -> Blocks {
        let (Member { communicator, rank, ranks }, elements) = (self.member, bytes / ELEMENT);
        let blocks = match self.arguments.uniform {
            true => Blocks::uniform(rank, ranks, elements),
            false => Blocks::random(rank, ranks, elements, self.arguments.seed),
        };
        blocks.of_communicator(communicator)
    }

    /// A communicator with the options of the case.
    fn channel(&self, case: &Case, bytes: usize) -> Result<Channel> {
        let channel = Channel::of(&self.member)?;
        if case.algorithm.is_ours() {
            channel.set_options(&case.options(bytes, self.ranks()))?;
        }
        Ok(channel)
    }

    /// What has to make the exchanges of a case.
    fn by(&self, case: &Case) -> Result<Claim> {
        let several = self.ranks() > 1;
        let schedule_by_messages = several && case.options.path == Path::Message;
        match case.algorithm {
            Algorithm::LibraryInPlace | Algorithm::LibraryOutOfPlace => {
                by_library(&[self.arguments.function()])
            }
            Algorithm::Auto | Algorithm::AutoOutOfPlace => Ok(by_hcube(true)),
            Algorithm::SingleCopy if several => Ok(self.inside_nodes(UsedPath::SingleCopy)),
            Algorithm::Shared if several => Ok(self.inside_nodes(UsedPath::Shared)),
            _ if schedule_by_messages => Ok(by_path(&[UsedPath::Message])),
            _ => Ok(by_hcube(false)),
        }
    }

    /// What makes the exchanges of a path inside nodes: the only rank of one of several nodes only has
    /// messages.
    fn inside_nodes(&self, path: UsedPath) -> Claim {
        let claim = by_path(&[path, UsedPath::Mixed]);
        if self.on_nodes.several { claim.with(&[UsedPath::Message.name()]) } else { claim }
    }

    /// Whether a case is about a path inside nodes, and no node has two ranks.
    fn has_no_node_for(&self, case: &Case) -> bool {
        let inside = matches!(case.algorithm, Algorithm::SingleCopy | Algorithm::Shared);
        inside && self.ranks() > 1 && !self.on_nodes.shared
    }

    /// Buffer to send, where the case has one, and buffer to receive.
    fn buffers(&mut self, case: &Case, blocks: &Blocks) -> (Option<&mut [u64]>, &mut [u64]) {
        let half = self.words.len() / 2;
        let (sent, received) = self.words.split_at_mut(half);
        let elements = blocks.elements();
        let sent = (!case.algorithm.in_place()).then_some(&mut sent[..elements]);
        (sent, &mut received[..elements])
    }

    /// Collective: calls of an exchange on a channel.
    fn exchange(&mut self, line: &LineOf<Self>, channel: &Channel, calls: u32) -> Result<()> {
        let (case, blocks) = (&line.case.1, &line.work.blocks);
        let form = line.work.types.as_ref().map_or(Form::of(self.arguments.uniform), Form::Typed);
        let exchange = Exchange { ours: case.algorithm.is_ours(), form, blocks };
        let (sent, received) = self.buffers(case, blocks);
        let sent = sent.map(|sent| &*sent);
        repeat(calls, || channel.exchange(&exchange, sent, received))
    }

    /// Collective: what the first two exchanges on a new communicator add to the memory of a process; of the
    /// median probe.
    fn footprint(&mut self, line: &LineOf<Self>) -> Result<Option<Added>> {
        let session = self.session;
        let comm = &session.comm;
        footprint::typical(|| {
            let fresh = Channel::of(&self.member)?;
            footprint::added_by(comm, || {
                if line.case.1.algorithm.is_ours() {
                    fresh.set_options(&line.case.1.options(line.case.0, self.ranks()))?;
                }
                self.exchange(line, &fresh, 1)?;
                self.exchange(line, &fresh, 1)
            })
        })
    }
}

impl System for Blocking<'_> {
    const NAME: &'static str = "alltoall";
    /// Bytes per rank, and what is measured with them.
    type Case = (usize, Case);
    type Work = Work;
    type Row = Run;

    fn sizes(&self) -> Vec<Vec<Self::Case>> {
        let cases = |bytes: usize| self.cases.iter().map(|&case| (bytes, case)).collect();
        self.arguments.sizes(self.ranks()).into_iter().map(cases).collect()
    }

    fn name(&self, (bytes, case): &Self::Case) -> String {
        format!("{} of {}", name(case.algorithm), numbers::whole_bytes(*bytes))
    }

    fn about(&self) -> String {
        let counts = match self.arguments.uniform {
            true => "equal counts".to_owned(),
            false => format!("random counts per pair (seed {})", self.arguments.seed),
        };
        let function = self.arguments.function().to_string_lossy();
        let communicators = self.arguments.communicators.heading(self.session.comm.size());
        let shape = session::shape(&self.node_sizes);
        format!("{shape}\n64-bit integers, {counts}, {function}{communicators}; ")
    }

    fn open(&mut self, &(bytes, case): &Self::Case) -> Result<Opened<Work>> {
        let name = name(case.algorithm);
        if self.has_no_node_for(&case) {
            return Ok(Err(format!("{name} left out: no two ranks share a node")));
        }
        // Rows and columns on other nodes may have been refused.
        match agree(&self.session.comm, self.channel(&case, bytes)) {
            Ok(channel) => {
                let blocks = self.blocks(bytes);
                let types = self.arguments.alltoallw.then(|| BlockTypes::new(&blocks));
                Ok(Ok(Work { channel, blocks, types }))
            }
            Err(reason) if case.optional => Ok(Err(format!("{name} left out: {reason}"))),
            Err(reason) => {
                let expected = format!("an algorithm that works here: {reason}");
                Err(Error::argument("--algorithms", name, expected))
            }
        }
    }

    fn claim(&self, (_, case): &Self::Case, _: &Work) -> Result<Claim> {
        self.by(case)
    }

    fn counts(&self, work: &Work) -> Counts {
        work.channel.counts()
    }

    /// It opens connections too.
    fn verify(&mut self, line: &mut LineOf<Self>) -> Result<Option<u64>> {
        let (case, blocks) = (&line.case.1, &line.work.blocks);
        let (sent, received) = self.buffers(case, blocks);
        if let Some(sent) = sent {
            blocks.fill(sent);
            received.fill(u64::MAX);
        } else {
            blocks.fill(received);
        }
        let done = self.exchange(line, &line.work.channel, 1);
        agree(&self.session.comm, done)?;
        let wrong = blocks.wrong(self.buffers(case, blocks).1);
        timing::sum(&self.session.comm, wrong).map(Some)
    }

    /// In its first exchanges hcube finds out which path is faster: all trials of a case are made.
    fn warm_up(&mut self, comm: &impl Comm, verify: bool, lines: &mut [LineOf<Self>]) -> Result<()> {
        for line in &mut *lines {
            line.errors = self.verify(line)?.filter(|_| verify);
        }
        frame::settle_together(self, comm, lines, f64::INFINITY)?;
        if self.on_nodes.several {
            for line in lines.iter_mut().filter(|line| line.case.1.algorithm.is_ours()) {
                let (mut exchanges, mut seconds) = (0, 0.0);
                while exchanges < COMPARED && seconds < COMPARED_SECONDS {
                    seconds += self.timed(comm, line, line.batch)? * f64::from(line.batch);
                    exchanges += line.batch;
                }
            }
        }
        Ok(())
    }

    fn call(&mut self, line: &mut LineOf<Self>, calls: u32) -> Result<()> {
        self.exchange(line, &line.work.channel, calls)
    }

    fn row(&mut self, line: &mut LineOf<Self>, timing: Timing) -> Result<Run> {
        let added = self.footprint(line)?;
        let (bytes, case) = line.case;
        if let [own @ .., (_, library)] = &line.work.channel.counts()[..] {
            // Not an error where hcube may choose it, but to be told.
            if own.iter().map(|path| path.1).sum::<u64>() < *library {
                let name = self.name(&line.case);
                self.left.push(format!("{name}: most exchanges left to the MPI library"));
            }
        }
        let options = case.algorithm.is_ours().then(|| case.options(bytes, self.ranks()));
        Ok(Run {
            place: job::place(self.session, 0)?,
            bytes_per_rank: bytes,
            algorithm: name(case.algorithm),
            memory: options.map(|options| options.memory),
            everything: options.is_some() && case.memory == Memory::Everything,
            path: options.map(|options| options.path.name().to_owned()),
            communicators: self.arguments.communicators.name().to_owned(),
            function: self.arguments.function().to_string_lossy().into_owned(),
            uniform: self.arguments.uniform,
            seed: self.arguments.seed,
            timing,
            batch: line.batch,
            extra_bytes: added.map(|added| added.peak),
            held_bytes: added.map(|added| added.held),
            errors: line.errors,
            ..Run::default()
        })
    }
}
