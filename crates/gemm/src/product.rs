//! A product of sub-matrices of distributed matrices: `sub(C) := alpha op(sub(A)) op(sub(B)) + beta sub(C)`.
//!
//! Values of a call: no element of a matrix is copied.

use crate::axis::Section;
use crate::element::{Element, MAX_BYTES, Scalar};
use hcube_core::memory::Region;

/// The part of a factor that is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operation {
    /// The matrix itself.
    Plain,
    /// Its transpose.
    Transpose,
    /// Its conjugate transpose.
    Adjoint,
}

impl Operation {
    /// The operation that a letter stands for.
    pub const fn of(letter: u8) -> Option<Self> {
        match letter {
            b'n' | b'N' => Some(Self::Plain),
            b't' | b'T' => Some(Self::Transpose),
            b'c' | b'C' => Some(Self::Adjoint),
            _ => None,
        }
    }

    /// The letter of BLAS.
    pub const fn letter(self) -> u8 {
        match self {
            Self::Plain => b'N',
            Self::Transpose => b'T',
            Self::Adjoint => b'C',
        }
    }
}

/// The grid of processes, seen from one of them. Rank `row * columns + column` of the communicator is at
/// (row, column).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Grid {
    /// Process rows.
    pub rows: usize,
    /// Process columns.
    pub columns: usize,
    /// This rank's row.
    pub row: usize,
    /// This rank's column.
    pub column: usize,
}

/// A dimension of the grid.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dimension {
    /// Along the process rows: rows of matrices are distributed so.
    Rows,
    /// Along the process columns.
    Columns,
}

impl Grid {
    /// The grid of a communicator's ranks.
    pub const fn of_rank(rows: usize, columns: usize, rank: usize) -> Self {
        Self { rows, columns, row: rank / columns, column: rank % columns }
    }

    /// Its processes.
    pub const fn size(self) -> usize {
        self.rows * self.columns
    }

    /// Processes along a dimension.
    pub const fn processes(self, dimension: Dimension) -> usize {
        match dimension {
            Dimension::Rows => self.rows,
            Dimension::Columns => self.columns,
        }
    }

    /// The rank with one number along a dimension, and one along the other dimension.
    pub const fn rank_at(self, dimension: Dimension, along: usize, across: usize) -> usize {
        match dimension {
            Dimension::Rows => along * self.columns + across,
            Dimension::Columns => across * self.columns + along,
        }
    }

    /// This rank's number along a dimension.
    pub const fn own(self, dimension: Dimension) -> usize {
        match dimension {
            Dimension::Rows => self.row,
            Dimension::Columns => self.column,
        }
    }
}

/// A sub-matrix and this rank's part of the matrix, in columns.
#[derive(Debug, Clone, Copy)]
pub struct Matrix<'a> {
    /// Its rows, along the process rows.
    pub rows: Section,
    /// Its columns, along the process columns.
    pub columns: Section,
    /// This rank's part: all of the matrix, not only of the sub-matrix.
    pub memory: Region<'a>,
    /// Elements from one local column to the next.
    pub leading: usize,
}

impl Matrix<'_> {
    /// The section along a dimension.
    pub const fn section(&self, dimension: Dimension) -> Section {
        match dimension {
            Dimension::Rows => self.rows,
            Dimension::Columns => self.columns,
        }
    }

    /// Elements from the start of a rank's memory to the end of its part of the sub-matrix; `None` where no
    /// address counts their bytes, of the largest elements.
    pub fn end(rows: Section, columns: Section, leading: usize, grid: Grid) -> Option<usize> {
        let (height, width) = (rows.count(grid.row), columns.count(grid.column));
        if height == 0 || width == 0 {
            return Some(0);
        }
        let before = (columns.first_local(grid.column) + width - 1).checked_mul(leading)?;
        let end = before.checked_add(rows.first_local(grid.row))?.checked_add(height)?;
        (end <= isize::MAX as usize / MAX_BYTES).then_some(end)
    }
}

/// The product; the same on all ranks except the memory.
#[derive(Debug, Clone, Copy)]
pub struct Product<'a> {
    /// Type of all elements.
    pub element: Element,
    /// The processes.
    pub grid: Grid,
    /// The parts of A and of B that are used.
    pub operations: [Operation; 2],
    /// Rows and columns of sub(C).
    pub m: usize,
    /// Columns of sub(C).
    pub n: usize,
    /// Columns of op(sub(A)).
    pub k: usize,
    /// Factor of the product.
    pub alpha: Scalar,
    /// The first factor.
    pub a: Matrix<'a>,
    /// The second factor.
    pub b: Matrix<'a>,
    /// Factor of C; if it is 0, C is not read.
    pub beta: Scalar,
    /// The part of C that is updated.
    pub c: Matrix<'a>,
}

impl Product<'_> {
    /// Rows and columns that this rank has of sub(C).
    pub const fn own_size(&self) -> (usize, usize) {
        (self.c.rows.count(self.grid.row), self.c.columns.count(self.grid.column))
    }

    /// Floating-point operations of all ranks.
    pub fn flops(&self) -> u64 {
        if self.alpha.is_zero() {
            return 0;
        }
        let [m, n, k] = [self.m, self.n, self.k].map(|size| size as u64);
        self.element.flops().saturating_mul(m).saturating_mul(n).saturating_mul(k)
    }
}
