//! Small blocks between nodes: node leaders exchange the blocks of all ranks of two nodes in one or a few
//! messages.
//!
//! Idea: every rank encloses its blocks for all ranks in its first notice ([`super::ballot`]), sorted by the
//! leader that forwards them ([`routes`]). A leader reads these blocks from the notices of its node, sends
//! them to the leader of the other node in one message, ordered by destination, and posts the blocks that it
//! receives in its second notice, from which the ranks of its node copy them. Blocks inside the node are
//! copied out of the first notices. Notices are copies of the blocks, so the exchange may be in place. Nodes
//! exchange no lengths: every rank states the lengths that it expects to the leaders of its node.
//!
//! Restrictions: at least two nodes, and two ranks on one of them; no block above [`Routes::max_block`]. Cost
//! for N nodes of M ranks: the votes and one further round of notices; (N - 1) / M messages per rank, rounded
//! up, of M² blocks, or of fewer where N - 1 < M; 3 copies per byte between nodes. Extra memory: the slots of
//! the board, and scratch memory for the messages of a rank. The only rank of a node sends a message to each
//! other node.
//! Source: our own; leaders of shared-memory nodes are usual in collective operations (for all-to-all
//! exchanges Kumar et al., "Scaling alltoall collective on multi-core systems", IPDPS workshops 2008).

#[cfg(hcube_model)]
pub mod model;
mod routes;
mod votes;

use super::copies::{copy_own, write_piece};
use super::node::{Node, partners, wait};
use super::task::Task;
use hcube_core::comm::{Comm, requests, tags};
use hcube_core::error::Result;
use hcube_core::machine::work::COPY;
use hcube_core::memory::datatype::Block;
use hcube_core::memory::scratch::Scratch;
use hcube_core::node::board::{Draft, WORDS};
use hcube_core::node::pace::Pace;
use hcube_core::progress::wait::Patience;
use routes::{LENGTH_BYTES, Route};

pub use routes::{Routes, max_block, routes_to_all};
pub use votes::{BoundedRoutes, Received, pass_on, unpack_all};

/// Two ranks exchange one message.
const TAG: i32 = tags::ALLTOALL_LEADERS.tag(0);

/// Writes lengths and blocks one after another.
struct Writer<'a> {
    bytes: &'a mut [u8],
    end: usize,
}

impl Writer<'_> {
    fn length(&mut self, length: usize) {
        self.bytes[self.end..][..LENGTH_BYTES].copy_from_slice(&(length as u32).to_ne_bytes());
        self.end += LENGTH_BYTES;
    }

    fn block(&mut self, block: &Block<'_>, pace: &mut Pace) {
        let bytes = block.bytes();
        if bytes > 0 {
            write_piece(block, 0, &mut self.bytes[self.end..][..bytes], pace);
        }
        self.end += bytes;
    }
}

/// Reads them.
struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn length(&mut self) -> usize {
        let bytes = self.take(LENGTH_BYTES);
        u32::from_ne_bytes(bytes.try_into().expect("the bytes of a length")) as usize
    }

    fn take(&mut self, bytes: usize) -> &'a [u8] {
        let (taken, rest) = self.0.split_at(bytes);
        self.0 = rest;
        taken
    }
}

/// Bytes that a rank expects of the other node of a route.
fn expected(task: &Task<'_>, routes: &Routes, route: &Route) -> usize {
    routes.sources(route).map(|rank| task.incoming(rank).bytes()).sum()
}

/// Bytes of the first notice of a rank that sends this number of bytes.
pub fn notice_bytes(routes: &Routes, bytes: u64) -> usize {
    routes.notice_bytes() + bytes as usize
}

/// Writes the first notice: for each of the `ranks` of the node, for every route that it leads, the expected
/// bytes, the lengths of this rank's blocks, and the blocks; and its own block.
pub fn announce(
    draft: Draft<'_>,
    ranks: &[usize],
    own: usize,
    routes: &Routes,
    task: &Task<'_>,
    pace: &mut Pace,
) {
    let mut writer = Writer { bytes: draft.payload, end: 0 };
    for (number, &rank) in ranks.iter().enumerate() {
        for route in routes.led_by(number) {
            let receives = routes.receivers(route).contains(&own);
            writer.length(if receives { expected(task, routes, route) } else { 0 });
            routes.targets(route).for_each(|target| writer.length(task.outgoing(target).bytes()));
            routes.targets(route).for_each(|target| writer.block(&task.outgoing(target), pace));
        }
        if number != own {
            writer.block(&task.outgoing(rank), pace);
        }
        draft.bounds[number + 1] = writer.end as u32;
    }
}

/// The data that a rank of the node has written for a route that this rank leads.
struct Part<'a> {
    expected: usize,
    /// Lengths of its blocks.
    lengths: Reader<'a>,
    blocks: Reader<'a>,
}

/// The data that a rank of the node has written for this rank as leader, before the block for this rank.
fn parts_of<'a>(notice: &'a [u8], routes: &Routes, own: usize) -> Vec<Part<'a>> {
    let mut reader = Reader(notice);
    let part = |route| {
        let expected = reader.length();
        let lengths = reader.take(routes.targets(route).len() * LENGTH_BYTES);
        let bytes = lengths.chunks_exact(LENGTH_BYTES).map(|length| Reader(length).length()).sum();
        Part { expected, lengths: Reader(lengths), blocks: Reader(reader.take(bytes)) }
    };
    routes.led_by(own).map(part).collect()
}

/// Writes a message: for each target the blocks of all ranks of the node.
fn assemble<'p, 'a: 'p>(message: &mut [u8], parts: impl Iterator<Item = &'p mut Part<'a>>) {
    let mut parts: Vec<_> = parts.collect();
    let mut rest = message;
    while !rest.is_empty() {
        for part in &mut parts {
            let length = part.lengths.length();
            rest.split_off_mut(..length).expect("long enough").copy_from_slice(part.blocks.take(length));
        }
    }
}

/// Messages of a leader.
struct Messages<'r> {
    /// The routes that it leads.
    led: Vec<&'r Route>,
    /// Bytes received for each receiver of each route.
    received: Vec<Vec<usize>>,
    /// Bytes sent on each route.
    sent: Vec<usize>,
}

impl<'r> Messages<'r> {
    /// From what every rank of the node has written for the routes of the leader.
    fn new(parts: &[Vec<Part<'_>>], routes: &'r Routes, own: usize) -> Self {
        let led: Vec<&Route> = routes.led_by(own).collect();
        let received = |(number, &route): (usize, &&Route)| {
            routes.receivers(route).map(|rank| parts[rank][number].expected).collect()
        };
        let sent = |number: usize| parts.iter().map(|of_rank| of_rank[number].blocks.0.len()).sum();
        Self {
            received: led.iter().enumerate().map(received).collect(),
            sent: (0..led.len()).map(sent).collect(),
            led,
        }
    }

    /// For the only rank of a node.
    fn alone(routes: &'r Routes, task: &Task<'_>) -> Self {
        let led: Vec<&Route> = routes.led_by(0).collect();
        let sent = |route: &&Route| routes.targets(route).map(|rank| task.outgoing(rank).bytes()).sum();
        Self {
            received: led.iter().map(|route| vec![expected(task, routes, route)]).collect(),
            sent: led.iter().map(sent).collect(),
            led,
        }
    }

    fn bytes_received(&self) -> usize {
        self.received.iter().flatten().sum()
    }

    fn bytes_sent(&self) -> usize {
        self.sent.iter().sum()
    }

    /// Receives into `received`, sends what `fill` writes to `sent` for each route, and does `work`
    /// meanwhile.
    fn exchange<C: Comm>(
        &self,
        comm: &C,
        patience: Patience,
        [mut received, mut sent]: [&mut [u8]; 2],
        mut fill: impl FnMut(usize, &mut [u8]),
        work: impl FnOnce(),
    ) -> Result<()> {
        requests::scope(comm, patience, |requests| {
            for (number, route) in self.led.iter().enumerate() {
                let message =
                    received.split_off_mut(..self.received[number].iter().sum()).expect("long enough");
                if !message.is_empty() {
                    requests.receive(number, message, route.peer as usize, TAG)?;
                }
            }
            for (number, route) in self.led.iter().enumerate() {
                let message = sent.split_off_mut(..self.sent[number]).expect("long enough");
                if !message.is_empty() {
                    fill(number, message);
                    comm.charge(COPY.of(message.len()));
                    requests.send(number, message, route.peer as usize, TAG)?;
                }
            }
            work();
            Ok(())
        })
    }
}

/// Performs the exchange between ranks of several nodes, after the first notices of all ranks of the node
/// have been read. `node` belongs to a rank with other ranks on its node.
///
/// # Errors
/// Of MPI; other ranks are waiting then, so the job must end.
pub fn exchange<C: Comm>(
    comm: &C,
    node: Option<&mut Node>,
    scratch: &mut Scratch,
    routes: &Routes,
    task: &Task<'_>,
    patience: Patience,
) -> Result<()> {
    let Some(node) = node else { return exchange_alone(comm, scratch, routes, task, patience) };
    let Node { ranks, board, chunk, .. } = node;
    let own = board.own();
    let parts: Vec<_> = (0..ranks.len()).map(|number| parts_of(board.bytes(number), routes, own)).collect();
    let messages = Messages::new(&parts, routes, own);
    drop(parts);
    let memory = scratch.take(messages.bytes_sent()).expect("chosen where messages fit");
    let sent = scratch.bytes(&memory);
    let lengths = || messages.received.iter().flatten();
    let table = lengths().count() * LENGTH_BYTES;
    let bytes = table + messages.bytes_received();
    let mut outcome = Ok(());
    board.post_reading([0; WORDS], bytes, |draft, notices| {
        draft.bounds[1..].fill(bytes as u32);
        let (table, received) = draft.payload.split_at_mut(table);
        let mut writer = Writer { bytes: table, end: 0 };
        lengths().for_each(|&length| writer.length(length));
        let mut parts: Vec<_> =
            (0..ranks.len()).map(|number| parts_of(notices.bytes(number), routes, own)).collect();
        let fill = |number: usize, message: &mut [u8]| {
            assemble(message, parts.iter_mut().map(|of_rank| &mut of_rank[number]))
        };
        outcome = messages.exchange(comm, patience, [received, sent], fill, || {
            copy_own(comm, task, chunk, false);
            for (partner, rank) in partners(ranks, own) {
                let (block, bytes) = (task.incoming(rank), notices.bytes(partner));
                comm.charge(COPY.of(block.bytes()));
                block.unpack(0, &bytes[bytes.len() - block.bytes()..]);
            }
        });
        comm.settle();
    });
    scratch.give(memory);
    outcome?;
    for step in 0..ranks.len() {
        let leader = (own + step) % ranks.len();
        if routes.led_by(leader).next().is_some() {
            wait(comm, patience, || board.has_posted(leader), &mut || Ok(()))?;
            receive(comm, board.all_bytes(leader), routes, [leader, own], task);
        }
    }
    Ok(())
}

/// As [`exchange`], for the only rank of a node.
fn exchange_alone<C: Comm>(
    comm: &C,
    scratch: &mut Scratch,
    routes: &Routes,
    task: &Task<'_>,
    patience: Patience,
) -> Result<()> {
    copy_own(comm, task, scratch, false);
    let messages = Messages::alone(routes, task);
    let length = messages.bytes_received() + messages.bytes_sent();
    let memory = scratch.take(length).expect("chosen where messages fit");
    let [received, sent] = {
        let (received, sent) = scratch.bytes(&memory)[..length].split_at_mut(messages.bytes_received());
        [received, sent]
    };
    let fill = |number: usize, message: &mut [u8]| {
        let mut rest = message;
        for target in routes.targets(messages.led[number]) {
            let block = task.outgoing(target);
            block.pack(0, rest.split_off_mut(..block.bytes()).expect("long enough"));
        }
    };
    messages.exchange(comm, patience, [&mut *received, sent], fill, || ())?;
    let mut reader = Reader(received);
    messages.led.iter().for_each(|route| unpack(comm, &mut reader, routes, route, task));
    scratch.give(memory);
    Ok(())
}

/// Copies the blocks for this rank from a node.
fn unpack<C: Comm>(comm: &C, reader: &mut Reader<'_>, routes: &Routes, route: &Route, task: &Task<'_>) {
    for source in routes.sources(route) {
        let block = task.incoming(source);
        block.unpack(0, reader.take(block.bytes()));
        comm.charge(COPY.of(block.bytes()));
    }
}

/// Copies the blocks for this rank from the second notice of a leader.
fn receive<C: Comm>(comm: &C, notice: &[u8], routes: &Routes, [leader, own]: [usize; 2], task: &Task<'_>) {
    let receivers: usize = routes.led_by(leader).map(|route| routes.receivers(route).len()).sum();
    let (lengths, messages) = notice.split_at(receivers * LENGTH_BYTES);
    let (mut lengths, mut messages) = (Reader(lengths), Reader(messages));
    for route in routes.led_by(leader) {
        for receiver in routes.receivers(route) {
            let mut bytes = Reader(messages.take(lengths.length()));
            if receiver == own {
                unpack(comm, &mut bytes, routes, route, task);
            }
        }
    }
}
