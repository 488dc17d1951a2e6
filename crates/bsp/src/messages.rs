//! The queue of messages that a process has received, and the sizes of tags.
//!
//! Messages stay in the arenas of their senders for the superstep in which they are read, so that none is copied
//! before the program asks for it. Those of the process with the highest number come first, and those of one process
//! in the order in which they were sent: BSPlib does not define the order, and programs exist that rely on that of
//! bsponmpi.
//!
//! Tag sizes are three numbers (A, B, C): A that of the messages in the queue, B of those that are sent, C that of the
//! last call of `bsp_set_tagsize`; the end of a superstep makes them (B, C, C). Source: Hill et al. 1998, §4, as made
//! precise by bsponmpi.

use hcube_core::Result;
use hcube_core::error::Error;
use hcube_core::memory::Region;

/// Tags are padded to this many bytes, so that payloads suit every type of C.
const ALIGNMENT: usize = 16;

/// Bytes of a tag and its padding.
pub fn padded(tag: usize) -> usize {
    tag.next_multiple_of(ALIGNMENT)
}

/// A message in the queue.
#[derive(Debug, Clone, Copy)]
pub struct Message<'a> {
    /// The tag.
    pub tag: Region<'a>,
    /// The payload.
    pub payload: Region<'a>,
}

/// The messages of a superstep that the program has not taken yet.
#[derive(Debug, Default)]
pub struct Queue {
    messages: Vec<Message<'static>>,
    /// Number of messages that were taken.
    first: usize,
    /// Bytes of the payloads that are left.
    bytes: usize,
}

impl Queue {
    /// Empties it for the messages of the next superstep.
    pub fn clear(&mut self) {
        self.messages.clear();
        (self.first, self.bytes) = (0, 0);
    }

    /// Adds a message.
    #[inline]
    pub fn push(&mut self, message: Message<'static>) {
        self.bytes += message.payload.len();
        self.messages.push(message);
    }

    /// Messages and bytes of payload that are left.
    pub fn size(&self) -> (usize, usize) {
        (self.messages.len() - self.first, self.bytes)
    }

    /// The first message.
    #[inline]
    pub fn first(&self) -> Option<Message<'_>> {
        self.messages.get(self.first).copied()
    }

    /// Takes the first message.
    #[inline]
    pub fn take(&mut self) -> Option<Message<'_>> {
        let message = self.messages.get(self.first).copied()?;
        self.first += 1;
        self.bytes -= message.payload.len();
        Some(message)
    }
}

/// Sizes of tags.
#[derive(Debug, Clone, Copy, Default)]
pub struct TagSizes {
    /// Of the messages in the queue.
    pub received: usize,
    /// Of the messages that are sent in this superstep.
    pub sent: usize,
    /// Of the last call.
    pub announced: usize,
    /// Calls in this superstep.
    pub calls: usize,
}

/// Tags may not be longer: they are padded and travel with every message.
const MAX_TAG_BYTES: usize = 1 << 30;

impl TagSizes {
    /// Announces a size; returns the one announced before.
    ///
    /// # Errors
    /// If it is too large.
    pub fn announce(&mut self, bytes: usize) -> Result<usize> {
        if bytes > MAX_TAG_BYTES {
            return Err(Error::argument("*tag_size", bytes, format!("at most {MAX_TAG_BYTES}")));
        }
        self.calls += 1;
        Ok(std::mem::replace(&mut self.announced, bytes))
    }

    /// Ends the superstep.
    pub fn settle(&mut self) {
        *self = Self { received: self.sent, sent: self.announced, announced: self.announced, calls: 0 };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_of_tags_move_up_by_one_each_superstep() {
        let mut sizes = TagSizes::default();
        assert_eq!([4, 8].map(|bytes| sizes.announce(bytes)), [Ok(0), Ok(4)]);
        assert_eq!((sizes.received, sizes.sent, sizes.calls), (0, 0, 2));
        sizes.settle();
        assert_eq!((sizes.received, sizes.sent, sizes.announced, sizes.calls), (0, 8, 8, 0));
        sizes.settle();
        assert_eq!((sizes.received, sizes.sent, sizes.announced), (8, 8, 8));
        assert_eq!(sizes.announce(0), Ok(8));
        assert!(sizes.announce(usize::MAX).is_err());
    }

    #[test]
    fn the_queue_counts_what_is_left() {
        let memory = |length| {
            // SAFETY: only the length of the region is used.
            unsafe { Region::new(std::ptr::null_mut(), length) }
        };
        let mut queue = Queue::default();
        for length in [3, 0, 5] {
            queue.push(Message { tag: memory(0), payload: memory(length) });
        }
        assert_eq!(queue.size(), (3, 8));
        assert_eq!(queue.take().map(|message| message.payload.len()), Some(3));
        assert_eq!((queue.size(), queue.first().map(|message| message.payload.len())), ((2, 5), Some(0)));
        assert!(queue.take().is_some() && queue.take().is_some() && queue.take().is_none());
        queue.clear();
        assert_eq!(queue.size(), (0, 0));
    }
}
