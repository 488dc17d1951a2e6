//! Messages to a rank of another node that have not been sent, combined into batches.
//!
//! A batch is closed if another message would make it longer than [`BATCH_BYTES`]. It is longer only if it
//! consists of one message, and no buffer is ever longer than a piece of a message ([`PIECE_BYTES`]).

use crate::memory::Region;
use std::collections::VecDeque;
use std::ops::Range;

/// Bytes of a batch of several messages, at most.
pub const BATCH_BYTES: usize = if cfg!(hcube_model) { 64 } else { 64 << 10 };
/// Bytes of a message in a batch, at most; a longer one is cut.
pub const PIECE_BYTES: usize = if cfg!(hcube_model) { 64 } else { 256 << 10 };
/// Bytes before the messages of a batch; see [`Start`].
pub const START: usize = 8;
/// Bytes of a message before its payload: its kind and its length, and its tag.
pub const HEAD: usize = 16;
/// Buffers that are reused for further batches.
const MAX_SPARE: usize = 8;

/// The word before the messages of a batch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Start {
    /// The number of batches that its sender has taken.
    pub taken: u32,
    /// Whether its sender expects a receipt for a message in it.
    pub expects: bool,
}

impl Start {
    pub fn bytes(self) -> [u8; START] {
        (u64::from(self.taken) | u64::from(self.expects) << u32::BITS).to_ne_bytes()
    }

    /// From a batch that has a start.
    pub fn of(batch: &[u8]) -> Self {
        let word = u64::from_ne_bytes(batch[..START].try_into().expect("the bytes of a word"));
        Self { taken: word as u32, expects: word >> u32::BITS != 0 }
    }
}

/// Bytes to be sent.
pub trait Bytes {
    fn len(&self) -> usize;

    /// Appends a range of them.
    fn append_to(&self, range: Range<usize>, out: &mut Vec<u8>);
}

impl Bytes for &[u8] {
    fn len(&self) -> usize {
        <[u8]>::len(self)
    }

    fn append_to(&self, range: Range<usize>, out: &mut Vec<u8>) {
        out.extend_from_slice(&self[range]);
    }
}

impl Bytes for Region<'_> {
    fn len(&self) -> usize {
        (*self).len()
    }

    fn append_to(&self, range: Range<usize>, out: &mut Vec<u8>) {
        self.part(range).append_to(out);
    }
}

/// Buffers of batches that were sent.
#[derive(Debug, Default)]
pub struct Spare(Vec<Vec<u8>>);

impl Spare {
    /// Keeps a buffer, unless there are enough or it is a short one.
    pub fn put(&mut self, mut buffer: Vec<u8>) {
        if self.0.len() < MAX_SPARE && buffer.capacity() > START {
            buffer.clear();
            self.0.push(buffer);
        }
    }
}

/// Batches for a rank, the first of which is sent next.
#[derive(Debug, Default)]
pub struct Queue {
    batches: VecDeque<Vec<u8>>,
    bytes: usize,
    /// The first batches, up to the last one with a message that the receiver waits for.
    awaited: usize,
}

impl Queue {
    /// Bytes of all messages.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Appends a message: its kind, and whether a receipt is expected for it; `head` and a range of `body`.
    /// Its bytes in the batch.
    #[inline]
    pub fn append(
        &mut self,
        (kind, expects): (u8, bool),
        tag: u64,
        head: &[u8],
        (body, range): (&impl Bytes, Range<usize>),
        spare: &mut Spare,
    ) -> usize {
        let length = head.len() + range.len();
        let record = (HEAD + length).next_multiple_of(8);
        let batch = match self.batches.back_mut() {
            Some(last) if last.len() + record <= BATCH_BYTES => last,
            _ => {
                let mut batch = spare.0.pop().unwrap_or_default();
                batch.extend_from_slice(&[0; START]);
                self.batches.push_back(batch);
                self.batches.back_mut().expect("it was pushed")
            }
        };
        if expects {
            let start = Start { taken: 0, expects };
            batch[..START].copy_from_slice(&start.bytes());
        }
        let end = batch.len() + record;
        batch.reserve(record);
        batch.extend_from_slice(&(u64::from(kind) | (length as u64) << 32).to_ne_bytes());
        batch.extend_from_slice(&tag.to_ne_bytes());
        batch.extend_from_slice(head);
        body.append_to(range, batch);
        if batch.len() < end {
            batch.resize(end, 0);
        }
        self.bytes += record;
        record
    }

    /// The receiver waits for the last message.
    pub fn note_awaited(&mut self) {
        self.awaited = self.batches.len();
    }

    /// Whether the receiver waits for one of the messages.
    pub fn has_awaited(&self) -> bool {
        self.awaited > 0
    }

    /// Takes the first batch; the number before its messages is still to be written.
    pub fn pop(&mut self) -> Option<Vec<u8>> {
        let batch = self.batches.pop_front()?;
        self.bytes -= batch.len() - START;
        self.awaited = self.awaited.saturating_sub(1);
        Some(batch)
    }
}
