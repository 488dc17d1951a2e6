//! Active messages between nodes, batched by destination.
//!
//! Idea: messages to a rank are combined into batches (`queue`), each of which is sent as one MPI message
//! when its sender polls for messages, or waits for one of them. Every batch acknowledges how many batches of
//! the receiver have been handled here; an empty batch does so if nothing else is to be sent. A sender has at
//! most [`WINDOW`] outstanding batches to a rank, which bounds the memory of a receiver that does not poll.
//! The receiver acknowledges a batch as soon as the handler of its last message has returned, even if it does
//! not poll again for long.
//!
//! Many messages need no acknowledgement, because what they cause shows that they have arrived: answers, and
//! the steps of collective operations. A batch that contains only messages of such kinds
//! ([`Batches::expect_no_receipts`]) says so in its head, and is acknowledged with the next batch in the
//! other direction, or when [`MAX_OWED`] batches have not been acknowledged.
//!
//! Restrictions: batches to a rank whose window is full are kept, so the memory is bounded by what callers
//! send before they check for room ([`Batches::has_room`]).
//!
//! Cost: 16 bytes per message and 8 per batch, and one copy of every byte; a poll is one `MPI_Iprobe`, and an
//! `MPI_Test` for the oldest outstanding batch. Memory: a few hundred bytes per rank with which this rank has
//! communicated.
//! Source: our own; batches as in the conveyors of bale (Maley and DeVinney 2019).

use super::message::{KINDS, MORE, Message, Payload};
use super::queue::{BATCH_BYTES, Bytes, HEAD, PIECE_BYTES, Queue, START, Spare, Start};
use crate::atomic;
use crate::comm::Comm;
use crate::comm::owned::Owned;
use crate::comm::tags;
use crate::error::{Error, Result};
use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

/// Outstanding batches to a rank.
const WINDOW: u32 = if cfg!(hcube_model) { 2 } else { 8 };
/// Outstanding batches to a rank for which receipts are expected. With more of them, batches collect fewer
/// messages: with 8, RandomAccess by shipped functions, simulated on 64 ranks, has 0.73 of the rate.
const MAX_EXPECTED: u32 = if cfg!(hcube_model) { WINDOW } else { WINDOW / 2 };
/// Batches without acknowledgement after which an empty batch acknowledges them: half a window, so that the
/// sender need not wait for it.
const MAX_OWED: u32 = if cfg!(hcube_model) { WINDOW } else { WINDOW / 2 };
/// Bytes of messages from which there is no room: a further short message would begin a new batch.
const FULL_BYTES: usize = if cfg!(hcube_model) { BATCH_BYTES } else { BATCH_BYTES - 512 };
/// The number of batches before the first one: in a model the next but one wraps around.
const FIRST_BATCH: u32 = if cfg!(hcube_model) { u32::MAX - 1 } else { 0 };
/// Batches that a rank receives at a time.
const MAX_RECEIVING: usize = 64;

/// Messages to and from a rank of another node.
#[derive(Debug)]
struct Peer {
    /// The messages that have not been sent.
    queue: Queue,
    /// Batches that were sent, and of those the ones that the receiver has taken.
    sent: u32,
    acknowledged: u32,
    /// Of the outstanding batches, from the oldest one on, a bit each: whether the sender expects a receipt.
    expected: u32,
    /// Batches that were received, and the last acknowledged number.
    taken: u32,
    told: u32,
    /// Whether this rank is to acknowledge them, if necessary with an empty batch.
    owes: bool,
    /// Whether it is in the list of ranks to be polled.
    listed: bool,
    /// Pieces of a message that has not arrived completely.
    joined: Vec<u8>,
}

impl Default for Peer {
    fn default() -> Self {
        let [sent, acknowledged, taken, told] = [FIRST_BATCH; 4];
        let (queue, joined) = (Queue::default(), Vec::new());
        Self { queue, sent, acknowledged, expected: 0, taken, told, owes: false, listed: false, joined }
    }
}

const _: () = assert!(WINDOW <= u32::BITS && MAX_OWED <= WINDOW);

impl Peer {
    fn window_is_open(&self) -> bool {
        self.outstanding() < WINDOW && self.expected.count_ones() < MAX_EXPECTED
    }

    /// Batches that were sent and not acknowledged.
    fn outstanding(&self) -> u32 {
        self.sent.wrapping_sub(self.acknowledged)
    }

    /// A batch has been sent.
    fn note_sent(&mut self, expects: bool) {
        self.expected |= u32::from(expects) << self.outstanding();
        self.sent = self.sent.wrapping_add(1);
    }

    /// The receiver has taken batches up to this number: how many of them have expected a receipt.
    fn note_acknowledged(&mut self, taken: u32) -> u32 {
        let new = u64::from(taken.wrapping_sub(self.acknowledged));
        let (expected, through) = (u64::from(self.expected), (1 << new) - 1);
        self.acknowledged = taken;
        self.expected = (expected >> new) as u32;
        (expected & through).count_ones()
    }
}

/// A batch that has arrived.
#[derive(Debug)]
struct Arrived {
    from: usize,
    /// Whether its sender expects a receipt.
    expects: bool,
    bytes: Arc<Vec<u8>>,
    at: usize,
}

/// The batches of a rank.
pub struct Batches<C: Comm> {
    peers: BTreeMap<usize, Peer>,
    /// Peers that have a batch to be sent, or need an acknowledgement.
    listed: Vec<usize>,
    sends: VecDeque<Owned<C>>,
    spare: Spare,
    /// Batches that are on the way to this rank, in the order in which they are received.
    receiving: VecDeque<(usize, Owned<C>)>,
    arrived: Option<Arrived>,
    /// Batches for which receipts are expected, to all peers.
    under_way: usize,
    /// Bytes of messages that have not been sent, to all peers.
    waiting: usize,
    /// Whether somebody waits for one of them.
    is_awaited: bool,
    /// Kinds of messages for which no receipts are expected, a bit each.
    without_receipts: u128,
}

impl<C: Comm> Default for Batches<C> {
    fn default() -> Self {
        Self {
            peers: BTreeMap::new(),
            listed: Vec::new(),
            sends: VecDeque::new(),
            spare: Spare::default(),
            receiving: VecDeque::new(),
            arrived: None,
            under_way: 0,
            waiting: 0,
            is_awaited: false,
            without_receipts: 0,
        }
    }
}

impl<C: Comm> Batches<C> {
    /// No receipts are expected for messages of a kind, on all ranks: nobody waits with
    /// [`Self::is_delivered`] for them.
    pub fn expect_no_receipts(&mut self, kind: u8) {
        self.without_receipts |= 1 << kind;
    }

    /// Appends a message for a rank: `head`, followed by `body`.
    pub fn send(&mut self, to: usize, kind: u8, tag: u64, head: &[u8], body: &impl Bytes) {
        let peer = self.peers.entry(to).or_default();
        let all = head.len() + body.len();
        let expects = self.without_receipts >> kind & 1 == 0;
        if all <= PIECE_BYTES {
            let body = (body, 0..body.len());
            self.waiting += peer.queue.append((kind, expects), tag, head, body, &mut self.spare);
        } else {
            let part = |at: usize, end: usize, before: usize, length: usize| {
                at.saturating_sub(before).min(length)..end.saturating_sub(before).min(length)
            };
            for at in (0..all).step_by(PIECE_BYTES) {
                let end = all.min(at + PIECE_BYTES);
                let kind = if end < all { kind | MORE } else { kind };
                let rest = (body, part(at, end, head.len(), body.len()));
                let head = &head[part(at, end, 0, head.len())];
                self.waiting += peer.queue.append((kind, expects), tag, head, rest, &mut self.spare);
            }
        }
        if !peer.listed {
            peer.listed = true;
            self.listed.push(to);
        }
    }

    /// Whether another message would go out soon.
    pub fn has_room(&self, to: usize) -> bool {
        self.peers.get(&to).is_none_or(|peer| peer.queue.bytes() < FULL_BYTES)
    }

    /// Whether all messages to all ranks have been received for which receipts are expected.
    pub fn is_delivered(&self) -> bool {
        self.under_way == 0 && self.waiting == 0
    }

    /// Bytes of messages that have not been sent.
    #[cfg(test)]
    pub fn waiting_bytes(&self) -> usize {
        self.waiting
    }

    /// Whether MPI has all messages that their receivers wait for ([`Self::hurry_to`]).
    pub fn has_sent_awaited(&self) -> bool {
        self.listed.iter().all(|to| self.peers.get(to).is_none_or(|peer| !peer.queue.has_awaited()))
    }

    /// Whether all messages to all ranks have been sent, and MPI does not need their bytes any more.
    pub fn is_sent(&self) -> bool {
        self.waiting == 0 && self.sends.is_empty()
    }

    /// As [`Self::is_delivered`], for all ranks except one.
    pub fn is_delivered_but(&self, but: Option<usize>) -> bool {
        let peer = but.and_then(|rank| self.peers.get(&rank));
        let (under_way, waiting) =
            peer.map_or((0, 0), |peer| (peer.expected.count_ones(), peer.queue.bytes()));
        self.under_way == under_way as usize && self.waiting == waiting
    }

    /// Somebody waits for what was sent last.
    pub fn hurry(&mut self) {
        self.is_awaited = true;
    }

    /// The rank `to` waits for the message that was sent to it last.
    pub fn hurry_to(&mut self, to: usize) {
        self.is_awaited = true;
        self.peers.entry(to).or_default().queue.note_awaited();
    }

    /// As [`Self::flush`], if somebody waits for it.
    #[inline]
    pub fn flush_awaited(&mut self, comm: &C) -> Result<()> {
        if self.is_awaited { self.flush(comm) } else { Ok(()) }
    }

    /// Sends batches that have room at their receivers, and answers that are due.
    pub fn flush(&mut self, comm: &C) -> Result<()> {
        self.is_awaited = false;
        let mut listed = std::mem::take(&mut self.listed);
        let mut result = Ok(());
        listed.retain(|&to| {
            if result.is_err() {
                return true;
            }
            match self.flush_to(comm, to) {
                Ok(again) => again,
                Err(error) => {
                    result = Err(error);
                    true
                }
            }
        });
        self.listed.append(&mut listed);
        result
    }

    /// Sends batches for a rank as long as it has room, or an empty one with an acknowledgement. Returns
    /// whether there is more to be sent.
    fn flush_to(&mut self, comm: &C, to: usize) -> Result<bool> {
        let peer = self.peers.get_mut(&to).expect("a peer that was listed");
        loop {
            let next = if peer.window_is_open() { peer.queue.pop() } else { None };
            let is_empty = next.is_none();
            if is_empty && !peer.owes {
                break;
            }
            let mut batch = next.unwrap_or_else(|| vec![0; START]);
            let bytes = batch.len() - START;
            let start = Start { taken: peer.taken, ..Start::of(&batch) };
            batch[..START].copy_from_slice(&start.bytes());
            self.sends.push_back(Owned::send(comm, batch, to, tags::ACTIVE.tag(0))?);
            atomic::worked();
            (peer.told, peer.owes) = (peer.taken, false);
            if !is_empty {
                self.waiting -= bytes;
                self.under_way += usize::from(start.expects);
                peer.note_sent(start.expects);
            }
        }
        peer.listed = peer.queue.bytes() > 0;
        Ok(peer.listed)
    }

    /// A message that has arrived; sends what is to go out, if none has.
    pub fn receive(&mut self, comm: &C) -> Result<Option<Message>> {
        loop {
            if let Some(message) = self.next()? {
                return Ok(Some(message));
            }
            self.flush(comm)?;
            while let Some(oldest) = self.sends.front_mut()
                && oldest.has_finished(comm)?
            {
                if let Some(sent) = self.sends.pop_front() {
                    self.spare.put(sent.into_buffer());
                }
            }
            if !self.take_batch(comm)? {
                return Ok(None);
            }
        }
    }

    /// Takes a batch that has arrived. Whether there was one.
    fn take_batch(&mut self, comm: &C) -> Result<bool> {
        let tag = tags::ACTIVE.tag(0);
        // A batch may be announced long before it arrives, and batches of other ranks need not wait for it.
        let (from, batch) = loop {
            if let Some((_, first)) = self.receiving.front_mut()
                && first.has_finished(comm)?
                && let Some(taken) = self.receiving.pop_front()
            {
                break taken;
            }
            if self.receiving.len() == MAX_RECEIVING {
                return Ok(false);
            }
            let Some((from, length)) = comm.arrived(tag)? else { return Ok(false) };
            self.receiving.push_back((from, Owned::receive(comm, vec![0; length], from, tag)?));
        };
        atomic::worked();
        let bytes = batch.into_buffer();
        if bytes.len() < START {
            return Err(broken(from));
        }
        let Start { taken, expects } = Start::of(&bytes);
        let peer = self.peers.entry(from).or_default();
        if taken.wrapping_sub(peer.acknowledged) > peer.outstanding() {
            return Err(broken(from));
        }
        self.under_way -= peer.note_acknowledged(taken) as usize;
        let has_messages = bytes.len() > START;
        self.arrived = has_messages.then(|| Arrived { from, expects, bytes: Arc::new(bytes), at: START });
        Ok(true)
    }

    /// The next message of the batch that has arrived.
    fn next(&mut self) -> Result<Option<Message>> {
        while let Some(Arrived { from, expects, bytes, at }) = &mut self.arrived {
            let (from, expects) = (*from, *expects);
            if *at == bytes.len() {
                self.arrived = None;
                self.take(from, expects);
                return Ok(None);
            }
            let word =
                |at: usize| bytes.get(at..at + 8).map(|word| u64::from_ne_bytes(word.try_into().expect("8")));
            let (first, tag) = word(*at).zip(word(*at + 8)).ok_or_else(|| broken(from))?;
            let (kind, length) = (first as u8, (first >> 32) as usize);
            let range = *at + HEAD..*at + HEAD + length;
            if range.end > bytes.len() {
                return Err(broken(from));
            }
            *at = (range.end).next_multiple_of(8).min(bytes.len());
            let joined = &mut self.peers.entry(from).or_default().joined;
            let payload = match (kind & MORE, joined.is_empty()) {
                (0, true) => Payload::Part(Arc::clone(bytes), range),
                (0, false) => {
                    joined.extend_from_slice(&bytes[range]);
                    Payload::Own(std::mem::take(joined))
                }
                _ => {
                    joined.extend_from_slice(&bytes[range]);
                    continue;
                }
            };
            if *at == bytes.len() {
                // The handler for this message returns before the caller flushes, and this rank may not poll
                // again for long, while the sender waits until all its messages have been received.
                self.arrived = None;
                self.is_awaited |= self.take(from, expects);
            }
            return Ok(Some(Message { from, kind: kind % KINDS, tag, payload }));
        }
        Ok(None)
    }

    /// A batch of a rank has been handled. Returns whether it is acknowledged by the next flush.
    fn take(&mut self, from: usize, expects: bool) -> bool {
        let peer = self.peers.entry(from).or_default();
        peer.taken = peer.taken.wrapping_add(1);
        peer.owes |= expects || peer.taken.wrapping_sub(peer.told) >= MAX_OWED;
        if peer.owes && !peer.listed {
            peer.listed = true;
            self.listed.push(from);
        }
        peer.owes
    }
}

fn broken(from: usize) -> Error {
    Error::Internal(format!("a batch of messages from rank {from} has no end"))
}

#[cfg(hcube_model)]
pub mod model;
#[cfg(test)]
mod tests;
