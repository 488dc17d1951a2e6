//! One factor of a product: the location of its elements, and the layout of its panels.
//!
//! A panel belongs to a line of the grid: a process row or a process column. It contains the *outer* indices
//! of the line, of the stationary matrix, and some *inner* indices. If C is stationary, panels of op(A)
//! belong to process rows and contain rows of C; the inner indices are the indices of the sum. On one node a
//! panel has the order of the matrix, and `?gemm_` transposes it; between nodes outer indices are contiguous,
//! so that columns can be sent without packing.

use crate::axis::Section;
use crate::product::{Dimension, Grid, Matrix, Operation, Product};
use crate::runs::{Run, runs, sharing};

/// Lines of the cache, in bytes: columns of panels start there.
const CACHE_LINE_BYTES: usize = 64;
/// Distance in bytes at which columns would compete for the same lines of the cache.
const ALIAS_BYTES: usize = 4096;

/// Elements from one column to the next for columns of `height` elements: whole lines of the cache, and not a
/// distance at which columns compete for the same ones. The largest number stands for what exceeds 64 bits:
/// no memory has it.
pub fn padded(height: usize, size: usize) -> usize {
    let per_line = (CACHE_LINE_BYTES / size).max(1);
    let leading = height.max(1).checked_next_multiple_of(per_line).unwrap_or(usize::MAX);
    // Wrapping does not matter: ALIAS_BYTES divides 2^64.
    let is_alias = leading.wrapping_mul(size).is_multiple_of(ALIAS_BYTES);
    if is_alias { leading.saturating_add(per_line) } else { leading }
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

/// A factor whose panels are communicated, from the view of one rank.
#[derive(Debug, Clone)]
pub struct Factor<'a> {
    /// The stored matrix.
    pub matrix: Matrix<'a>,
    /// Size of an element in bytes.
    pub size: usize,
    /// The part of the matrix that is used.
    pub operation: Operation,
    /// Whether outer indices are next to each other in memory: they are rows of the matrix.
    pub by_outer: bool,
    /// The outer indices of the matrix, and the dimension of the grid along which they lie.
    pub outer: Section,
    /// The dimension of `outer`.
    pub outer_dimension: Dimension,
    /// The inner indices of the matrix, of which a panel has some.
    pub inner: Section,
    /// The same outer indices, as the matrix that stays is distributed.
    pub target: Section,
    /// The dimension of `target`: along it the lines are counted to which panels belong.
    pub lines: Dimension,
    /// Whether every rank that multiplies has its whole panel where it lies in the matrix.
    pub in_place: bool,
    /// Whether outer indices need not leave their line.
    pub is_aligned: bool,
    /// The outer indices that this rank distributes, with their lines.
    pub outer_runs: Vec<Run>,
    /// The inner indices that this rank distributes.
    pub inner_runs: Vec<Run>,
    grid: Grid,
}

impl<'a> Factor<'a> {
    /// Of A (0) or B (1), whose outer indices are rows of op(A) or op(B) where `rows_are_outer`, else its
    /// columns; `target` is how these indices are distributed, along `lines`, in the matrix that stays.
    /// `users` is the only number along the other dimension of ranks that multiply, if there is only one.
    pub fn new(
        product: &Product<'a>,
        number: usize,
        rows_are_outer: bool,
        (target, lines): (Section, Dimension),
        users: Option<usize>,
    ) -> Self {
        let matrix = [product.a, product.b][number];
        let operation = match product.operations[number] {
            // Of real elements that is the same, and nothing is conjugated.
            Operation::Adjoint if !product.element.is_complex() => Operation::Transpose,
            operation => operation,
        };
        let is_rows = rows_are_outer == (operation == Operation::Plain);
        let outer_dimension = if is_rows { Dimension::Rows } else { Dimension::Columns };
        let outer = matrix.section(outer_dimension);
        let inner = matrix.section(outer_dimension.other());
        let is_aligned = outer_dimension == lines && outer.is_aligned_with(target);
        let everywhere = outer.axis.is_replicated() && target.axis.is_replicated();
        let has_all = inner.axis.is_replicated()
            || (is_aligned && inner.only_process().is_some_and(|process| users == Some(process)));
        let in_place = has_all && (is_aligned || everywhere);
        let mut factor = Self {
            matrix,
            size: product.element.bytes(),
            operation,
            by_outer: is_rows,
            outer,
            outer_dimension,
            inner,
            target,
            lines,
            in_place,
            is_aligned,
            outer_runs: Vec::new(),
            inner_runs: Vec::new(),
            grid: product.grid,
        };
        if !in_place {
            factor.find_runs();
        }
        factor
    }

    /// The same with panels, also where every rank has what it needs.
    pub fn with_panels(mut self) -> Self {
        if self.in_place {
            self.in_place = false;
            self.find_runs();
        }
        self
    }

    fn find_runs(&mut self) {
        let own = |dimension| self.grid.own(dimension);
        let outer = self.outer;
        self.outer_runs = if self.is_aligned && self.target.axis.is_replicated() {
            // Every line has all of them, and serves itself.
            vec![Run {
                local: outer.start,
                number: 0,
                length: outer.length,
                process: own(self.lines),
                place: 0,
            }]
        } else {
            runs(outer, self.outer_shares(), own(self.outer_dimension), Some(self.target))
        };
        self.inner_runs = runs(self.inner, self.inner_shares(), own(self.outer_dimension.other()), None);
    }

    /// Which process hands out which outer index.
    pub fn outer_shares(&self) -> Section {
        let same = self.outer_dimension == self.lines;
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

    /// Elements from one column of a panel to the next: of outer indices where these are next to each other,
    /// else of inner ones.
    pub fn leading(&self, height: usize, width: usize, by_outer: bool) -> usize {
        padded(if by_outer { height } else { width }, self.size)
    }

    /// Bytes of a panel, or the largest number.
    pub fn panel_bytes(&self, height: usize, width: usize, by_outer: bool) -> usize {
        let columns = if by_outer { width } else { height };
        self.leading(height, width, by_outer).saturating_mul(columns).saturating_mul(self.size)
    }

    /// The letter for the local product, for a panel in this order that is used with outer indices as rows or
    /// as columns. An adjoint is conjugated by the local product where the panel has the order of the matrix,
    /// else while it is copied.
    pub fn letter(&self, by_outer: bool, rows_are_outer: bool) -> u8 {
        match self.operation {
            _ if by_outer == rows_are_outer => b'N',
            Operation::Adjoint if by_outer == self.by_outer => b'C',
            _ => b'T',
        }
    }

    /// Where the elements of this rank's panel lie in the matrix from inner number `begin` on, as a byte
    /// offset.
    pub fn own_offset(&self, begin: usize) -> usize {
        let of = |section: Section, dimension| section.first_local(self.grid.own(dimension));
        let outer = of(self.outer, self.outer_dimension);
        let inner = of(self.inner, self.outer_dimension.other()) + begin;
        let element = if self.by_outer {
            outer + inner * self.matrix.leading
        } else {
            inner + outer * self.matrix.leading
        };
        element * self.size
    }
}
