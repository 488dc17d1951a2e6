//! The all-to-all exchange for C.
//!
//! The functions that replace MPI functions have their signatures and return MPI error codes.

use crate::boundary::{enter, enter_on, exported, text_buffer, write_text};
use crate::sized;
use crate::types::{hcube_alltoall_options, hcube_error};
use hcube_alltoall::mpi_front::state::State;
use hcube_alltoall::mpi_front::{Call, Counts, Function, Types, Verdict, exchange, forwarded, set_options};
use hcube_core::error::HCUBE_SUCCESS;
use hcube_core::mpi::gate;
use hcube_core::mpi::{MPI_Aint, MPI_Comm, MPI_Count, MPI_Datatype};
use std::ffi::{c_char, c_int, c_void};

/// Performs a call, or forwards it to the library.
///
/// # Safety
/// As [`exchange`].
pub(crate) unsafe fn perform(
    function: Function,
    sent: (*const c_void, Counts, Types),
    received: (*mut c_void, Counts, Types),
    comm: MPI_Comm,
) -> c_int {
    let call = Call::new(function, sent, received, comm, false);
    // SAFETY: the arguments are as MPI requires, by the contract of this function.
    match unsafe { exchange(&call) } {
        Verdict::Done(_) => HCUBE_SUCCESS,
        Verdict::Refused(refusal) => refusal.raise(),
        // SAFETY: the library receives the arguments that the caller passed to hcube, by the contract of this
        // function.
        Verdict::Library(reason) => unsafe { forwarded(&call, reason, || call.by_library()) },
    }
}

exported! {
    /// Collective. MPI_Alltoall with its arguments, its semantics and its return value: MPI_SUCCESS, or
    /// an MPI error code after the error handler of the communicator has been called.
    ///
    /// sendbuf may be MPI_IN_PLACE: block i of recvbuf is then replaced by the block that rank i has for this
    /// rank, with extra memory that hcube_alltoall_options.memory bounds instead of a second buffer. Any
    /// other overlap of the buffers is erroneous, as in MPI, and not detected.
    ///
    /// hcube selects schedule and path, unless hcube_alltoall_set_options or the environment does. An
    /// exchange that hcube does not speed up is forwarded to the MPI library. If that is known without
    /// communication (large blocks between nodes, HCUBE_ALLTOALL_LIBRARY), only the MPI library checks
    /// the arguments, on each rank separately.
    ///
    /// Errors, by MPI error class: MPI_ERR_TRUNCATE on all ranks if a rank sends a different amount of
    /// data than its partner expects (the message names both ranks and counts; nothing is written);
    /// MPI_ERR_COUNT, MPI_ERR_TYPE, MPI_ERR_BUFFER, MPI_ERR_COMM; the class of the error of another
    /// rank if its arguments are not valid.
    /// Source of the in-place algorithms: M. Hofmann and G. Ruenger, In-place Algorithms for the
    /// Symmetric All-to-all Exchange with MPI, EuroMPI 2013.
    fn hcube_alltoall(
        sendbuf: *const c_void, sendcount: c_int, sendtype: MPI_Datatype, recvbuf: *mut c_void,
        recvcount: c_int, recvtype: MPI_Datatype, comm: MPI_Comm
    ) -> c_int {
        let sent = (sendbuf, Counts::Same(sendcount), Types::One(sendtype));
        let received = (recvbuf, Counts::Same(recvcount), Types::One(recvtype));
        perform(Function::Alltoall, sent, received, comm)
    }

    /// Collective. MPI_Alltoallv; see hcube_alltoall.
    fn hcube_alltoallv(
        sendbuf: *const c_void, sendcounts: *const c_int, sdispls: *const c_int, sendtype: MPI_Datatype,
        recvbuf: *mut c_void, recvcounts: *const c_int, rdispls: *const c_int, recvtype: MPI_Datatype,
        comm: MPI_Comm
    ) -> c_int {
        let sent = (sendbuf, Counts::Int(sendcounts, sdispls), Types::One(sendtype));
        let received = (recvbuf, Counts::Int(recvcounts, rdispls), Types::One(recvtype));
        perform(Function::Alltoallv, sent, received, comm)
    }

    /// Collective. MPI_Alltoallw; see hcube_alltoall. Displacements are in bytes.
    fn hcube_alltoallw(
        sendbuf: *const c_void, sendcounts: *const c_int, sdispls: *const c_int,
        sendtypes: *const MPI_Datatype, recvbuf: *mut c_void, recvcounts: *const c_int, rdispls: *const c_int,
        recvtypes: *const MPI_Datatype, comm: MPI_Comm
    ) -> c_int {
        let sent = (sendbuf, Counts::Int(sendcounts, sdispls), Types::Each(sendtypes));
        let received = (recvbuf, Counts::Int(recvcounts, rdispls), Types::Each(recvtypes));
        perform(Function::Alltoallw, sent, received, comm)
    }

    /// Collective. hcube_alltoall with large counts, as MPI_Alltoall_c of MPI-4; available with every
    /// MPI library.
    fn hcube_alltoall_c(
        sendbuf: *const c_void, sendcount: MPI_Count, sendtype: MPI_Datatype, recvbuf: *mut c_void,
        recvcount: MPI_Count, recvtype: MPI_Datatype, comm: MPI_Comm
    ) -> c_int {
        let sent = (sendbuf, Counts::SameLarge(sendcount), Types::One(sendtype));
        let received = (recvbuf, Counts::SameLarge(recvcount), Types::One(recvtype));
        perform(Function::Alltoall, sent, received, comm)
    }

    /// Collective. hcube_alltoallv with large counts, as MPI_Alltoallv_c of MPI-4; available with every
    /// MPI library.
    fn hcube_alltoallv_c(
        sendbuf: *const c_void, sendcounts: *const MPI_Count, sdispls: *const MPI_Aint,
        sendtype: MPI_Datatype, recvbuf: *mut c_void, recvcounts: *const MPI_Count, rdispls: *const MPI_Aint,
        recvtype: MPI_Datatype, comm: MPI_Comm
    ) -> c_int {
        let sent = (sendbuf, Counts::Large(sendcounts, sdispls), Types::One(sendtype));
        let received = (recvbuf, Counts::Large(recvcounts, rdispls), Types::One(recvtype));
        perform(Function::Alltoallv, sent, received, comm)
    }

    /// Collective. hcube_alltoallw with large counts, as MPI_Alltoallw_c of MPI-4; available with every
    /// MPI library.
    fn hcube_alltoallw_c(
        sendbuf: *const c_void, sendcounts: *const MPI_Count, sdispls: *const MPI_Aint,
        sendtypes: *const MPI_Datatype, recvbuf: *mut c_void, recvcounts: *const MPI_Count,
        rdispls: *const MPI_Aint, recvtypes: *const MPI_Datatype, comm: MPI_Comm
    ) -> c_int {
        let sent = (sendbuf, Counts::Large(sendcounts, sdispls), Types::Each(sendtypes));
        let received = (recvbuf, Counts::Large(recvcounts, rdispls), Types::Each(recvtypes));
        perform(Function::Alltoallw, sent, received, comm)
    }
}

/// Local. Returns the default options, changed by the environment variables
/// [`hcube_alltoall::Options`].
/// May be called before MPI_Init.
///
/// options: receives the options; allocated by the caller.
/// size: size of *options in bytes, sizeof(hcube_alltoall_options).
/// Errors: HCUBE_ERR_ARGUMENT if options is NULL, size is not valid or the value of a variable is
/// not valid.
///
/// # Safety
/// The pointers are null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn hcube_alltoall_default_options(
    options: *mut hcube_alltoall_options,
    size: u64,
    error: *mut hcube_error,
) -> i32 {
    // SAFETY: null or valid, by the contract of this function.
    unsafe { enter(None, error, || sized::fill(options, size, hcube_alltoall_options::defaults)) }
}

/// Collective. Sets the options of all later exchanges and transpositions on a communicator, in
/// place of the defaults and the environment. Performs the set-up of the first exchange in advance
/// (agrees on the options, allocates shared memory), which is useful before a timed region.
///
/// comm: an intracommunicator.
/// options: the same on all ranks; NULL restores the defaults and the environment.
/// Errors: HCUBE_ERR_ARGUMENT, HCUBE_ERR_COMM, HCUBE_ERR_MPI_STATE, HCUBE_ERR_MISMATCH,
/// HCUBE_ERR_MPI; HCUBE_ERR_MEMORY if the selected path is not available here.
///
/// # Safety
/// The pointers are null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn hcube_alltoall_set_options(
    comm: MPI_Comm,
    options: *const hcube_alltoall_options,
    error: *mut hcube_error,
) -> i32 {
    // SAFETY: the pointers are null or valid; the handle is one of MPI's.
    unsafe { enter_on(comm, error, |comm| set_options(comm, hcube_alltoall_options::read(options))) }
}

/// Local. Returns the path of the last exchange of this rank on a communicator as text: "none" (no exchange
/// yet), "alone" (nothing to exchange), "shared", "single-copy", "message", "node+message", "hypercube",
/// "node-leaders", "library" (forwarded to the MPI library) or "refused" (an error).
///
/// comm: an intracommunicator.
/// text, length: a buffer of length bytes, at least 1. The text is truncated to fit and always
/// terminated by a zero byte.
/// Errors: HCUBE_ERR_ARGUMENT, HCUBE_ERR_COMM, HCUBE_ERR_MPI_STATE.
///
/// # Safety
/// The pointers are null or valid; text has room for length bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn hcube_alltoall_last_path(
    comm: MPI_Comm,
    text: *mut c_char,
    length: u64,
    error: *mut hcube_error,
) -> i32 {
    // SAFETY: error is null or valid and text has room, by the contract of this function; the handle is one
    // of MPI's.
    unsafe {
        enter_on(comm, error, |comm| {
            let text = text_buffer(text, length)?;
            let path = gate::look(comm, |state: &State| state.last_path())?;
            write_text(text, path.unwrap_or("none"));
            Ok(())
        })
    }
}

/// Local. Deprecated name of hcube_alltoall_last_path.
///
/// # Safety
/// The pointers are null or valid; text has room for length bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn hcube_alltoall_last_way(
    comm: MPI_Comm,
    text: *mut c_char,
    length: u64,
    error: *mut hcube_error,
) -> i32 {
    // SAFETY: the arguments are as the contract of that function requires, which is the contract of this one.
    unsafe { hcube_alltoall_last_path(comm, text, length, error) }
}
