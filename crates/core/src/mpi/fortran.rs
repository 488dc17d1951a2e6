//! Handles as Fortran has them: integers in every MPI library.

use super::constants::constants;
use super::handle::{Handle, check_living, check_state, partners, world};
use super::raw::{self, MPI_Comm, MPI_Datatype, MPI_Op, hcube_shim_fint as MPI_Fint};
use crate::error::Result;

/// The communicator that a Fortran program calls by this number. While MPI is not active it is
/// `MPI_COMM_WORLD`: no number can be looked up then, and every function refuses for that reason.
pub fn communicator(number: MPI_Fint) -> MPI_Comm {
    match check_state() {
        // SAFETY: MPI is active and looks whether the number is one of its own.
        Ok(()) => unsafe { raw::hcube_shim_comm_of_fortran(number) },
        Err(_) => world().raw(),
    }
}

/// The number by which a Fortran program calls the communicator of all processes.
///
/// # Errors
/// [`Error::MpiState`](crate::Error::MpiState) where MPI is not active.
pub fn world_number() -> Result<i32> {
    check_state()?;
    // SAFETY: MPI is active.
    Ok(unsafe { raw::hcube_shim_world_of_fortran() })
}

/// As [`communicator`], for datatypes.
pub fn datatype(number: MPI_Fint) -> MPI_Datatype {
    match check_state() {
        // SAFETY: MPI is active and looks whether the number is one of its own.
        Ok(()) => unsafe { raw::hcube_shim_type_of_fortran(number) },
        Err(_) => constants().datatype_null,
    }
}

/// As [`communicator`], for operations of reductions.
pub fn operation(number: MPI_Fint) -> MPI_Op {
    match check_state() {
        // SAFETY: MPI is active and looks whether the number is one of its own.
        Ok(()) => unsafe { raw::hcube_shim_op_of_fortran(number) },
        Err(_) => constants().op_null,
    }
}

/// The datatypes of the blocks of a call, one per rank; none where their number is not known.
///
/// # Safety
/// `comm` is a value that [`communicator`] has given out; `numbers` is null or holds an entry per rank.
pub unsafe fn datatypes(comm: MPI_Comm, numbers: *const MPI_Fint) -> Vec<MPI_Datatype> {
    // SAFETY: MPI has given out what `communicator` returns, by the contract of this function.
    let comm = unsafe { Handle::new(comm) };
    let living = check_state().is_ok() && check_living(comm).is_ok();
    if !living || numbers.is_null() {
        return Vec::new();
    }
    // SAFETY: not null, and then it holds an entry per rank, by the contract of this function.
    let numbers = unsafe { std::slice::from_raw_parts(numbers, partners(comm)) };
    numbers.iter().map(|&number| datatype(number)).collect()
}

/// MPI_DATATYPE_NULL, where a datatype means nothing.
pub fn no_datatype() -> MPI_Datatype {
    constants().datatype_null
}
