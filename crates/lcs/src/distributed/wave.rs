//! The supersteps: blocks of the grid, and messages between them.
//!
//! Idea: block (x, y) sends to the rank of block (x + 1, y) the carries of its rows and their symbols, so
//! that a rank keeps only the text of its part and of the blocks that it computes. The first block column
//! gets its text from the ranks that have it. A superstep ends for a rank when it has the messages for the
//! next; no barrier, except in the thesis' variant, where the blocks of a rank on a diagonal are a superstep
//! each.
//!
//! Flow: in superstep d a rank sends the text of the block rows before d + `AHEAD`, and ends when rank 0 has
//! received the text of the rows before d. Ranks compute at the same time in the same superstep, so that text
//! that a rank sent later, when it knows that rank 0 has ended superstep d - r - 1, would keep rank 0 waiting
//! for r supersteps. Text waits at rank 0 for at most r supersteps, by which rank r can be ahead. A rank in
//! the lowest superstep of all waits for nobody, also where sends end only when they are received: what it
//! needs was sent in a superstep before, and receives are started when a superstep begins.
//!
//! Cost: per block a message of a bit and a symbol per row and a word. Memory: two messages per block column,
//! the text of a block, and what [`Band`] keeps.

use super::parts::Parts;
use crate::band::Band;
use crate::columns::words;
use crate::grid::{Block, Grid};
use crate::packed::Packing;
use crate::progress::{Observer, Progress};
use crate::symbol::Id;
use crate::work::ENTRY;
use hcube_core::Error;
use hcube_core::comm::{Comm, Piece, tags};
use std::collections::VecDeque;
use std::ops::ControlFlow;

/// Block rows of text that are under way.
const AHEAD: usize = 3;

/// Tags of messages.
const BOUNDARY: i32 = tags::LCS.tag(0);
const TEXT: i32 = tags::LCS.tag(1);

/// A message starts with a word that is 1 where the computation was interrupted.
const HEADER: usize = 1;

/// What all ranks know.
#[derive(Debug, Clone, Copy)]
pub(super) struct Task {
    pub grid: Grid,
    pub packing: Packing,
    pub barriers: bool,
}

/// What a rank has in the supersteps.
pub(super) struct Wave<'a, C: Comm, I> {
    pub comm: &'a C,
    pub task: Task,
    /// Columns of each block column of this rank.
    pub bands: Vec<Band<I>>,
    /// This rank's part of the text, and where all are.
    pub text: Vec<I>,
    pub parts: Parts,
    /// Messages for each block column where there is only one rank: the message of the superstep before, and
    /// the message of this superstep.
    pub kept: Vec<VecDeque<Vec<u64>>>,
    pub interrupted: bool,
}

impl<C: Comm, I: Id> Wave<'_, C, I> {
    /// Collective: computes all blocks of this rank.
    pub fn run(&mut self, observer: &mut Observer<'_>) -> Result<(), Error> {
        let grid = self.task.grid;
        let width: usize = self.bands.iter().map(Band::width).sum();
        let total = (width as u64).saturating_mul(self.parts.length() as u64);
        let mut progress = Progress { done: 0, total, kernel: self.bands.first().map(Band::kernel) };
        let (mut texts, mut next_text) = (Vec::new(), 0);
        let mut boundaries: Vec<C::Sends> = Vec::new();
        for superstep in 0..grid.supersteps() {
            let due = (superstep + AHEAD).min(grid.block_rows);
            while next_text < due {
                texts.extend(self.send_text(next_text)?);
                next_text += 1;
            }
            let arriving = self.start_receives(superstep)?;
            for (block, arriving) in grid.blocks(self.comm.rank(), superstep).zip(arriving) {
                let message = self.message(block, arriving)?;
                let sent = self.compute(block, message, &mut progress, observer)?;
                // Only messages of the superstep before may still be under way.
                boundaries.extend(sent);
                if self.task.barriers {
                    self.comm.barrier()?;
                }
            }
            if self.task.barriers {
                for _ in grid.blocks(self.comm.rank(), superstep).count()..grid.alpha {
                    self.comm.barrier()?;
                }
            }
            let old = boundaries.len().saturating_sub(grid.alpha);
            for sends in boundaries.drain(..old).chain(texts.drain(..texts.len().saturating_sub(AHEAD))) {
                self.comm.finish_sends(sends)?;
            }
        }
        boundaries.into_iter().chain(texts).try_for_each(|sends| self.comm.finish_sends(sends).map(drop))
    }

    fn grid(&self) -> &Grid {
        &self.task.grid
    }

    fn packing(&self) -> Packing {
        self.task.packing
    }

    fn rows(&self, y: usize) -> std::ops::Range<usize> {
        self.grid().rows(y, self.parts.length())
    }

    /// Sends this rank's symbols of a block row to the first block column.
    fn send_text(&self, y: usize) -> Result<Option<C::Sends>, Error> {
        let symbols = &self.text[self.parts.within(self.comm.rank(), &self.rows(y))];
        if self.comm.rank() == 0 || symbols.is_empty() {
            return Ok(None);
        }
        let mut words = Vec::new();
        self.packing().pack(symbols, &mut words);
        let piece = Piece { range: 0..words.len(), to: 0, tag: TEXT };
        Ok(Some(self.comm.start_sends(words, &[piece])?))
    }

    /// Starts to receive what the blocks of a superstep need from the rank before.
    fn start_receives(&self, superstep: usize) -> Result<Vec<Option<C::Receive>>, Error> {
        let (rank, size) = (self.comm.rank(), self.comm.size());
        let blocks = self.grid().blocks(rank, superstep);
        blocks
            .map(|Block { x, y }| {
                if x == 0 || size == 1 {
                    return Ok(None);
                }
                let rows = self.rows(y).len();
                let buffer = vec![0; HEADER + words(rows) + self.packing().words(rows)];
                self.comm.start_receive(buffer, (rank + size - 1) % size, BOUNDARY).map(Some)
            })
            .collect()
    }

    /// The message for a block.
    fn message(&mut self, block: Block, arriving: Option<C::Receive>) -> Result<Vec<u64>, Error> {
        if let Some(receive) = arriving {
            return Ok(self.comm.finish_receive(receive)?.0);
        }
        if block.x > 0 {
            let message = self.kept[block.x].pop_front();
            return message.ok_or_else(|| Error::Internal(format!("no message for {block:?}")));
        }
        let rows = self.rows(block.y);
        let mut text: Vec<I> = Vec::with_capacity(rows.len());
        for (from, symbols) in self.parts.sources(&rows) {
            if from == self.comm.rank() {
                text.extend(&self.text[self.parts.within(from, &rows)]);
                continue;
            }
            let buffer = vec![0; self.packing().words(symbols)];
            let receive = self.comm.start_receive(buffer, from, TEXT)?;
            let (words, _) = self.comm.finish_receive(receive)?;
            self.packing().unpack(&words, symbols, &mut text);
        }
        let mut message = vec![0; HEADER + words(rows.len())];
        self.packing().pack(&text, &mut message);
        Ok(message)
    }

    /// Computes a block, and sends what the next one needs.
    fn compute(
        &mut self,
        block: Block,
        mut message: Vec<u64>,
        progress: &mut Progress,
        observer: &mut Observer<'_>,
    ) -> Result<Option<C::Sends>, Error> {
        let rows = self.rows(block.y).len();
        let (head, packed) = message.split_at_mut(HEADER + words(rows));
        let (header, carries) = head.split_at_mut(HEADER);
        let mut text: Vec<I> = Vec::with_capacity(rows);
        self.packing().unpack(packed, rows, &mut text);
        let band = &mut self.bands[block.x / self.task.grid.ranks];
        self.interrupted |= header[0] != 0;
        if !self.interrupted {
            let mut tick = |entries| {
                progress.done += entries;
                observer(*progress)
            };
            self.interrupted = band.advance(&text, carries, &mut tick) == ControlFlow::Break(());
            self.comm.charge(ENTRY.of(band.width() * rows));
        }
        header[0] = u64::from(self.interrupted);
        let next = block.x + 1;
        if next == self.grid().block_columns() {
            return Ok(None);
        }
        if self.comm.size() == 1 {
            self.kept[next].push_back(message);
            return Ok(None);
        }
        let piece = Piece { range: 0..message.len(), to: self.grid().owner(next), tag: BOUNDARY };
        Ok(Some(self.comm.start_sends(message, &[piece])?))
    }
}
