//! Progress: an image serves requests of other images, and advances its own operations.

use crate::engine::image::Image;
use hcube_core::active::Message;
use hcube_core::comm::Comm;
use hcube_core::error::{Error, Result};

/// Number of polls between two advances of the pending operations.
const POLLS_PER_ADVANCE: usize = 64;

/// What [`Image::progress`] has found.
pub(crate) enum Step {
    /// Nothing.
    Idle,
    /// Something that is done.
    Worked,
    /// Shipped functions have arrived, which the caller runs when it has let the image go.
    Run,
}

impl<C: Comm> Image<C> {
    /// Something has arrived in a wait; see [`crate::state::others::Others::poll_when_busy`].
    #[inline]
    pub(crate) fn poll_when_busy(&mut self) {
        let Self { others, memory, .. } = self;
        others.poll_when_busy(memory);
    }

    /// Sends to other nodes what somebody waits for there.
    #[inline]
    pub(crate) fn send_awaited(&mut self) -> Result<()> {
        self.memory.flush_awaited(&self.comm)
    }

    /// Polls once for what has arrived, and does it.
    pub(crate) fn progress(&mut self) -> Result<Step> {
        if self.shipped.is_ready() {
            return Ok(Step::Run);
        }
        self.shipped.take_short(&mut self.memory);
        let step = self.receive_one()?;
        Ok(if self.shipped.is_ready() { Step::Run } else { step })
    }

    fn receive_one(&mut self) -> Result<Step> {
        // Operations progress even if messages arrive all the time.
        self.polls += 1;
        if self.polls >= POLLS_PER_ADVANCE && !self.pending.is_empty() {
            self.polls = 0;
            self.advance_pending();
        }
        match self.memory.receive(&self.comm)? {
            Some(message) => self.handle(message),
            None if self.pending.is_empty() || !self.advance_pending() => Ok(Step::Idle),
            None => Ok(Step::Worked),
        }
    }

    fn handle(&mut self, message: Message) -> Result<Step> {
        let Message { from, kind, .. } = message;
        // Kinds begin with 1.
        let handler = usize::from(kind).checked_sub(1).and_then(|index| self.handlers.get(index).copied());
        match handler {
            Some(handler) if handler(self, message)? => Ok(Step::Worked),
            _ => Err(Error::Internal(format!("image {from} has sent a message of kind {kind}"))),
        }
    }

    /// Advances all pending operations. Returns whether one has ended.
    #[cold]
    pub(crate) fn advance_pending(&mut self) -> bool {
        let mut pending = std::mem::take(&mut self.pending);
        let has_ended = pending.advance(self);
        pending.append(std::mem::take(&mut self.pending));
        self.pending = pending;
        has_ended
    }
}
