//! An image as a program sees it: functions that wait, and do meanwhile what other images ask for.
//!
//! Shipped functions run inside waits, and may call the runtime themselves. So the state is never held while one runs: every
//! call takes it for a moment, and a wait looks, lets go, runs what has arrived, and looks again.

use crate::coarray::Use;
use crate::finish::Scope;
use crate::handles::Handle;
use crate::image::{Image, Step};
use crate::mail::Letter;
use crate::options::Options;
use crate::spawn::Function;
use crate::statistics::Statistics;
use crate::team::Team;
use hcube_core::comm::Comm;
use hcube_core::error::{Error, Result};
use hcube_core::memory::bytes_of;
use std::cell::RefCell;

/// Steps of [`Runtime::progress`], each a message or some functions.
const MAX_STEPS: usize = 1 << 14;

/// An image of a coarray program.
pub struct Runtime<C: Comm> {
    pub(crate) image: RefCell<Image<C>>,
    pub(crate) functions: RefCell<Vec<Function<C>>>,
}

impl<C: Comm> Runtime<C> {
    /// Collective over `comm`, whose messages are opened: its ranks become images.
    ///
    /// # Errors
    /// On all images, where the options differ or one has no memory; those of MPI.
    pub fn new(comm: C, options: Options) -> Result<Self> {
        Ok(Self { image: RefCell::new(Image::new(comm, options)?), functions: RefCell::default() })
    }

    /// Ends without taking away the memory of this image, until the process ends.
    pub(crate) fn leave_memory(self) {
        self.image.into_inner().memory.leave_heap();
    }

    /// Runs `work` with the state. It calls nothing of the runtime that takes it again.
    #[inline]
    pub(crate) fn with<T>(&self, work: impl FnOnce(&mut Image<C>) -> Result<T>) -> Result<T> {
        let mut image = self.image.borrow_mut();
        image.others.check_own()?;
        let result = work(&mut image);
        // The program may not look again for long.
        image.send_awaited()?;
        result
    }

    /// Waits until `poll` has a result, and does meanwhile what others ask for.
    ///
    /// # Errors
    /// Those of `poll` and of MPI; where an image has failed or stopped.
    #[inline]
    pub(crate) fn wait<T>(&self, mut poll: impl FnMut(&mut Image<C>) -> Result<Option<T>>) -> Result<T> {
        match self.with(&mut poll)? {
            Some(result) => Ok(result),
            None => self.wait_longer(poll, Image::check_members),
        }
    }

    /// As [`Self::wait`], for something that any image may do; see [`Self::tolerate`].
    pub(crate) fn wait_for_any<T>(
        &self,
        mut poll: impl FnMut(&mut Image<C>) -> Result<Option<T>>,
    ) -> Result<T> {
        match self.with(&mut poll)? {
            Some(result) => Ok(result),
            None => self.wait_longer(poll, |image| image.others.check_any()),
        }
    }

    /// As [`Self::wait`], for something that only one image does: the wait goes on where others are gone.
    pub(crate) fn wait_for_image<T>(
        &self,
        awaited: usize,
        mut poll: impl FnMut(&mut Image<C>) -> Result<Option<T>>,
    ) -> Result<T> {
        match self.with(&mut poll)? {
            Some(result) => Ok(result),
            None => self.wait_longer(poll, |image| image.others.check_served(awaited)),
        }
    }

    /// As [`Self::wait_for_image`], for something that an image does not do any more when it has stopped.
    pub(crate) fn wait_while_alive<T>(
        &self,
        awaited: usize,
        mut poll: impl FnMut(&mut Image<C>) -> Result<Option<T>>,
    ) -> Result<T> {
        match self.with(&mut poll)? {
            Some(result) => Ok(result),
            None => self.wait_longer(poll, |image| image.others.check(awaited)),
        }
    }

    fn wait_longer<T>(
        &self,
        mut poll: impl FnMut(&mut Image<C>) -> Result<Option<T>>,
        check: impl Fn(&Image<C>) -> Result<()>,
    ) -> Result<T> {
        let mut wait = self.image.borrow().patience.wait();
        loop {
            let mut image = self.image.borrow_mut();
            match image.progress()? {
                Step::Idle => {
                    let Image { others, memory, .. } = &mut *image;
                    others.look(memory);
                    image.ask_gone();
                    wait.pause(&image.comm);
                }
                Step::Worked => image.look_when_busy(),
                Step::Run => {
                    drop(image);
                    self.run()?;
                    image = self.image.borrow_mut();
                    image.look_when_busy();
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

    /// Sends words for a step of a collective operation.
    pub(crate) fn send_words(&self, to: usize, team: u64, step: u64, words: &[i64]) -> Result<()> {
        self.with(|image| {
            image.post(to, team, step, true, bytes_of(words));
            Ok(())
        })
    }

    /// As [`Self::send_words`], to an image that does not know who sends them.
    pub(crate) fn send_words_openly(&self, to: usize, team: u64, step: u64, words: &[i64]) -> Result<()> {
        self.with(|image| {
            image.post(to, team, step, false, bytes_of(words));
            Ok(())
        })
    }

    /// Waits for a step of a collective operation.
    pub(crate) fn receive_letter(&self, from: Option<usize>, team: u64, step: u64) -> Result<Letter> {
        self.wait(|image| {
            let gone = from.map_or(Ok(()), |from| image.others.check(from));
            match image.letter(from, team, step) {
                Some(letter) => Ok(Some(letter)),
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
        let letter = self.receive_letter(from, team, step)?;
        let words: Vec<i64> = letter.words().collect();
        words.try_into().map_err(|_| Error::Internal(format!("a step of {} bytes", letter.bytes().len())))
    }

    /// Waits until something is so that shipped functions of this image make so.
    ///
    /// # Errors
    /// Where an image has failed or stopped.
    pub fn wait_until(&self, mut is_so: impl FnMut() -> bool) -> Result<()> {
        self.wait(|_| Ok(is_so().then_some(())))
    }

    /// Whether this image accesses the memory of another one directly.
    pub fn is_on_node(&self, image: usize) -> bool {
        self.image.borrow().memory.is_here(image)
    }

    /// Looks once for what others have asked for, and does it.
    pub(crate) fn look(&self) -> Result<()> {
        match self.with(Image::progress)? {
            Step::Run => self.run(),
            Step::Idle | Step::Worked => Ok(()),
        }
    }

    /// Does what others have asked for by now, without waiting; of what arrives meanwhile it does a limited part.
    ///
    /// # Errors
    /// Those of MPI; that of an operation which has ended with one.
    pub fn progress(&self) -> Result<()> {
        self.serve()?;
        self.with(|image| image.operations.check())
    }

    /// As [`Self::progress`]; the errors of operations are left for the program.
    ///
    /// # Errors
    /// Those of MPI.
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

    /// Collective over all images: waits until all that was shipped outside of finish blocks has ended, and all images have
    /// called it. Nothing may be called afterwards.
    ///
    /// # Errors
    /// Inside of a finish block or a shipped function; where an image has failed.
    pub fn finalise(&self) -> Result<()> {
        let world = self.with(|image| {
            image.check_end()?;
            Ok(image.world())
        })?;
        self.terminate(world, Scope::PROGRAM)?;
        self.barrier(world)?;
        // What this image has sent last is taken by others only while they look.
        self.with(|image| image.leave())
    }

    /// The team of all images.
    pub fn world(&self) -> Handle {
        self.image.borrow().world()
    }

    /// This image: its rank in the team of all images.
    pub fn own(&self) -> usize {
        self.image.borrow().comm.rank()
    }

    /// Runs `work` with a team.
    ///
    /// # Panics
    /// Where the team was freed.
    pub fn with_team<T>(&self, team: Handle, work: impl FnOnce(&Team) -> T) -> T {
        work(self.image.borrow().teams.get(team).expect("a team that was not freed"))
    }

    /// As [`Self::with_team`].
    ///
    /// # Errors
    /// For a team that was freed.
    pub fn look_at_team<T>(&self, team: Handle, look: impl FnOnce(&Team) -> T) -> Result<T> {
        self.with(|image| image.teams.get(team).map(look))
    }

    /// The rank of this image in the team of a coarray, of events or of locks.
    ///
    /// # Errors
    /// For one that was freed.
    pub fn own_rank(&self, of: Handle, purpose: Use) -> Result<usize> {
        self.with(|image| Ok(image.teams.get(image.coarray_for(of, purpose)?.team)?.rank()))
    }

    /// What this image has done so far.
    pub fn statistics(&self) -> Statistics {
        let image = self.image.borrow();
        let team_words = image.teams.iter().map(Team::words).sum::<usize>() as u64;
        Statistics { access: image.memory.counts(), team_words, ..image.statistics }
    }
}
