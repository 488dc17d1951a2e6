//! The dissemination barrier of a team.
//!
//! Idea: in round i every member notifies the member at distance 2^i forward, and waits for the member at
//! distance 2^i backward. The notification is the number of the barrier, in a word that no other image
//! writes, so nothing has to be reset. After ⌈log2 S⌉ rounds each member depends on all others.
//!
//! A team with a board (`team::board`) has one round instead, in which each member polls the words of all. In
//! the team of all images on several nodes (`team::nodes`), the leaders of the nodes go through the rounds.
//!
//! An image enters the barrier when its accesses to other nodes are complete there. Barriers of a team are
//! ordered: a barrier that was started asynchronously completes before the next one begins.
//!
//! Cost: ⌈log2 S⌉ words written per member, to other nodes as messages; with leaders ⌈log2 N⌉ messages on
//! each of N nodes. Source: Hensgen, Finkel, Manber 1988, "Two algorithms for barrier synchronization", as
//! in Jin et al. 2011, §II-D.

#[cfg(hcube_model)]
pub mod model;

use crate::engine::image::Image;
use crate::engine::runtime::Runtime;
use crate::state::handles::Handle;
use crate::state::participation::Series;
use hcube_core::comm::Comm;
use hcube_core::error::Result;

impl<C: Comm> Image<C> {
    /// Calls a barrier: its number.
    pub(super) fn call_barrier(&mut self, team: Handle) -> Result<u64> {
        let team = self.teams.get_mut(team)?;
        let number = team.call_barrier();
        self.participation.begin(team.identity(), Series::Barriers, number, &self.others);
        Ok(number)
    }

    /// Goes on with the barriers of a team. Whether the one with this number has ended.
    pub(super) fn barrier_has_ended(&mut self, team: Handle, number: u64) -> Result<bool> {
        self.teams.get_mut(team)?.advance_barriers(number, &mut self.memory, &self.others)
    }
}

impl<C: Comm> Runtime<C> {
    /// Collective over the team: returns when all members have called it, and all that they have put before
    /// is there.
    ///
    /// # Errors
    /// For a team that was freed, and in a shipped function; if an image has failed, or a member has stopped.
    pub fn barrier(&self, team: Handle) -> Result<()> {
        let number = self.with(|image| {
            image.shipped.refuse_inside("collective functions")?;
            image.call_barrier(team)
        })?;
        self.wait(|image| image.barrier_has_ended(team, number).map(|ended| ended.then_some(())))
    }

    /// Waits, after a barrier that was an error because an image has failed, until shipped functions of this
    /// image have made something so, or the barrier ends after all: the image may have failed after its part.
    ///
    /// # Errors
    /// For a team that was freed; where the image that is waited for, given by its rank in the job, has
    /// failed or stopped.
    pub fn wait_after_barrier(&self, team: Handle, of: usize, mut is_so: impl FnMut() -> bool) -> Result<()> {
        self.wait_while_alive(of, |image| {
            let number = image.teams.get(team)?.barriers_called();
            let is_over = is_so() || image.barrier_has_ended(team, number).unwrap_or(false);
            Ok(is_over.then_some(()))
        })
    }
}
