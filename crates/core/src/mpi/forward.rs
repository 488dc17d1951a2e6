//! MPI's all-to-all functions, for calls that hcube forwards: thin wrappers, because only this module calls
//! MPI.

use super::constants::constants;
use super::raw::{self, MPI_Aint, MPI_Comm, MPI_Count, MPI_Datatype, MPI_Info, MPI_Request};
use std::ffi::{c_int, c_void};

/// Whether the library has MPI-4's functions with large counts.
pub fn has_large_counts() -> bool {
    constants().large_counts != 0
}

/// Whether the library has MPI-4's persistent collective operations.
pub fn has_persistent() -> bool {
    constants().persistent != 0
}

/// MPI_IN_PLACE, which stands for a send buffer and is never read through.
pub fn in_place() -> *mut c_void {
    constants().in_place
}

/// MPI_ERR_TYPE.
pub fn error_type() -> c_int {
    constants().error_type
}

/// MPI_ERR_COUNT.
pub fn error_count() -> c_int {
    constants().error_count
}

/// Defines a wrapper for each of MPI's functions, with its arguments.
macro_rules! forward {
    ($($(#[$doc:meta])* $name:ident $function:ident ($($argument:ident: $type:ty),* $(,)?);)*) => {
        $($(#[$doc])*
        ///
        /// # Safety
        /// The arguments are as MPI requires.
        #[allow(clippy::too_many_arguments, reason = "some of MPI's functions have as many")]
        pub unsafe fn $name($($argument: $type),*) -> c_int {
            // SAFETY: the signature is that of mpi.h, and the arguments are as MPI requires.
            unsafe { raw::$function($($argument),*) }
        })*
    };
}

forward! {
    /// `MPI_Alltoall`.
    alltoall PMPI_Alltoall(
        sent: *const c_void, sent_count: c_int, sent_type: MPI_Datatype,
        received: *mut c_void, received_count: c_int, received_type: MPI_Datatype, comm: MPI_Comm,
    );
    /// `MPI_Alltoallv`.
    alltoallv PMPI_Alltoallv(
        sent: *const c_void, sent_counts: *const c_int, from: *const c_int, sent_type: MPI_Datatype,
        received: *mut c_void, received_counts: *const c_int, to: *const c_int, received_type: MPI_Datatype,
        comm: MPI_Comm,
    );
    /// `MPI_Alltoallw`.
    alltoallw PMPI_Alltoallw(
        sent: *const c_void, sent_counts: *const c_int, from: *const c_int, sent_types: *const MPI_Datatype,
        received: *mut c_void, received_counts: *const c_int, to: *const c_int,
        received_types: *const MPI_Datatype, comm: MPI_Comm,
    );
    /// `MPI_Neighbor_alltoall`.
    neighbor_alltoall PMPI_Neighbor_alltoall(
        sent: *const c_void, sent_count: c_int, sent_type: MPI_Datatype,
        received: *mut c_void, received_count: c_int, received_type: MPI_Datatype, comm: MPI_Comm,
    );
    /// `MPI_Neighbor_alltoallv`.
    neighbor_alltoallv PMPI_Neighbor_alltoallv(
        sent: *const c_void, sent_counts: *const c_int, from: *const c_int, sent_type: MPI_Datatype,
        received: *mut c_void, received_counts: *const c_int, to: *const c_int, received_type: MPI_Datatype,
        comm: MPI_Comm,
    );
    /// `MPI_Neighbor_alltoallw`.
    neighbor_alltoallw PMPI_Neighbor_alltoallw(
        sent: *const c_void, sent_counts: *const c_int, from: *const MPI_Aint, sent_types: *const MPI_Datatype,
        received: *mut c_void, received_counts: *const c_int, to: *const MPI_Aint,
        received_types: *const MPI_Datatype, comm: MPI_Comm,
    );
    /// `MPI_Ialltoall`.
    ialltoall PMPI_Ialltoall(
        sent: *const c_void, sent_count: c_int, sent_type: MPI_Datatype,
        received: *mut c_void, received_count: c_int, received_type: MPI_Datatype, comm: MPI_Comm,
        request: *mut MPI_Request,
    );
    /// `MPI_Ialltoallv`.
    ialltoallv PMPI_Ialltoallv(
        sent: *const c_void, sent_counts: *const c_int, from: *const c_int, sent_type: MPI_Datatype,
        received: *mut c_void, received_counts: *const c_int, to: *const c_int, received_type: MPI_Datatype,
        comm: MPI_Comm, request: *mut MPI_Request,
    );
    /// `MPI_Ialltoallw`.
    ialltoallw PMPI_Ialltoallw(
        sent: *const c_void, sent_counts: *const c_int, from: *const c_int, sent_types: *const MPI_Datatype,
        received: *mut c_void, received_counts: *const c_int, to: *const c_int,
        received_types: *const MPI_Datatype, comm: MPI_Comm, request: *mut MPI_Request,
    );
    /// `MPI_Ibarrier`.
    ibarrier PMPI_Ibarrier(comm: MPI_Comm, request: *mut MPI_Request);
    /// `MPI_Alltoall_init`; `MPI_ERR_OTHER` where the library does not have it.
    alltoall_init hcube_shim_alltoall_init(
        sent: *const c_void, sent_count: c_int, sent_type: MPI_Datatype,
        received: *mut c_void, received_count: c_int, received_type: MPI_Datatype, comm: MPI_Comm,
        info: MPI_Info, request: *mut MPI_Request,
    );
    /// `MPI_Alltoallv_init`; `MPI_ERR_OTHER` where the library does not have it.
    alltoallv_init hcube_shim_alltoallv_init(
        sent: *const c_void, sent_counts: *const c_int, from: *const c_int, sent_type: MPI_Datatype,
        received: *mut c_void, received_counts: *const c_int, to: *const c_int, received_type: MPI_Datatype,
        comm: MPI_Comm, info: MPI_Info, request: *mut MPI_Request,
    );
    /// `MPI_Alltoallw_init`; `MPI_ERR_OTHER` where the library does not have it.
    alltoallw_init hcube_shim_alltoallw_init(
        sent: *const c_void, sent_counts: *const c_int, from: *const c_int, sent_types: *const MPI_Datatype,
        received: *mut c_void, received_counts: *const c_int, to: *const c_int,
        received_types: *const MPI_Datatype, comm: MPI_Comm, info: MPI_Info, request: *mut MPI_Request,
    );
    /// `MPI_Barrier_init`; `MPI_ERR_OTHER` where the library does not have it.
    barrier_init hcube_shim_barrier_init(comm: MPI_Comm, info: MPI_Info, request: *mut MPI_Request);
    /// `MPI_Start`.
    start PMPI_Start(request: *mut MPI_Request);
    /// `MPI_Startall`.
    startall PMPI_Startall(count: c_int, requests: *mut MPI_Request);
    /// `MPI_Request_free`.
    request_free PMPI_Request_free(request: *mut MPI_Request);
    /// `MPI_Alltoall_c`; `MPI_ERR_COUNT` where the library does not have it.
    alltoall_large hcube_shim_alltoall_c(
        sent: *const c_void, sent_count: MPI_Count, sent_type: MPI_Datatype,
        received: *mut c_void, received_count: MPI_Count, received_type: MPI_Datatype, comm: MPI_Comm,
    );
    /// `MPI_Alltoallv_c`; `MPI_ERR_COUNT` where the library does not have it.
    alltoallv_large hcube_shim_alltoallv_c(
        sent: *const c_void, sent_counts: *const MPI_Count, from: *const MPI_Aint, sent_type: MPI_Datatype,
        received: *mut c_void, received_counts: *const MPI_Count, to: *const MPI_Aint,
        received_type: MPI_Datatype, comm: MPI_Comm,
    );
    /// `MPI_Alltoallw_c`; `MPI_ERR_COUNT` where the library does not have it.
    alltoallw_large hcube_shim_alltoallw_c(
        sent: *const c_void, sent_counts: *const MPI_Count, from: *const MPI_Aint,
        sent_types: *const MPI_Datatype, received: *mut c_void, received_counts: *const MPI_Count,
        to: *const MPI_Aint, received_types: *const MPI_Datatype, comm: MPI_Comm,
    );
}
