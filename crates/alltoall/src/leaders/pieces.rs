//! The pieces of blocks that node leaders pass on in a round.

use super::Routes;
use crate::copies::{piece_bytes, write_piece};
use crate::task::{Selected, Task};
use hcube_core::node::pace::Pace;
use std::ops::Range;

/// A round of an exchange. Blocks that are longer than the memory permits take several, a piece in each.
#[derive(Debug, Clone, Copy)]
pub struct Round<'r> {
    pub routes: &'r Routes,
    /// Beginning with 0; `None` if only votes are passed on.
    pub number: Option<usize>,
}

impl<'r> Round<'r> {
    /// Its pieces of the blocks that leaders pass on.
    pub(super) fn pieces<'t, 'a>(&self, task: &'t Task<'a>) -> Pieces<'t, 'a> {
        let range = self.number.map_or(0..0, |number| self.routes.piece(number));
        Pieces { blocks: task.of_lengths(0..=self.routes.limit()), range }
    }
}

/// Rounds that a rank needs; `largest` is the size of its largest block.
pub fn rounds(routes: &Routes, task: &Task<'_>, own: usize, largest: usize) -> usize {
    if largest <= routes.limit() {
        return routes.rounds(largest);
    }
    let blocks = task.of_lengths(0..=routes.limit());
    let others = (0..task.ranks()).filter(|&rank| rank != own);
    let longest = others.map(|rank| blocks.outgoing(rank).bytes().max(blocks.incoming(rank).bytes())).max();
    routes.rounds(longest.unwrap_or(0))
}

/// A piece of each block of a rank, perhaps empty.
#[derive(Debug, Clone)]
pub(super) struct Pieces<'t, 'a> {
    blocks: Selected<'t, 'a>,
    range: Range<usize>,
}

impl Pieces<'_, '_> {
    /// Bytes for a rank.
    pub fn bytes_to(&self, rank: usize) -> usize {
        piece_bytes(&self.blocks.outgoing(rank), &self.range)
    }

    /// Bytes that are expected of a rank.
    pub fn bytes_from(&self, rank: usize) -> usize {
        piece_bytes(&self.blocks.incoming(rank), &self.range)
    }

    /// Writes the piece for a rank to the start of `memory`; its length.
    pub fn write(&self, rank: usize, memory: &mut [u8], pace: &mut Pace) -> usize {
        let bytes = self.bytes_to(rank);
        if bytes > 0 {
            write_piece(&self.blocks.outgoing(rank), self.range.start, &mut memory[..bytes], pace);
        }
        bytes
    }

    /// Copies the piece of a rank to its place, if the block has at most `longest` bytes.
    pub fn unpack(&self, rank: usize, bytes: &[u8], longest: usize) {
        let block = self.blocks.incoming(rank);
        if !bytes.is_empty() && block.bytes() <= longest {
            block.unpack(self.range.start, bytes);
        }
    }
}
