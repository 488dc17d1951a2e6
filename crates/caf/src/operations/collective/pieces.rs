//! Blocks on the board of a team inside a node: reductions and short broadcasts.
//!
//! Idea: members publish their blocks piece by piece, the first piece with the arguments of the operation.
//! When all have published a piece, each member combines the pieces of all members from the highest rank
//! down, so that the result is in its final place without another copy. If the operation commutes, each of
//! two members adds the other's piece to its own. Long pieces in teams of more than two members are combined
//! in shares, one per member, which the others copy in a second turn: each byte is then combined once and not
//! once per member.
//!
//! Restrictions: see `team::board`; pieces end at the end of an element, so an element that is longer than a
//! slot uses another algorithm.
//! Cost: a turn per piece, two with shares; a copy and S - 1 combinations of a piece per member, or two
//! copies and (S - 1) / S combinations. Memory: only the board.
//! Source: our own; the shares follow Rabenseifner (2004, "Optimization of collective reduction operations").

use super::members::Members;
use super::{Combine, Elements};
use crate::engine::runtime::Runtime;
use crate::operations::reduction::{BOARD_HEAD_BYTES, board_place};
use crate::state::handles::Handle;
use crate::state::team::board::Board;
use hcube_core::comm::Comm;
use hcube_core::error::{Error, Result};
use hcube_core::memory::Region;
use std::ops::Range;

/// The longest piece that every member combines as a whole, in teams of more than two.
const MAX_WHOLE_BYTES: usize = if cfg!(hcube_model) { 128 } else { 4 << 10 };

/// How a block is divided into pieces.
#[derive(Debug, Clone, Copy)]
pub(super) struct Pieces {
    bytes: usize,
    element: usize,
    /// Bytes of each piece except the last.
    piece: usize,
}

impl Pieces {
    /// Pieces of whole elements for slots of `slot_bytes` bytes; none where an element does not fit.
    fn new(bytes: usize, element: usize, slot_bytes: usize) -> Option<Self> {
        let room = slot_bytes - BOARD_HEAD_BYTES;
        let piece = if bytes <= room { bytes } else { room.checked_div(element)? * element };
        (piece > 0 || bytes == 0).then_some(Self { bytes, element, piece })
    }

    fn at(self, begin: usize) -> Range<usize> {
        begin..self.bytes.min(begin + self.piece)
    }

    /// The share of a member of a piece of some bytes.
    fn share(self, rank: usize, size: usize, bytes: usize) -> Range<usize> {
        let elements = bytes / self.element;
        let border = |rank: usize| rank * elements / size * self.element;
        border(rank)..border(rank + 1)
    }
}

/// The members that need the result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Receivers {
    All,
    Only(usize),
}

/// A reduction on boards, seen from a member.
pub(super) struct Folding<'a> {
    team: Handle,
    rank: usize,
    size: usize,
    pieces: Pieces,
    receivers: Receivers,
    from: Region<'a>,
    into: Region<'a>,
    /// Whether this member only adds the other one's block to its own.
    adds_other: bool,
}

impl<'a> Folding<'a> {
    pub fn new(
        team: Handle,
        members: &Members,
        (pieces, elements): (Pieces, Elements),
        receivers: Receivers,
        (from, into): (Region<'a>, Region<'a>),
    ) -> Self {
        let Members { rank, size, .. } = *members;
        let adds_other = size == 2 && elements.commute && from.address() == into.address();
        Self { team, rank, size, pieces, receivers, from, into, adds_other }
    }

    fn receives(&self) -> bool {
        self.receivers == Receivers::All || self.receivers == Receivers::Only(self.rank)
    }

    /// Whether a piece is combined in shares.
    fn has_shares(&self, bytes: usize) -> bool {
        let is_worth_it = self.size > 2 && bytes > MAX_WHOLE_BYTES;
        self.receivers == Receivers::All && is_worth_it && bytes / self.pieces.element >= self.size
    }
}

impl<C: Comm> Runtime<C> {
    /// The use of a team's board for a block, if the team has a board and elements fit into it. The same on
    /// all members whose arguments are equal.
    pub(super) fn pieces(&self, team: Handle, bytes: usize, element: usize) -> Result<Option<Pieces>> {
        let slot_bytes = self.look_at_team(team, |team| team.board().map(Board::slot_bytes))?;
        Ok(slot_bytes.and_then(|slot_bytes| Pieces::new(bytes, element, slot_bytes)))
    }

    /// The first piece of a block, which is published with the arguments.
    pub(super) fn first_piece<'a>(pieces: Option<Pieces>, from: Region<'a>) -> Region<'a> {
        from.part(pieces.map_or(0..0, |pieces| pieces.at(0)))
    }

    /// Runs `work` with the board of a team.
    fn with_board<T>(
        &self,
        team: Handle,
        work: impl FnOnce(&mut Board, &hcube_core::onesided::Onesided<C>) -> T,
    ) -> Result<T> {
        self.with(|image| {
            let board = image.teams.get_mut(team)?.board_mut();
            let board = board.ok_or_else(|| Error::Internal("a team without boards".into()))?;
            Ok(work(board, &image.memory))
        })
    }

    /// Publishes the next piece of this member, or nothing new, and waits until all members have come.
    fn turn(&self, team: Handle, piece: Option<Region<'_>>) -> Result<()> {
        let turn = self.with_board(team, |board, memory| {
            if let Some(piece) = piece {
                board.take_slot();
                board.own_slot(data(0..piece.len(), piece.len()), memory).copy_from(piece);
            }
            board.begin_turn(memory)
        })?;
        let mut come = 0;
        self.wait(|image| {
            let board = image.teams.get(team)?.board().expect("it has boards");
            let has_come = board.has_turn_come(turn, &mut come, (&image.memory, &image.others))?;
            Ok(has_come.then_some(()))
        })
    }

    /// Combines blocks whose first piece was published.
    pub(super) fn fold(&self, folding: &Folding<'_>, combine: Combine<'_>) -> Result<()> {
        let Folding { team, pieces, from, into, .. } = *folding;
        let mut begin = 0;
        while begin < pieces.bytes {
            let piece = pieces.at(begin);
            if begin > 0 {
                self.turn(team, Some(from.part(piece.clone())))?;
            }
            if folding.has_shares(piece.len()) {
                self.fold_shares(folding, into.part(piece.clone()), combine)?;
            } else if folding.receives() {
                self.fold_part(folding, 0..piece.len(), into.part(piece.clone()), combine)?;
            }
            begin = piece.end;
        }
        Ok(())
    }

    /// Combines this member's share of a piece, and takes the others'.
    fn fold_shares(&self, folding: &Folding<'_>, into: Region<'_>, combine: Combine<'_>) -> Result<()> {
        let Folding { team, rank, size, pieces, .. } = *folding;
        let share = |rank| pieces.share(rank, size, into.len());
        let own = into.part(share(rank));
        self.fold_part(folding, share(rank), into, combine)?;
        self.with_board(team, |board, memory| {
            board.own_slot(data(share(rank), into.len()), memory).copy_from(own);
        })?;
        self.turn(team, None)?;
        self.with_board(team, |board, memory| {
            for other in (0..size).filter(|&other| other != rank) {
                into.part(share(other)).copy_from(board.slot(other, data(share(other), into.len()), memory));
            }
        })
    }

    /// Combines a part of the piece on all boards.
    fn fold_part(
        &self,
        folding: &Folding<'_>,
        part: Range<usize>,
        piece: Region<'_>,
        combine: Combine<'_>,
    ) -> Result<()> {
        let into = piece.part(part.clone());
        let slots: Vec<*mut u8> = self.with_board(folding.team, |board, memory| {
            let slot = |rank| board.slot(rank, data(part.clone(), piece.len()), memory).address();
            (0..folding.size).map(slot).collect()
        })?;
        // SAFETY: the parts of the slots of all members, which nobody writes before this member has come to
        // the next turn but one; and memory of the caller, which nobody else uses.
        unsafe {
            let slot = |rank: usize| Region::new(slots[rank], part.len());
            if folding.adds_other {
                combine(slot(1 - folding.rank).bytes(), into.bytes_mut());
                return Ok(());
            }
            into.copy_from(slot(folding.size - 1));
            let higher = into.bytes_mut();
            for rank in (0..folding.size - 1).rev() {
                combine(slot(rank).bytes(), higher);
            }
        }
        Ok(())
    }

    /// Copies the first piece of a member.
    pub(super) fn take_piece(&self, team: Handle, rank: usize, into: Region<'_>) -> Result<()> {
        self.with_board(team, |board, memory| {
            into.copy_from(board.slot(rank, data(0..into.len(), into.len()), memory));
        })
    }
}

/// Where a slot has a part of a piece of some bytes.
fn data(part: Range<usize>, bytes: usize) -> Range<usize> {
    let begin = board_place(bytes);
    begin + part.start..begin + part.end
}

#[cfg(test)]
mod tests {
    use super::*;
    use hcube_testing::sizes::{sizes, sizes_within};
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn pieces_of_blocks_of_any_size_are_whole_elements(
            [count, element] in [sizes(), sizes()], slot_bytes in sizes_within(BOARD_HEAD_BYTES + 1, 1 << 20),
            size in sizes_within(1, i32::MAX as usize), rank in sizes(), begin in sizes(),
        ) {
            let Some(bytes) = count.checked_mul(element).filter(|&bytes| isize::try_from(bytes).is_ok()) else {
                return Ok(());
            };
            let room = slot_bytes - BOARD_HEAD_BYTES;
            let pieces = Pieces::new(bytes, element, slot_bytes);
            prop_assert_eq!(pieces.is_some(), bytes <= room || element <= room);
            let Some(pieces) = pieces.filter(|_| bytes > 0) else { return Ok(()) };
            prop_assert!(pieces.piece <= room && pieces.piece.is_multiple_of(element));
            let begin = begin % bytes / pieces.piece * pieces.piece;
            let piece = pieces.at(begin);
            prop_assert_eq!(piece.end as u128, (begin as u128 + pieces.piece as u128).min(bytes as u128));
            let border = |rank: usize| {
                (rank as u128 * (piece.len() / element) as u128 / size as u128) as usize * element
            };
            let rank = rank % size;
            prop_assert_eq!(pieces.share(rank, size, piece.len()), border(rank)..border(rank + 1));
        }
    }
}
