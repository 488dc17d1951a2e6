//! The Rust-facing API: communicators of the crate `mpi` (rsmpi) as arguments.

use super::raw::MPI_Comm;
use mpi::raw::AsRaw;
use mpi::topology::Communicator;

/// The handle of an rsmpi communicator, as the functions of this crate take it.
///
/// The crate `mpi` and this crate each have bindings of their own, generated from the same header,
/// so the two handle types are the same type to the linker and to MPI.
pub fn handle(comm: &impl Communicator) -> MPI_Comm {
    const { assert!(size_of::<MPI_Comm>() == size_of::<mpi::ffi::MPI_Comm>()) };
    let handle = comm.as_raw();
    // SAFETY: both types are MPI_Comm of the one mpi.h that both bindings were generated from.
    unsafe { std::mem::transmute_copy(&handle) }
}
