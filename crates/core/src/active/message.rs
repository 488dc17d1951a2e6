//! A message that has arrived.

use std::ops::{Deref, Range};
use std::sync::Arc;

/// Number of kinds, of which those below it are the callers'.
pub const KINDS: u8 = 128;
/// Of a piece that more follow.
pub(super) const MORE: u8 = KINDS;

/// Words of a payload that is stored in the message itself.
const SHORT_WORDS: usize = 6;

/// A message that has arrived.
#[derive(Debug)]
pub struct Message {
    /// The rank that has sent it.
    pub from: usize,
    /// The sender's.
    pub kind: u8,
    /// The sender's.
    pub tag: u64,
    /// The bytes.
    pub payload: Payload,
}

/// The bytes of a message.
#[derive(Debug)]
pub enum Payload {
    /// A few, in words, and how many.
    Short([u64; SHORT_WORDS], usize),
    /// All that there are.
    Own(Vec<u8>),
    /// A part of what has arrived together.
    Part(Arc<Vec<u8>>, Range<usize>),
}

impl Payload {
    /// A copy of these bytes.
    #[inline]
    pub fn copied(bytes: &[u8]) -> Self {
        if bytes.len() > SHORT_WORDS * size_of::<u64>() {
            return Self::Own(bytes.to_vec());
        }
        let mut words = [0; SHORT_WORDS];
        let mut chunks = bytes.chunks_exact(size_of::<u64>());
        for (word, chunk) in words.iter_mut().zip(&mut chunks) {
            *word = u64::from_ne_bytes(chunk.try_into().expect("a chunk of a word"));
        }
        let rest = chunks.remainder();
        if !rest.is_empty() {
            let mut last = [0; size_of::<u64>()];
            last[..rest.len()].copy_from_slice(rest);
            words[bytes.len() / size_of::<u64>()] = u64::from_ne_bytes(last);
        }
        Self::Short(words, bytes.len())
    }

    /// The first words. Those beyond the payload are 0.
    pub fn words<const N: usize>(&self) -> [u64; N] {
        let mut words = [0; N];
        for (word, chunk) in words.iter_mut().zip(self.chunks_exact(size_of::<u64>())) {
            *word = u64::from_ne_bytes(chunk.try_into().expect("a chunk of a word"));
        }
        words
    }
}

impl Deref for Payload {
    type Target = [u8];

    #[inline]
    fn deref(&self) -> &[u8] {
        match self {
            // SAFETY: the words are initialised, and their bytes are at least `length`, which `copied` has
            // checked.
            Self::Short(words, length) => unsafe {
                std::slice::from_raw_parts(words.as_ptr().cast(), (*length).min(size_of_val(words)))
            },
            Self::Own(bytes) => bytes,
            Self::Part(batch, range) => &batch[range.clone()],
        }
    }
}
