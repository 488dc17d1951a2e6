//! Fortran handles: integers in every MPI library.

use super::check::check;
use super::constants::{SUCCESS, constants};
use super::handle::{Handle, check_living, check_state, partners, returning_errors, world};
use super::raw::{self, MPI_Comm, MPI_Datatype, MPI_Op, hcube_shim_fint as MPI_Fint};
use crate::error::Result;
use std::ffi::c_int;
use std::mem::MaybeUninit;

/// The communicator with this Fortran handle. While MPI is not active it is `MPI_COMM_WORLD`: no handle can
/// be converted then, and every function returns that error.
pub fn communicator(number: MPI_Fint) -> MPI_Comm {
    match check_state() {
        // SAFETY: MPI is active and checks whether the number is one of its own.
        Ok(()) => unsafe { raw::hcube_shim_comm_of_fortran(number) },
        Err(_) => world().raw(),
    }
}

/// The number by which a Fortran program calls the communicator of all processes.
///
/// # Errors
/// [`Error::MpiState`](crate::Error::MpiState) if MPI is not active.
pub fn world_number() -> Result<i32> {
    check_state()?;
    // SAFETY: MPI is active.
    Ok(unsafe { raw::hcube_shim_number_of_comm(world().raw()) })
}

/// Collective over the processes with these ranks in `MPI_COMM_WORLD`, including this one: the Fortran handle
/// of a new communicator, in which they have this order.
///
/// # Errors
/// Where MPI is not active, or has no further communicator.
pub fn new_communicator(ranks: &[usize]) -> Result<i32> {
    check_state()?;
    let ranks: Vec<c_int> = ranks.iter().map(|&rank| rank as c_int).collect();
    let mut comm = constants().comm_null;
    let code = returning_errors(world(), || {
        let (mut all, mut members) = (MaybeUninit::uninit(), MaybeUninit::uninit());
        // SAFETY: MPI is active, and writes a group where it returns success.
        unsafe {
            let code = raw::PMPI_Comm_group(world().raw(), all.as_mut_ptr());
            if code != SUCCESS {
                return code;
            }
            let mut code = raw::PMPI_Group_incl(
                all.assume_init(),
                ranks.len() as c_int,
                ranks.as_ptr(),
                members.as_mut_ptr(),
            );
            if code == SUCCESS {
                code = raw::PMPI_Comm_create_group(world().raw(), members.assume_init(), 0, &mut comm);
                raw::PMPI_Group_free(members.as_mut_ptr());
            }
            raw::PMPI_Group_free(all.as_mut_ptr());
            code
        }
    });
    check("MPI_Comm_create_group", code)?;
    // SAFETY: MPI has just made it.
    Ok(unsafe { raw::hcube_shim_number_of_comm(comm) })
}

/// As [`communicator`], for datatypes.
pub fn datatype(number: MPI_Fint) -> MPI_Datatype {
    match check_state() {
        // SAFETY: MPI is active and checks whether the number is one of its own.
        Ok(()) => unsafe { raw::hcube_shim_type_of_fortran(number) },
        Err(_) => constants().datatype_null,
    }
}

/// As [`communicator`], for operations of reductions.
pub fn operation(number: MPI_Fint) -> MPI_Op {
    match check_state() {
        // SAFETY: MPI is active and checks whether the number is one of its own.
        Ok(()) => unsafe { raw::hcube_shim_op_of_fortran(number) },
        Err(_) => constants().op_null,
    }
}

/// The datatypes of the blocks of a call, one per rank; none where their number is not known.
///
/// # Safety
/// `comm` is a value that [`communicator`] has given out; `numbers` is null or holds an entry per rank.
pub unsafe fn datatypes(comm: MPI_Comm, numbers: *const MPI_Fint) -> Vec<MPI_Datatype> {
    // SAFETY: MPI has returned what `communicator` returns, by the contract of this function.
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
