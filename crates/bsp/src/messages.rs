//! The queue of messages that a process has received, and the sizes of tags.
//!
//! Messages stay in the record lists of their senders for the superstep in which they are read, so that none
//! is copied before the program asks for it. They are sorted by the number of the sender, highest first, and
//! messages of one sender are in the order in which they were sent: BSPlib does not define the order, and
//! some programs rely on the order of bsponmpi.
//!
//! Tag sizes are three numbers (A, B, C): A of the messages in the queue, B of messages that are sent, C of
//! the last call of `bsp_set_tagsize`; the end of a superstep replaces them by (B, C, C). Source: Hill et al.
//! 1998, §4, as made precise by bsponmpi.

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
    /// The start of the messages of each process, until they are taken.
    runs: Vec<usize>,
    /// The process of the last of them.
    newest: Option<usize>,
    /// Messages of the process whose messages are taken now: their begin, the next message, their end.
    run: (usize, usize, usize),
    /// Messages that are left, and the bytes of their payloads.
    left: (usize, usize),
}

impl Queue {
    /// Empties it for the messages of the next superstep.
    pub fn clear(&mut self) {
        self.messages.clear();
        self.runs.clear();
        *self = Self {
            messages: std::mem::take(&mut self.messages),
            runs: std::mem::take(&mut self.runs),
            ..Self::default()
        };
    }

    /// Adds a message; the messages of a process are contiguous.
    #[inline]
    pub fn push(&mut self, process: usize, message: Message<'static>) {
        if self.newest != Some(process) {
            self.runs.push(self.messages.len());
            self.newest = Some(process);
        }
        self.left = (self.left.0 + 1, self.left.1 + message.payload.len());
        self.messages.push(message);
    }

    /// Called when all messages have been added: the messages of the last process become the first.
    pub fn open(&mut self) {
        self.run.0 = self.messages.len();
        self.next_run();
    }

    fn next_run(&mut self) {
        if let Some(begin) = self.runs.pop() {
            self.run = (begin, begin, self.run.0);
        }
    }

    /// Messages and bytes of payload that are left.
    pub fn size(&self) -> (usize, usize) {
        self.left
    }

    /// The first message.
    #[inline]
    pub fn first(&self) -> Option<Message<'_>> {
        if self.left.0 == 0 { None } else { self.messages.get(self.run.1).copied() }
    }

    /// Takes the first message.
    #[inline]
    pub fn take(&mut self) -> Option<Message<'_>> {
        if self.left.0 == 0 {
            return None;
        }
        let message = self.messages[self.run.1];
        self.left = (self.left.0 - 1, self.left.1 - message.payload.len());
        self.run.1 += 1;
        if self.run.1 == self.run.2 {
            self.next_run();
        }
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

/// Maximum length of tags, which are padded and sent with every message.
pub const MAX_TAG_BYTES: usize = 1 << 30;

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
        let push = |queue: &mut Queue, process, length| {
            queue.push(process, Message { tag: memory(0), payload: memory(length) });
        };
        let length = |message: Option<Message<'_>>| message.map(|message| message.payload.len());
        for (process, length) in [(0, 3), (0, 0), (2, 5), (2, 7), (6, 1)] {
            push(&mut queue, process, length);
        }
        queue.open();
        assert_eq!(queue.size(), (5, 16));
        // The last process first, messages of one process in their order.
        for (expected, left) in [(1, (4, 15)), (5, (3, 10)), (7, (2, 3)), (3, (1, 0)), (0, (0, 0))] {
            assert_eq!(length(queue.first()), Some(expected));
            assert_eq!((length(queue.take()), queue.size()), (Some(expected), left));
        }
        assert!(queue.first().is_none() && queue.take().is_none());
        queue.clear();
        queue.open();
        assert!(queue.first().is_none() && queue.size() == (0, 0));
        // Messages that were not taken are discarded.
        for process in [1, 0] {
            push(&mut queue, process, 9);
            queue.open();
            assert_eq!(length(queue.first()), Some(9));
            queue.clear();
        }
        assert!(queue.take().is_none());
    }
}
