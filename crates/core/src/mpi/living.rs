//! Whether a handle of the caller, which may have any value, is a valid communicator.

use super::check::check;
use super::constants::constants;
use super::guard::guard;
use super::handle::Handle;
use super::raw;
use crate::error::{Error, Result};

/// Checks that a handle is one of a living communicator, while MPI is active. No error is raised on a
/// communicator of the program, and none of its error handlers is touched.
///
/// # Errors
/// [`Error::Communicator`] for a null or freed communicator.
pub fn check_living(comm: Handle) -> Result<()> {
    if comm.is_null() {
        return Err(Error::Communicator(
            "comm = MPI_COMM_NULL: expected a communicator (freed before this call?)".into(),
        ));
    }
    let guard = if constants().guard_needed == 0 { constants().comm_null } else { guard()? };
    // SAFETY: a value that MPI has returned, by the contract of `Handle::new`, and a communicator of ours.
    if unsafe { raw::hcube_shim_is_living(comm.raw(), guard) } == 0 {
        return Err(Error::Communicator("comm is not a valid communicator (freed before this call?)".into()));
    }
    Ok(())
}

/// As [`check_living`]; whether it is an intercommunicator.
///
/// # Errors
/// As [`check_living`].
pub fn check_kind(comm: Handle) -> Result<bool> {
    check_living(comm)?;
    is_inter(comm)
}

/// Whether it is an intercommunicator. MPI raises the error of a handle that it does not know.
///
/// # Errors
/// [`Error::Mpi`] where the handle is invalid.
pub fn is_inter(comm: Handle) -> Result<bool> {
    let mut inter = 0;
    // SAFETY: a value that MPI has returned, by the contract of `Handle::new`; MPI checks whether it lives.
    let code = unsafe { raw::PMPI_Comm_test_inter(comm.raw(), &mut inter) };
    check("MPI_Comm_test_inter", code)?;
    Ok(inter != 0)
}

/// As [`check_living`], for an intracommunicator.
///
/// # Errors
/// [`Error::Communicator`] for a null, freed or inter-communicator.
pub fn check_communicator(comm: Handle) -> Result<()> {
    if check_kind(comm)? {
        return Err(Error::Communicator(
            "comm is an intercommunicator: expected an intracommunicator".into(),
        ));
    }
    Ok(())
}
