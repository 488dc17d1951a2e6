//! Which stopped or failed images have taken part in a collective operation.
//!
//! Idea: if images end one by one ([`crate::operations::ending`]), an image may have stopped or failed after
//! it has completed its part of an operation that other images still execute and can complete. An image that
//! waits therefore asks each image that is gone how many operations of the team it has completed: a missing
//! part is an error, and images outside of the team are ignored.
//!
//! Restrictions: only with [`Runtime::tolerate`](crate::Runtime::tolerate); otherwise an image that is gone
//! ends every wait, and so does an image whose process has ended.
//! Cost: a request and a reply per image that is gone, for each operation that waits for longer than a poll.
//! Source: our own.

use crate::state::messages::Kind;
use crate::state::options::Status;
use crate::state::others::Others;
use crate::state::team::teams::Teams;
use hcube_core::active::Message;
use hcube_core::comm::Comm;
use hcube_core::error::{Error, Result};
use hcube_core::memory::bytes_of;
use hcube_core::onesided::Onesided;
use std::collections::BTreeSet;

/// Separate counters: barriers, and all other operations.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Series {
    Barriers,
    Operations,
}

/// The current collective operation of this image, and what is known of images that have stopped.
#[derive(Debug, Default)]
pub(crate) struct Participation {
    /// Team, series and number.
    current: [u64; 3],
    asked: BTreeSet<usize>,
    /// An image that was already gone.
    missing: Option<usize>,
}

/// Answers.
const HAS_TAKEN_PART: u64 = 0;
const IS_MISSING: u64 = 1;

impl Participation {
    /// This image begins an operation of a team, given by its identity.
    pub fn begin(&mut self, team: u64, series: Series, number: u64, others: &Others) {
        if others.is_tolerant() {
            *self = Self { current: [team, series as u64, number], ..Self::default() };
        }
    }

    /// Asks the images that have stopped or failed since the last poll.
    pub fn ask<C: Comm>(&mut self, own: usize, others: &Others, memory: &mut Onesided<C>) {
        if !others.is_tolerant() {
            return;
        }
        for image in others.listening().filter(|&image| image != own) {
            if self.asked.insert(image) {
                memory.send(image, Kind::HowFar as u8, 0, [bytes_of(&self.current), &[]]);
                memory.hurry();
            }
        }
    }

    /// Answers a question: whether this image has begun an operation.
    pub fn answer<C: Comm>(message: &Message, teams: &Teams, memory: &mut Onesided<C>) {
        let [id, series, number] = message.payload.words();
        let team = teams.iter().find(|team| team.identity() == id);
        let is_missing = team.is_some_and(|team| {
            let is_barrier = series == Series::Barriers as u64;
            let begun = if is_barrier { team.barriers_called() } else { team.upcoming() - 1 };
            begun < number
        });
        let answer = if is_missing { IS_MISSING } else { HAS_TAKEN_PART };
        memory.send(message.from, Kind::SoFar as u8, answer, [bytes_of(&[id, series, number]), &[]]);
        memory.hurry();
    }

    /// Notes an answer; one about an operation that has ended is of no use.
    pub fn note(&mut self, message: &Message) {
        let current: [u64; 3] = message.payload.words();
        if current == self.current && message.tag == IS_MISSING {
            self.missing = Some(message.from);
        }
    }

    /// An error if an image has failed, or has stopped and what others wait for will not come.
    pub fn check(&self, others: &Others) -> Result<()> {
        if !others.is_tolerant() {
            return others.check_all();
        }
        match self.missing {
            Some(image) => others.check(image),
            None => match others.with(Status::Failed).find(|&image| !others.listens(image)) {
                Some(image) => Err(Error::FailedImage { image }),
                None => Ok(()),
            },
        }
    }
}
