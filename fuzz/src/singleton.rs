//! MPI in a process without a launcher: one rank.

use hcube_core::mpi::MPI_Comm;
use mpi::ffi;
use std::sync::OnceLock;

/// Initialises MPI at the first call, with errors that are returned. MPI is never finalised.
pub fn begin() {
    static BEGUN: OnceLock<()> = OnceLock::new();
    BEGUN.get_or_init(|| {
        std::mem::forget(mpi::initialize().expect("MPI is initialised only here"));
        // SAFETY: constants, after MPI_Init.
        unsafe {
            ffi::MPI_Comm_set_errhandler(ffi::RSMPI_COMM_WORLD, ffi::RSMPI_ERRORS_RETURN);
            ffi::MPI_Comm_set_errhandler(ffi::RSMPI_COMM_SELF, ffi::RSMPI_ERRORS_RETURN);
        }
    });
}

pub fn comm() -> MPI_Comm {
    begin();
    // SAFETY: MPI_Comm of one mpi.h, seen by two sets of bindings.
    unsafe { std::mem::transmute_copy(&ffi::RSMPI_COMM_SELF) }
}
