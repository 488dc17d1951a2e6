//! Active messages of the callers, in addition to the messages of accesses.

use super::{KINDS, Onesided};
use crate::active::Message;
use crate::comm::Comm;
use crate::error::Result;
use crate::memory::Region;

impl<C: Comm> Onesided<C> {
    /// Sends an active message of a kind below [`KINDS`]; see
    /// [`Messages::send`](crate::active::Messages::send).
    #[inline]
    pub fn send(&mut self, to: usize, kind: u8, tag: u64, payload: [&[u8]; 2]) {
        debug_assert!(kind < KINDS, "a message of kind {kind}");
        self.messages.send(to, kind, tag, payload);
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
        debug_assert!(kind < KINDS, "a message of kind {kind}");
        self.messages.send_words(to, kind, tag, words, bytes);
    }

    /// As [`Self::send`], for bytes of a region.
    pub fn send_region(&mut self, to: usize, kind: u8, tag: u64, head: &[u8], bytes: Region<'_>) {
        debug_assert!(kind < KINDS, "a message of kind {kind}");
        self.messages.send_region(to, kind, tag, head, bytes);
    }

    /// Whether another message to a rank would go out soon; see
    /// [`Messages::has_room`](crate::active::Messages::has_room).
    #[inline]
    pub fn has_room(&self, to: usize) -> bool {
        self.messages.has_room(to)
    }

    /// A message of the callers that has arrived, if one has; serves accesses of other ranks.
    ///
    /// # Errors
    /// Errors of MPI, and [`Error::Internal`](crate::Error::Internal) for an access that no rank makes.
    #[inline]
    pub fn receive(&mut self, comm: &C) -> Result<Option<Message>> {
        loop {
            match self.messages.receive(comm)? {
                Some(message) if message.kind >= KINDS => self.serve(comm, message)?,
                other => return Ok(other),
            }
        }
    }

    /// Takes short messages of the callers' from ranks of this node; see
    /// [`Messages::receive_short`](crate::active::Messages::receive_short).
    #[inline]
    pub fn receive_short(&mut self, kind: u8, most: usize, read: impl FnMut(usize, u64, &[u8])) -> usize {
        debug_assert!(kind < KINDS, "a message of kind {kind}");
        self.messages.receive_short(kind, most, read)
    }

    /// No receipts are expected for active messages of a kind of the callers'; see
    /// [`Messages::expect_no_receipts`](crate::active::Messages::expect_no_receipts).
    pub fn expect_no_receipts(&mut self, kind: u8) {
        debug_assert!(kind < KINDS, "a message of kind {kind}");
        self.messages.expect_no_receipts(kind);
    }

    /// Whether all messages have been received, and all accesses performed, as far as this rank knows, except
    /// messages without receipts.
    pub fn is_delivered(&self) -> bool {
        self.messages.is_delivered()
    }

    /// Whether all messages have been sent; see [`Messages::is_sent`](crate::active::Messages::is_sent).
    pub fn is_sent(&self) -> bool {
        self.messages.is_sent()
    }

    /// Whether MPI has all words for other nodes that were set or published ([`Self::set`],
    /// [`Self::publish`]): their receivers see them without further calls of this rank.
    #[inline]
    pub fn has_sent_words(&self) -> bool {
        self.messages.has_sent_awaited()
    }

    /// Whether all accesses to other nodes have been performed, as far as this rank knows; accesses to ranks
    /// of a node are performed in the order of the messages to it, so accesses to `next` need not be
    /// included.
    #[inline]
    pub fn is_made(&self, next: Option<usize>) -> bool {
        self.messages.is_delivered_elsewhere(next)
    }

    /// Sends the messages for other nodes immediately; see
    /// [`Messages::flush`](crate::active::Messages::flush).
    ///
    /// # Errors
    /// Errors of MPI.
    pub fn flush(&mut self, comm: &C) -> Result<()> {
        self.messages.flush(comm)
    }

    /// Another rank waits for the message that was sent last; see
    /// [`Messages::hurry`](crate::active::Messages::hurry). For notifications and words that are set, another
    /// rank always waits.
    #[inline]
    pub fn hurry(&mut self) {
        self.messages.hurry();
    }

    /// Sends what somebody waits for; see
    /// [`Messages::flush_awaited`](crate::active::Messages::flush_awaited).
    ///
    /// # Errors
    /// Errors of MPI.
    #[inline]
    pub fn flush_awaited(&mut self, comm: &C) -> Result<()> {
        self.messages.flush_awaited(comm)
    }
}
