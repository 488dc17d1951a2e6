//! libhcube_preload.so: unmodified MPI programs run their all-to-all exchanges through hcube.
//!
//! The library defines `MPI_Alltoall`, `MPI_Alltoallv`, `MPI_Alltoallw`, their `MPI_Neighbor_` and
//! nonblocking forms, `MPI_Init`, `MPI_Init_thread` and `MPI_Finalize`, and, if the MPI library has them, the
//! large-count and persistent forms, for which it also defines `MPI_Start`, `MPI_Startall` and
//! `MPI_Request_free`; of all of these also the `PMPI_` forms. Both forms are needed because the Fortran
//! bindings call `PMPI_` in Open MPI and `MPI_` in MPICH, with Fortran's `MPI_IN_PLACE` already translated.
//! Calls that hcube does not serve are forwarded to the next library's function of the same name, with the
//! program's arguments.
//!
//! # Map
//!
//! | module | holds |
//! |---|---|
//! | this module | the exported functions |
//! | `intercept` | the decision: hcube or the MPI library |
//! | `persistent` | the same for persistent exchanges |
//! | `membership` | whether all processes of `MPI_COMM_WORLD` have this library |
//! | `statistics` | counters per function, place and path |
//! | `report` | the table and the JSON file at `MPI_Finalize` |
//! | `reserve` | the allocator of this library, for processes without further memory |
//! | `mpi` | calls of MPI for these |
//!
//! The crate `hcube-drop-in` has the code that it shares with hcube's other libraries of this kind.
//!
//! A panic in this library is a defect of hcube. It never unwinds out of an exported function: it prints its
//! location and ends the job, because other ranks may be waiting. Exceptions that the program's error handler
//! throws pass through (`extern "C-unwind"`), and so does longjmp.
//!
//! Nothing runs when the library is loaded, so it has no effect on a program without MPI calls. The statics
//! belong to the process, as MPI does.

mod intercept;
mod membership;
mod mpi;
#[cfg(persistent)]
mod persistent;
mod report;
mod reserve;
mod statistics;

use hcube_alltoall::mpi_front::{Call, Counts, Function, Types};
#[cfg(large_counts)]
use hcube_core::mpi::MPI_Count;
#[cfg(persistent)]
use hcube_core::mpi::MPI_Info;
use hcube_core::mpi::{MPI_Aint, MPI_Comm, MPI_Datatype, MPI_Request, gate};
use hcube_core::node::loader::Next;
use std::ffi::{c_int, c_void};

#[global_allocator]
static RESERVE: reserve::Reserve = reserve::Reserve::new();

/// A handle as the program passes it. Handles are pointers in some MPI libraries and `int`s in others; with
/// an `int` the upper half of the register (or of the eight bytes on the stack) is undefined. Forwarded
/// unchanged, it is correct for both kinds, even if the program uses another MPI library than the one that
/// this library was built for. hcube's own calls, which are declared with the handles of mpi.h, use the same
/// registers.
type Handle = *mut c_void;

/// Why a function of MPI is not there.
fn missing(name: &str) -> String {
    format!(
        "no library after libhcube_preload.so defines {name}: the MPI library of this program lacks it or was loaded \
         with RTLD_LOCAL; run without LD_PRELOAD"
    )
}

/// A call of a program that does not call hcube: arguments that the MPI library accepts, hcube accepts.
fn call(
    function: Function,
    sent: (*const c_void, Counts, Types),
    received: (*mut c_void, Counts, Types),
    comm: MPI_Comm,
) -> Call {
    Call::new(function, sent, received, comm, true)
}

/// Defines functions of MPI in both of their forms. A body sees the arguments and `forward`, which calls
/// the next library's function of the same form with them.
macro_rules! functions {
    ($($mpi:ident $pmpi:ident $arguments:tt $forward:ident $body:expr;)*) => {
        $(functions!(@one $mpi $arguments $forward $body); functions!(@one $pmpi $arguments $forward $body);)*
    };
    (@one $name:ident ($($argument:ident: $type:ty),*) $forward:ident $body:expr) => {
        #[doc = concat!("MPI's `", stringify!($name), "`.")]
        ///
        /// # Safety
        /// As MPI requires.
        #[unsafe(no_mangle)]
        pub unsafe extern "C-unwind" fn $name($($argument: $type),*) -> c_int {
            static NEXT: Next = match std::ffi::CStr::from_bytes_with_nul(concat!(stringify!($name), "\0").as_bytes()) {
                Ok(name) => Next::new(name),
                Err(_) => unreachable!(),
            };
            let $forward = || {
                let address = NEXT.address(missing);
                // SAFETY: a function of this name has this signature, as in mpi.h; the arguments are the
                // caller's.
                unsafe {
                    std::mem::transmute::<*const c_void, unsafe extern "C-unwind" fn($($type),*) -> c_int>(address)($($argument),*)
                }
            };
            gate::run(None, || $body)
        }
    };
}

/// The same for the nonblocking ones, whose last argument is a request.
macro_rules! nonblocking {
    ($($mpi:ident $pmpi:ident ($($argument:ident: $type:ty),*) $call:expr;)*) => {
        functions! {
            $($mpi $pmpi ($($argument: $type),*, request: *mut MPI_Request) forward
                // SAFETY: the program passes what MPI requires, by the contract of the function whose place
                // this one takes.
                unsafe { intercept::nonblocking(&$call, request, forward) };)*
        }
    };
}

/// The same for those that initialise persistent exchanges.
#[cfg(persistent)]
macro_rules! persistent {
    ($($mpi:ident $pmpi:ident ($($argument:ident: $type:ty),*) $call:expr;)*) => {
        functions! {
            $($mpi $pmpi ($($argument: $type),*, info: Handle, request: *mut MPI_Request) forward
                // SAFETY: the program passes what MPI requires, by the contract of the function whose place
                // this one takes.
                unsafe { persistent::initialise(&$call, info as MPI_Info, request, forward) };)*
        }
    };
}

/// The same for the all-to-all functions: a description of the call is all that they differ in.
macro_rules! all_to_all {
    ($($mpi:ident $pmpi:ident $arguments:tt $call:expr;)*) => {
        functions! {
            $($mpi $pmpi $arguments forward
                // SAFETY: the program passes what MPI requires, by the contract of the function whose place
                // this one takes.
                unsafe { intercept::all_to_all(|| $call, forward) };)*
        }
    };
}

functions! {
    MPI_Init PMPI_Init (argc: *mut c_int, argv: *mut c_void) forward intercept::initialise(forward);

    MPI_Init_thread PMPI_Init_thread (
        argc: *mut c_int, argv: *mut c_void, required: c_int, provided: *mut c_int
    ) forward intercept::initialise(forward);

    MPI_Finalize PMPI_Finalize () forward intercept::finalize(forward);
}

all_to_all! {
    MPI_Alltoall PMPI_Alltoall (
        sendbuf: *const c_void, sendcount: c_int, sendtype: Handle,
        recvbuf: *mut c_void, recvcount: c_int, recvtype: Handle, comm: Handle
    ) call(
        Function::Alltoall,
        (sendbuf, Counts::Same(sendcount), Types::One(sendtype as MPI_Datatype)),
        (recvbuf, Counts::Same(recvcount), Types::One(recvtype as MPI_Datatype)),
        comm as MPI_Comm,
    );

    MPI_Alltoallv PMPI_Alltoallv (
        sendbuf: *const c_void, sendcounts: *const c_int, sdispls: *const c_int, sendtype: Handle,
        recvbuf: *mut c_void, recvcounts: *const c_int, rdispls: *const c_int, recvtype: Handle,
        comm: Handle
    ) call(
        Function::Alltoallv,
        (sendbuf, Counts::Int(sendcounts, sdispls), Types::One(sendtype as MPI_Datatype)),
        (recvbuf, Counts::Int(recvcounts, rdispls), Types::One(recvtype as MPI_Datatype)),
        comm as MPI_Comm,
    );

    MPI_Alltoallw PMPI_Alltoallw (
        sendbuf: *const c_void, sendcounts: *const c_int, sdispls: *const c_int,
        sendtypes: *const MPI_Datatype, recvbuf: *mut c_void, recvcounts: *const c_int,
        rdispls: *const c_int, recvtypes: *const MPI_Datatype, comm: Handle
    ) call(
        Function::Alltoallw,
        (sendbuf, Counts::Int(sendcounts, sdispls), Types::Each(sendtypes)),
        (recvbuf, Counts::Int(recvcounts, rdispls), Types::Each(recvtypes)),
        comm as MPI_Comm,
    );

    MPI_Neighbor_alltoall PMPI_Neighbor_alltoall (
        sendbuf: *const c_void, sendcount: c_int, sendtype: Handle,
        recvbuf: *mut c_void, recvcount: c_int, recvtype: Handle, comm: Handle
    ) call(
        Function::NeighborAlltoall,
        (sendbuf, Counts::Same(sendcount), Types::One(sendtype as MPI_Datatype)),
        (recvbuf, Counts::Same(recvcount), Types::One(recvtype as MPI_Datatype)),
        comm as MPI_Comm,
    );

    MPI_Neighbor_alltoallv PMPI_Neighbor_alltoallv (
        sendbuf: *const c_void, sendcounts: *const c_int, sdispls: *const c_int, sendtype: Handle,
        recvbuf: *mut c_void, recvcounts: *const c_int, rdispls: *const c_int, recvtype: Handle,
        comm: Handle
    ) call(
        Function::NeighborAlltoallv,
        (sendbuf, Counts::Int(sendcounts, sdispls), Types::One(sendtype as MPI_Datatype)),
        (recvbuf, Counts::Int(recvcounts, rdispls), Types::One(recvtype as MPI_Datatype)),
        comm as MPI_Comm,
    );

    MPI_Neighbor_alltoallw PMPI_Neighbor_alltoallw (
        sendbuf: *const c_void, sendcounts: *const c_int, sdispls: *const MPI_Aint,
        sendtypes: *const MPI_Datatype, recvbuf: *mut c_void, recvcounts: *const c_int,
        rdispls: *const MPI_Aint, recvtypes: *const MPI_Datatype, comm: Handle
    ) call(
        Function::NeighborAlltoallw,
        (sendbuf, Counts::Far(sendcounts, sdispls), Types::Each(sendtypes)),
        (recvbuf, Counts::Far(recvcounts, rdispls), Types::Each(recvtypes)),
        comm as MPI_Comm,
    );
}

nonblocking! {
    MPI_Ialltoall PMPI_Ialltoall (
        sendbuf: *const c_void, sendcount: c_int, sendtype: Handle,
        recvbuf: *mut c_void, recvcount: c_int, recvtype: Handle, comm: Handle
    ) call(
        Function::Ialltoall,
        (sendbuf, Counts::Same(sendcount), Types::One(sendtype as MPI_Datatype)),
        (recvbuf, Counts::Same(recvcount), Types::One(recvtype as MPI_Datatype)),
        comm as MPI_Comm,
    );

    MPI_Ialltoallv PMPI_Ialltoallv (
        sendbuf: *const c_void, sendcounts: *const c_int, sdispls: *const c_int, sendtype: Handle,
        recvbuf: *mut c_void, recvcounts: *const c_int, rdispls: *const c_int, recvtype: Handle,
        comm: Handle
    ) call(
        Function::Ialltoallv,
        (sendbuf, Counts::Int(sendcounts, sdispls), Types::One(sendtype as MPI_Datatype)),
        (recvbuf, Counts::Int(recvcounts, rdispls), Types::One(recvtype as MPI_Datatype)),
        comm as MPI_Comm,
    );

    MPI_Ialltoallw PMPI_Ialltoallw (
        sendbuf: *const c_void, sendcounts: *const c_int, sdispls: *const c_int,
        sendtypes: *const MPI_Datatype, recvbuf: *mut c_void, recvcounts: *const c_int,
        rdispls: *const c_int, recvtypes: *const MPI_Datatype, comm: Handle
    ) call(
        Function::Ialltoallw,
        (sendbuf, Counts::Int(sendcounts, sdispls), Types::Each(sendtypes)),
        (recvbuf, Counts::Int(recvcounts, rdispls), Types::Each(recvtypes)),
        comm as MPI_Comm,
    );
}

#[cfg(persistent)]
persistent! {
    MPI_Alltoall_init PMPI_Alltoall_init (
        sendbuf: *const c_void, sendcount: c_int, sendtype: Handle,
        recvbuf: *mut c_void, recvcount: c_int, recvtype: Handle, comm: Handle
    ) call(
        Function::AlltoallInit,
        (sendbuf, Counts::Same(sendcount), Types::One(sendtype as MPI_Datatype)),
        (recvbuf, Counts::Same(recvcount), Types::One(recvtype as MPI_Datatype)),
        comm as MPI_Comm,
    );

    MPI_Alltoallv_init PMPI_Alltoallv_init (
        sendbuf: *const c_void, sendcounts: *const c_int, sdispls: *const c_int, sendtype: Handle,
        recvbuf: *mut c_void, recvcounts: *const c_int, rdispls: *const c_int, recvtype: Handle,
        comm: Handle
    ) call(
        Function::AlltoallvInit,
        (sendbuf, Counts::Int(sendcounts, sdispls), Types::One(sendtype as MPI_Datatype)),
        (recvbuf, Counts::Int(recvcounts, rdispls), Types::One(recvtype as MPI_Datatype)),
        comm as MPI_Comm,
    );

    MPI_Alltoallw_init PMPI_Alltoallw_init (
        sendbuf: *const c_void, sendcounts: *const c_int, sdispls: *const c_int,
        sendtypes: *const MPI_Datatype, recvbuf: *mut c_void, recvcounts: *const c_int,
        rdispls: *const c_int, recvtypes: *const MPI_Datatype, comm: Handle
    ) call(
        Function::AlltoallwInit,
        (sendbuf, Counts::Int(sendcounts, sdispls), Types::Each(sendtypes)),
        (recvbuf, Counts::Int(recvcounts, rdispls), Types::Each(recvtypes)),
        comm as MPI_Comm,
    );
}

#[cfg(persistent)]
functions! {
    MPI_Start PMPI_Start (request: *mut MPI_Request) forward
        // SAFETY: the program passes a request, as MPI_Start requires.
        unsafe { persistent::start(request, 1, forward) };

    MPI_Startall PMPI_Startall (count: c_int, requests: *mut MPI_Request) forward
        // SAFETY: the program passes `count` requests, as MPI_Startall requires.
        unsafe { persistent::start(requests, count, forward) };

    MPI_Request_free PMPI_Request_free (request: *mut MPI_Request) forward
        // SAFETY: the program passes a request, as MPI_Request_free requires.
        unsafe { persistent::free(request, forward) };
}

#[cfg(large_counts)]
all_to_all! {
    MPI_Alltoall_c PMPI_Alltoall_c (
        sendbuf: *const c_void, sendcount: MPI_Count, sendtype: Handle,
        recvbuf: *mut c_void, recvcount: MPI_Count, recvtype: Handle, comm: Handle
    ) call(
        Function::Alltoall,
        (sendbuf, Counts::SameLarge(sendcount), Types::One(sendtype as MPI_Datatype)),
        (recvbuf, Counts::SameLarge(recvcount), Types::One(recvtype as MPI_Datatype)),
        comm as MPI_Comm,
    );

    MPI_Alltoallv_c PMPI_Alltoallv_c (
        sendbuf: *const c_void, sendcounts: *const MPI_Count, sdispls: *const MPI_Aint,
        sendtype: Handle, recvbuf: *mut c_void, recvcounts: *const MPI_Count,
        rdispls: *const MPI_Aint, recvtype: Handle, comm: Handle
    ) call(
        Function::Alltoallv,
        (sendbuf, Counts::Large(sendcounts, sdispls), Types::One(sendtype as MPI_Datatype)),
        (recvbuf, Counts::Large(recvcounts, rdispls), Types::One(recvtype as MPI_Datatype)),
        comm as MPI_Comm,
    );

    MPI_Alltoallw_c PMPI_Alltoallw_c (
        sendbuf: *const c_void, sendcounts: *const MPI_Count, sdispls: *const MPI_Aint,
        sendtypes: *const MPI_Datatype, recvbuf: *mut c_void, recvcounts: *const MPI_Count,
        rdispls: *const MPI_Aint, recvtypes: *const MPI_Datatype, comm: Handle
    ) call(
        Function::Alltoallw,
        (sendbuf, Counts::Large(sendcounts, sdispls), Types::Each(sendtypes)),
        (recvbuf, Counts::Large(recvcounts, rdispls), Types::Each(recvtypes)),
        comm as MPI_Comm,
    );
}
