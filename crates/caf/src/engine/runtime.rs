//! The runtime of an image as programs see it; every call locks the state while it uses it.

use crate::engine::image::{Handlers, Image};
use crate::state::coarray::Use;
use crate::state::handles::Handle;
use crate::state::options::Options;
use crate::state::statistics::Statistics;
use crate::state::team::Team;
use hcube_core::comm::Comm;
use hcube_core::error::Result;
use std::cell::{Cell, RefCell};
use std::rc::Rc;

/// A function that can be shipped: it gets the image that has shipped it, and its arguments.
pub type Function<C> = Rc<dyn Fn(&Runtime<C>, usize, &[u8])>;

/// An image of a coarray program.
pub struct Runtime<C: Comm> {
    pub(crate) image: RefCell<Image<C>>,
    pub(crate) functions: RefCell<Vec<Function<C>>>,
    /// How often this image has taken locks of its node while others waited.
    pub(crate) locked: Cell<u32>,
}

impl<C: Comm> Runtime<C> {
    /// Collective over `comm`, whose messages are opened: its ranks become images, which do this with
    /// messages.
    ///
    /// # Errors
    /// On all images, if the options differ or an image has no memory; errors of MPI.
    pub(crate) fn with_handlers(comm: C, options: &Options, handlers: Handlers<Image<C>>) -> Result<Self> {
        let image = Image::new(comm, options, handlers)?;
        Ok(Self { image: RefCell::new(image), functions: RefCell::default(), locked: Cell::new(0) })
    }

    /// An image of a model.
    #[cfg(hcube_model)]
    pub(crate) fn on(
        memory: (hcube_core::onesided::Onesided<C>, &hcube_core::plan::Topology),
        patience: hcube_core::progress::wait::Patience,
        comm: C,
        handlers: Handlers<Image<C>>,
    ) -> Self {
        let image = Image::on(memory, patience, comm, &Options::default(), handlers).expect("room");
        Self { image: RefCell::new(image), functions: RefCell::default(), locked: Cell::new(0) }
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
        // The program may not poll again for long.
        image.send_awaited()?;
        result
    }

    /// Whether this image accesses the memory of another one directly.
    pub fn is_on_node(&self, image: usize) -> bool {
        self.image.borrow().memory.is_here(image)
    }

    /// As [`Self::with`], for work that has no result.
    #[inline]
    pub(crate) fn change(&self, work: impl FnOnce(&mut Image<C>)) -> Result<()> {
        self.with(|image| {
            work(image);
            Ok(())
        })
    }

    /// The team of all images.
    pub fn world(&self) -> Handle {
        self.image.borrow().teams.world()
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
        self.with(|image| Ok(image.teams.get(image.coarrays.get_for(of, purpose)?.team())?.rank()))
    }

    /// The statistics of this image so far.
    pub fn statistics(&self) -> Statistics {
        let image = self.image.borrow();
        let team_words = image.teams.iter().map(Team::words).sum::<usize>() as u64;
        Statistics { access: image.memory.counts(), team_words, ..image.statistics }
    }
}
