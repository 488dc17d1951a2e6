//! Messages between the ranks of a node through rings in the heap, which the receiver polls.
//!
//! Idea: a ring for each sender and receiver, in the receiver's part of the heap. The first word of a record
//! is its flag: a record is valid when this word is not zero, so one cache line carries flag and payload.
//! Before it writes the flag, the sender clears the word after the record, which is the flag of the next one.
//! The receiver publishes its position when it has found a ring empty, and from time to time; a sender reads
//! it only when its ring seems full.
//!
//! Restrictions: one thread per rank. A record has at most [`MAX_BYTES`]; nothing blocks: a record that does
//! not fit is refused. A receiver polls the rings round-robin, so records of one sender are received in
//! order, records of several senders in any order.
//!
//! Cost: 16 bytes in addition to the payload, one copy at either end; polling an empty ring is a load from
//! the receiver's cache.
//! Memory: [`ring_bytes`] per pair of ranks of the node, whose pages become resident at first use.
//! Source: our own; the flag in the message as in the small messages of Open MPI and MVAPICH.

use super::LINE_PAIR;
use super::heap::Heap;
use crate::atomic::{self, AtomicU64, Ordering};
use crate::comm::{Comm, agree};
use crate::error::Result;
use crate::memory::copy::copy_short;

/// The longest payload of a record.
pub const MAX_BYTES: usize = if cfg!(hcube_model) { 24 } else { 1024 };
/// Bytes of the rings of a receiver together.
const MAX_RINGS_BYTES: usize = 4 << 20;
/// The shortest ring has room for a record of [`MAX_BYTES`] and some more.
const MIN_RING_BYTES: usize = if cfg!(hcube_model) { 128 } else { 4 << 10 };
const MAX_RING_BYTES: usize = if cfg!(hcube_model) { MIN_RING_BYTES } else { 64 << 10 };

/// Bytes of a short record, for [`Rings::has_room`].
const SHORT_RECORD_BYTES: usize = if cfg!(hcube_model) { 32 } else { 128 };

/// Bytes of a record before its payload.
const HEAD: usize = 16;
/// The first word of a record: there is one; nothing more before the end of the ring; then the kind and the
/// length.
const PRESENT: u64 = 1;
const SKIP: u64 = 2;
const KIND: u32 = 8;
const LENGTH: u32 = 32;

/// Bytes of a ring on a node with the given number of ranks: a power of two, so that positions need no
/// division.
pub fn ring_bytes(ranks: usize) -> usize {
    1 << (MAX_RINGS_BYTES / ranks).clamp(MIN_RING_BYTES, MAX_RING_BYTES).ilog2()
}

/// The header of a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Head {
    /// The rank of the node that has sent it.
    pub from: usize,
    /// The sender's.
    pub kind: u8,
    /// The sender's.
    pub tag: u64,
    /// Bytes of the payload.
    pub length: usize,
}

/// A ring, seen from one end of it.
#[derive(Debug, Clone, Copy)]
struct Ring {
    /// The word with the receiver's position; the records follow in the next pair of lines.
    start: *mut u8,
    /// Bytes that this end has written or read since the beginning, skipped ones included.
    at: u64,
    /// The sender: the known position of the receiver. The receiver: its published position.
    taken: u64,
}

// SAFETY: a ring lies in the heap, which belongs to the process, not to a thread; it is used through the
// value that owns both.
unsafe impl Send for Ring {}

impl Ring {
    #[inline]
    fn taken_word(&self) -> &AtomicU64 {
        // SAFETY: the beginning of a ring in the heap, which only the two ends of this ring access, as an
        // atomic.
        unsafe { AtomicU64::from_ptr(self.start.cast()) }
    }

    /// The address of a position; `bytes` is the length of the ring.
    #[inline]
    fn place(&self, at: u64, bytes: usize) -> *mut u8 {
        self.start.wrapping_add(LINE_PAIR + (at & (bytes as u64 - 1)) as usize)
    }

    #[inline]
    fn word(&self, at: u64, bytes: usize) -> &AtomicU64 {
        // SAFETY: positions of records are multiples of 8 inside the ring; see `Rings`.
        unsafe { AtomicU64::from_ptr(self.place(at, bytes).cast()) }
    }

    /// The word with the tag of a record, whose place is not computed anew: records do not wrap around.
    #[inline]
    fn tag_word(&self, at: u64, bytes: usize) -> &AtomicU64 {
        // SAFETY: the second word of a record, which lies inside the ring.
        unsafe { AtomicU64::from_ptr(self.place(at, bytes).wrapping_add(size_of::<u64>()).cast()) }
    }
}

/// Marks the words of a record after its first one, for models.
#[inline(always)]
fn mark(place: *mut u8, bytes: usize, mark: impl Fn(*const u8)) {
    if cfg!(hcube_model) {
        (size_of::<u64>()..bytes).step_by(size_of::<u64>()).for_each(|word| mark(place.wrapping_add(word)));
    }
}

/// The rings from and to a rank of a node.
#[derive(Debug)]
pub struct Rings {
    /// Bytes of a ring.
    bytes: usize,
    /// The offset in the heap at which the rings of every rank end.
    heap_end: usize,
    outgoing: Vec<Ring>,
    incoming: Vec<Ring>,
    /// The ring that is polled next.
    next: usize,
}

impl Rings {
    /// Collective over `comm`: rings in the heap. `ranks` are the ranks of this rank's node; no node has more
    /// than `most`, so that all ranks of the job use the same part of their heap.
    ///
    /// # Errors
    /// On all ranks of `comm`, where one of them has no memory.
    pub fn share<C: Comm + ?Sized>(comm: &C, ranks: &[usize], most: usize, heap: &mut Heap) -> Result<Self> {
        let bytes = ring_bytes(most);
        let stride = LINE_PAIR + bytes;
        let place = agree(comm, heap.reserve(most * stride))?;
        for sender in 0..ranks.len() {
            for word in [0, LINE_PAIR] {
                heap.word(heap.own_number(), place + sender * stride + word).store(0, Ordering::Relaxed);
            }
        }
        // Others write to the rings only after this.
        let places = comm.all_gather(&[place as u64])?;
        let heap = &*heap;
        let start = |receiver: usize, sender: usize| {
            heap.address(receiver, places[ranks[receiver]] as usize + sender * stride, stride)
        };
        let heap_end = places.iter().max().map_or(0, |&last| last as usize) + most * stride;
        Ok(Self { heap_end, ..Self::on(heap.own_number(), ranks.len(), bytes, start) })
    }

    /// The rings of a rank in memory whose words 0 and [`LINE_PAIR`] are 0. `start`: where the ring of a
    /// receiver and a sender begins.
    fn on(own: usize, ranks: usize, bytes: usize, start: impl Fn(usize, usize) -> *mut u8) -> Self {
        let ring = |receiver, sender| Ring { start: start(receiver, sender), at: 0, taken: 0 };
        let outgoing = (0..ranks).map(|other| ring(other, own)).collect();
        let incoming = (0..ranks).map(|other| ring(own, other)).collect();
        Self { bytes, heap_end: 0, outgoing, incoming, next: 0 }
    }

    /// The offset in the heap, the same on all ranks, at which the rings of every rank end.
    pub fn heap_end(&self) -> usize {
        self.heap_end
    }

    /// Sends a record to a rank of the node, whose payload is the words and both slices, one after the other.
    /// Whether there was room.
    ///
    /// # Panics
    /// Where the payload is longer than [`MAX_BYTES`].
    #[inline(always)]
    #[must_use]
    pub fn send<const N: usize>(
        &mut self,
        to: usize,
        kind: u8,
        tag: u64,
        words: [u64; N],
        payload: [&[u8]; 2],
    ) -> bool {
        let [first, second] = payload;
        let (length, bytes) = (size_of_val(&words) + first.len() + second.len(), self.bytes);
        assert!(length <= MAX_BYTES, "a record of {length} bytes");
        let record = (HEAD + length).next_multiple_of(8);
        let ring = &mut self.outgoing[to];
        let rest = bytes - (ring.at & (bytes as u64 - 1)) as usize;
        // The word after a record has room as well; a record that would end with the ring would have this
        // word at the beginning.
        let skipped = if record + 8 > rest { rest } else { 0 };
        let end = ring.at + (skipped + record + 8) as u64;
        if end - ring.taken > bytes as u64 {
            ring.taken = ring.taken_word().load(Ordering::Acquire);
            if end - ring.taken > bytes as u64 {
                return false;
            }
        }
        let at = ring.at + skipped as u64;
        let place = ring.place(at, bytes);
        mark(place, record, atomic::written);
        ring.tag_word(at, bytes).store(tag, Ordering::Relaxed);
        // SAFETY: the receiver has read all that was here (`taken`, with acquire), and reads it again only
        // after the first word says so; the record and the word after it are inside the ring. The slices do
        // not lie in the heap's ring.
        unsafe {
            let place = place.add(HEAD + size_of_val(&words));
            copy_short(first.as_ptr(), place, first.len());
            copy_short(second.as_ptr(), place.add(first.len()), second.len());
        }
        // One by one from registers: pairs of them would first be put together in memory.
        for (number, word) in words.into_iter().enumerate() {
            ring.word(at + (HEAD + number * size_of::<u64>()) as u64, bytes).store(word, Ordering::Relaxed);
        }
        ring.word(at + record as u64, bytes).store(0, Ordering::Relaxed);
        let first_word = PRESENT | u64::from(kind) << KIND | (length as u64) << LENGTH;
        if skipped > 0 {
            ring.word(at, bytes).store(first_word, Ordering::Relaxed);
            ring.word(ring.at, bytes).store(SKIP, Ordering::Release);
        } else {
            ring.word(at, bytes).store(first_word, Ordering::Release);
        }
        ring.at = at + record as u64;
        true
    }

    /// Whether a rank of the node has room for a short record.
    #[inline]
    pub fn has_room(&self, to: usize) -> bool {
        let ring = &self.outgoing[to];
        // With what is skipped at the end of the ring. Relaxed: `send` loads the position again before it
        // writes.
        let end = ring.at + 2 * SHORT_RECORD_BYTES as u64;
        end - ring.taken <= self.bytes as u64
            || end - ring.taken_word().load(Ordering::Relaxed) <= self.bytes as u64
    }

    /// Polls the rings, each at most once, until one has a record: passes the record and its payload to
    /// `read`.
    #[inline]
    pub fn receive<T>(&mut self, read: impl FnOnce(Head, &[u8]) -> T) -> Option<T> {
        for _ in 0..self.incoming.len() {
            let from = self.next;
            if let Some(first_word) = self.look(from) {
                return Some(self.take(from, first_word, read));
            }
            self.next = if from + 1 == self.incoming.len() { 0 } else { from + 1 };
        }
        None
    }

    /// Takes records of a kind, at most `most`, and passes each to `read`: the rank of the node that has sent
    /// it, its tag and its payload. A record of another kind stays, and so do the records after it. Returns
    /// how many were taken.
    #[inline]
    pub fn receive_all(&mut self, kind: u8, most: usize, mut read: impl FnMut(usize, u64, &[u8])) -> usize {
        let mut taken = 0;
        for _ in 0..self.incoming.len() {
            let from = self.next;
            while let Some(first_word) = self.look(from) {
                if (first_word >> KIND) as u8 != kind || taken == most {
                    return taken;
                }
                self.take(from, first_word, |head, payload| read(from, head.tag, payload));
                taken += 1;
            }
            self.next = if from + 1 == self.incoming.len() { 0 } else { from + 1 };
        }
        taken
    }

    /// The first word of the record that is next in a ring.
    #[inline]
    fn look(&mut self, from: usize) -> Option<u64> {
        let (bytes, ring) = (self.bytes, &mut self.incoming[from]);
        match ring.word(ring.at, bytes).load(Ordering::Acquire) {
            0 => {
                self.say(from);
                None
            }
            SKIP => {
                ring.at = (ring.at + 1).next_multiple_of(bytes as u64);
                // Relaxed: written before the word that was loaded with acquire.
                Some(ring.word(ring.at, bytes).load(Ordering::Relaxed))
            }
            word => Some(word),
        }
    }

    #[inline]
    fn take<T>(&mut self, from: usize, first_word: u64, read: impl FnOnce(Head, &[u8]) -> T) -> T {
        let (bytes, ring) = (self.bytes, &mut self.incoming[from]);
        let length = (first_word >> LENGTH) as usize;
        // Only the sender writes here, unless an erroneous access does.
        let rest = bytes - (ring.at & (bytes as u64 - 1)) as usize;
        assert!(HEAD + length <= rest, "a record of {length} bytes with {rest} before the end of its ring");
        let place = ring.place(ring.at, bytes);
        mark(place, HEAD + length, atomic::read);
        let tag = ring.tag_word(ring.at, bytes).load(Ordering::Relaxed);
        // SAFETY: inside the ring, by the comparison. The sender has written the record before its first
        // word, which was read with acquire, and does not touch it before this end says that it is taken,
        // below.
        let payload = unsafe { std::slice::from_raw_parts(place.add(HEAD), length) };
        let head = Head { from, kind: (first_word >> KIND) as u8, tag, length };
        let result = read(head, payload);
        ring.at += (HEAD + length).next_multiple_of(8) as u64;
        if ring.at - ring.taken >= bytes as u64 / 4 {
            self.say(from);
        }
        result
    }

    /// Tells a sender how far its records are taken.
    #[inline]
    fn say(&mut self, from: usize) {
        let ring = &mut self.incoming[from];
        if ring.taken != ring.at {
            ring.taken = ring.at;
            ring.taken_word().store(ring.at, Ordering::Release);
            atomic::worked();
        }
    }

    /// Whether a rank of the node has received all messages to it, and has polled again or received many.
    pub fn is_taken(&self, to: usize) -> bool {
        let ring = &self.outgoing[to];
        ring.taken_word().load(Ordering::Acquire) == ring.at
    }
}

#[cfg(hcube_model)]
pub mod model;
#[cfg(test)]
mod tests;
