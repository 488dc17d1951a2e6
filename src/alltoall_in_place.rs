//! The general exchange in place for C.

use hcube_alltoall::mpi_front::Counts;
use hcube_alltoall::mpi_front::general::in_one_buffer;
use hcube_core::mpi::{MPI_Aint, MPI_Comm, MPI_Count, MPI_Datatype};
use std::ffi::{c_int, c_void};

/// Collective. MPI_Alltoallv with one buffer for both directions and bounded extra memory: scounts and
/// sdispls describe the blocks that are sent, rcounts and rdispls the blocks that are received, as in
/// MPI_Alltoallv. Send blocks may overlap receive blocks, and the counts of the two directions may differ;
/// MPI_IN_PLACE requires equal counts. MPI has no such function.
///
/// Send blocks must not overlap each other, nor may receive blocks. Elements outside of all blocks keep their
/// values. Elements of send blocks that are in no receive block are undefined on return.
///
/// buffer: contains all blocks, in host memory; displacements are from its start, in extents of datatype.
/// datatype: its elements must be contiguous.
/// Extra memory: hcube_alltoall_options.memory (HCUBE_MEMORY) bytes and 20 KiB per rank, in addition to the
/// same amount for other exchanges on this communicator, until it is freed. A larger bound needs fewer
/// messages. If each rank's send blocks fit into it, the exchange is performed out of place. Returns
/// MPI_SUCCESS, or an MPI error code after the error handler of the communicator has been called, on all
/// ranks, with nothing written: MPI_ERR_TRUNCATE if counts do not match, MPI_ERR_BUFFER for blocks that
/// overlap, MPI_ERR_COUNT, MPI_ERR_TYPE, MPI_ERR_COMM.
/// The problem is described in M. Hofmann and G. Ruenger, An in-place algorithm for irregular all-to-all
/// communication with limited memory, EuroMPI 2010; hcube uses a different algorithm.
///
/// # Safety
/// As MPI requires.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn hcube_alltoallv_in_place(
    buffer: *mut c_void,
    scounts: *const c_int,
    sdispls: *const c_int,
    rcounts: *const c_int,
    rdispls: *const c_int,
    datatype: MPI_Datatype,
    comm: MPI_Comm,
) -> c_int {
    let counts = (Counts::Int(scounts, sdispls), Counts::Int(rcounts, rdispls));
    // SAFETY: the arguments are as MPI requires, by the contract of this function.
    unsafe { in_one_buffer("hcube_alltoallv_in_place", buffer, counts, datatype, comm) }
}

/// Collective. hcube_alltoallv_in_place with large counts, as the _c functions of MPI-4; available with every
/// MPI library.
///
/// # Safety
/// As MPI requires.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn hcube_alltoallv_in_place_c(
    buffer: *mut c_void,
    scounts: *const MPI_Count,
    sdispls: *const MPI_Aint,
    rcounts: *const MPI_Count,
    rdispls: *const MPI_Aint,
    datatype: MPI_Datatype,
    comm: MPI_Comm,
) -> c_int {
    let counts = (Counts::Large(scounts, sdispls), Counts::Large(rcounts, rdispls));
    // SAFETY: the arguments are as MPI requires, by the contract of this function.
    unsafe { in_one_buffer("hcube_alltoallv_in_place_c", buffer, counts, datatype, comm) }
}
