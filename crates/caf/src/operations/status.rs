//! Failing, stopping, and queries of the status of other images.
//!
//! Idea: an image that fails or stops first sends its buffered messages, then writes its status word and
//! notifies other nodes; see [`crate::state::others`]. Every later call on this image returns an error. Every
//! wait of another image returns an error as soon as the image knows the status, unless its condition holds
//! at the first poll.
//!
//! Restrictions: an image of another node that does not poll within `LIMIT_SECONDS` may not be notified.
//! Cost: a message to every image of another node.
//! Source: Fortran 2018, 16.9.77 and 16.9.183, for the statuses.

#[cfg(hcube_model)]
pub mod model;

use crate::engine::runtime::Runtime;
use crate::state::handles::Handle;
use crate::state::messages::Kind;
use crate::state::options::Status;
use crate::state::others::DIED;
use hcube_core::comm::Comm;
use hcube_core::error::Result;

/// Time for messages of an image that fails or stops to go out.
const LIMIT_SECONDS: f64 = 1.0;

impl<C: Comm> Runtime<C> {
    /// This image fails: waits of other images end with an error, and so does every later call of this one.
    ///
    /// # Errors
    /// Errors of MPI; if this image has failed or stopped before.
    pub fn fail(&self) -> Result<()> {
        self.go(Status::Failed, Status::Failed as u64)
    }

    /// This image stops without waiting for the others: as [`Self::fail`], with another status.
    ///
    /// # Errors
    /// As [`Self::fail`].
    pub fn stop(&self) -> Result<()> {
        self.go(Status::Stopped, Status::Stopped as u64)
    }

    /// This image fails because its process ends. Without messages, only images of its node are notified: MPI
    /// may have been finalised before, and must then not be called.
    pub(crate) fn die(&self, has_messages: bool) -> Result<()> {
        if has_messages {
            return self.go(Status::Failed, DIED);
        }
        let image = &mut *self.image.borrow_mut();
        image.others.check_own()?;
        image.others.note_end(&image.memory);
        image.others.become_gone(Status::Failed);
        Ok(())
    }

    fn go(&self, status: Status, word: u64) -> Result<()> {
        // Data that others get from this image before they know that it is gone.
        self.change(|image| image.others.pass_on(&mut image.memory))?;
        self.send_out()?;
        self.change(|image| image.others.announce(&mut image.memory, word))?;
        let sent = self.send_out();
        self.with(|image| {
            image.others.become_gone(status);
            sent
        })
    }

    /// Waits until all messages have been sent, for a limited time. Messages that arrive are dropped,
    /// accesses of others are performed.
    fn send_out(&self) -> Result<()> {
        let (mut wait, begin) = self.with(|image| Ok((image.patience.wait(), image.comm.seconds())))?;
        loop {
            let has_ended = self.with(|image| {
                let message = image.memory.receive(&image.comm)?;
                if let Some(message) = message.as_ref().filter(|message| message.kind == Kind::Status as u8) {
                    image.others.note_message(message.tag);
                }
                image.memory.flush(&image.comm)?;
                let has_ended = image.memory.is_sent() || image.comm.seconds() - begin > LIMIT_SECONDS;
                if message.is_none() && !has_ended {
                    wait.pause(&image.comm);
                }
                Ok(has_ended)
            })?;
            if has_ended {
                return Ok(());
            }
        }
    }

    /// Serves other images, and polls twice for images that are gone: the second poll is final.
    fn learn(&self) -> Result<()> {
        for _ in 0..2 {
            self.serve()?;
            self.change(|image| image.others.poll(&mut image.memory))?;
        }
        Ok(())
    }

    /// For calls that test for something without waiting and have not found it: serves other images.
    ///
    /// # Errors
    /// Where an image has failed or stopped, so that callers who try again and again come to an end.
    pub(crate) fn poll_others(&self) -> Result<()> {
        self.with(|image| image.others.check_any())?;
        self.learn()
    }

    /// The status of a member of a team.
    ///
    /// # Errors
    /// For a team that was freed, or a rank that no member has; if images that are gone prevent the lookup.
    pub fn status(&self, team: Handle, rank: usize) -> Result<Status> {
        self.learn()?;
        self.explore(team, Some(rank))?;
        let member = self.image_of(team, rank)?;
        self.with(|image| {
            image.others.note_returned();
            Ok(image.others.status(member))
        })
    }

    /// As [`Self::status`], without a poll for what is not known yet.
    ///
    /// # Errors
    /// As there.
    #[inline]
    pub fn known_status(&self, team: Handle, rank: usize) -> Result<Status> {
        if self.image.borrow().others.are_all_alive() {
            return Ok(Status::Alive);
        }
        let member = self.image_of(team, rank)?;
        self.with(|image| Ok(image.others.status(member)))
    }

    /// The members of a team with a status, by their ranks in the team, in ascending order.
    ///
    /// # Errors
    /// As [`Self::status`].
    pub fn images_with(&self, team: Handle, status: Status) -> Result<Vec<usize>> {
        self.learn()?;
        self.explore(team, None)?;
        let size = self.with(|image| Ok(image.teams.get(team)?.size()))?;
        let mut ranks = Vec::new();
        for rank in 0..size {
            let member = self.image_of(team, rank)?;
            if self.with(|image| Ok(image.others.status(member)))? == status {
                ranks.push(rank);
            }
        }
        self.image.borrow().others.note_returned();
        Ok(ranks)
    }

    /// From now on, waits for events and locks continue if other images have stopped, as Fortran requires,
    /// and after a failure that a call has returned: the program handles it.
    pub fn tolerate(&self) {
        self.image.borrow_mut().others.tolerate();
    }

    /// Whether the process of an image has ended, as far as is known here: MPI cannot be finalised then.
    pub(crate) fn has_lost_one(&self) -> bool {
        let others = &self.image.borrow().others;
        others.with(Status::Failed).any(|image| others.has_died(image))
    }

    /// Whether the process of an image, given by its rank in the job, has ended, as far as this image knows.
    /// An image that has failed or stopped may have a process that continues.
    ///
    /// # Errors
    /// Errors of MPI.
    pub fn has_died(&self, image: usize) -> Result<bool> {
        self.learn()?;
        self.with(|state| Ok(state.others.has_died(image)))
    }
}
