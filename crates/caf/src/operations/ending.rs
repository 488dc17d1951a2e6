//! The end of a program: of all images together, or of one image after the other, as in Fortran.
//!
//! Idea: if all images end together, they meet in a barrier. Otherwise an image that has reached its end
//! publishes its status, and serves the others until all have ended or failed. Its coarrays stay accessible,
//! images that wait for it return an error, and no image waits for an image that has ended before. A failed
//! image does the same with another status, because most launchers end the job when a process ends.
//!
//! Restrictions: an image is waited for if its process has ended without a status and it was the only image
//! on its node.
//! Cost: a message to every image of another node.
//! Source: Fortran 2018, 5.3.5 to 5.3.7, for the statuses.

use crate::engine::image::Image;
use crate::engine::runtime::Runtime;
use crate::state::finish::Scope;
use crate::state::others::{LISTENING, SERVING};
use hcube_core::comm::Comm;
use hcube_core::error::{Error, Result};

impl<C: Comm> Image<C> {
    /// An error where the program cannot end.
    fn check_end(&self) -> Result<()> {
        if self.shipped.is_running() {
            return Err(Error::Usage("called in a shipped function".into()));
        }
        // If an image has failed, no block ends any more.
        self.others.check_all()?;
        if self.finishes.is_inside() {
            return Err(Error::Usage(
                "called in a finish block: expected hcube_caf_finish_end before".into(),
            ));
        }
        Ok(())
    }

    /// Ends what others need of this image, when all have come here.
    fn leave(&mut self) -> Result<()> {
        // Acknowledgements may still be outstanding, and MPI must not be finalised with any: messages before
        // the first barrier are received after it, with replies, and these after the second one.
        for _ in 0..2 {
            self.memory.flush(&self.comm)?;
            self.comm.barrier()?;
            while self.memory.receive(&self.comm)?.is_some() {}
        }
        self.others.end(&self.memory);
        Ok(())
    }
}

impl<C: Comm> Runtime<C> {
    /// Collective over all images: waits until all that was shipped outside of finish blocks has ended, and
    /// all images have called it. Nothing may be called afterwards.
    ///
    /// # Errors
    /// Inside of a finish block or a shipped function; if an image has failed.
    pub fn finalise(&self) -> Result<()> {
        let world = self.with(|image| {
            image.check_end()?;
            Ok(image.teams.world())
        })?;
        self.terminate(world, Scope::PROGRAM)?;
        self.barrier(world)?;
        // The last messages of this image are received by others only while they poll.
        self.with(|image| image.leave())
    }

    /// Collective in the end: this image has stopped, or failed. Returns when all images have done one of
    /// both, and nothing may be called afterwards.
    ///
    /// # Errors
    /// Errors of MPI; if this image has failed or stopped before.
    pub fn end(&self, fails: bool) -> Result<()> {
        let word = if fails { LISTENING } else { SERVING };
        self.change(|image| image.others.pass_on(&mut image.memory))?;
        // Data that others get from this image before they know that it has ended.
        self.serve_until(|image| image.memory.is_sent())?;
        self.change(|image| image.others.announce(&mut image.memory, word))?;
        self.serve_until(|image| image.others.are_all_gone() && image.memory.is_sent())?;
        if self.has_lost_one() {
            return Ok(());
        }
        self.image.borrow_mut().leave()
    }
}
