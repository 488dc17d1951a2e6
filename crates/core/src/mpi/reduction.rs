//! MPI operations on packed elements in memory, for runtimes that move the elements themselves.

use super::check::check;
use super::handle::{check_state, returning_errors, world};
use super::raw::{self, MPI_Aint, MPI_Datatype, MPI_Op};
use crate::error::{Error, Result};
use std::ffi::c_int;

/// An MPI function that returns a lower bound and an extent.
type Bounds = unsafe extern "C-unwind" fn(MPI_Datatype, *mut MPI_Aint, *mut MPI_Aint) -> c_int;

/// Elements of a datatype and an operation on them, predefined or of the program.
#[derive(Debug, Clone, Copy)]
pub struct Elements {
    datatype: MPI_Datatype,
    operation: MPI_Op,
    count: c_int,
    bytes: usize,
}

impl Elements {
    /// `count` elements.
    ///
    /// # Safety
    /// `datatype` and `operation` are values that MPI has returned, and live as long as this.
    ///
    /// # Errors
    /// [`Error::Argument`] for a number of elements that exceeds the range of MPI, [`Error::Datatype`] for an
    /// invalid datatype or one whose elements have bytes outside of their extent, [`Error::MpiState`].
    pub unsafe fn new(count: i64, datatype: MPI_Datatype, operation: MPI_Op) -> Result<Self> {
        check_state()?;
        let int = c_int::try_from(count).ok().filter(|&count| count >= 0);
        let int = int.ok_or_else(|| Error::argument("count", count, format!("0 to {}", c_int::MAX)))?;
        let bounds = |name, function: Bounds| {
            let (mut first, mut extent): (MPI_Aint, MPI_Aint) = (0, 0);
            let code = returning_errors(world(), || {
                // SAFETY: a value that MPI has returned, by the contract of `new`; MPI checks whether it is a
                // datatype.
                unsafe { function(datatype, &mut first, &mut extent) }
            });
            check(name, code).map_err(|error| Error::Datatype(format!("datatype: {error}")))?;
            Ok((first, extent))
        };
        let (first, extent) = bounds("MPI_Type_get_extent", raw::PMPI_Type_get_extent)?;
        // An extent that the program has set may be shorter than its elements.
        let (lowest, length) = bounds("MPI_Type_get_true_extent", raw::PMPI_Type_get_true_extent)?;
        let is_inside = first == 0
            && lowest >= 0
            && length >= 0
            && lowest.checked_add(length).is_some_and(|end| end <= extent);
        let bytes = usize::try_from(extent).ok().filter(|&bytes| bytes > 0 && is_inside);
        let bytes = bytes.and_then(|bytes| bytes.checked_mul(int as usize)).ok_or_else(|| {
            Error::Datatype(format!(
                "datatype has lower bound {first}, extent {extent}, true lower bound {lowest} and true extent {length}: \
                 expected bound 0, an extent of at least 1 and no bytes outside of it"
            ))
        })?;
        Ok(Self { datatype, operation, count: int, bytes })
    }

    /// Bytes of all elements.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Whether the result is the same in any order of blocks: predefined operations on integers.
    pub fn is_exact(&self) -> bool {
        // SAFETY: handles are only compared.
        unsafe { raw::hcube_shim_is_exact(self.datatype, self.operation) != 0 }
    }

    /// Replaces each element of `higher` by the operation on the element of `lower` there and itself, in this
    /// order.
    ///
    /// # Errors
    /// Errors of MPI, such as an operation that is not defined for the datatype.
    ///
    /// # Panics
    /// Where a slice has another length than [`Self::bytes`].
    pub fn combine(&self, lower: &[u8], higher: &mut [u8]) -> Result<()> {
        assert!(lower.len() == self.bytes && higher.len() == self.bytes);
        let code = returning_errors(world(), || {
            // SAFETY: both slices have `count` elements; the handles live, by the contract of `new`.
            unsafe {
                let (lower, higher) = (lower.as_ptr().cast(), higher.as_mut_ptr().cast());
                raw::PMPI_Reduce_local(lower, higher, self.count, self.datatype, self.operation)
            }
        });
        check("MPI_Reduce_local", code)
    }

    /// Whether the operation is defined for the datatype: tried on no elements.
    ///
    /// # Errors
    /// Errors of MPI.
    pub fn check(&self) -> Result<()> {
        let code = returning_errors(world(), || {
            let mut none = [0_u64; 4];
            // SAFETY: no element is read or written.
            unsafe {
                let address = none.as_mut_ptr().cast();
                raw::PMPI_Reduce_local(address, address.byte_add(16), 0, self.datatype, self.operation)
            }
        });
        check("MPI_Reduce_local", code).map_err(|error| Error::Datatype(format!("operation: {error}")))
    }
}
