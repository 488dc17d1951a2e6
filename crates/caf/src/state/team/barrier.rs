//! The progress of the barriers of a team: a state machine, which never blocks.
//!
//! Idea: see [`crate::operations::barrier`].

use super::board::Board;
use super::ring::{BACKWARD, FORWARD, Ring};
use crate::state::others::Others;
use hcube_core::atomic::Ordering;
use hcube_core::comm::Comm;
use hcube_core::error::Result;
use hcube_core::onesided::Onesided;

/// The barriers of a team.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Barriers {
    /// Barriers that were called.
    called: u64,
    /// Barriers that have ended.
    ended: u64,
    /// The round of the barrier that is going on, or the members that have come; none before it has begun.
    round: Option<usize>,
}

impl Barriers {
    /// Barriers that were called.
    pub fn called(self) -> u64 {
        self.called
    }

    /// Calls a barrier: its number.
    pub fn call(&mut self) -> u64 {
        self.called += 1;
        self.called
    }

    /// Goes on with the barriers. Whether the one with this number has ended.
    pub fn advance<C: Comm>(
        &mut self,
        number: u64,
        (ring, board): (&Ring, Option<&Board>),
        memory: &mut Onesided<C>,
        others: &Others,
    ) -> Result<bool> {
        while self.ended < number {
            let turn = self.ended + 1;
            let mut round = match self.round {
                Some(round) => round,
                None if !memory.is_made(None) => return Ok(false),
                None => {
                    match board {
                        Some(board) => board.call_barrier(turn, memory),
                        None => tell(ring, memory, 0, turn),
                    }
                    0
                }
            };
            self.round = Some(round);
            if let Some(board) = board {
                let has_come = board.has_barrier_come(turn, &mut round, (memory, others));
                self.round = Some(round);
                if !has_come? {
                    return Ok(false);
                }
            } else if round < ring.powers() {
                let gone = others.check(ring.link(round, BACKWARD).image);
                if memory.own_word(ring.barrier_word(round)).load(Ordering::Acquire) < turn {
                    return gone.map(|()| false);
                }
                self.round = Some(round + 1);
                tell(ring, memory, round + 1, turn);
                continue;
            }
            *self = Self { ended: turn, round: None, ..*self };
        }
        Ok(true)
    }
}

/// Tells the member at distance 2^`round` that this one has come so far.
fn tell<C: Comm>(ring: &Ring, memory: &mut Onesided<C>, round: usize, turn: u64) {
    if round < ring.powers() {
        let link = ring.link(round, FORWARD);
        memory.set(link.image, Ring::barrier_word_at(link, round), turn);
    }
}
