//! Persistent exchanges for C.

use crate::boundary::exported;
use hcube_alltoall::mpi_front::persistent::{
    self, Initialised, by_library, initialise, make_request, operations_of,
};
use hcube_alltoall::mpi_front::{Call, Counts, Function, Types};
use hcube_core::mpi::{MPI_Comm, MPI_Datatype, MPI_Info, MPI_Request, forward};
use std::ffi::{c_int, c_void};

/// Initialises a call, or forwards it to the library.
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
    // SAFETY: the arguments are as MPI requires, by the contract of this function.
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
/// As MPI_Startall requires.
unsafe fn start_exchanges(requests: *mut MPI_Request, count: c_int) {
    // SAFETY: NULL or an array of `count` requests, which are not active and whose memory is as MPI requires.
    unsafe {
        for operation in operations_of(requests, count) {
            operation.start();
        }
    }
}

/// Collective. MPI_Alltoall_init with its arguments and its return value: a persistent exchange, started by
/// hcube_start or hcube_startall. request receives an inactive MPI request, for MPI_Wait, MPI_Waitall and
/// their variants, freed by hcube_request_free. Do not use MPI_Start, MPI_Startall or MPI_Request_free with
/// it, not even with libhcube_preload.so loaded: MPI_Start moves no data, and after MPI_Request_free
/// hcube_start may take a new request with the same handle for this one.
///
/// hcube performs the exchange if the path is HCUBE_PATH_SINGLE_COPY and all ranks of comm are on one node;
/// otherwise the MPI library does. Of two ranks, the rank that starts later copies the blocks in both
/// directions; if both start at about the same time, each copies half. A start waits at most 1 ms for this.
/// Extra memory: 16 bytes for each contiguous part of the blocks of this rank and of the corresponding blocks
/// of its partners, and some pages of shared memory.
///
/// Errors of arguments, and MPI_ERR_TRUNCATE for a block that is longer than the other rank expects, are
/// raised on all ranks, and no request is created. With an MPI library without persistent collective
/// operations (MPI-4; Open MPI 5), the error is MPI_ERR_ARG. A copy that the kernel refuses after a start
/// ends the job with a message.
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
    // SAFETY: the arguments are as MPI requires, by the contract of this function.
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

    /// Local. MPI_Start, for requests of hcube_alltoall_init and its variants, and for all other persistent
    /// requests.
    fn hcube_start(request: *mut MPI_Request) -> c_int {
        start_exchanges(request, 1);
        forward::start(request)
    }

    /// Local. MPI_Startall, for requests of hcube_alltoall_init and its variants, and for all other
    /// persistent requests.
    fn hcube_startall(count: c_int, requests: *mut MPI_Request) -> c_int {
        start_exchanges(requests, count);
        forward::startall(count, requests)
    }

    /// Local. MPI_Request_free, for requests of hcube_alltoall_init and its variants, and for all other
    /// requests.
    fn hcube_request_free(request: *mut MPI_Request) -> c_int {
        if !request.is_null() {
            persistent::forget(*request);
        }
        forward::request_free(request)
    }
}
