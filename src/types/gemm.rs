//! The types of matrix products for C.

use super::options_of_a_table;
use crate::sized::Growing;
use hcube_core::error::{Error, Result};
use hcube_gemm::arguments::{Descriptor, SubMatrix};

/// A block-cyclic matrix and a sub-matrix of it, as ScaLAPACK distributes them; the same on all ranks except
/// leading_dimension. Rows are distributed cyclically over the process rows in blocks of row_block, columns
/// over the process columns in blocks of column_block. Each rank stores its local matrix in column-major
/// order.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct hcube_matrix {
    /// sizeof(hcube_matrix) in the program of the caller.
    pub struct_size: u64,
    /// Number of rows of the matrix.
    pub rows: i64,
    /// Number of columns of the matrix.
    pub columns: i64,
    /// Rows of a block, 1 or more.
    pub row_block: i64,
    /// Columns of a block, 1 or more.
    pub column_block: i64,
    /// Rows of the first block, 1 or more; row_block unless the matrix begins inside a block.
    pub first_row_block: i64,
    /// Columns of the first block, 1 or more; column_block unless the matrix begins inside a block.
    pub first_column_block: i64,
    /// Leading dimension of the local matrix (LLD_): at least its number of rows, and at least 1.
    pub leading_dimension: i64,
    /// First row of the sub-matrix, from 0.
    pub row: i64,
    /// First column of the sub-matrix, from 0.
    pub column: i64,
    /// Process row of the first block, from 0; -1 if each process row has all rows.
    pub row_source: i32,
    /// Process column of the first block, from 0; -1 if each process column has all columns.
    pub column_source: i32,
}

// SAFETY: numbers, the size first; without padding, as test `abi` checks.
unsafe impl Growing for hcube_matrix {
    const NAME: &'static str = "matrix.struct_size";
    const FILLED_BY: &'static str = "sizeof(hcube_matrix)";
}

impl hcube_matrix {
    /// Larger sizes are typing errors; sums and products of two sizes do not overflow.
    pub(crate) const MAX_SIZE: i64 = 1 << 40;

    /// The options of a caller.
    ///
    /// # Safety
    /// The pointer is valid for the bytes that its first field says.
    pub(crate) unsafe fn read(from: *const hcube_matrix) -> Result<Self> {
        let incomplete = || {
            // SAFETY: the first field is there, by the contract of this function.
            let size = unsafe { (*from).struct_size };
            Err(Error::argument(Self::NAME, size, format!("{} ({})", size_of::<Self>(), Self::FILLED_BY)))
        };
        // SAFETY: valid for the bytes that its first field says.
        unsafe { crate::sized::read(from, incomplete) }
    }

    /// The sub-matrix, with the numbers of PBLAS.
    ///
    /// # Errors
    /// Names the field that is too large.
    pub(crate) fn to_sub_matrix(self, names: &[&'static str; 11]) -> Result<SubMatrix> {
        for (name, value) in names.iter().zip(self.values()) {
            if !(-Self::MAX_SIZE..=Self::MAX_SIZE).contains(&value) {
                return Err(Error::argument(name, value, format!("up to {}", Self::MAX_SIZE)));
            }
        }
        let descriptor = Descriptor {
            kind: 2,
            context: 0,
            size: [self.rows, self.columns],
            first_block: [self.first_row_block, self.first_column_block],
            block: [self.row_block, self.column_block],
            source: [self.row_source.into(), self.column_source.into()],
            leading: self.leading_dimension,
        };
        Ok(SubMatrix { first: [self.row + 1, self.column + 1], descriptor })
    }

    /// All fields except the size of the structure: the fields of PBLAS' descriptor in its order, then row
    /// and column.
    pub(crate) fn values(&self) -> [i64; 11] {
        [
            self.rows,
            self.columns,
            self.first_row_block,
            self.first_column_block,
            self.row_block,
            self.column_block,
            self.row_source.into(),
            self.column_source.into(),
            self.leading_dimension,
            self.row,
            self.column,
        ]
    }
}

/// Options of the matrix products on a communicator; the same on all ranks, except multiply. Call
/// hcube_gemm_default_options first, then change fields. A later version may append fields:
/// struct_size is the size in the header of the caller, and fields beyond it have their defaults.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct hcube_gemm_options {
    /// sizeof(hcube_gemm_options) in the program of the caller.
    pub struct_size: u64,
    /// [`hcube_gemm::Options::memory`]
    pub memory: i64,
    /// [`hcube_gemm::Options::inner_block`]
    pub inner_block: i64,
    /// [`hcube_gemm::Options::outer_block`]
    pub outer_block: i64,
    /// [`hcube_gemm::Options::algorithm`]
    pub algorithm: i32,
    /// [`hcube_gemm::Options::stationary`]
    pub stationary: i32,
    /// [`hcube_gemm::Options::broadcast`]
    pub broadcast: i32,
    /// [`hcube_gemm::Options::group_rows`]
    pub group_rows: i32,
    /// [`hcube_gemm::Options::group_columns`]
    pub group_columns: i32,
    /// [`hcube_gemm::Options::levels`]
    pub levels: i32,
    /// [`hcube_gemm::Options::ranks_per_node`]
    pub ranks_per_node: i32,
    /// 0; reserved for a later version.
    pub reserved: i32,
    /// BLAS routine for local products, with the Fortran binding: sgemm_, dgemm_, cgemm_ or zgemm_, for the
    /// type of the elements; NULL selects the BLAS of the program.
    pub multiply: Option<unsafe extern "C" fn()>,
}

options_of_a_table!(
    hcube_gemm_options,
    hcube_gemm::options::Options,
    [
        memory,
        inner_block,
        outer_block,
        algorithm,
        stationary,
        broadcast,
        group_rows,
        group_columns,
        levels,
        ranks_per_node
    ],
    zero: reserved,
    none: multiply
);

// SAFETY: numbers and an address, the size first; without padding, as test `abi` checks.
unsafe impl Growing for hcube_gemm_options {
    const NAME: &'static str = "options.struct_size";
    const FILLED_BY: &'static str = "call hcube_gemm_default_options first";
}
