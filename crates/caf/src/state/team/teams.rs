//! The teams of an image, and its stack of default teams with the team of all images at its bottom.

use super::Team;
use crate::state::handles::{Handle, Table};
use hcube_core::error::Result;

/// The teams of an image.
#[derive(Debug)]
pub(crate) struct Teams {
    table: Table<Team>,
    /// Teams that were formed with this image so far.
    formed: u64,
    /// The default teams, the current one last.
    stack: Vec<Handle>,
}

impl Teams {
    /// Only the team of all images.
    pub fn new(world: Team) -> Self {
        let mut table = Table::new("team", "a team that was not freed");
        let stack = vec![table.add(world)];
        Self { table, formed: 0, stack }
    }

    /// The team of all images.
    pub fn world(&self) -> Handle {
        self.stack[0]
    }

    /// The default team.
    #[inline]
    pub fn current(&self) -> Handle {
        *self.stack.last().expect("the team of all images is never popped")
    }

    /// Makes a team the default team.
    ///
    /// # Errors
    /// For a team that was freed.
    pub fn push(&mut self, team: Handle) -> Result<()> {
        self.table.get(team)?;
        self.stack.push(team);
        Ok(())
    }

    /// Makes the default team before the last [`Self::push`] the default team: the team that was it, unless
    /// none was pushed.
    pub fn pop(&mut self) -> Option<Handle> {
        if self.stack.len() == 1 { None } else { self.stack.pop() }
    }

    /// Whether a team is the team of all images or was pushed.
    pub fn is_default(&self, team: Handle) -> bool {
        self.stack.contains(&team)
    }

    /// The number of the next team that is formed with this image.
    pub fn next_number(&mut self) -> u64 {
        self.formed += 1;
        self.formed
    }

    /// Adds a team.
    pub fn add(&mut self, team: Team) -> Handle {
        self.table.add(team)
    }

    /// A team.
    ///
    /// # Errors
    /// [`hcube_core::error::Error::Argument`] for a handle that was never given or was freed.
    #[inline]
    pub fn get(&self, team: Handle) -> Result<&Team> {
        self.table.get(team)
    }

    /// As [`Self::get`], to be changed.
    #[inline]
    pub fn get_mut(&mut self, team: Handle) -> Result<&mut Team> {
        self.table.get_mut(team)
    }

    /// Takes a team away.
    ///
    /// # Errors
    /// As [`Self::get`].
    pub fn remove(&mut self, team: Handle) -> Result<Team> {
        self.table.remove(team)
    }

    /// All teams.
    pub fn iter(&self) -> impl Iterator<Item = &Team> {
        self.table.iter()
    }
}
