//! Messages between the members of a team for the steps of a collective operation.

use crate::engine::image::Image;
use crate::engine::runtime::Runtime;
use crate::state::messages::Kind;
use crate::state::steps::{self, Key, StepMessage};
use hcube_core::active::Message;
use hcube_core::comm::Comm;
use hcube_core::error::{Error, Result};
use hcube_core::memory::bytes_of;

/// Tag of a step of a collective operation whose receiver knows who sends it.
pub(crate) const NAMED: u64 = 1;

/// Keeps a step of a collective operation that has arrived.
pub(crate) fn keep<C: Comm>(image: &mut Image<C>, message: Message) -> Result<bool> {
    let from = (message.tag == NAMED).then_some(message.from);
    Ok(image.steps.put(from, message.payload))
}

impl<C: Comm> Image<C> {
    /// Sends a step of a collective operation; `named`, the receiver knows who sends it.
    pub(crate) fn post(&mut self, to: usize, team: u64, step: u64, named: bool, bytes: &[u8]) {
        let tag = if named { NAMED } else { 0 };
        self.memory.send(to, Kind::Step as u8, tag, [&steps::head(team, step), bytes]);
        self.memory.hurry();
    }

    /// A step of a collective operation that has arrived, from this image or one that is not known.
    pub(crate) fn step_message(&mut self, from: Option<usize>, team: u64, step: u64) -> Option<StepMessage> {
        self.steps.take(Key { team, step, from })
    }
}

impl<C: Comm> Runtime<C> {
    /// Sends words for a step of a collective operation.
    pub(crate) fn send_words(&self, to: usize, team: u64, step: u64, words: &[i64]) -> Result<()> {
        self.change(|image| image.post(to, team, step, true, bytes_of(words)))
    }

    /// As [`Self::send_words`], to an image that does not know who sends them.
    pub(crate) fn send_words_openly(&self, to: usize, team: u64, step: u64, words: &[i64]) -> Result<()> {
        self.change(|image| image.post(to, team, step, false, bytes_of(words)))
    }

    /// Waits for a step of a collective operation.
    pub(crate) fn receive_step(&self, from: Option<usize>, team: u64, step: u64) -> Result<StepMessage> {
        self.wait(|image| {
            let gone = from.map_or(Ok(()), |from| image.others.check(from));
            match image.step_message(from, team, step) {
                Some(message) => Ok(Some(message)),
                None => gone.map(|()| None),
            }
        })
    }

    /// Waits for the words of a step of a collective operation.
    pub(crate) fn receive_words<const N: usize>(
        &self,
        from: Option<usize>,
        team: u64,
        step: u64,
    ) -> Result<[i64; N]> {
        let message = self.receive_step(from, team, step)?;
        let words: Vec<i64> = message.words().collect();
        words.try_into().map_err(|_| Error::Internal(format!("a step of {} bytes", message.bytes().len())))
    }
}
