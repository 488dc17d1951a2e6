//! The types of process columns for C.

/// A row swap in a process column. The rows of the matrix are distributed to the ranks of the process column
/// in blocks, the first block to rank 0; each rank stores its rows column by column. All fields but
/// rows, row_count, stride and top are the same on all ranks.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct hcube_column_swap {
    /// Rows that move: source and destination of each, alternating, as global row numbers. Every row is a source at
    /// most once and a destination at most once; every top row is a destination.
    pub pairs: *const i32,
    /// Number of pairs, at most 2 * width.
    pub pair_count: u64,
    /// Global number of the first top row.
    pub first: u64,
    /// Number of top rows, at most that of hcube_column_prepare.
    pub width: u64,
    /// Rows of a block, 1 or more.
    pub block: u64,
    /// First column of this rank to swap: address of the first row that is not above the top rows.
    pub rows: *mut f64,
    /// Number of rows of this rank from there.
    pub row_count: u64,
    /// Elements from one column of this rank to the next, at least row_count.
    pub stride: u64,
    /// Number of columns, at most that of hcube_column_prepare.
    pub columns: u64,
    /// Receives the top rows, width * columns elements; does not overlap rows.
    pub top: *mut f64,
    /// 0: top is stored column by column; 1: row by row.
    pub transposed: i64,
}
