//! Nonblocking exchanges for C.

use crate::boundary::exported;
use hcube_alltoall::mpi_front::nonblocking::{by_library, complete, refuse, start};
use hcube_alltoall::mpi_front::{Call, Counts, Function, Types, Verdict};
use hcube_core::mpi::{MPI_Comm, MPI_Datatype, MPI_Request};
use std::ffi::{c_int, c_void};

/// Starts a call, by the library where hcube leaves it to that.
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
    // SAFETY: the arguments are as MPI asks for them, by the contract of this function.
    unsafe {
        match start(&call) {
            Verdict::Done(_) => complete(&call, request),
            Verdict::Refused(refusal) => refuse(&call, refusal, request),
            Verdict::Library(_) => by_library(&call, request),
        }
    }
}

/// Collective. MPI_Ialltoall with its arguments, its semantics and its return value; request is one of MPI,
/// for MPI_Wait, MPI_Waitall and their variants.
///
/// hcube makes the exchange where all ranks of the communicator are on one node and single copy was asked
/// for, by hcube_alltoall_set_options, or by HCUBE_PATH and a blocking exchange on this communicator, which
/// performs the set-up. Of two ranks, the one that starts later copies the blocks of both; if the other one
/// has started just before, each copies only the block that it receives. A rank that starts early stays for
/// this for at most 1 ms. Otherwise, and in place, the MPI library's own function is called.
///
/// A rank may be any number of exchanges ahead of another one. Extra memory, beside
/// hcube_alltoall_options.memory: 66 KiB and 34 KiB per rank on the node, whose pages become resident when
/// used, and for each exchange under way 64 bytes per rank and 16 bytes for each contiguous part of its
/// blocks.
///
/// Errors of the arguments are raised on the rank that passes them, and nothing is started there.
/// MPI_ERR_TRUNCATE for a block that is longer than the other rank expects is raised on one of the two ranks;
/// the exchange of the other blocks is under way then, and its request has to be completed. A datatype that
/// hcube cannot read, and a copy that the kernel refuses, end the job with a message, as other ranks take the
/// exchange for complete.
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
    // SAFETY: the arguments are as MPI asks for them, by the contract of this function.
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
