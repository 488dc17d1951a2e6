//! The all-to-all exchange for C.
//!
//! The functions that take the place of MPI's have MPI's signatures and return MPI's error codes.

use crate::boundary::{enter, text_buffer, write_text};
use crate::sized;
use crate::types::{hcube_alltoall_options, hcube_error};
use hcube_alltoall::Options;
use hcube_alltoall::mpi_front::collective::{State, prepare};
use hcube_alltoall::mpi_front::{Call, Counts, Function, Side, Types, Verdict, exchange};
use hcube_core::error::HCUBE_SUCCESS;
use hcube_core::mpi::gate;
use hcube_core::mpi::handle::Handle;
use hcube_core::mpi::{MPI_Aint, MPI_Comm, MPI_Count, MPI_Datatype};
use std::ffi::{c_char, c_int, c_void};

/// Makes a call, by the library where hcube leaves it to that.
///
/// # Safety
/// As [`exchange`].
unsafe fn perform(
    function: Function,
    (sent, sent_counts, sent_types): (*const c_void, Counts, Types),
    (received, received_counts, received_types): (*mut c_void, Counts, Types),
    comm: MPI_Comm,
) -> c_int {
    let send = Side { buffer: sent.cast_mut(), counts: sent_counts, types: sent_types };
    let receive = Side { buffer: received, counts: received_counts, types: received_types };
    let call = Call { function, send, receive, comm, tolerant: false };
    // SAFETY: the arguments are as MPI asks for them, by the contract of this function.
    match unsafe { exchange(&call) } {
        Verdict::Done(_) => HCUBE_SUCCESS,
        Verdict::Refused(refusal) => refusal.raise(),
        // SAFETY: the library is asked for what the caller asked hcube for, by the contract of this function.
        Verdict::Library(_) => unsafe { call.by_library() },
    }
}

/// Collective: MPI_Alltoall, with its arguments, its semantics and its return value: MPI_SUCCESS, or
/// an MPI error code after the communicator's error handler has been called.
///
/// sendbuf may be MPI_IN_PLACE: block i of recvbuf is then replaced by what rank i has for this
/// rank, with additional memory that is bounded (hcube_alltoall_options.memory) instead of a second
/// buffer. Buffers that overlap otherwise are an error, as in MPI, that is not detected.
/// hcube chooses the path unless hcube_alltoall_set_options or the environment says otherwise; exchanges
/// that it does not make faster are forwarded to the MPI library. Where they are forwarded without a vote of
/// the ranks (out of place between nodes, HCUBE_ALLTOALL_LIBRARY) the library checks the arguments, on each
/// rank only its own.
///
/// Errors, by their MPI error class: MPI_ERR_TRUNCATE on all ranks where what one rank sends is not
/// what another expects (both counts and ranks are named, nothing is written), MPI_ERR_COUNT,
/// MPI_ERR_TYPE, MPI_ERR_BUFFER, MPI_ERR_COMM; where another rank refused its arguments, the class
/// of that rank's error.
/// Source of the in-place algorithms: Hofmann and Ruenger, In-place Algorithms for the Symmetric
/// All-to-all Exchange with MPI, EuroMPI 2013.
///
/// # Safety
/// As MPI asks for them.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hcube_alltoall(
    sendbuf: *const c_void,
    sendcount: c_int,
    sendtype: MPI_Datatype,
    recvbuf: *mut c_void,
    recvcount: c_int,
    recvtype: MPI_Datatype,
    comm: MPI_Comm,
) -> c_int {
    let (sent, received) = (Counts::Same(sendcount), Counts::Same(recvcount));
    // SAFETY: the arguments are as MPI asks for them, by the contract of this function.
    unsafe {
        perform(
            Function::Alltoall,
            (sendbuf, sent, Types::One(sendtype)),
            (recvbuf, received, Types::One(recvtype)),
            comm,
        )
    }
}

/// Collective: MPI_Alltoallv; see hcube_alltoall.
///
/// # Safety
/// As MPI asks for them.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hcube_alltoallv(
    sendbuf: *const c_void,
    sendcounts: *const c_int,
    sdispls: *const c_int,
    sendtype: MPI_Datatype,
    recvbuf: *mut c_void,
    recvcounts: *const c_int,
    rdispls: *const c_int,
    recvtype: MPI_Datatype,
    comm: MPI_Comm,
) -> c_int {
    let (sent, received) = (Counts::Int(sendcounts, sdispls), Counts::Int(recvcounts, rdispls));
    // SAFETY: the arguments are as MPI asks for them, by the contract of this function.
    unsafe {
        perform(
            Function::Alltoallv,
            (sendbuf, sent, Types::One(sendtype)),
            (recvbuf, received, Types::One(recvtype)),
            comm,
        )
    }
}

/// Collective: MPI_Alltoallw; see hcube_alltoall. Displacements are in bytes.
///
/// # Safety
/// As MPI asks for them.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hcube_alltoallw(
    sendbuf: *const c_void,
    sendcounts: *const c_int,
    sdispls: *const c_int,
    sendtypes: *const MPI_Datatype,
    recvbuf: *mut c_void,
    recvcounts: *const c_int,
    rdispls: *const c_int,
    recvtypes: *const MPI_Datatype,
    comm: MPI_Comm,
) -> c_int {
    let (sent, received) = (Counts::Int(sendcounts, sdispls), Counts::Int(recvcounts, rdispls));
    // SAFETY: the arguments are as MPI asks for them, by the contract of this function.
    unsafe {
        perform(
            Function::Alltoallw,
            (sendbuf, sent, Types::Each(sendtypes)),
            (recvbuf, received, Types::Each(recvtypes)),
            comm,
        )
    }
}

/// Collective: hcube_alltoall with the counts of MPI-4's MPI_Alltoall_c, with every MPI library.
///
/// # Safety
/// As MPI asks for them.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hcube_alltoall_c(
    sendbuf: *const c_void,
    sendcount: MPI_Count,
    sendtype: MPI_Datatype,
    recvbuf: *mut c_void,
    recvcount: MPI_Count,
    recvtype: MPI_Datatype,
    comm: MPI_Comm,
) -> c_int {
    // SAFETY: the arguments are as MPI asks for them, by the contract of this function.
    unsafe {
        perform(
            Function::Alltoall,
            (sendbuf, Counts::SameLarge(sendcount), Types::One(sendtype)),
            (recvbuf, Counts::SameLarge(recvcount), Types::One(recvtype)),
            comm,
        )
    }
}

/// Collective: hcube_alltoallv with the counts of MPI-4's MPI_Alltoallv_c, with every MPI library.
///
/// # Safety
/// As MPI asks for them.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hcube_alltoallv_c(
    sendbuf: *const c_void,
    sendcounts: *const MPI_Count,
    sdispls: *const MPI_Aint,
    sendtype: MPI_Datatype,
    recvbuf: *mut c_void,
    recvcounts: *const MPI_Count,
    rdispls: *const MPI_Aint,
    recvtype: MPI_Datatype,
    comm: MPI_Comm,
) -> c_int {
    let (sent, received) = (Counts::Large(sendcounts, sdispls), Counts::Large(recvcounts, rdispls));
    // SAFETY: the arguments are as MPI asks for them, by the contract of this function.
    unsafe {
        perform(
            Function::Alltoallv,
            (sendbuf, sent, Types::One(sendtype)),
            (recvbuf, received, Types::One(recvtype)),
            comm,
        )
    }
}

/// Collective: hcube_alltoallw with the counts of MPI-4's MPI_Alltoallw_c, with every MPI library.
///
/// # Safety
/// As MPI asks for them.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hcube_alltoallw_c(
    sendbuf: *const c_void,
    sendcounts: *const MPI_Count,
    sdispls: *const MPI_Aint,
    sendtypes: *const MPI_Datatype,
    recvbuf: *mut c_void,
    recvcounts: *const MPI_Count,
    rdispls: *const MPI_Aint,
    recvtypes: *const MPI_Datatype,
    comm: MPI_Comm,
) -> c_int {
    let (sent, received) = (Counts::Large(sendcounts, sdispls), Counts::Large(recvcounts, rdispls));
    // SAFETY: the arguments are as MPI asks for them, by the contract of this function.
    unsafe {
        perform(
            Function::Alltoallw,
            (sendbuf, sent, Types::Each(sendtypes)),
            (recvbuf, received, Types::Each(recvtypes)),
            comm,
        )
    }
}

/// Fills *options, of size bytes (pass sizeof *options), with the defaults, changed by the
/// environment variables HCUBE_ALLTOALL, HCUBE_PATH, HCUBE_MEMORY and HCUBE_RANKS_PER_NODE. Local; may
/// be called before MPI_Init.
///
/// Errors: HCUBE_ERR_ARGUMENT where options is NULL or a variable cannot be read.
///
/// # Safety
/// The pointers are null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hcube_alltoall_default_options(
    options: *mut hcube_alltoall_options,
    size: u64,
    error: *mut hcube_error,
) -> i32 {
    // SAFETY: null or valid, by the contract of this function.
    unsafe {
        enter(None, error, || {
            sized::fill(options, size, || {
                Options::from_environment().map(|options| hcube_alltoall_options::from_options(&options))
            })
        })
    }
}

/// Collective: sets the options of all later exchanges on a communicator, instead of the defaults and
/// the environment; NULL for these again. Prepares what the first exchange would prepare (a private
/// duplicate of the communicator, shared memory), which is useful before a timed region. The same
/// options on all ranks.
///
/// Errors: HCUBE_ERR_ARGUMENT, HCUBE_ERR_COMM, HCUBE_ERR_MPI_STATE, HCUBE_ERR_MISMATCH,
/// HCUBE_ERR_MEMORY where a path was asked for that does not work here, HCUBE_ERR_MPI.
///
/// # Safety
/// The pointers are null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hcube_alltoall_set_options(
    comm: MPI_Comm,
    options: *const hcube_alltoall_options,
    error: *mut hcube_error,
) -> i32 {
    // SAFETY: the pointers are null or valid as the contract of this function says; the handle is one of MPI's.
    unsafe {
        let comm = Handle::new(comm);
        enter(Some(comm), error, || {
            let options = if options.is_null() {
                Options::from_environment()
            } else {
                hcube_alltoall_options::read(options)
            };
            gate::enter(comm, |comm, kept| prepare(comm, kept, Some(options)).map(drop))
        })
    }
}

/// Local: the path that this rank's last exchange on a communicator used, as text: "none",
/// "alone", "shared", "single-copy", "message", "node+message", "hypercube", "library" or "refused".
///
/// text: receives the text and a zero byte; cut where length bytes, at least 1, are not enough.
/// Errors: HCUBE_ERR_ARGUMENT, HCUBE_ERR_COMM, HCUBE_ERR_MPI_STATE.
///
/// # Safety
/// The pointers are null or valid; text has room for length bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hcube_alltoall_last_way(
    comm: MPI_Comm,
    text: *mut c_char,
    length: u64,
    error: *mut hcube_error,
) -> i32 {
    // SAFETY: error is null or valid and text has room, by the contract of this function; the handle is one of
    // MPI's.
    unsafe {
        let comm = Handle::new(comm);
        enter(Some(comm), error, || {
            let text = text_buffer(text, length)?;
            let path = gate::look(comm, |state: &State| state.last_path)?;
            write_text(text, path.unwrap_or("none"));
            Ok(())
        })
    }
}
