//! The measurements of the blocking exchange: buffers, and exchanges on them.

use super::arguments::{Algorithm, Arguments, Case, ELEMENT};
use super::calls::{Channel, Exchange, by_hcube, by_library, by_path};
use super::problem::Blocks;
use crate::bench::footprint::{self, Added};
use crate::bench::memory::{self, Wanted};
use crate::bench::proof::Claim;
use crate::bench::timing;
use crate::session::Session;
use hcube_alltoall::{Options, Path, UsedPath};
use hcube_core::Result;
use hcube_core::comm::{Comm, agree};
use hcube_results::numbers;

/// A case at one size under way.
pub struct Line {
    pub case: Case,
    /// What has to make the exchanges.
    pub claim: Claim,
    pub bytes: usize,
    pub channel: Channel,
    pub blocks: Blocks,
    /// Elements that had not arrived, on all ranks; `None` where not verified.
    pub errors: Option<u64>,
}

/// All measurements of a case at one size, of the slowest or largest rank.
pub struct Measured {
    /// Seconds of one call in each repetition.
    pub seconds: Vec<f64>,
    /// Calls that were timed together.
    pub batch: u32,
    /// Memory beyond the caller's; `None` where the kernel does not report it.
    pub added: Option<Added>,
}

/// The buffers and what is measured with them.
pub struct Alltoall<'a> {
    session: &'a Session,
    pub arguments: &'a Arguments,
    pub cases: Vec<Case>,
    /// What is sent out of place, then what is received.
    words: Vec<u64>,
    /// Calls that are timed together at the present size.
    pub batch: u32,
    /// Ranks of each node, largest first.
    pub node_sizes: Vec<usize>,
    /// What hcube has left to the library.
    pub left: Vec<String>,
}

impl Line {
    fn exchange(&self, uniform: bool) -> Exchange<'_> {
        Exchange { ours: self.case.algorithm.is_ours(), uniform, blocks: &self.blocks }
    }
}

impl<'a> Alltoall<'a> {
    /// Collective: allocates the buffers of the largest size.
    pub fn new(session: &'a Session, arguments: &'a Arguments) -> Result<Self> {
        let cases = arguments.cases(&agree(&session.comm, Options::from_environment())?);
        let largest = arguments.sizes().iter().copied().max().unwrap_or(0);
        let wanted = Wanted { what: "two buffers", option: "--sizes", value: numbers::whole_bytes(largest) };
        let length = 2 * largest / ELEMENT;
        let mut words = memory::reserve(&session.comm, &wanted, length as u64)?;
        words.resize(length, 0);
        Ok(Self {
            session,
            arguments,
            cases,
            words,
            batch: 1,
            node_sizes: session.node_sizes()?,
            left: Vec::new(),
        })
    }

    pub fn ranks(&self) -> usize {
        self.session.comm.size()
    }

    pub fn blocks(&self, bytes: usize) -> Blocks {
        let (rank, ranks, elements) = (self.session.comm.rank(), self.ranks(), bytes / ELEMENT);
        match self.arguments.uniform {
            true => Blocks::uniform(rank, ranks, elements),
            false => Blocks::random(rank, ranks, elements, self.arguments.seed),
        }
    }

    /// A communicator with the options of the case.
    pub fn channel(&self, case: &Case, bytes: usize) -> Result<Channel> {
        let channel = Channel::new();
        if case.algorithm.is_ours() {
            channel.set_options(&case.options(bytes, self.ranks()))?;
        }
        Ok(channel)
    }

    /// Collective: what has to make the exchanges of a case.
    pub fn claim(&self, case: &Case) -> Result<Claim> {
        let several = self.ranks() > 1;
        let schedule_by_messages = several && case.options.path == Path::Message;
        let own = match case.algorithm {
            Algorithm::LibraryInPlace | Algorithm::LibraryOutOfPlace => {
                by_library(if self.arguments.uniform { &[c"MPI_Alltoall"] } else { &[c"MPI_Alltoallv"] })
            }
            Algorithm::Auto | Algorithm::AutoOutOfPlace => Ok(by_hcube(true)),
            Algorithm::SingleCopy if several => Ok(self.inside_nodes(UsedPath::SingleCopy)),
            Algorithm::Shared if several => Ok(self.inside_nodes(UsedPath::Shared)),
            _ if schedule_by_messages => Ok(by_path(&[UsedPath::Message])),
            _ => Ok(by_hcube(false)),
        };
        agree(&self.session.comm, own)
    }

    /// What makes the exchanges of a path inside nodes: a rank that is alone on one of several nodes only has messages.
    fn inside_nodes(&self, path: UsedPath) -> Claim {
        let claim = by_path(&[path, UsedPath::Mixed]);
        if self.node_sizes.len() > 1 { claim.with(&[UsedPath::Message.name()]) } else { claim }
    }

    /// Whether a case is about a path inside nodes, and no node has two ranks.
    pub fn has_no_node_for(&self, case: &Case) -> bool {
        let inside = matches!(case.algorithm, Algorithm::SingleCopy | Algorithm::Shared);
        inside && self.ranks() > 1 && self.node_sizes.iter().all(|&size| size == 1)
    }

    /// Buffer to send, where the case has one, and buffer to receive.
    fn buffers(&mut self, line: &Line) -> (Option<&mut [u64]>, &mut [u64]) {
        let half = self.words.len() / 2;
        let (sent, received) = self.words.split_at_mut(half);
        let elements = line.blocks.elements();
        let sent = (!line.case.algorithm.in_place()).then_some(&mut sent[..elements]);
        (sent, &mut received[..elements])
    }

    /// Collective: calls of an exchange on a channel.
    fn call(&mut self, line: &Line, channel: &Channel, calls: u32) -> Result<()> {
        let exchange = line.exchange(self.arguments.uniform);
        let (sent, received) = self.buffers(line);
        let sent = sent.map(|sent| &*sent);
        let mut done = Ok(());
        for _ in 0..calls {
            // Also after a failure: the other ranks wait in these calls.
            done = done.and(channel.exchange(&exchange, sent, received));
        }
        done
    }

    /// Collective: seconds of one call from a batch of calls.
    pub fn timed(&mut self, line: &Line, calls: u32) -> Result<f64> {
        let session = self.session;
        let comm = &session.comm;
        let (seconds, ()) = timing::timed(comm, || self.call(line, &line.channel, calls))?;
        Ok(seconds / f64::from(calls))
    }

    /// One exchange of known data; returns how many elements are wrong on all ranks together. It opens
    /// connections too.
    pub fn verify(&mut self, line: &Line) -> Result<u64> {
        let (sent, received) = self.buffers(line);
        if let Some(sent) = sent {
            line.blocks.fill(sent);
            received.fill(u64::MAX);
        } else {
            line.blocks.fill(received);
        }
        let done = self.call(line, &line.channel, 1);
        agree(&self.session.comm, done)?;
        let wrong = line.blocks.wrong(self.buffers(line).1);
        Ok(self.session.comm.all_gather(&[wrong])?.iter().sum())
    }

    /// Collective: what the first two exchanges on a new communicator add to the memory of a process; of the
    /// median probe.
    pub fn footprint(&mut self, line: &Line) -> Result<Option<Added>> {
        let session = self.session;
        let comm = &session.comm;
        footprint::typical(|| {
            let fresh = Channel::new();
            footprint::added_by(comm, || {
                if line.case.algorithm.is_ours() {
                    fresh.set_options(&line.case.options(line.bytes, comm.size()))?;
                }
                self.call(line, &fresh, 1)?;
                self.call(line, &fresh, 1)
            })
        })
    }
}
