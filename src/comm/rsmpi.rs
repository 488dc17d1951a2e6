//! The Rust-facing API: communicators of the crate `mpi` (rsmpi) as arguments.

use super::mpi::Handle;
use super::raw::MPI_Comm;
use mpi::topology::Communicator;

/// The handle of an rsmpi communicator, as the functions of this crate take it.
///
/// The crate `mpi` and this crate each have bindings of their own, generated from the same header,
/// so the two handle types are the same type to the linker and to MPI.
pub fn handle(comm: &impl Communicator) -> Handle {
    const { assert!(size_of::<MPI_Comm>() == size_of::<mpi::ffi::MPI_Comm>()) };
    let theirs = comm.as_raw();
    // SAFETY: both types are MPI_Comm of the one mpi.h that both bindings were generated from, and
    // rsmpi's communicator is a living one.
    unsafe { Handle::new(std::mem::transmute_copy(&theirs)) }
}
