//! The types of transpositions for C.

use hcube_core::error::{Error, Result};
use hcube_transpose::{Layout, Shape};

/// A matrix that is distributed over the ranks of a communicator, and its transposition; the same on
/// all ranks. Before the call, rank r has row_block rows from row r * row_block, or those that
/// remain. After the call, it has column_block columns from column r * column_block, as rows of the
/// transposed matrix.
#[repr(C)]
pub struct hcube_transpose_shape {
    /// Number of rows of the matrix, 1 or more.
    pub rows: i64,
    /// Number of columns of the matrix, 1 or more.
    pub columns: i64,
    /// Size of an element in bytes, 1 or more. An element is a number, or several numbers that stay
    /// together.
    pub element_bytes: i64,
    /// Number of rows per rank before the call, at least rows / ranks, rounded up.
    pub row_block: i64,
    /// Number of columns per rank after the call, at least columns / ranks, rounded up.
    pub column_block: i64,
    /// Layout of the rows of a rank before the call: 0 row-major, 1 column-major.
    pub transposed_in: i32,
    /// Layout of the rows of the transposed matrix of a rank after the call: 0 row-major, 1
    /// column-major.
    pub transposed_out: i32,
}

impl hcube_transpose_shape {
    /// What it says, as far as one can tell without the communicator.
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
