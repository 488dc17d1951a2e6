//! Waits for a condition, during which an image serves other images.
//!
//! The state is never locked while a shipped function runs: a wait polls, unlocks the state, executes what
//! has arrived, and polls again.

use crate::engine::image::Image;
use crate::engine::progress::Step;
use crate::engine::runtime::Runtime;
use hcube_core::comm::Comm;
use hcube_core::error::Result;
use hcube_core::onesided::Request;

/// Steps of [`Runtime::progress`], each a message or some functions.
const MAX_STEPS: usize = 1 << 14;

impl<C: Comm> Runtime<C> {
    /// Waits until `poll` has a result, and serves other images meanwhile.
    ///
    /// # Errors
    /// Errors of `poll` and of MPI; if an image has failed or stopped.
    #[inline]
    pub(crate) fn wait<T>(&self, poll: impl FnMut(&mut Image<C>) -> Result<Option<T>>) -> Result<T> {
        self.wait_while(|image| image.participation.check(&image.others), poll)
    }

    /// As [`Self::wait`], for something that any image may do; see [`Self::tolerate`].
    pub(crate) fn wait_for_any<T>(&self, poll: impl FnMut(&mut Image<C>) -> Result<Option<T>>) -> Result<T> {
        self.wait_while(|image| image.others.check_any(), poll)
    }

    /// As [`Self::wait`], for an event that only one image causes: the wait continues if other images are
    /// gone.
    pub(crate) fn wait_for_image<T>(
        &self,
        awaited: usize,
        poll: impl FnMut(&mut Image<C>) -> Result<Option<T>>,
    ) -> Result<T> {
        self.wait_while(|image| image.others.check_served(awaited), poll)
    }

    /// As [`Self::wait_for_image`], for something that an image does not do any more when it has stopped.
    pub(crate) fn wait_while_alive<T>(
        &self,
        awaited: usize,
        poll: impl FnMut(&mut Image<C>) -> Result<Option<T>>,
    ) -> Result<T> {
        self.wait_while(|image| image.others.check(awaited), poll)
    }

    /// Waits until `poll` has a result, as long as `check` has no error. A result of the first poll needs no
    /// check.
    #[inline]
    fn wait_while<T>(
        &self,
        check: impl Fn(&Image<C>) -> Result<()>,
        mut poll: impl FnMut(&mut Image<C>) -> Result<Option<T>>,
    ) -> Result<T> {
        match self.with(&mut poll)? {
            Some(result) => Ok(result),
            None => self.wait_longer(check, poll),
        }
    }

    fn wait_longer<T>(
        &self,
        check: impl Fn(&Image<C>) -> Result<()>,
        mut poll: impl FnMut(&mut Image<C>) -> Result<Option<T>>,
    ) -> Result<T> {
        let mut wait = self.image.borrow().patience.wait();
        loop {
            let mut image = self.image.borrow_mut();
            match image.progress()? {
                Step::Idle => {
                    let Image { others, participation, memory, comm, .. } = &mut *image;
                    others.poll(memory);
                    participation.ask(comm.rank(), others, memory);
                    wait.pause(comm);
                }
                Step::Worked => image.poll_when_busy(),
                Step::Run => {
                    drop(image);
                    self.run()?;
                    image = self.image.borrow_mut();
                    image.poll_when_busy();
                }
            }
            if let Some(result) = poll(&mut image)? {
                image.send_awaited()?;
                return Ok(result);
            }
            image.others.check_own()?;
            check(&image)?;
        }
    }

    /// Waits until something is so that shipped functions of this image make so.
    ///
    /// # Errors
    /// Where an image has failed or stopped.
    pub fn wait_until(&self, mut is_so: impl FnMut() -> bool) -> Result<()> {
        self.wait(|_| Ok(is_so().then_some(())))
    }

    /// Polls once for requests of other images, and serves them.
    pub(crate) fn poll(&self) -> Result<()> {
        match self.with(Image::progress)? {
            Step::Run => self.run(),
            Step::Idle | Step::Worked => Ok(()),
        }
    }

    /// Serves pending requests of other images without waiting; a limited number of requests that arrive
    /// meanwhile.
    ///
    /// # Errors
    /// Errors of MPI; the error of an operation that has ended with one.
    pub fn progress(&self) -> Result<()> {
        self.serve()?;
        self.with(|image| image.pending.check())
    }

    /// As [`Self::progress`]; the errors of operations are left for the program.
    ///
    /// # Errors
    /// Errors of MPI.
    pub(crate) fn serve(&self) -> Result<()> {
        for _ in 0..MAX_STEPS {
            match self.with(Image::progress)? {
                Step::Idle => break,
                Step::Worked => {}
                Step::Run => self.run()?,
            }
        }
        Ok(())
    }

    /// Serves other images until something is so and nothing has arrived.
    pub(crate) fn serve_until(&self, is_so: impl Fn(&Image<C>) -> bool) -> Result<()> {
        let mut wait = self.image.borrow().patience.wait();
        loop {
            let mut image = self.image.borrow_mut();
            match image.progress()? {
                Step::Worked => image.poll_when_busy(),
                Step::Run => {
                    drop(image);
                    self.run()?;
                }
                Step::Idle => {
                    if is_so(&image) {
                        return Ok(());
                    }
                    let Image { others, memory, comm, .. } = &mut *image;
                    others.poll(memory);
                    memory.flush(comm)?;
                    wait.pause(comm);
                }
            }
        }
    }

    /// Waits until a message to an image can be sent soon; inside a shipped function returns immediately.
    /// Images that are gone are ignored, except that image.
    #[inline]
    pub(crate) fn wait_for_room(&self, to: usize) -> Result<()> {
        let has_room = self.with(|image| Ok(image.shipped.is_running() || image.memory.has_room(to)))?;
        if has_room {
            Ok(())
        } else {
            self.wait_for_image(to, |image| Ok(image.memory.has_room(to).then_some(())))
        }
    }

    /// Gives a request up whose wait has ended with an error.
    pub(crate) fn cancel_unless_done<T>(&self, request: Request, result: Result<T>) -> Result<T> {
        if result.is_err() {
            self.image.borrow_mut().memory.cancel(request);
        }
        result
    }
}
