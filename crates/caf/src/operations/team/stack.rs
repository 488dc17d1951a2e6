//! The default teams of an image: a stack with the team of all images at its bottom.
//!
//! Restrictions: a shipped function uses the stack of the image that executes it, and cannot change it.

use crate::engine::runtime::Runtime;
use crate::state::handles::Handle;
use hcube_core::comm::Comm;
use hcube_core::error::{Error, Result};

impl<C: Comm> Runtime<C> {
    /// The default team: the one that was pushed last and not popped, or the team of all images.
    ///
    /// # Errors
    /// Where this image has failed or stopped.
    #[inline]
    pub fn team(&self) -> Result<Handle> {
        self.with(|image| Ok(image.teams.current()))
    }

    /// Makes a team the default team until [`Self::pop_team`]. The same team may be pushed several times.
    ///
    /// # Errors
    /// For a team that was freed, and in a shipped function.
    pub fn push_team(&self, team: Handle) -> Result<()> {
        self.with(|image| {
            image.shipped.refuse_inside("functions that change the default team")?;
            image.teams.push(team)
        })
    }

    /// Makes the team that was the default team before the last [`Self::push_team`] the default team again:
    /// the team that was popped.
    ///
    /// # Errors
    /// Where no team has been pushed, and in a shipped function.
    pub fn pop_team(&self) -> Result<Handle> {
        self.with(|image| {
            image.shipped.refuse_inside("functions that change the default team")?;
            image.teams.pop().ok_or_else(|| {
                Error::Usage("no team has been pushed: the team of all images is never popped".into())
            })
        })
    }
}
