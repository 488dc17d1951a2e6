//! The Rust-facing API: communicators of the crate `mpi` (rsmpi) as arguments.

use super::backend::MpiComm;
use super::handle::Handle;
use super::raw::MPI_Comm;
use crate::error::Result;
use mpi::topology::Communicator;

/// The handle of an rsmpi communicator, for [`gate`](super::gate).
///
/// # Safety
/// As [`Handle::new`]: the communicator is not dropped while the handle is in use.
pub unsafe fn handle(comm: &impl Communicator) -> Handle {
    // The crate `mpi` and this crate have separate bindings, generated from the same header: the two handle
    // types are the same type to the linker and to MPI.
    const { assert!(size_of::<MPI_Comm>() == size_of::<mpi::ffi::MPI_Comm>()) };
    let theirs = comm.as_raw();
    // SAFETY: both types are MPI_Comm of one mpi.h, and MPI has given the value out; how long it is used is
    // up to the contract of this function.
    unsafe { Handle::new(std::mem::transmute_copy(&theirs)) }
}

/// Collective: a communicator of the ranks of an rsmpi communicator, for the algorithms of this crate.
///
/// # Errors
/// Where MPI is finalised, the communicator is an intercommunicator, or MPI fails.
pub fn duplicate(comm: &impl Communicator) -> Result<MpiComm> {
    // SAFETY: the communicator is borrowed until this function returns.
    let handle = unsafe { handle(comm) };
    MpiComm::duplicate(handle)
}
