//! Small blocks between nodes: node leaders exchange the votes and the blocks of all ranks of two nodes in
//! one or a few messages.
//!
//! Idea: every rank encloses its blocks for other nodes in its first notice ([`super::ballot`]), sorted by
//! the leader that forwards them ([`routes`]). A leader reads these blocks from the notices of its node, and
//! sends them with the sum of the votes of its node to the leader of the other node in one message, ordered
//! by destination. It posts the message that it receives in its second notice, with the lengths that every
//! rank of its node expects of the other node, which they have stated in their first notices: nodes exchange
//! no lengths. A rank that has read the second notices of all leaders of its node knows the votes of all
//! ranks; only then it writes to its receive blocks, so the exchange may be in place. Blocks above a limit do
//! not take this way: if they are few, their ranks exchange them by messages afterwards. A node with a rank
//! whose arguments are invalid, or whose memory cannot be read, sends only votes. To detect counts that do
//! not match, nothing depends on the lengths that a rank has passed before the votes are known: receives are
//! large enough for the largest blocks, and shorter blocks are at the start of the message. No length is read
//! from a message, so a rank stays within its memory also if a message is damaged: the votes have a fixed
//! size, and the places of the blocks follow from what the ranks of its node expect, of which no block
//! exceeds the limit. Ranks of the node, which share memory, state lengths in notices; they are bounds of
//! slices.
//! Blocks for ranks of the node are part of the second notices: a rank that has posted its second notice
//! reads none of the first ones. Blocks for which the memory does not suffice are passed on in several rounds
//! ([`pieces`]), a piece of each in each round; votes of a later round only state whether another one
//! follows. If node leaders are not expected to make the exchange, only the votes are passed on first.
//!
//! Restrictions: at least two nodes, and two ranks on one of them; the limit is at most
//! [`Routes::limit`]; all ranks know in advance that node leaders pass on the votes. Cost of a round for N
//! nodes of M ranks: two rounds of notices; (N - 1) / M messages per rank, rounded up, of 56 bytes of votes
//! and M² pieces, or of fewer where N - 1 < M; 3 copies per byte between nodes and 2 inside. A larger block
//! costs what it costs by messages. Extra memory: the slots of the board, and scratch memory for the messages
//! of a rank. The only rank of a node sends a message to each other node.
//! Source: our own; leaders of shared-memory nodes are usual in collective operations (for all-to-all
//! exchanges Kumar et al., "Scaling alltoall collective on multi-core systems", IPDPS workshops 2008).

mod exchange;
#[cfg(hcube_model)]
pub mod model;
mod pieces;
mod routes;

use super::task::Task;
use hcube_core::comm::{Comm, requests, tags};
use hcube_core::error::Result;
use hcube_core::machine::work::COPY;
use hcube_core::node::board::Draft;
use hcube_core::node::pace::Pace;
use hcube_core::progress::wait::Patience;
use pieces::Pieces;
use routes::Route;

pub use exchange::{Received, pass_on, unpack_all};
pub use pieces::{Round, rounds};
pub use routes::{LENGTH_BYTES, MAX_ROUNDS, Routes, max_piece, routes_to_all};

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

    fn piece(&mut self, pieces: &Pieces<'_, '_>, rank: usize, pace: &mut Pace) {
        self.end += pieces.write(rank, &mut self.bytes[self.end..], pace);
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
fn expected(pieces: &Pieces<'_, '_>, routes: &Routes, route: &Route) -> usize {
    routes.sources(route).map(|rank| pieces.bytes_from(rank)).sum()
}

/// Bytes of the first notice of a rank of a node with these `ranks`.
pub fn notice_bytes(round: Round<'_>, ranks: &[usize], task: &Task<'_>) -> usize {
    let pieces = round.pieces(task);
    let near: usize = ranks.iter().map(|&rank| pieces.bytes_to(rank)).sum();
    round.routes.notice_bytes() + (0..task.ranks()).map(|rank| pieces.bytes_to(rank)).sum::<usize>() - near
}

/// Writes the first notice: for each rank of the node, for every route that it leads, the expected bytes, the
/// lengths of this rank's pieces, and the pieces.
pub fn announce(draft: Draft<'_>, own: usize, round: Round<'_>, task: &Task<'_>, pace: &mut Pace) {
    let (routes, pieces) = (round.routes, &round.pieces(task));
    let mut writer = Writer { bytes: draft.payload, end: 0 };
    for (number, end) in draft.bounds[1..].iter_mut().enumerate() {
        for route in routes.led_by(number) {
            let receives = routes.receivers(route).contains(&own);
            writer.length(if receives { expected(pieces, routes, route) } else { 0 });
            routes.targets(route).for_each(|target| writer.length(pieces.bytes_to(target)));
            routes.targets(route).for_each(|target| writer.piece(pieces, target, pace));
        }
        *end = writer.end as u32;
    }
}

/// The data that a rank of the node has written for a route that this rank leads.
struct Part<'a> {
    expected: usize,
    /// Lengths of its blocks.
    lengths: Reader<'a>,
    blocks: Reader<'a>,
}

/// The data that a rank of the node has written for this rank as leader.
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
    /// Bytes for what is received on each route, and bytes sent.
    received: Vec<usize>,
    sent: Vec<usize>,
}

impl Messages<'_> {
    fn bytes_received(&self) -> usize {
        self.received.iter().sum()
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
                let message = received.split_off_mut(..self.received[number]).expect("long enough");
                requests.receive(number, message, route.peer as usize, TAG)?;
            }
            for (number, route) in self.led.iter().enumerate() {
                let message = sent.split_off_mut(..self.sent[number]).expect("long enough");
                fill(number, message);
                comm.charge(COPY.of(message.len()));
                requests.send(number, message, route.peer as usize, TAG)?;
            }
            work();
            Ok(())
        })
    }
}
