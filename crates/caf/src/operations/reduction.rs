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
//! In the team of all images on several nodes (`team::nodes`), the leader of each node combines the words of
//! its members, and only the leaders take part in the rounds.
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
use crate::state::team::board::Board;
use crate::state::team::nodes::{NODE_SLOT_BYTES, Nodes};
use crate::state::team::ring::{BACKWARD, Ring, SLOT_WORDS};
use hcube_core::atomic::{self, Ordering};
use hcube_core::comm::Comm;
use hcube_core::error::{Error, Result};
use hcube_core::memory::{Region, bytes_of, bytes_of_mut};
use hcube_core::onesided::Onesided;

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
    /// By boards of each node and slots of the leaders: the turn, and the members of the node that have come.
    Nodes(Handle, u64, usize),
}

/// Bytes of a slot of a board before others that go with the words of a reduction.
pub(crate) const BOARD_HEAD_BYTES: usize = 56;
/// Words of a reduction on a board; of a longer reduction, the first ones.
pub(crate) const BOARD_WORDS: usize = 5;
const BOARD_WORDS_BYTES: usize = BOARD_WORDS * size_of::<u64>();
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

    /// The words of this member, before it has begun.
    pub fn own_words(&mut self) -> &mut [i64; N] {
        &mut self.last
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
        match reduction.way {
            Way::Boards(..) => self.combine_boards(reduction),
            Way::Nodes(..) => self.advance_on_nodes(reduction),
            Way::Messages | Way::Slots(..) => {
                let Members { size, .. } = reduction.members;
                self.go_round(reduction, size)
            }
        }
    }

    /// Goes on with the rounds of a ring of this size.
    fn go_round<const N: usize>(
        &mut self,
        reduction: &mut Reduction<N>,
        size: usize,
    ) -> Result<Option<[i64; N]>> {
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
            let gone = self.others.check(self.behind(reduction)?);
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

    /// The ring of a reduction by slots.
    fn ring_of(&self, way: Way) -> Result<&Ring> {
        let (ring, what) = match way {
            Way::Slots(team, _) => (Some(self.teams.get(team)?.ring()), "ring"),
            Way::Nodes(team, ..) => (self.teams.get(team)?.nodes().and_then(Nodes::ring), "ring of leaders"),
            Way::Messages | Way::Boards(..) => (None, "slots"),
        };
        ring.ok_or_else(|| Error::Internal(format!("a reduction without {what}")))
    }

    /// The image whose words this one waits for in the current round.
    fn behind<const N: usize>(&self, reduction: &Reduction<N>) -> Result<usize> {
        let Reduction { members, round, way, .. } = reduction;
        match way {
            Way::Messages => Ok(members.backward(*round)),
            way => Ok(self.ring_of(*way)?.link(*round, BACKWARD).image),
        }
    }

    /// Sends what is known to the member ahead.
    fn send_partial<const N: usize>(&mut self, reduction: &Reduction<N>) -> Result<()> {
        let Reduction { members, last, some, round, way, .. } = reduction;
        let words = [*last, *some];
        match *way {
            Way::Messages => {
                let (to, step) = (members.forward(*round), members.step(*round));
                self.post(to, members.team, step, true, bytes_of(words.as_flattened()));
            }
            Way::Slots(_, turn) | Way::Nodes(_, turn, _) => {
                const { assert!(2 * N <= SLOT_WORDS) }
                let (to, slot) = self.ring_of(*way)?.slot_ahead(*round, turn);
                self.memory.publish(&self.comm, to, slot, turn, bytes_of(words.as_flattened()));
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
            Way::Slots(_, turn) | Way::Nodes(_, turn, _) => {
                let slot = self.ring_of(*way)?.slot(*round, turn);
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
    /// to boards. To boards, some bytes may go with the first [`BOARD_WORDS`] of them.
    pub(crate) fn use_slots<const N: usize>(
        &mut self,
        team: Handle,
        reduction: &mut Reduction<N>,
        bytes: Region<'_>,
    ) -> Result<()> {
        let Self { teams, memory, others, .. } = self;
        let team_here = teams.get_mut(team)?;
        let words = bytes_of(&reduction.last);
        if let Some(board) = team_here.board_mut() {
            board.take_slot();
            let words = &words[..words.len().min(BOARD_WORDS_BYTES)];
            board.own_slot(0..words.len(), memory).write(words);
            let begin = board_place(bytes.len());
            board.own_slot(begin..begin + bytes.len(), memory).copy_from(bytes);
            reduction.way = Way::Boards(team, board.begin_turn(memory), 0);
        } else if let Some(nodes) = team_here.nodes_mut() {
            const { assert!((1 + N) * size_of::<u64>() <= NODE_SLOT_BYTES) }
            if !nodes.has_all_results() {
                others.check_all()?;
                return Err(Error::Internal("a reduction that has not ended".into()));
            }
            let board = nodes.board_mut();
            board.take_slot();
            board.own_slot(0..words.len(), memory).write(words);
            reduction.way = Way::Nodes(team, board.begin_turn(memory), 0);
        } else {
            reduction.way = Way::Slots(team, team_here.next_turn());
        }
        Ok(())
    }

    /// Goes on with a reduction of the team of all images on several nodes.
    fn advance_on_nodes<const N: usize>(&mut self, reduction: &mut Reduction<N>) -> Result<Option<[i64; N]>> {
        let Reduction { combination, way: Way::Nodes(team, turn, come), last, round, is_sent, .. } =
            reduction
        else {
            return Err(Error::Internal("a reduction that uses no nodes".into()));
        };
        let (team, turn) = (*team, *turn);
        let nodes = self.teams.get_mut(team)?.nodes_mut();
        let nodes = nodes.ok_or_else(|| Error::Internal("a team without nodes".into()))?;
        let Some(size) = nodes.ring().map(Ring::size) else {
            let mut all = [0; N];
            if !nodes.read_result(turn, &mut all, (&self.memory, &self.others))? {
                return Ok(None);
            }
            nodes.note_result(turn);
            return Ok(Some(all));
        };
        // Only once: the rounds change what this member has.
        if *round == 0 && !*is_sent {
            let board = nodes.board();
            if !board.has_turn_come(turn, come, (&self.memory, &self.others))? {
                return Ok(None);
            }
            *last = on_boards(*combination, board, N, &self.memory);
        }
        let all = self.go_round(reduction, size)?;
        if let (Some(all), Some(nodes)) = (&all, self.teams.get_mut(team)?.nodes_mut()) {
            nodes.publish(turn, all, &self.memory);
            nodes.note_result(turn);
        }
        Ok(all)
    }

    /// Combines the words on all boards, when they are there.
    fn combine_boards<const N: usize>(&self, reduction: &mut Reduction<N>) -> Result<Option<[i64; N]>> {
        let Reduction { combination, way: Way::Boards(team, turn, come), .. } = reduction else {
            return Err(Error::Internal("a reduction that uses no boards".into()));
        };
        let board = self.teams.get(*team)?.board();
        let board = board.ok_or_else(|| Error::Internal("a team without boards".into()))?;
        if !board.has_turn_come(*turn, come, (&self.memory, &self.others))? {
            return Ok(None);
        }
        Ok(Some(on_boards(*combination, board, BOARD_WORDS, &self.memory)))
    }
}

/// The combination of the first words on all boards, where each has that many.
fn on_boards<C: Comm, const N: usize>(
    combination: Combination,
    board: &Board,
    most: usize,
    memory: &Onesided<C>,
) -> [i64; N] {
    let mut all = [combination.neutral(); N];
    for rank in 0..board.size() {
        let mut words = [combination.neutral(); N];
        let into = bytes_of_mut(&mut words[..most.min(N)]);
        board.slot(rank, 0..into.len(), memory).read(into);
        combination.add(&mut all, &words);
    }
    all
}

impl<C: Comm> Runtime<C> {
    /// Collective over the team: the combination of each word over all members.
    pub(crate) fn combine<const N: usize>(
        &self,
        team: Handle,
        words: [i64; N],
        combination: Combination,
    ) -> Result<[i64; N]> {
        const { assert!(N <= BOARD_WORDS) }
        let mut reduction = self.with(|image| {
            let mut reduction = Reduction::new(image.begin(team)?, words, combination);
            image.use_slots(team, &mut reduction, Region::of(&mut [])).map(|()| reduction)
        })?;
        self.wait_for_reduction(&mut reduction)
    }

    /// The result of a reduction that uses slots or boards. Afterwards this member may wait in a function of
    /// MPI, while others wait for what it has sent them.
    pub(crate) fn wait_for_reduction<const N: usize>(
        &self,
        reduction: &mut Reduction<N>,
    ) -> Result<[i64; N]> {
        let mut all = None;
        self.wait(|image| {
            if all.is_none() {
                all = image.advance_reduction(reduction)?;
            }
            Ok(all.filter(|_| image.memory.has_sent_words()))
        })
    }
}
