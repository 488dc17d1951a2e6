//! Which images that have stopped or failed have taken part in a collective operation.
//!
//! Idea: where images end one by one ([`crate::ending`]), one of them may have stopped or failed when others are still in an
//! operation in which it has done its part, and they go on. So whoever waits asks each image that is gone how far it has come
//! in the team: an image whose part is missing is an error, and one that is no member does not matter.
//!
//! Restrictions: only with [`Runtime::tolerate`](crate::Runtime::tolerate); otherwise an image that is gone ends every wait, as
//! does one whose process has ended.
//! Cost: a message each way per image that is gone, for each operation that waits for longer than a look.
//! Source: our own.

use crate::handles::Handle;
use crate::image::{Image, Kind};
use crate::others::Status;
use hcube_core::active::Message;
use hcube_core::comm::Comm;
use hcube_core::error::{Error, Result};
use hcube_core::memory::bytes_of;
use std::collections::BTreeSet;

/// What is counted apart: barriers, and all other operations.
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
    /// An image that was gone before it.
    missing: Option<usize>,
}

/// Answers.
const HAS_TAKEN_PART: u64 = 0;
const IS_MISSING: u64 = 1;

impl<C: Comm> Image<C> {
    /// This image begins an operation of a team.
    pub(crate) fn take_part(&mut self, team: Handle, series: Series, number: u64) -> Result<()> {
        if self.others.is_tolerant() {
            let team = self.teams.get(team)?.id;
            self.participation =
                Participation { current: [team, series as u64, number], ..Participation::default() };
        }
        Ok(())
    }

    /// Asks the images that have stopped or failed since the last look.
    pub(crate) fn ask_gone(&mut self) {
        if !self.others.is_tolerant() {
            return;
        }
        let own = self.comm.rank();
        let listening: Vec<usize> = self.others.listening().filter(|&image| image != own).collect();
        for image in listening {
            if self.participation.asked.insert(image) {
                let question = bytes_of(&self.participation.current);
                self.memory.send(image, Kind::HowFar as u8, 0, [question, &[]]);
                self.memory.hurry();
            }
        }
    }

    /// Answers a question: whether this image has begun an operation.
    pub(crate) fn tell_how_far(&mut self, message: &Message) {
        let [id, series, number] = message.payload.words();
        let team = self.teams.iter().find(|team| team.id == id);
        let is_missing = team.is_some_and(|team| {
            let begun =
                if series == Series::Barriers as u64 { team.barrier.called() } else { team.upcoming() - 1 };
            begun < number
        });
        let answer = if is_missing { IS_MISSING } else { HAS_TAKEN_PART };
        let words = [id, series, number];
        self.memory.send(message.from, Kind::SoFar as u8, answer, [bytes_of(&words), &[]]);
        self.memory.hurry();
    }

    /// Notes an answer; one about an operation that has ended is of no use.
    pub(crate) fn note_how_far(&mut self, message: &Message) {
        let current: [u64; 3] = message.payload.words();
        if current == self.participation.current && message.tag == IS_MISSING {
            self.participation.missing = Some(message.from);
        }
    }

    /// An error where an image has failed, or has stopped and what others wait for will not come.
    pub(crate) fn check_members(&self) -> Result<()> {
        if !self.others.is_tolerant() {
            return self.others.check_all();
        }
        match self.participation.missing {
            Some(image) => self.others.check(image),
            None => match self.others.with(Status::Failed).find(|&image| !self.others.listens(image)) {
                Some(image) => Err(Error::FailedImage { image }),
                None => Ok(()),
            },
        }
    }
}
