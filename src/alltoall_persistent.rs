//! Persistent exchanges for C.

use crate::boundary::exported;
use hcube_alltoall::mpi_front::persistent::{
    self, Initialised, by_library, initialise, make_request, operations_of,
};
use hcube_alltoall::mpi_front::{Call, Counts, Function, Types};
use hcube_core::mpi::{MPI_Comm, MPI_Datatype, MPI_Info, MPI_Request, forward};
use std::ffi::{c_int, c_void};

/// Initialises a call, by the library where hcube leaves it to that.
///
/// # Safety
/// As [`initialise`].
unsafe fn perform(
    function: Function,
    sent: (*const c_void, Counts, Types),
    received: (*mut c_void, Counts, Types),
    comm: MPI_Comm,
    info: MPI_Info,
    request: *mut MPI_Request,
) -> c_int {
    let call = Call::new(function, sent, received, comm, false);
    // SAFETY: the arguments are as MPI asks for them, by the contract of this function.
    unsafe {
        match initialise(&call) {
            Initialised::Served(operation) => make_request(operation, &call, info, request),
            Initialised::Refused(refusal) => refusal.raise(),
            Initialised::Library(_) => by_library(&call, info, request),
        }
    }
}

/// Starts the exchanges of hcube among requests.
///
/// # Safety
/// As MPI asks for them in MPI_Startall.
unsafe fn start_exchanges(requests: *mut MPI_Request, count: c_int) {
    // SAFETY: NULL or an array of `count` requests, which are not active and whose memory is as MPI asks for
    // it.
    unsafe {
        for operation in operations_of(requests, count) {
            operation.start();
        }
    }
}

/// Collective. MPI_Alltoall_init with its arguments and its return value: an exchange that hcube_start or
/// hcube_startall start again and again, from and to the same memory. request is one of MPI, for MPI_Wait and
/// MPI_Waitall with any others, and freed by hcube_request_free. MPI_Start, MPI_Startall and MPI_Request_free
/// do not know of the exchange, also where libhcube_preload.so is loaded: a request that MPI_Start starts
/// completes without moving data, and after MPI_Request_free a new request may have the handle of the old one
/// for hcube_start.
///
/// hcube makes the exchange itself on the path HCUBE_PATH_SINGLE_COPY, where all ranks of comm are on one
/// node; elsewhere the MPI library does. Of two ranks the one that starts later copies the blocks of both, or
/// each its own half; a start waits up to 1 ms for ranks that start at the same time, and for no others.
/// Extra memory: 16 bytes for each contiguous part of the blocks of this rank and of the corresponding blocks
/// of its partners, and some pages of shared memory.
///
/// Errors of arguments, and MPI_ERR_TRUNCATE for a block that is longer than the other rank expects, are
/// raised on all ranks, and no request is made. An MPI library older than MPI 4.0 has no persistent
/// collective operations: the error is MPI_ERR_ARG there. Open MPI has them from version 5 on. A copy that
/// the kernel refuses at a start ends the job with a message.
///
/// # Safety
/// As MPI asks for them.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn hcube_alltoall_init(
    sendbuf: *const c_void,
    sendcount: c_int,
    sendtype: MPI_Datatype,
    recvbuf: *mut c_void,
    recvcount: c_int,
    recvtype: MPI_Datatype,
    comm: MPI_Comm,
    info: MPI_Info,
    request: *mut MPI_Request,
) -> c_int {
    let sent = (sendbuf, Counts::Same(sendcount), Types::One(sendtype));
    let received = (recvbuf, Counts::Same(recvcount), Types::One(recvtype));
    // SAFETY: the arguments are as MPI asks for them, by the contract of this function.
    unsafe { perform(Function::AlltoallInit, sent, received, comm, info, request) }
}

exported! {
    /// Collective. MPI_Alltoallv_init; see hcube_alltoall_init.
    fn hcube_alltoallv_init(
        sendbuf: *const c_void, sendcounts: *const c_int, sdispls: *const c_int, sendtype: MPI_Datatype,
        recvbuf: *mut c_void, recvcounts: *const c_int, rdispls: *const c_int, recvtype: MPI_Datatype,
        comm: MPI_Comm, info: MPI_Info, request: *mut MPI_Request
    ) -> c_int {
        let sent = (sendbuf, Counts::Int(sendcounts, sdispls), Types::One(sendtype));
        let received = (recvbuf, Counts::Int(recvcounts, rdispls), Types::One(recvtype));
        perform(Function::AlltoallvInit, sent, received, comm, info, request)
    }

    /// Collective. MPI_Alltoallw_init; see hcube_alltoall_init. Displacements are in bytes.
    fn hcube_alltoallw_init(
        sendbuf: *const c_void, sendcounts: *const c_int, sdispls: *const c_int,
        sendtypes: *const MPI_Datatype, recvbuf: *mut c_void, recvcounts: *const c_int, rdispls: *const c_int,
        recvtypes: *const MPI_Datatype, comm: MPI_Comm, info: MPI_Info, request: *mut MPI_Request
    ) -> c_int {
        let sent = (sendbuf, Counts::Int(sendcounts, sdispls), Types::Each(sendtypes));
        let received = (recvbuf, Counts::Int(recvcounts, rdispls), Types::Each(recvtypes));
        perform(Function::AlltoallwInit, sent, received, comm, info, request)
    }

    /// Local. MPI_Start, for requests of hcube_alltoall_init, its variants, and all others.
    fn hcube_start(request: *mut MPI_Request) -> c_int {
        start_exchanges(request, 1);
        forward::start(request)
    }

    /// Local. MPI_Startall, for requests of hcube_alltoall_init, its variants, and all others.
    fn hcube_startall(count: c_int, requests: *mut MPI_Request) -> c_int {
        start_exchanges(requests, count);
        forward::startall(count, requests)
    }

    /// Local. MPI_Request_free, for requests of hcube_alltoall_init, its variants, and all others.
    fn hcube_request_free(request: *mut MPI_Request) -> c_int {
        if !request.is_null() {
            persistent::forget(*request);
        }
        forward::request_free(request)
    }
}
