//! Active messages: short messages from any rank of a job to any other, which the receiver handles while it
//! waits.
//!
//! Idea: inside a node messages use rings in the heap ([`rings`]), between nodes batches (`batches`). Sending
//! never blocks: messages without room are kept by the sender and sent at its next poll, so a handler may
//! send messages. Code outside of a handler first checks whether there is room ([`Messages::has_room`]), and
//! handles messages meanwhile, so that the memory for outstanding messages is bounded.
//!
//! Restrictions: one thread per rank. Messages from one rank to another are not reordered; messages from
//! several ranks have no order. A message may have any length; a long message is cut into pieces, which the
//! receiver joins.
//!
//! Cost: inside a node 16 bytes and two copies per message; between nodes 16 bytes and one copy, and an MPI
//! message per batch, and one for the receipt if one is expected and nothing else is sent back. Source: Jin
//! et al. 2011, §II, whose runtime uses the active messages of GASNet; rings and batches are our own.

mod batches;
mod message;
mod queue;

pub use message::{KINDS, Message, Payload};

use crate::atomic;
use crate::comm::Comm;
use crate::error::Result;
use crate::memory::{Region, bytes_of};
use crate::node::heap::Heap;
use crate::node::rings::{self, Rings};
use crate::plan::topology::Topology;
use batches::Batches;
use message::MORE;
use std::collections::VecDeque;

/// Polls for messages from ranks of the node, between two polls for other nodes.
const LOOKS_HERE: u32 = 64;

/// A rank that is on another node.
const ELSEWHERE: u32 = u32::MAX;

/// A record that a ring had no room for.
#[derive(Debug)]
struct QueuedRecord {
    kind: u8,
    tag: u64,
    payload: Vec<u8>,
}

/// Messages to and from a rank of this node, in addition to the rings.
#[derive(Debug, Default)]
struct Mate {
    kept: VecDeque<QueuedRecord>,
    /// Pieces of a message that has not arrived completely.
    joined: Vec<u8>,
}

/// The active messages of a rank.
pub struct Messages<C: Comm> {
    /// The number on this node of every rank, or [`ELSEWHERE`].
    numbers: Vec<u32>,
    /// The ranks of this node.
    ranks: Vec<usize>,
    rings: Rings,
    mates: Vec<Mate>,
    /// Records that wait for room, for all ranks of the node.
    kept: usize,
    /// Where there is more than one node.
    batches: Option<Batches<C>>,
    /// Number of polls for messages, if there is more than one node.
    looks: u32,
    /// Ranks of the node of which a part of a message has arrived.
    joining: usize,
}

impl<C: Comm> Messages<C> {
    /// Collective over `comm`, whose messages are opened: the rings lie in the heap of the node, which all
    /// ranks of a node of the topology share.
    ///
    /// # Errors
    /// On all ranks of `comm`, if one of them has no memory.
    pub fn share(comm: &C, topology: &Topology, heap: &mut Heap) -> Result<Self> {
        let position = topology.position(comm.rank());
        let node = topology.node_of(position);
        let ranks: Vec<usize> = topology.positions(node..node + 1).map(|at| topology.rank(at)).collect();
        let mut numbers = vec![ELSEWHERE; comm.size()];
        for (number, &rank) in ranks.iter().enumerate() {
            numbers[rank] = number as u32;
        }
        let rings = Rings::share(comm, &ranks, topology.most_on_a_node(), heap)?;
        let mates = ranks.iter().map(|_| Mate::default()).collect();
        let batches = (topology.nodes() > 1).then(Batches::default);
        Ok(Self { numbers, ranks, rings, mates, kept: 0, batches, looks: 0, joining: 0 })
    }

    /// No receipts are expected for messages of a kind between nodes: nobody waits for their delivery,
    /// because what they cause shows it ([`Self::is_delivered`]). The same on all ranks.
    pub fn expect_no_receipts(&mut self, kind: u8) {
        if let Some(batches) = &mut self.batches {
            batches.expect_no_receipts(kind);
        }
    }

    /// The number on this node of a rank, if it is there.
    #[inline]
    pub fn number(&self, rank: usize) -> Option<usize> {
        let number = self.numbers[rank];
        (number != ELSEWHERE).then_some(number as usize)
    }

    /// The offset at which the rings end, the same on all ranks.
    pub fn heap_end(&self) -> usize {
        self.rings.heap_end()
    }

    /// The ranks of this node.
    pub fn node(&self) -> &[usize] {
        &self.ranks
    }

    /// Sends a message to a rank, which may be this one: a kind below [`KINDS`], a tag, and a payload, both
    /// slices one after the other. Never waits.
    ///
    /// # Panics
    /// For the kind that means no message.
    #[inline]
    pub fn send(&mut self, to: usize, kind: u8, tag: u64, payload: [&[u8]; 2]) {
        if !self.send_quickly(to, kind, tag, [], payload) {
            self.send_slowly(to, kind, tag, payload);
        }
    }

    /// As [`Self::send`]: words, and bytes after them.
    #[inline(always)]
    pub fn send_words<const N: usize>(
        &mut self,
        to: usize,
        kind: u8,
        tag: u64,
        words: [u64; N],
        bytes: &[u8],
    ) {
        if !self.send_quickly(to, kind, tag, words, [bytes, &[]]) {
            self.send_words_slowly(to, kind, tag, words, bytes);
        }
    }

    #[cold]
    fn send_words_slowly<const N: usize>(
        &mut self,
        to: usize,
        kind: u8,
        tag: u64,
        words: [u64; N],
        bytes: &[u8],
    ) {
        self.send_slowly(to, kind, tag, [bytes_of(&words), bytes]);
    }

    /// Sends a message by the ring of a rank of this node. Returns whether there was room.
    #[inline(always)]
    fn send_quickly<const N: usize>(
        &mut self,
        to: usize,
        kind: u8,
        tag: u64,
        words: [u64; N],
        payload: [&[u8]; 2],
    ) -> bool {
        assert!(kind < KINDS, "a message of kind {kind}");
        let number = self.numbers[to];
        if number == ELSEWHERE {
            return false;
        }
        let length = size_of_val(&words) + payload[0].len() + payload[1].len();
        self.mates[number as usize].kept.is_empty()
            && length <= rings::MAX_BYTES
            && self.rings.send(number as usize, kind, tag, words, payload)
    }

    /// As [`Self::send`], of bytes of a region, after `head`.
    pub fn send_region(&mut self, to: usize, kind: u8, tag: u64, head: &[u8], body: Region<'_>) {
        assert!(kind < KINDS, "a message of kind {kind}");
        match self.number(to) {
            None => self.away().send(to, kind, tag, head, &body),
            Some(_) if head.len() + body.len() <= rings::MAX_BYTES => {
                let mut copy = [0; rings::MAX_BYTES];
                let copy = &mut copy[..body.len()];
                body.read(copy);
                self.send(to, kind, tag, [head, copy]);
            }
            Some(number) => {
                let mut whole = Vec::with_capacity(head.len() + body.len());
                whole.extend_from_slice(head);
                body.append_to(&mut whole);
                self.keep(number, kind, tag, &whole);
            }
        }
    }

    /// Messages to other nodes.
    fn away(&mut self) -> &mut Batches<C> {
        self.batches.as_mut().expect("there are other nodes")
    }

    fn send_slowly(&mut self, to: usize, kind: u8, tag: u64, payload: [&[u8]; 2]) {
        let [first, second] = payload;
        match self.number(to) {
            None => self.away().send(to, kind, tag, first, &second),
            Some(number) => self.keep(number, kind, tag, &payload.concat()),
        }
    }

    /// Queues a message to a rank of this node, in pieces, and sends as many of them as there is room for.
    fn keep(&mut self, to: usize, kind: u8, tag: u64, whole: &[u8]) {
        let mut pieces = whole.chunks(rings::MAX_BYTES).peekable();
        let kept = &mut self.mates[to].kept;
        let before = kept.len();
        if whole.is_empty() {
            kept.push_back(QueuedRecord { kind, tag, payload: Vec::new() });
        }
        while let Some(piece) = pieces.next() {
            let kind = if pieces.peek().is_some() { kind | MORE } else { kind };
            kept.push_back(QueuedRecord { kind, tag, payload: piece.to_vec() });
        }
        self.kept += kept.len() - before;
        self.send_kept(to);
    }

    /// Sends queued records for a rank of the node as far as its ring has room.
    fn send_kept(&mut self, to: usize) {
        let kept = &mut self.mates[to].kept;
        while let Some(QueuedRecord { kind, tag, payload }) = kept.front()
            && self.rings.send(to, *kind, *tag, [], [payload, &[]])
        {
            kept.pop_front();
            self.kept -= 1;
            atomic::worked();
        }
    }

    /// Whether another message to a rank would go out soon. Callers that are not inside the work for a
    /// message wait for it.
    #[inline]
    pub fn has_room(&self, to: usize) -> bool {
        match self.number(to) {
            Some(number) => self.mates[number].kept.is_empty() && self.rings.has_room(number),
            None => self.batches.as_ref().is_none_or(|batches| batches.has_room(to)),
        }
    }

    /// A message that has arrived, if one has; sends queued records.
    ///
    /// # Errors
    /// Errors of MPI.
    #[inline]
    pub fn receive(&mut self, comm: &C) -> Result<Option<Message>> {
        if self.kept > 0 {
            (0..self.mates.len()).for_each(|mate| self.send_kept(mate));
        }
        let Some(batches) = &mut self.batches else { return Ok(self.receive_here()) };
        // Ranks of this node that send all the time do not keep others waiting.
        self.looks = self.looks.wrapping_add(1);
        if self.looks.is_multiple_of(LOOKS_HERE)
            && let Some(message) = batches.receive(comm)?
        {
            return Ok(Some(message));
        }
        match self.receive_here() {
            Some(message) => Ok(Some(message)),
            None => self.batches.as_mut().map_or(Ok(None), |batches| batches.receive(comm)),
        }
    }

    /// Receives short messages of a kind from ranks of this node, at most `most`, as long as no other message
    /// precedes them, and passes each to `read`: the rank, the tag and the payload. Returns their number; all
    /// others are received by [`Self::receive`].
    #[inline]
    pub fn receive_short(&mut self, kind: u8, most: usize, mut read: impl FnMut(usize, u64, &[u8])) -> usize {
        if self.joining > 0 {
            return 0;
        }
        let ranks = &self.ranks;
        self.rings.receive_all(kind, most, |from, tag, payload| read(ranks[from], tag, payload))
    }

    /// A message of a rank of this node.
    #[inline]
    fn receive_here(&mut self) -> Option<Message> {
        loop {
            let (mates, ranks, joining) = (&mut self.mates, &self.ranks, &mut self.joining);
            let message = self.rings.receive(|head, payload| {
                let joined = &mut mates[head.from].joined;
                if head.kind & MORE == 0 && joined.is_empty() {
                    let payload = Payload::copied(payload);
                    return Some(Message { from: ranks[head.from], kind: head.kind, tag: head.tag, payload });
                }
                *joining += usize::from(joined.is_empty());
                joined.extend_from_slice(payload);
                (head.kind & MORE == 0).then(|| {
                    *joining -= 1;
                    let payload = Payload::Own(std::mem::take(joined));
                    Message { from: ranks[head.from], kind: head.kind, tag: head.tag, payload }
                })
            })?;
            if message.is_some() {
                return message;
            }
        }
    }

    /// Whether all messages to other ranks have been received there, as far as this rank knows, except
    /// messages without receipts ([`Self::expect_no_receipts`]); queued records have not.
    pub fn is_delivered(&self) -> bool {
        self.kept == 0
            && (0..self.mates.len()).all(|mate| self.rings.is_taken(mate))
            && self.batches.as_ref().is_none_or(Batches::is_delivered)
    }

    /// Bytes of messages to other nodes that have not been sent.
    #[cfg(test)]
    pub(crate) fn waiting_bytes(&self) -> usize {
        self.batches.as_ref().map_or(0, Batches::waiting_bytes)
    }

    /// Whether all messages have been sent, so that their receivers find them without further calls of this
    /// rank.
    pub fn is_sent(&self) -> bool {
        self.kept == 0 && self.batches.as_ref().is_none_or(Batches::is_sent)
    }

    /// Whether MPI has all messages to other nodes that their receivers wait for ([`Self::hurry_to`]): none
    /// is queued behind a full window.
    #[inline]
    pub fn has_sent_awaited(&self) -> bool {
        self.batches.as_ref().is_none_or(Batches::has_sent_awaited)
    }

    /// Whether all messages to other nodes, except one rank, have been received there, as far as this rank
    /// knows.
    #[inline]
    pub fn is_delivered_elsewhere(&self, but: Option<usize>) -> bool {
        self.batches.as_ref().is_none_or(|batches| batches.is_delivered_but(but))
    }

    /// Sends the messages for other nodes immediately, as far as their receivers have room.
    ///
    /// # Errors
    /// Errors of MPI.
    pub fn flush(&mut self, comm: &C) -> Result<()> {
        self.batches.as_mut().map_or(Ok(()), |batches| batches.flush(comm))
    }

    /// A rank waits for the message that was sent last: it is sent by [`Self::flush_awaited`], not only at
    /// the next poll.
    #[inline]
    pub fn hurry(&mut self) {
        if let Some(batches) = &mut self.batches {
            batches.hurry();
        }
    }

    /// As [`Self::hurry`]; the rank `to` of another node waits for the message, and polls until it has it.
    #[inline]
    pub fn hurry_to(&mut self, to: usize) {
        if let Some(batches) = &mut self.batches {
            batches.hurry_to(to);
        }
    }

    /// As [`Self::flush`], if somebody waits for what would be sent.
    ///
    /// # Errors
    /// Errors of MPI.
    #[inline]
    pub fn flush_awaited(&mut self, comm: &C) -> Result<()> {
        self.batches.as_mut().map_or(Ok(()), |batches| batches.flush_awaited(comm))
    }
}

#[cfg(hcube_model)]
pub mod model;
#[cfg(test)]
mod tests;
