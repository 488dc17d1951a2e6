//! The Rust-facing API: communicators of the crate `mpi` (rsmpi) as arguments.

use super::backend::MpiComm;
use super::handle::{Handle, check_communicator, check_state};
use super::raw::MPI_Comm;
use crate::error::Result;
use mpi::topology::Communicator;

/// Collective: a duplicate of an rsmpi communicator for the algorithms of this crate.
///
/// # Errors
/// Where MPI is finalised, the communicator is an intercommunicator, or MPI fails.
pub fn duplicate(comm: &impl Communicator) -> Result<MpiComm> {
    // The crate `mpi` and this crate each have bindings of their own, generated from the same header:
    // the two handle types are the same type to the linker and to MPI.
    const { assert!(size_of::<MPI_Comm>() == size_of::<mpi::ffi::MPI_Comm>()) };
    let theirs = comm.as_raw();
    // SAFETY: both types are MPI_Comm of one mpi.h; rsmpi's communicator lives longer than this call.
    let handle = unsafe { Handle::new(std::mem::transmute_copy(&theirs)) };
    check_state()?;
    check_communicator(handle)?;
    MpiComm::duplicate(handle)
}
