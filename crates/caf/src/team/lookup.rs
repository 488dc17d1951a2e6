//! The image of a member that no link gives.
//!
//! Idea: the shortest chain of jumps leads from link to link; the first link of the chain is this member's own, every further
//! one is a word that is read at the member that the chain has reached. What was found is kept.
//!
//! Cost: at most log2 S reads of a word for the first access to a member of a team of size S, none later; the chain of
//! [`chain::shortest`] needs about half of that.
//! Source: Jin et al. 2011, §II-B.

use super::{BACKWARD, FORWARD, Link, Team, chain, place};
use crate::handles::Handle;
use crate::runtime::Runtime;
use hcube_core::comm::Comm;
use hcube_core::error::{Error, Result};
use hcube_core::onesided::Atomic;

/// The power and the direction of a jump.
fn jump(distance: i64) -> (usize, usize) {
    (distance.unsigned_abs().trailing_zeros() as usize, if distance > 0 { FORWARD } else { BACKWARD })
}

impl Team {
    /// The image of a member, if no link has to be read.
    ///
    /// # Errors
    /// [`Error::Argument`] for a rank that no member has.
    #[inline]
    pub(crate) fn known(&self, rank: usize) -> Result<Option<usize>> {
        if rank >= self.size {
            return Err(self.no_member(rank));
        }
        if self.is_world { Ok(Some(rank)) } else { Ok(self.remembered(rank)) }
    }

    fn remembered(&self, rank: usize) -> Option<usize> {
        self.members.get(&rank).copied()
    }

    #[cold]
    fn no_member(&self, rank: usize) -> Error {
        Error::argument("image", rank, format!("0 to {}, the members of the team", self.size - 1))
    }

    /// Keeps what was found.
    fn remember(&mut self, rank: usize, image: usize) {
        self.members.insert(rank, image);
    }
}

impl<C: Comm> Runtime<C> {
    /// The image of a member of a team.
    ///
    /// # Errors
    /// [`Error::Argument`] for a team that was freed or a rank that no member has; where an image has failed.
    #[inline]
    pub fn image_of(&self, team: Handle, rank: usize) -> Result<usize> {
        match self.with(|image| image.teams.get(team)?.known(rank))? {
            Some(image) => Ok(image),
            None => self.look_up(team, rank),
        }
    }

    /// Follows the chain of links.
    #[cold]
    fn look_up(&self, team: Handle, rank: usize) -> Result<usize> {
        let (chain, mut at) = self.with(|image| {
            let Team { size, rank: own, ref links, .. } = *image.teams.get(team)?;
            let chain = chain::shortest(size, (rank + size - own) % size);
            let first = chain.first().map(|&first| {
                let (power, direction) = jump(first);
                links[power][direction]
            });
            Ok((chain, first.unwrap_or(Link { image: image.comm.rank(), block: 0 })))
        })?;
        for &distance in chain.iter().skip(1) {
            let (power, direction) = jump(distance);
            let request = self.with(|image| {
                image.statistics.link_reads += 1;
                Ok(image.memory.atomic(at.image, at.block + place(power, direction), Atomic::Load, 0))
            })?;
            at = Link::of(self.wait(|image| Ok(image.memory.is_finished(request)))?);
        }
        self.with(|image| {
            image.statistics.lookups += 1;
            image.teams.get_mut(team)?.remember(rank, at.image);
            Ok(at.image)
        })
    }
}
