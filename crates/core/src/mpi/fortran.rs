//! Handles as Fortran has them: integers in every MPI library.

use super::handle::{Handle, check_communicator, check_state, is_inter, partners};
use super::raw::{self, MPI_Comm, MPI_Datatype, hcube_shim_fint as MPI_Fint};

/// The communicator that a Fortran program calls by this number. While MPI is not active it is
/// `MPI_COMM_WORLD`, whatever the number: there is nothing to look it up in, and every function says so.
pub fn communicator(number: MPI_Fint) -> MPI_Comm {
    // SAFETY: MPI is active, or a constant is asked for.
    unsafe {
        match check_state() {
            Ok(()) => raw::hcube_shim_comm_of_fortran(number),
            Err(_) => raw::hcube_shim_comm_world(),
        }
    }
}

/// As [`communicator`], for datatypes.
pub fn datatype(number: MPI_Fint) -> MPI_Datatype {
    // SAFETY: MPI is active, or a constant is asked for.
    unsafe {
        match check_state() {
            Ok(()) => raw::hcube_shim_type_of_fortran(number),
            Err(_) => raw::hcube_shim_datatype_null(),
        }
    }
}

/// The datatypes of the blocks of a call, one per rank; none where there is no telling how many.
///
/// # Safety
/// `comm` is a value that [`communicator`] has given out; `numbers` is null or holds an entry per rank.
pub unsafe fn datatypes(comm: MPI_Comm, numbers: *const MPI_Fint) -> Vec<MPI_Datatype> {
    // SAFETY: the caller's promise.
    let comm = unsafe { Handle::new(comm) };
    let living = check_state().is_ok() && (check_communicator(comm).is_ok() || is_inter(comm));
    if !living || numbers.is_null() {
        return Vec::new();
    }
    // SAFETY: the caller's promise.
    let numbers = unsafe { std::slice::from_raw_parts(numbers, partners(comm)) };
    numbers.iter().map(|&number| datatype(number)).collect()
}

/// MPI_DATATYPE_NULL, where a datatype means nothing.
pub fn no_datatype() -> MPI_Datatype {
    // SAFETY: a constant.
    unsafe { raw::hcube_shim_datatype_null() }
}
