//! The general exchange in place for C.

use hcube_alltoall::mpi_front::Counts;
use hcube_alltoall::mpi_front::general::in_one_buffer;
use hcube_core::mpi::{MPI_Aint, MPI_Comm, MPI_Count, MPI_Datatype};
use std::ffi::{c_int, c_void};

/// Collective. MPI_Alltoallv in one buffer, with extra memory of bounded size: the elements that
/// scounts and sdispls give for a rank go to it, those from it come where rcounts and rdispls say. Send
/// blocks and receive blocks may lie in the same places, and the numbers of elements need not be the same
/// in both directions, which MPI_IN_PLACE requires. MPI has no function for this.
///
/// Send blocks must not overlap each other, nor receive blocks. What no block receives into keeps its
/// value where no send block lies; send blocks that nothing is received into have any value afterwards.
///
/// buffer: contains all blocks, in memory of the host; displacements count extents of datatype, from its
/// start. datatype: one whose elements are contiguous.
/// Extra memory: hcube_alltoall_options.memory (HCUBE_MEMORY) bytes and 20 KiB per rank, beside as much of
/// other exchanges on this communicator, until it is freed; a larger bound takes fewer messages. Where it
/// holds all that each rank sends, the exchange is one between two buffers. Returns MPI_SUCCESS, or an MPI
/// error code after the error handler of the communicator was called, on all ranks, with nothing written:
/// MPI_ERR_TRUNCATE if counts do not match, MPI_ERR_BUFFER for blocks that overlap, MPI_ERR_COUNT,
/// MPI_ERR_TYPE, MPI_ERR_COMM.
/// The problem is that of M. Hofmann and G. Ruenger, An in-place algorithm for irregular all-to-all
/// communication with limited memory, EuroMPI 2010; the algorithm is another one.
///
/// # Safety
/// As MPI asks for them.
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
    // SAFETY: the arguments are as MPI asks for them, by the contract of this function.
    unsafe { in_one_buffer("hcube_alltoallv_in_place", buffer, counts, datatype, comm) }
}

/// Collective. hcube_alltoallv_in_place with large counts, as MPI-4 has them; available with every MPI
/// library.
///
/// # Safety
/// As MPI asks for them.
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
    // SAFETY: the arguments are as MPI asks for them, by the contract of this function.
    unsafe { in_one_buffer("hcube_alltoallv_in_place_c", buffer, counts, datatype, comm) }
}
