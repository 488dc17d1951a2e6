//! The progress of the barriers of a team: a state machine, which never blocks.
//!
//! Idea: see [`crate::operations::barrier`].

use super::board::Board;
use super::nodes::Nodes;
use super::ring::{BACKWARD, FORWARD, Ring};
use crate::state::others::Others;
use hcube_core::atomic::Ordering;
use hcube_core::comm::Comm;
use hcube_core::error::Result;
use hcube_core::onesided::Onesided;

/// Where members meet.
#[derive(Debug, Clone, Copy)]
pub(super) enum Meeting<'a> {
    Ring(&'a Ring),
    Board(&'a Board),
    Nodes(&'a Nodes),
}

/// How far a barrier has come that has begun.
#[derive(Debug, Clone, Copy, Default)]
struct Stage {
    /// Members on a board that have come.
    come: usize,
    /// The round on a ring; none before this member has begun the first one.
    round: Option<usize>,
}

/// The barriers of a team.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Barriers {
    /// Barriers that were called.
    called: u64,
    /// Barriers that have ended.
    ended: u64,
    /// The barrier that is going on, once it has begun.
    stage: Option<Stage>,
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
        meeting: Meeting<'_>,
        memory: &mut Onesided<C>,
        others: &Others,
    ) -> Result<bool> {
        while self.ended < number {
            let turn = self.ended + 1;
            if self.stage.is_none() {
                if !memory.is_made(None) {
                    return Ok(false);
                }
                meeting.begin(turn, memory);
            }
            let stage = self.stage.get_or_insert_default();
            // After it, this member may wait in a function of MPI, while others wait for what it tells them.
            if !meeting.has_ended(turn, stage, memory, others)? || !memory.has_sent_words() {
                return Ok(false);
            }
            *self = Self { ended: turn, stage: None, ..*self };
        }
        Ok(true)
    }
}

impl Meeting<'_> {
    /// This member begins a barrier.
    fn begin<C: Comm>(self, turn: u64, memory: &Onesided<C>) {
        match self {
            Self::Board(board) => board.call_barrier(turn, memory),
            Self::Nodes(nodes) => nodes.board().call_barrier(turn, memory),
            Self::Ring(_) => {}
        }
    }

    /// Goes on with a barrier that has begun. Whether it has ended.
    fn has_ended<C: Comm>(
        self,
        turn: u64,
        stage: &mut Stage,
        memory: &mut Onesided<C>,
        others: &Others,
    ) -> Result<bool> {
        match self {
            Self::Board(board) => board.has_barrier_come(turn, &mut stage.come, (memory, others)),
            Self::Ring(ring) => go_round(ring, turn, &mut stage.round, memory, others),
            Self::Nodes(nodes) => {
                let Some(ring) = nodes.ring() else { return nodes.is_released(turn, (memory, others)) };
                let ended = nodes.board().has_barrier_come(turn, &mut stage.come, (memory, others))?
                    && go_round(ring, turn, &mut stage.round, memory, others)?;
                if ended {
                    nodes.release(turn, memory);
                }
                Ok(ended)
            }
        }
    }
}

/// Goes on with the rounds of a barrier on a ring. Whether the last one has ended.
fn go_round<C: Comm>(
    ring: &Ring,
    turn: u64,
    progress: &mut Option<usize>,
    memory: &mut Onesided<C>,
    others: &Others,
) -> Result<bool> {
    let mut round = progress.unwrap_or_else(|| {
        tell(ring, memory, 0, turn);
        0
    });
    loop {
        *progress = Some(round);
        if round == ring.powers() {
            return Ok(true);
        }
        let gone = others.check(ring.link(round, BACKWARD).image);
        if memory.own_word(ring.barrier_word(round)).load(Ordering::Acquire) < turn {
            return gone.map(|()| false);
        }
        round += 1;
        tell(ring, memory, round, turn);
    }
}

/// Tells the member at distance 2^`round` that this one has come so far.
fn tell<C: Comm>(ring: &Ring, memory: &mut Onesided<C>, round: usize, turn: u64) {
    if round < ring.powers() {
        let link = ring.link(round, FORWARD);
        memory.set(link.image, Ring::barrier_word_at(link, round), turn);
    }
}
