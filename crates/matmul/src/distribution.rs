//! The location of the elements of the three matrices: the customized and the static data distribution.
//!
//! The algorithm cuts the n x n matrices into Q x Q blocks of side s = ceil(n / Q); blocks at the lower and
//! the right edge are smaller, or empty.
//!
//! Customized: block (I, J) has number I Q + J and is on process number mod p, at local index number / p. The
//! memory of a process is a sequence of slots of s x s elements, one for each of its blocks. A block is
//! stored at the start of its slot in column-major order with contiguous columns, so that it is one message.
//!
//! Static: the p processes form a grid of r x c processes, r <= c and as large as possible. Process i is in
//! row i / c and column i mod c of the grid. Row x of the grid has the matrix rows from x ceil(n / r) on,
//! column y the matrix columns from y ceil(n / c) on. A process stores its part in column-major order with
//! contiguous columns. A block of the algorithm may be on several processes, and then consists of several
//! pieces.
//!
//! Pure functions. Source: Krusche 2005, §4.2, "Customized Data Distribution" and "Static Data Distribution".

use crate::options::Distribution;
use hcube_core::error::{Error, Result};
use std::ops::Range;

/// Largest size of a matrix: numbers of elements and bytes do not overflow.
pub const MAX_SIZE: usize = 1 << 28;
/// Bytes of an element.
pub const ELEMENT_BYTES: usize = size_of::<f64>();
/// Blocks of temporary memory that a process has at most.
pub const TEMPORARY_BLOCKS: usize = 3;

/// A product of two matrices.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Problem {
    /// Rows and columns of each matrix.
    pub n: usize,
    /// Blocks per row and column of blocks (Q); 0 selects [`default_blocks`].
    pub blocks: usize,
    /// How the matrices are distributed.
    pub distribution: Distribution,
}

/// A rectangle of a matrix.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rectangle {
    /// Its rows in the matrix.
    pub rows: Range<usize>,
    /// Its columns in the matrix.
    pub columns: Range<usize>,
}

impl Rectangle {
    /// Number of elements.
    pub fn elements(&self) -> usize {
        self.rows.len() * self.columns.len()
    }
}

/// The part of a block that lies on one process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Piece {
    /// The process.
    pub process: usize,
    /// Elements before it in the memory of the process.
    pub offset: usize,
    /// Elements from one column to the next in the memory of the process.
    pub leading: usize,
    /// Its first row in the block.
    pub row: usize,
    /// Its first column in the block.
    pub column: usize,
    /// Number of rows.
    pub rows: usize,
    /// Number of columns.
    pub columns: usize,
}

impl Piece {
    /// Whether it is one message, if its destination has `leading` elements from one column to the next.
    pub fn is_contiguous(&self, leading: usize) -> bool {
        self.columns <= 1 || (self.rows == self.leading && self.rows == leading)
    }
}

/// The distribution of the matrices of a problem over a number of processes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Layout {
    n: usize,
    blocks: usize,
    side: usize,
    processes: usize,
    distribution: Distribution,
    /// Rows and columns of the grid of processes.
    grid: (usize, usize),
}

/// The smallest number of blocks Q with Q x Q >= `processes`, within 1 to `n`.
pub fn default_blocks(n: usize, processes: usize) -> usize {
    let root = processes.isqrt();
    let blocks = if root * root < processes { root + 1 } else { root };
    blocks.clamp(1, n.max(1))
}

/// The smallest number of blocks from [`default_blocks`] on for which temporary memory takes at most `bytes`
/// per process.
///
/// # Errors
/// If not even blocks of one element fit.
pub fn blocks_within(n: usize, processes: usize, bytes: usize) -> Result<usize> {
    let smallest = TEMPORARY_BLOCKS * ELEMENT_BYTES;
    let side = (bytes / smallest).isqrt();
    if side == 0 && n > 0 {
        return Err(Error::argument("bytes", bytes, format!("{smallest} or more")));
    }
    Ok(default_blocks(n, processes).max(n.div_ceil(side.max(1))))
}

/// Rows and columns of a grid of processes that is as square as possible; it has no more rows than columns.
pub fn grid(processes: usize) -> (usize, usize) {
    let fits = |rows: &usize| processes.is_multiple_of(*rows);
    let rows = (1..=processes.isqrt()).rev().find(fits).unwrap_or(1);
    (rows, processes / rows)
}

/// Part `number` of `n` in parts of `size`.
fn part(n: usize, size: usize, number: usize) -> Range<usize> {
    (number * size).min(n)..((number + 1) * size).min(n)
}

impl Layout {
    /// The distribution for a problem.
    ///
    /// # Errors
    /// If a size is not valid.
    pub fn new(problem: &Problem, processes: usize) -> Result<Self> {
        let &Problem { n, blocks, distribution } = problem;
        if n > MAX_SIZE {
            return Err(Error::argument("n", n, format!("0 to {MAX_SIZE}")));
        }
        if blocks > n.max(1) {
            return Err(Error::argument("blocks", blocks, format!("0 to {} for n = {n}", n.max(1))));
        }
        let blocks = if blocks == 0 { default_blocks(n, processes) } else { blocks };
        Ok(Self { n, blocks, side: n.div_ceil(blocks), processes, distribution, grid: grid(processes) })
    }

    /// Blocks per row and column of blocks (Q).
    pub fn blocks(&self) -> usize {
        self.blocks
    }

    /// Rows and columns of a block that is not at an edge (s).
    pub fn side(&self) -> usize {
        self.side
    }

    /// Number of processes (p).
    pub fn processes(&self) -> usize {
        self.processes
    }

    /// How the matrices are distributed.
    pub fn distribution(&self) -> Distribution {
        self.distribution
    }

    /// Rows of block row `number`, and columns of block column `number`.
    pub fn range(&self, number: usize) -> Range<usize> {
        part(self.n, self.side, number)
    }

    /// Block (row, column).
    pub fn block(&self, row: usize, column: usize) -> Rectangle {
        Rectangle { rows: self.range(row), columns: self.range(column) }
    }

    /// Elements of the memory of a process for each matrix.
    pub fn local_elements(&self, process: usize) -> usize {
        match self.distribution {
            Distribution::Customized => {
                let blocks = self.blocks * self.blocks;
                (blocks + self.processes - 1 - process) / self.processes * self.side * self.side
            }
            Distribution::Static => {
                let (x, y) = (process / self.grid.1, process % self.grid.1);
                self.grid_rows(x).len() * self.grid_columns(y).len()
            }
        }
    }

    /// Matrix rows of row `x` of the grid.
    fn grid_rows(&self, x: usize) -> Range<usize> {
        part(self.n, self.n.div_ceil(self.grid.0), x)
    }

    /// Matrix columns of column `y` of the grid.
    fn grid_columns(&self, y: usize) -> Range<usize> {
        part(self.n, self.n.div_ceil(self.grid.1), y)
    }

    /// The pieces of block (row, column), none if it is empty.
    pub fn pieces(&self, row: usize, column: usize) -> Vec<Piece> {
        let block = self.block(row, column);
        if block.elements() == 0 {
            return Vec::new();
        }
        match self.distribution {
            Distribution::Customized => {
                let number = row * self.blocks + column;
                vec![Piece {
                    process: number % self.processes,
                    offset: number / self.processes * self.side * self.side,
                    leading: block.rows.len(),
                    row: 0,
                    column: 0,
                    rows: block.rows.len(),
                    columns: block.columns.len(),
                }]
            }
            Distribution::Static => self.pieces_on_grid(&block),
        }
    }

    /// The pieces of a block that is not empty, from process to process.
    fn pieces_on_grid(&self, block: &Rectangle) -> Vec<Piece> {
        let parts = |wanted: &Range<usize>, count: usize| {
            let size = self.n.div_ceil(count);
            wanted.start / size..(wanted.end - 1) / size + 1
        };
        let mut pieces = Vec::new();
        for x in parts(&block.rows, self.grid.0) {
            for y in parts(&block.columns, self.grid.1) {
                let (own_rows, own_columns) = (self.grid_rows(x), self.grid_columns(y));
                let rows = block.rows.start.max(own_rows.start)..block.rows.end.min(own_rows.end);
                let columns =
                    block.columns.start.max(own_columns.start)..block.columns.end.min(own_columns.end);
                pieces.push(Piece {
                    process: x * self.grid.1 + y,
                    offset: (columns.start - own_columns.start) * own_rows.len() + rows.start
                        - own_rows.start,
                    leading: own_rows.len(),
                    row: rows.start - block.rows.start,
                    column: columns.start - block.columns.start,
                    rows: rows.len(),
                    columns: columns.len(),
                });
            }
        }
        pieces
    }
}

#[cfg(test)]
mod tests;
