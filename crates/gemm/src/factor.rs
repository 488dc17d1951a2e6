//! One factor of a product: where its elements are, and what its panels look like.
//!
//! A panel of a factor belongs to a line of the grid: one of op(A) to a process row, one of op(B) to a process column. It
//! holds the *outer* indices that the line has of C (rows of op(A), columns of op(B)) and some *inner* indices, which are
//! summed over. Runs are copied as they lie in the matrix, so a transpose costs nothing: the panel has the order of the
//! matrix, and the local product gets the flag.

use crate::axis::Section;
use crate::product::{Dimension, Grid, Matrix, Operation, Product};
use crate::runs::{Run, runs, sharing};

/// Lines of the cache, in bytes: columns of panels start there.
const LINE: usize = 64;
/// Distance in bytes at which columns would compete for the same lines of the cache.
const ALIAS: usize = 4096;

/// Which factor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// op(A).
    Left,
    /// op(B).
    Right,
}

impl Side {
    /// The dimension of the grid along which lines that share a panel are counted.
    pub const fn lines(self) -> Dimension {
        match self {
            Self::Left => Dimension::Rows,
            Self::Right => Dimension::Columns,
        }
    }
}

impl Dimension {
    /// The other one.
    pub const fn other(self) -> Self {
        match self {
            Self::Rows => Self::Columns,
            Self::Columns => Self::Rows,
        }
    }
}

/// A factor, seen from one rank.
#[derive(Debug, Clone)]
pub struct Factor<'a> {
    /// Which one.
    pub side: Side,
    /// The stored matrix.
    pub matrix: Matrix<'a>,
    /// Size of an element in bytes.
    pub size: usize,
    /// What is taken of the matrix.
    pub operation: Operation,
    /// Whether outer indices are next to each other in memory: they are rows of the matrix.
    pub by_outer: bool,
    /// The outer indices of the matrix, and the dimension of the grid along which they lie.
    pub outer: Section,
    /// The dimension of `outer`.
    pub outer_dimension: Dimension,
    /// The inner indices of the matrix.
    pub inner: Section,
    /// The same outer indices, as C is distributed.
    pub target: Section,
    /// Whether every rank has its whole panel where it lies in the matrix.
    pub in_place: bool,
    /// Whether outer indices need not leave their line.
    pub is_aligned: bool,
    /// What this rank hands out: outer indices with their lines, and inner indices.
    pub outer_runs: Vec<Run>,
    /// As above.
    pub inner_runs: Vec<Run>,
    grid: Grid,
}

impl<'a> Factor<'a> {
    /// A factor of a product.
    pub fn new(product: &Product<'a>, side: Side) -> Self {
        let (matrix, operation, target) = match side {
            Side::Left => (product.a, product.operations[0], product.c.rows),
            Side::Right => (product.b, product.operations[1], product.c.columns),
        };
        let lines = side.lines();
        let outer_dimension = if operation == Operation::Plain { lines } else { lines.other() };
        let outer = matrix.section(outer_dimension);
        let inner = matrix.section(outer_dimension.other());
        let is_aligned = outer_dimension == lines && outer.is_aligned_with(target);
        let everywhere = outer.axis.is_replicated() && target.axis.is_replicated();
        let in_place = inner.axis.is_replicated() && (is_aligned || everywhere);
        let mut factor = Self {
            side,
            matrix,
            size: product.element.bytes(),
            operation,
            by_outer: outer_dimension == Dimension::Rows,
            outer,
            outer_dimension,
            inner,
            target,
            in_place,
            is_aligned,
            outer_runs: Vec::new(),
            inner_runs: Vec::new(),
            grid: product.grid,
        };
        if !in_place {
            let own = |dimension| product.grid.own(dimension);
            factor.outer_runs = runs(outer, factor.outer_shares(), own(outer_dimension), Some(target));
            factor.inner_runs = runs(inner, factor.inner_shares(), own(outer_dimension.other()), None);
        }
        factor
    }

    /// Whether the ranks of a line hand out all that its panels need, and nothing to other lines. Outer indices that are
    /// everywhere are handed out to all lines, each by one rank.
    pub fn keeps_to_its_line(&self) -> bool {
        self.is_aligned && (self.outer.axis.processes == 1 || !self.outer.axis.is_replicated())
    }

    /// Which process hands out which outer index.
    pub fn outer_shares(&self) -> Section {
        let same = self.outer_dimension == self.side.lines();
        sharing(self.outer, same.then_some(self.target))
    }

    /// Which process hands out which inner index.
    pub fn inner_shares(&self) -> Section {
        sharing(self.inner, None)
    }

    /// Outer indices of a line's panels.
    pub fn height(&self, line: usize) -> usize {
        self.target.count(line)
    }

    /// The most outer indices of any line's panels; 0 where no panels are needed.
    pub fn max_height(&self) -> usize {
        if self.in_place { 0 } else { self.target.max_count() }
    }

    /// Elements from one column of a panel to the next: of outer indices where these are next to each other, else of
    /// inner ones.
    pub fn leading(&self, height: usize, width: usize, by_outer: bool) -> usize {
        let per_line = (LINE / self.size).max(1);
        let leading = (if by_outer { height } else { width }).max(1).next_multiple_of(per_line);
        if (leading * self.size).is_multiple_of(ALIAS) { leading + per_line } else { leading }
    }

    /// Bytes of a panel.
    pub fn panel_bytes(&self, height: usize, width: usize, by_outer: bool) -> usize {
        let columns = if by_outer { width } else { height };
        if self.in_place { 0 } else { self.leading(height, width, by_outer) * columns * self.size }
    }

    /// The letter for the local product, for a panel in this order. An adjoint is conjugated by the local product where
    /// the panel has the order of the matrix, else while it is copied.
    pub fn letter(&self, by_outer: bool) -> u8 {
        let plain = by_outer == (self.side == Side::Left);
        match self.operation {
            _ if plain => b'N',
            Operation::Adjoint if by_outer == self.by_outer => b'C',
            _ => b'T',
        }
    }

    /// Where the elements of this rank's panel lie in the matrix from inner number `begin` on, as a byte offset.
    pub fn own_offset(&self, begin: usize) -> usize {
        let of = |section: Section, dimension| section.first_local(self.grid.own(dimension));
        let outer = of(self.outer, self.outer_dimension);
        let inner = of(self.inner, self.outer_dimension.other()) + begin;
        let element = if self.by_outer { outer + inner * self.matrix.leading } else { inner + outer * self.matrix.leading };
        element * self.size
    }
}
