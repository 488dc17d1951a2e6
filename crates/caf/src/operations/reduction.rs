//! Sums and maxima of a few words over a team, on all members.
//!
//! Idea: in round i every member sends to the member at distance 2^i forward the combination A of the 2^i
//! members up to itself, and a combination B of as many members as the lower bits of the size say. If bit i
//! of the size is set, B is extended by A; at the end B covers the whole team. Members need only links. It is
//! a state machine, so it can be advanced while the program does something else.
//!
//! In a blocking reduction, the words are written to a slot in the block of the team, like the word of a
//! barrier. A member that has the result knows that all have begun, and therefore have ended the previous
//! reduction, so two alternating slots are enough. Several nonblocking reductions may be pending at the same
//! time: they use messages.
//!
//! A team with a board (`team::board`) has one round instead: each member combines the words on all boards.
//!
//! Restrictions: operations on integers whose result does not depend on the order.
//! Cost: twice the words and one word more are written in each of ⌈log2 S⌉ rounds; or sent in as many
//! messages.
//! Source: our own; Bruck, Ho, Kipnis, Weathersby 1997 concatenate in the same pattern.

#[cfg(hcube_model)]
pub mod model;

use crate::engine::image::Image;
use crate::engine::runtime::Runtime;
use crate::operations::collective::members::Members;
use crate::state::handles::Handle;
use crate::state::team::ring::SLOT_WORDS;
use hcube_core::atomic::{self, Ordering};
use hcube_core::comm::Comm;
use hcube_core::error::{Error, Result};
use hcube_core::memory::{Region, bytes_of, bytes_of_mut};

/// Bytes of the turn, with which a slot begins.
const TURN_BYTES: usize = size_of::<u64>();

/// The operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Combination {
    /// Modulo 2^64.
    Sum,
    /// As signed numbers.
    Max,
}

impl Combination {
    fn neutral(self) -> i64 {
        match self {
            Self::Sum => 0,
            Self::Max => i64::MIN,
        }
    }

    fn of(self, one: i64, other: i64) -> i64 {
        match self {
            Self::Sum => one.wrapping_add(other),
            Self::Max => one.max(other),
        }
    }

    fn add(self, to: &mut [i64], other: &[i64]) {
        to.iter_mut().zip(other).for_each(|(one, &other)| *one = self.of(*one, other));
    }
}

/// A pending reduction.
#[derive(Debug)]
pub(crate) struct Reduction<const N: usize> {
    members: Members,
    combination: Combination,
    /// Combination of the last 2^`round` members, and of as many as the lower bits of the size say.
    last: [i64; N],
    some: [i64; N],
    round: usize,
    /// Whether this round's words were sent.
    is_sent: bool,
    way: Way,
}

/// The path of words.
#[derive(Debug, Clone, Copy)]
enum Way {
    Messages,
    /// By slots of the team, and the turn.
    Slots(Handle, u64),
    /// By boards of the team: the turn, and the members that have come.
    Boards(Handle, u64, usize),
}

/// Bytes of a slot of a board before others that go with the words of a reduction.
pub(crate) const BOARD_HEAD_BYTES: usize = 56;
/// Bytes of the words themselves.
const BOARD_WORDS_BYTES: usize = 40;
/// The most bytes that follow the words in the same line of the cache. Longer ones begin with the next line:
/// copies to another alignment are slow.
const MAX_SHORT_BYTES: usize = 16;

/// Where a slot of a board has bytes that go with the words of a reduction.
pub(crate) const fn board_place(bytes: usize) -> usize {
    if bytes <= MAX_SHORT_BYTES { BOARD_WORDS_BYTES } else { BOARD_HEAD_BYTES }
}

impl<const N: usize> Reduction<N> {
    /// Begins a nonblocking reduction.
    pub fn new(members: Members, words: [i64; N], combination: Combination) -> Self {
        let some = [combination.neutral(); N];
        Self { members, combination, last: words, some, round: 0, is_sent: false, way: Way::Messages }
    }

    /// The members again, when it has ended.
    pub fn into_members(self) -> Members {
        self.members
    }
}

impl<C: Comm> Image<C> {
    /// Goes on with a reduction: the combination of each word over all members, when it has ended.
    pub(crate) fn advance_reduction<const N: usize>(
        &mut self,
        reduction: &mut Reduction<N>,
    ) -> Result<Option<[i64; N]>> {
        if let Way::Boards(..) = reduction.way {
            return self.combine_boards(reduction);
        }
        let size = reduction.members.size;
        loop {
            let round = reduction.round;
            let is_last = size >> round == 1;
            if is_last && size.is_power_of_two() {
                return Ok(Some(reduction.last));
            }
            if !reduction.is_sent {
                self.send_partial(reduction)?;
                reduction.is_sent = true;
            }
            let gone = self.others.check(reduction.members.backward(round));
            let Some([theirs, their_some]) = self.receive_partial(reduction)? else {
                return gone.map(|()| None);
            };
            let Reduction { combination, last, some, .. } = reduction;
            if size >> round & 1 == 1 {
                let mut longer = *last;
                combination.add(&mut longer, &their_some);
                *some = longer;
            }
            if is_last {
                return Ok(Some(*some));
            }
            combination.add(last, &theirs);
            (reduction.round, reduction.is_sent) = (round + 1, false);
        }
    }

    /// Sends what is known to the member ahead.
    fn send_partial<const N: usize>(&mut self, reduction: &Reduction<N>) -> Result<()> {
        let Reduction { members, last, some, round, way, .. } = reduction;
        let mut words = [*last, *some];
        match *way {
            Way::Messages => {
                let (to, step) = (members.forward(*round), members.step(*round));
                self.post(to, members.team, step, true, bytes_of(words.as_flattened()));
            }
            Way::Slots(team, turn) => {
                const { assert!(2 * N <= SLOT_WORDS) }
                let (to, slot) = self.teams.get(team)?.ring().slot_ahead(*round, turn);
                let from = Region::of(bytes_of_mut(words.as_flattened_mut()));
                self.memory.put(&self.comm, to, slot + TURN_BYTES, from);
                self.memory.set(to, slot, turn);
            }
            Way::Boards(..) => {}
        }
        Ok(())
    }

    /// The message of the member behind in this round, if it has arrived.
    fn receive_partial<const N: usize>(&mut self, reduction: &Reduction<N>) -> Result<Option<[[i64; N]; 2]>> {
        let Reduction { members, round, way, .. } = reduction;
        let mut words = [[0; N]; 2];
        match *way {
            Way::Messages => {
                let (from, step) = (members.backward(*round), members.step(*round));
                let Some(message) = self.step_message(Some(from), members.team, step) else {
                    return Ok(None);
                };
                let bytes = message.bytes();
                if bytes.len() != size_of_val(&words) {
                    return Err(Error::Internal(format!("a step of {} bytes", bytes.len())));
                }
                bytes_of_mut(words.as_flattened_mut()).copy_from_slice(bytes);
            }
            Way::Slots(team, turn) => {
                let slot = self.teams.get(team)?.ring().slot(*round, turn);
                if self.memory.own_word(slot).load(Ordering::Acquire) != turn {
                    return Ok(None);
                }
                let into = bytes_of_mut(words.as_flattened_mut());
                let slot = self.memory.own(slot + TURN_BYTES, into.len());
                atomic::read(slot.address());
                slot.read(into);
            }
            Way::Boards(..) => return Ok(None),
        }
        Ok(Some(words))
    }

    /// A reduction that has not begun, and for which the program waits: its words go to slots of the team or
    /// to boards. To boards, some bytes may go with them.
    pub(crate) fn use_slots<const N: usize>(
        &mut self,
        team: Handle,
        reduction: &mut Reduction<N>,
        bytes: Region<'_>,
    ) -> Result<()> {
        const { assert!(N * size_of::<u64>() <= BOARD_WORDS_BYTES) }
        let Self { teams, memory, .. } = self;
        let team_here = teams.get_mut(team)?;
        let Some(board) = team_here.board_mut() else {
            reduction.way = Way::Slots(team, team_here.next_turn());
            return Ok(());
        };
        board.take_slot();
        let words = bytes_of(&reduction.last);
        board.own_slot(0..words.len(), memory).write(words);
        let begin = board_place(bytes.len());
        board.own_slot(begin..begin + bytes.len(), memory).copy_from(bytes);
        reduction.way = Way::Boards(team, board.begin_turn(memory), 0);
        Ok(())
    }

    /// Combines the words on all boards, when they are there.
    fn combine_boards<const N: usize>(&self, reduction: &mut Reduction<N>) -> Result<Option<[i64; N]>> {
        let Reduction { members, combination, way: Way::Boards(team, turn, come), .. } = reduction else {
            return Err(Error::Internal("a reduction that uses no boards".into()));
        };
        let board = self.teams.get(*team)?.board();
        let board = board.ok_or_else(|| Error::Internal("a team without boards".into()))?;
        if !board.has_turn_come(*turn, come, (&self.memory, &self.others))? {
            return Ok(None);
        }
        let mut all = [combination.neutral(); N];
        for rank in 0..members.size {
            let mut words = [0; N];
            let into = bytes_of_mut(&mut words);
            board.slot(rank, 0..into.len(), &self.memory).read(into);
            combination.add(&mut all, &words);
        }
        Ok(Some(all))
    }
}

impl<C: Comm> Runtime<C> {
    /// Collective over the team: the combination of each word over all members.
    pub(crate) fn combine<const N: usize>(
        &self,
        team: Handle,
        words: [i64; N],
        combination: Combination,
    ) -> Result<[i64; N]> {
        let mut reduction = self.with(|image| {
            let mut reduction = Reduction::new(image.begin(team)?, words, combination);
            image.use_slots(team, &mut reduction, Region::of(&mut [])).map(|()| reduction)
        })?;
        self.wait(|image| image.advance_reduction(&mut reduction))
    }
}
