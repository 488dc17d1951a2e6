//! What travels between the processes of a BSP program, and where it lies in their memory: what the program
//! ([`supersteps`](crate::supersteps)) and the prediction of its time have in common.
//!
//! Idea: every process has its parts of both strings, and a *receive buffer*, into which others put messages
//! for its block columns and into which it reads parts of strings.

use crate::columns::words;
use crate::distributed::parts::Parts;
use crate::grid::{Block, Grid};
use crate::packed::Packing;
use crate::stored::Stored;
use std::ops::Range;

/// The number of the string that gives columns.
pub const COLUMNS: usize = 0;
/// The number of the text, which gives rows.
pub const TEXT: usize = 1;

/// What all processes know.
#[derive(Debug)]
pub struct Layout {
    /// As many block rows as block columns.
    pub grid: Grid,
    /// [`COLUMNS`] and [`TEXT`].
    pub strings: [Stored; 2],
}

impl Layout {
    /// Of strings of these lengths, whose parts are equal on all processes, and symbols of this number of
    /// bits.
    pub fn of_equal_parts(lengths: [usize; 2], bits: usize, ranks: usize, alpha: usize) -> Self {
        let packing = Packing::new(1 << bits);
        let strings = lengths.map(|length| {
            let bound = |rank: usize| (length as u128 * rank as u128 / ranks as u128) as usize;
            let parts = Parts::new((0..ranks).map(|rank| bound(rank + 1) - bound(rank)));
            Stored { parts, packing }
        });
        Self { grid: Grid { ranks, alpha, block_rows: alpha * ranks }, strings }
    }

    /// The block that a process computes in a superstep: the block of a diagonal in one of its block columns,
    /// if it has rows.
    pub fn block(&self, process: usize, diagonal: usize, number: usize) -> Option<Block> {
        let x = number * self.grid.ranks + process;
        let y = diagonal.checked_sub(x).filter(|&y| y < self.grid.block_rows && !self.rows(y).is_empty())?;
        Some(Block { x, y })
    }

    /// The columns of a block column.
    pub fn columns(&self, x: usize) -> Range<usize> {
        self.grid.columns(x, self.strings[COLUMNS].parts.length())
    }

    /// The rows of a block row.
    pub fn rows(&self, y: usize) -> Range<usize> {
        self.grid.rows(y, self.strings[TEXT].parts.length())
    }

    /// Rows of the highest block.
    pub fn height(&self) -> usize {
        self.strings[TEXT].parts.length().div_ceil(self.grid.block_rows)
    }

    /// Words of the carries in a message: the same for blocks of all heights, so that symbols lie at one
    /// place. Where a process cannot send, others find the symbols of an earlier message there, and no
    /// carries.
    pub fn carry_words(&self) -> usize {
        words(self.height())
    }

    /// Words of a message: the carries of rows, and their symbols.
    pub fn message_words(&self, rows: usize) -> usize {
        self.carry_words() + self.strings[TEXT].packing.words(rows)
    }

    /// The receive buffer of a process.
    pub fn areas(&self, process: usize) -> Areas {
        let [columns, text] = &self.strings;
        let message = self.message_words(self.height());
        let lines = if process == 0 { 0..self.grid.block_rows } else { 0..0 };
        let first = lines.map(|y| text.words(&self.rows(y))).max().unwrap_or(0);
        let mine = self.grid.columns_of(process).map(|x| columns.words(&self.columns(x)));
        let at_text = self.grid.ranks + 2 * self.grid.alpha * message;
        let at_columns = at_text + first;
        let end = at_columns + mine.sum::<usize>();
        Areas { messages: self.grid.ranks, message, text: at_text, columns: at_columns, end }
    }
}

/// Where things lie in a receive buffer, in words: the growth of each process, two messages for each block
/// column of this process, the text of a block of the first column, and the symbols of columns. Messages lie
/// at the same places on all processes.
#[derive(Debug, Clone, Copy)]
pub struct Areas {
    /// The messages.
    pub messages: usize,
    /// Length of the longest message.
    pub message: usize,
    /// The text of a block.
    pub text: usize,
    /// The symbols of columns.
    pub columns: usize,
    /// Length of the receive buffer.
    pub end: usize,
}

impl Areas {
    /// Where the message for a block lies.
    pub fn message_for(&self, block: Block, grid: &Grid) -> usize {
        let number = 2 * (block.x / grid.ranks) + (block.x + block.y) % 2;
        self.messages + number * self.message
    }
}
