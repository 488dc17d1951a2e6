//! Nonblocking exchanges for C.

use crate::boundary::exported;
use hcube_alltoall::mpi_front::nonblocking::{by_library, complete, refuse, start};
use hcube_alltoall::mpi_front::{Call, Counts, Function, Types, Verdict};
use hcube_core::mpi::{MPI_Comm, MPI_Datatype, MPI_Request};
use std::ffi::{c_int, c_void};

/// Starts a call, or forwards it to the library.
///
/// # Safety
/// As [`start`].
unsafe fn perform(
    function: Function,
    sent: (*const c_void, Counts, Types),
    received: (*mut c_void, Counts, Types),
    comm: MPI_Comm,
    request: *mut MPI_Request,
) -> c_int {
    let call = Call::new(function, sent, received, comm, false);
    // SAFETY: the arguments are as MPI requires, by the contract of this function.
    unsafe {
        match start(&call) {
            Verdict::Done(_) => complete(&call, request),
            Verdict::Refused(refusal) => refuse(&call, refusal, request),
            Verdict::Library(_) => by_library(&call, request),
        }
    }
}

/// Collective. MPI_Ialltoall with its arguments, its semantics and its return value; request receives an MPI
/// request, for MPI_Wait, MPI_Waitall and their variants.
///
/// hcube performs the exchange if all ranks of the communicator are on one node and single copy is selected:
/// by hcube_alltoall_set_options, or by HCUBE_PATH and an earlier blocking exchange on this communicator,
/// which performs the set-up. Of two ranks, the rank that starts later copies the blocks in both directions.
/// If both start at about the same time, each copies the block that it receives; a rank waits at most 1 ms
/// for this. Otherwise, and in place, the call is forwarded to the MPI library.
///
/// A rank may be any number of exchanges ahead of another rank. Extra memory, in addition to
/// hcube_alltoall_options.memory: 33 KiB and 34 KiB per rank on the node, whose pages become resident when
/// used, and for each pending exchange 64 bytes per rank and 16 bytes for each contiguous part of its blocks.
///
/// Errors of arguments are raised only on the calling rank, which then starts nothing. MPI_ERR_TRUNCATE for a
/// block that is longer than the other rank expects is raised on one of the two ranks; the other blocks are
/// exchanged, and the request must still be completed. A datatype that hcube cannot decode, or a copy that
/// the kernel refuses, ends the job with a message, because other ranks would otherwise take the exchange for
/// complete.
///
/// # Safety
/// As MPI asks for them.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn hcube_ialltoall(
    sendbuf: *const c_void,
    sendcount: c_int,
    sendtype: MPI_Datatype,
    recvbuf: *mut c_void,
    recvcount: c_int,
    recvtype: MPI_Datatype,
    comm: MPI_Comm,
    request: *mut MPI_Request,
) -> c_int {
    let sent = (sendbuf, Counts::Same(sendcount), Types::One(sendtype));
    let received = (recvbuf, Counts::Same(recvcount), Types::One(recvtype));
    // SAFETY: the arguments are as MPI requires, by the contract of this function.
    unsafe { perform(Function::Ialltoall, sent, received, comm, request) }
}

exported! {
    /// Collective. MPI_Ialltoallv; see hcube_ialltoall.
    fn hcube_ialltoallv(
        sendbuf: *const c_void, sendcounts: *const c_int, sdispls: *const c_int, sendtype: MPI_Datatype,
        recvbuf: *mut c_void, recvcounts: *const c_int, rdispls: *const c_int, recvtype: MPI_Datatype,
        comm: MPI_Comm, request: *mut MPI_Request
    ) -> c_int {
        let sent = (sendbuf, Counts::Int(sendcounts, sdispls), Types::One(sendtype));
        let received = (recvbuf, Counts::Int(recvcounts, rdispls), Types::One(recvtype));
        perform(Function::Ialltoallv, sent, received, comm, request)
    }

    /// Collective. MPI_Ialltoallw; see hcube_ialltoall. Displacements are in bytes.
    fn hcube_ialltoallw(
        sendbuf: *const c_void, sendcounts: *const c_int, sdispls: *const c_int,
        sendtypes: *const MPI_Datatype, recvbuf: *mut c_void, recvcounts: *const c_int, rdispls: *const c_int,
        recvtypes: *const MPI_Datatype, comm: MPI_Comm, request: *mut MPI_Request
    ) -> c_int {
        let sent = (sendbuf, Counts::Int(sendcounts, sdispls), Types::Each(sendtypes));
        let received = (recvbuf, Counts::Int(recvcounts, rdispls), Types::Each(recvtypes));
        perform(Function::Ialltoallw, sent, received, comm, request)
    }
}
