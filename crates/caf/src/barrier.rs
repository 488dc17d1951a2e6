//! The dissemination barrier of a team.
//!
//! Idea: in round i every member tells the one at distance 2^i forward that it has come so far, and waits for the one at
//! distance 2^i backward. What it tells is the number of the barrier, in a word that nobody else writes, so nothing has to be
//! cleared. After ⌈log2 S⌉ rounds each member has heard of all.
//!
//! A team that has boards (`team::board`) has one round instead, in which each member looks at the words of all.
//!
//! An image enters when its accesses to other nodes have been made there. Barriers of a team follow one another: one that
//! was started without waiting is finished before the next one begins.
//!
//! Cost: ⌈log2 S⌉ words written per member, to other nodes as messages.
//! Source: Hensgen, Finkel, Manber 1988, "Two algorithms for barrier synchronization", as in Jin et al. 2011, §II-D.

use crate::finish::refuse_inside;
use crate::handles::Handle;
use crate::image::Image;
use crate::participation::Series;
use crate::runtime::Runtime;
use crate::team::{BACKWARD, FORWARD, Team};
use hcube_core::comm::Comm;
use hcube_core::error::Result;
use std::sync::atomic::Ordering;

/// How far the barriers of a team are.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Progress {
    /// Barriers that were called.
    called: u64,
    /// Barriers that have ended.
    ended: u64,
    /// The round of the barrier that is going on, or the members that have come; none before it has begun.
    round: Option<usize>,
}

impl Progress {
    /// Barriers that were called.
    pub(crate) fn called(self) -> u64 {
        self.called
    }
}

impl<C: Comm> Image<C> {
    /// Calls a barrier: its number.
    pub(crate) fn call_barrier(&mut self, team: Handle) -> Result<u64> {
        let barrier = &mut self.teams.get_mut(team)?.barrier;
        barrier.called += 1;
        let number = barrier.called;
        self.take_part(team, Series::Barriers, number)?;
        Ok(number)
    }

    /// Goes on with the barriers of a team. Whether the one with this number has ended.
    pub(crate) fn barrier_has_ended(&mut self, team: Handle, number: u64) -> Result<bool> {
        let Self { teams, memory, others, .. } = self;
        let team = teams.get_mut(team)?;
        let powers = team.powers();
        while team.barrier.ended < number {
            let turn = team.barrier.ended + 1;
            let mut round = match team.barrier.round {
                Some(round) => round,
                None if !memory.is_made(None) => return Ok(false),
                None => {
                    match &team.board {
                        Some(board) => board.call_barrier(turn, memory),
                        None => tell(team, memory, 0, turn),
                    }
                    0
                }
            };
            if let Some(board) = &team.board {
                let has_come = board.has_barrier_come(turn, &mut round, (memory, others));
                team.barrier.round = Some(round);
                if !has_come? {
                    return Ok(false);
                }
                team.barrier = Progress { ended: turn, round: None, ..team.barrier };
                continue;
            }
            team.barrier.round = Some(round);
            if round == powers {
                team.barrier = Progress { ended: turn, round: None, ..team.barrier };
                continue;
            }
            let gone = others.check(team.link(round, BACKWARD).image);
            if memory.own_word(team.barrier_word(round)).load(Ordering::Acquire) < turn {
                return gone.map(|()| false);
            }
            team.barrier.round = Some(round + 1);
            tell(team, memory, round + 1, turn);
        }
        Ok(true)
    }
}

/// Tells the member at distance 2^`round` that this one has come so far.
fn tell<C: Comm>(team: &Team, memory: &mut hcube_core::onesided::Onesided<C>, round: usize, turn: u64) {
    if round < team.powers() {
        let link = team.link(round, FORWARD);
        memory.set(link.image, Team::barrier_word_at(link, round), turn);
    }
}

impl<C: Comm> Runtime<C> {
    /// Collective over the team: returns when all members have called it, and all that they have put before is there.
    ///
    /// # Errors
    /// For a team that was freed, and in a shipped function; where an image has failed, or a member has stopped.
    pub fn barrier(&self, team: Handle) -> Result<()> {
        let number = self.with(|image| {
            refuse_inside(image.depth, "is collective")?;
            image.call_barrier(team)
        })?;
        self.wait(|image| image.barrier_has_ended(team, number).map(|ended| ended.then_some(())))
    }

    /// Waits, after a barrier that was an error because an image has failed, until shipped functions of this image have made
    /// something so, or the barrier ends after all: the image may have failed after its part.
    ///
    /// # Errors
    /// For a team that was freed; where the image that is waited for, given by its rank in the job, has failed or stopped.
    pub fn wait_after_barrier(&self, team: Handle, of: usize, mut is_so: impl FnMut() -> bool) -> Result<()> {
        self.wait_while_alive(of, |image| {
            let number = image.teams.get(team)?.barrier.called;
            let is_over = is_so() || image.barrier_has_ended(team, number).unwrap_or(false);
            Ok(is_over.then_some(()))
        })
    }
}
