//! The end of a program whose images end one by one, as those of Fortran do.
//!
//! Idea: an image that has come to its end says so, and serves the others until all have ended or failed. So its coarrays stay
//! accessible, whoever waits for it gets an error, and no image waits for one that has ended before. An image that fails does
//! the same with another word, because most launchers end the job when a process ends.
//!
//! Restrictions: an image on another node whose process has ended without a word, and that was alone there, is waited for.
//! Cost: a message to every image of another node.
//! Source: the statuses are those of Fortran 2018, 5.3.5 to 5.3.7.

use crate::image::{Image, Step};
use crate::others::{LISTENING, SERVING};
use crate::runtime::Runtime;
use hcube_core::comm::Comm;
use hcube_core::error::Result;

impl<C: Comm> Runtime<C> {
    /// Collective in the end: this image has stopped, or failed. Returns when all images have done one of both, and nothing may
    /// be called afterwards.
    ///
    /// # Errors
    /// Those of MPI; where this image has failed or stopped before.
    pub fn end(&self, fails: bool) -> Result<()> {
        let word = if fails { LISTENING } else { SERVING };
        self.with(|image| {
            image.others.pass_on(&mut image.memory);
            Ok(())
        })?;
        // What others get from this image before they know that it has ended.
        self.serve_until(|image| image.memory.is_sent())?;
        self.with(|image| {
            image.others.announce(&mut image.memory, word);
            Ok(())
        })?;
        self.serve_until(|image| image.others.are_all_gone() && image.memory.is_sent())?;
        if self.has_lost_one() {
            return Ok(());
        }
        self.image.borrow_mut().leave()
    }

    /// Serves other images until something is so and nothing has arrived.
    fn serve_until(&self, is_so: impl Fn(&Image<C>) -> bool) -> Result<()> {
        let mut wait = self.image.borrow().patience.wait();
        loop {
            let mut image = self.image.borrow_mut();
            match image.progress()? {
                Step::Worked => image.look_when_busy(),
                Step::Run => {
                    drop(image);
                    self.run()?;
                }
                Step::Idle => {
                    if is_so(&image) {
                        return Ok(());
                    }
                    let Image { others, memory, comm, .. } = &mut *image;
                    others.look(memory);
                    memory.flush(comm)?;
                    wait.pause(comm);
                }
            }
        }
    }
}
