//! The types of transpositions for C.

use hcube_core::error::{Error, Result};
use hcube_core::mpi::handle::Handle;
use hcube_core::node::device::Devices;
use hcube_transpose::{Layout, Shape, grid};
use std::sync::Arc;

/// A matrix that is distributed over the ranks of a communicator, and its transposition; the same on all
/// ranks. Before the call, rank r has row_block rows from row r * row_block on, or the remaining rows. After
/// the call, it has column_block columns from column r * column_block on, as rows of the transposed matrix.
#[repr(C)]
pub struct hcube_transpose_shape {
    /// Number of rows of the matrix, 1 or more.
    pub rows: i64,
    /// Number of columns of the matrix, 1 or more.
    pub columns: i64,
    /// Size of an element in bytes, 1 or more. An element is one number, or several contiguous numbers that
    /// are moved together.
    pub element_bytes: i64,
    /// Number of rows per rank before the call, at least ceil(rows / ranks).
    pub row_block: i64,
    /// Number of columns per rank after the call, at least ceil(columns / ranks).
    pub column_block: i64,
    /// Layout of the rows of a rank before the call: 0 row-major, 1 column-major.
    pub transposed_in: i32,
    /// Layout of the rows of the transposed matrix of a rank after the call: 0 row-major, 1
    /// column-major.
    pub transposed_out: i32,
}

impl hcube_transpose_shape {
    /// Checks that do not need the communicator.
    pub(crate) fn to_shape(&self) -> Result<Shape> {
        let size =
            |name, value: i64| usize::try_from(value).map_err(|_| Error::argument(name, value, "1 or more"));
        let layout = |name, value| match value {
            0 => Ok(Layout::RowMajor),
            1 => Ok(Layout::ColumnMajor),
            _ => Err(Error::argument(name, value, "0 or 1")),
        };
        Ok(Shape {
            rows: size("shape.rows", self.rows)?,
            columns: size("shape.columns", self.columns)?,
            element_bytes: size("shape.element_bytes", self.element_bytes)?,
            row_block: size("shape.row_block", self.row_block)?,
            column_block: size("shape.column_block", self.column_block)?,
            before: layout("shape.transposed_in", self.transposed_in)?,
            after: layout("shape.transposed_out", self.transposed_out)?,
        })
    }

    /// What must be the same on all ranks, by name.
    pub(crate) fn agreement(&self) -> [(&'static str, i64); 7] {
        [
            ("shape.rows", self.rows),
            ("shape.columns", self.columns),
            ("shape.element_bytes", self.element_bytes),
            ("shape.row_block", self.row_block),
            ("shape.column_block", self.column_block),
            ("shape.transposed_in", self.transposed_in.into()),
            ("shape.transposed_out", self.transposed_out.into()),
        ]
    }
}

/// A block-cyclic matrix A on a grid of processes, and C with the shape and distribution of its transpose;
/// the same on all ranks. Rank i * grid_columns + j of the communicator is process (i, j). Block (i, j) of A
/// is on process (i % grid_rows, j % grid_columns); its transpose is block (j, i) of C, on process (j %
/// grid_rows, i % grid_columns). A process stores its blocks as one matrix in column-major order.
#[repr(C)]
pub struct hcube_grid_transpose_shape {
    /// Number of rows of A and columns of C, 1 or more.
    pub rows: i64,
    /// Number of columns of A and rows of C, 1 or more.
    pub columns: i64,
    /// Number of rows of a block of A, 1 or more.
    pub row_block: i64,
    /// Number of columns of a block of A, 1 or more.
    pub column_block: i64,
    /// Number of rows of the grid.
    pub grid_rows: i64,
    /// Number of columns of the grid; grid_rows * grid_columns is the number of ranks.
    pub grid_columns: i64,
}

impl hcube_grid_transpose_shape {
    /// Checks that do not need the communicator.
    pub(crate) fn to_shape(&self) -> Result<grid::Shape> {
        let size =
            |name, value: i64| usize::try_from(value).map_err(|_| Error::argument(name, value, "1 or more"));
        Ok(grid::Shape {
            rows: size("shape.rows", self.rows)?,
            columns: size("shape.columns", self.columns)?,
            row_block: size("shape.row_block", self.row_block)?,
            column_block: size("shape.column_block", self.column_block)?,
            grid_rows: size("shape.grid_rows", self.grid_rows)?,
            grid_columns: size("shape.grid_columns", self.grid_columns)?,
        })
    }
}

/// Memory of a node, with a part for each rank that the other ranks of the node can read. Created by
/// hcube_grid_transpose_memory_create and freed by hcube_grid_transpose_memory_free.
#[expect(non_camel_case_types, reason = "a name of C")]
pub struct hcube_grid_transpose_memory(pub(crate) Arc<grid::Memory>);

/// A plan of a transposition, created by hcube_grid_transpose_create and freed by hcube_grid_transpose_free.
#[expect(non_camel_case_types, reason = "a name of C")]
pub struct hcube_grid_transpose {
    pub(crate) comm: Handle,
    pub(crate) plan: grid::Plan,
    pub(crate) devices: Devices,
}
