//! The schedule: the product V_IJK = A_IJ B_JK that a process computes in each superstep.
//!
//! Idea: the cube of Q x Q x Q products consists of Q x Q columns, each of which has the Q products that are
//! added up to one block C_IK. Column I Q + K belongs to process (I Q + K) mod p, its owner, which has C_IK
//! in the customized distribution. In floor(Q^2 / p) rounds of Q supersteps each process computes one of its
//! columns. The J of a column begin at I + K, so that the processes of a row or column of blocks do not all
//! read the same block at the same time.
//!
//! A process on which C_IK is local may add to several blocks in turn. With [`Plan::by_rows`] it computes all
//! columns of its rounds with the same I together, for each J, so that it needs block A_IJ once for all of
//! them; the number of supersteps is the same.
//!
//! r = Q^2 mod p columns remain. They are computed by all processes: column t of them, counted from 0, by the
//! processes t, t + r, t + 2 r, ..., at most Q of them, between which its J are divided evenly. Member m of
//! the processes of a column then adds partial sums: in step d, if m is a multiple of 2^(d + 1), it gets the
//! sum of member m + 2^d. Member 0, the owner, computes C_IK at the end.
//!
//! Cost: floor(Q^2 / p) Q supersteps with products; if r > 0, ceil(Q / min(Q, floor(p / r))) more, and
//! ceil(log2(min(Q, ceil(p / r)))) supersteps with sums.
//!
//! Pure functions. Source: the rounds follow Krusche 2005, §4.2; the order by rows and the division of the
//! remaining columns are our own.

use crate::distribution::Layout;
use crate::options::Distribution;
use std::ops::Range;

/// A product that a process computes in a superstep.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Product {
    /// Row of blocks (I).
    pub row: usize,
    /// Inner number of the blocks (J).
    pub inner: usize,
    /// Column of blocks (K).
    pub column: usize,
    /// Whether it is the first one that this process adds up for block (row, column).
    pub begins: bool,
    /// Whether it is the last one.
    pub ends: bool,
    /// Whether this process ends with block (row, column) of C; otherwise, it computes a partial sum.
    pub is_owner: bool,
    /// Whether other processes compute partial sums of this block.
    pub is_divided: bool,
}

/// The schedule for a number of blocks and of processes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Plan {
    blocks: usize,
    processes: usize,
    rounds: usize,
    remaining: usize,
    by_rows: bool,
}

impl Plan {
    /// For Q x Q blocks on p processes: a process ends a block of C before it begins another one.
    pub fn new(blocks: usize, processes: usize) -> Self {
        let columns = blocks * blocks;
        Self {
            blocks,
            processes,
            rounds: columns / processes,
            remaining: columns % processes,
            by_rows: false,
        }
    }

    /// The same, but a process computes its blocks of a row of C together.
    pub fn by_rows(blocks: usize, processes: usize) -> Self {
        Self { by_rows: true, ..Self::new(blocks, processes) }
    }

    /// The one for a distribution: by rows where each process has its blocks of C in its own memory.
    pub fn of(layout: &Layout) -> Self {
        match layout.distribution() {
            Distribution::Customized => Self::by_rows(layout.blocks(), layout.processes()),
            Distribution::Static => Self::new(layout.blocks(), layout.processes()),
        }
    }

    /// Rounds of Q supersteps, in which each process computes a column.
    pub fn rounds(&self) -> usize {
        self.rounds
    }

    /// Columns that remain after the rounds.
    pub fn remaining(&self) -> usize {
        self.remaining
    }

    /// Processes that compute column `number` of those that remain.
    pub fn members(&self, number: usize) -> usize {
        (self.processes - number).div_ceil(self.remaining).min(self.blocks)
    }

    /// Supersteps in which a process computes a product. The largest number stands for more, which no program
    /// reaches: blocks of an element of matrices of 2^22 x 2^22 have 2^66 products.
    pub fn products(&self) -> usize {
        self.steps_of_rounds().saturating_add(self.steps_of_remaining())
    }

    /// Supersteps of the rounds, or the largest number.
    fn steps_of_rounds(&self) -> usize {
        self.rounds.saturating_mul(self.blocks)
    }

    /// Supersteps for the remaining columns: the last column takes longest.
    fn steps_of_remaining(&self) -> usize {
        match self.remaining {
            0 => 0,
            remaining => self.blocks.div_ceil(self.members(remaining - 1)),
        }
    }

    /// Supersteps in which partial sums are added up.
    pub fn sums(&self) -> usize {
        match self.remaining {
            0 => 0,
            _ => self.members(0).next_power_of_two().ilog2() as usize,
        }
    }

    /// The column of those that remain for which a process works, and its number among the processes of that
    /// column.
    fn membership(&self, process: usize) -> Option<(usize, usize)> {
        if self.remaining == 0 {
            return None;
        }
        let (column, member) = (process % self.remaining, process / self.remaining);
        (member < self.members(column)).then_some((column, member))
    }

    /// Positions in the sequence of the J of a column that one of its processes computes.
    fn positions(&self, members: usize, member: usize) -> Range<usize> {
        self.blocks * member / members..self.blocks * (member + 1) / members
    }

    /// The product of a process in a superstep below [`Self::products`].
    pub fn product(&self, process: usize, superstep: usize) -> Option<Product> {
        if superstep < self.steps_of_rounds() {
            return Some(self.product_of_rounds(process, superstep));
        }
        let (column, member) = self.membership(process)?;
        let members = self.members(column);
        let positions = self.positions(members, member);
        let position = positions.start.checked_add(superstep - self.steps_of_rounds())?;
        let number = self.rounds * self.processes + column;
        positions
            .contains(&position)
            .then(|| self.product_of(number, position, &positions, (members, member)))
    }

    /// A product of a round.
    fn product_of_rounds(&self, process: usize, superstep: usize) -> Product {
        let all = 0..self.blocks;
        if !self.by_rows {
            let (round, step) = (superstep / self.blocks, superstep % self.blocks);
            return self.product_of(round * self.processes + process, step, &all, (1, 0));
        }
        // The columns of a process are ordered row by row, so all columns of a row are computed when its
        // first one is.
        let row = (superstep / self.blocks * self.processes + process) / self.blocks;
        let columns = self.columns_of_row(process, row);
        let offset = superstep - columns.start * self.blocks;
        let number = (columns.start + offset % columns.len()) * self.processes + process;
        // All columns of the row read the same block of A.
        let first = columns.start * self.processes + process;
        let product = self.product_of(number, offset / columns.len(), &all, (1, 0));
        let inner = (offset / columns.len() + row + first % self.blocks) % self.blocks;
        Product { inner, ..product }
    }

    /// The rounds whose column of a process lies in a row of blocks.
    fn columns_of_row(&self, process: usize, row: usize) -> Range<usize> {
        let round = |number: usize| number.saturating_sub(process).div_ceil(self.processes).min(self.rounds);
        round(row * self.blocks)..round((row + 1) * self.blocks)
    }

    /// The product at a position of a column, for one of its processes.
    fn product_of(
        &self,
        number: usize,
        position: usize,
        positions: &Range<usize>,
        (members, member): (usize, usize),
    ) -> Product {
        let (row, column) = (number / self.blocks, number % self.blocks);
        Product {
            row,
            inner: (position + row + column) % self.blocks,
            column,
            begins: position == positions.start,
            ends: position + 1 == positions.end,
            is_owner: member == 0,
            is_divided: members > 1,
        }
    }

    /// Block (row, column) of C for which a process has a sum at the end of the supersteps with products, if
    /// columns remain.
    pub fn divided_block(&self, process: usize) -> Option<(usize, usize)> {
        let (column, _) = self.membership(process)?;
        let number = self.rounds * self.processes + column;
        Some((number / self.blocks, number % self.blocks))
    }

    /// The process whose partial sum a process adds to its own in step `step` below [`Self::sums`].
    pub fn sum(&self, process: usize, step: usize) -> Option<usize> {
        let (column, member) = self.membership(process)?;
        let other = member + (1 << step);
        let adds = member.is_multiple_of(2 << step) && other < self.members(column);
        adds.then(|| column + other * self.remaining)
    }
}

#[cfg(test)]
mod tests;
