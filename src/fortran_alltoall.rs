//! The all-to-all exchange for Fortran: the functions of `alltoall.rs` with Fortran handles, for the module
//! in fortran/hcube.f90.
//!
//! Exchanges in place are separate functions: the representation of `MPI_IN_PLACE` in Fortran differs between
//! MPI libraries and compilers, and the module's interfaces accept no scalar.

use crate::alltoall::{
    hcube_alltoall, hcube_alltoall_last_path, hcube_alltoall_set_options, hcube_alltoallv, hcube_alltoallw,
};
use crate::alltoall_in_place::hcube_alltoallv_in_place;
use crate::boundary::exported;
use crate::types::{hcube_alltoall_options, hcube_error};
use hcube_core::mpi::fortran::{communicator, datatype, datatypes, no_datatype};
use hcube_core::mpi::forward::in_place;
use hcube_core::mpi::{MPI_Datatype, MPI_Fint};
use std::ffi::{c_char, c_int, c_void};
use std::ptr::null;

/// The start of a list, NULL if it is empty.
fn start(list: &[MPI_Datatype]) -> *const MPI_Datatype {
    if list.is_empty() { null() } else { list.as_ptr() }
}

exported! {
    /// hcube_alltoall with Fortran handles, for the Fortran module hcube.
    fn hcube_fortran_alltoall(
        sendbuf: *const c_void, sendcount: c_int, sendtype: MPI_Fint, recvbuf: *mut c_void, recvcount: c_int,
        recvtype: MPI_Fint, comm: MPI_Fint
    ) -> c_int {
        let (sendtype, recvtype) = (datatype(sendtype), datatype(recvtype));
        hcube_alltoall(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, communicator(comm))
    }

    /// hcube_alltoall in place with Fortran handles, for the Fortran module hcube.
    fn hcube_fortran_alltoall_in_place(
        buffer: *mut c_void, count: c_int, kind: MPI_Fint, comm: MPI_Fint
    ) -> c_int {
        hcube_alltoall(in_place(), 0, no_datatype(), buffer, count, datatype(kind), communicator(comm))
    }

    /// hcube_alltoallv with Fortran handles, for the Fortran module hcube.
    fn hcube_fortran_alltoallv(
        sendbuf: *const c_void, sendcounts: *const c_int, sdispls: *const c_int, sendtype: MPI_Fint,
        recvbuf: *mut c_void, recvcounts: *const c_int, rdispls: *const c_int, recvtype: MPI_Fint,
        comm: MPI_Fint
    ) -> c_int {
        let (sendtype, recvtype, comm) = (datatype(sendtype), datatype(recvtype), communicator(comm));
        hcube_alltoallv(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm)
    }

    /// hcube_alltoallv_in_place with Fortran handles, for the Fortran module hcube.
    fn hcube_fortran_alltoallv_in_one_buffer(
        buffer: *mut c_void, scounts: *const c_int, sdispls: *const c_int, rcounts: *const c_int,
        rdispls: *const c_int, kind: MPI_Fint, comm: MPI_Fint
    ) -> c_int {
        let (kind, comm) = (datatype(kind), communicator(comm));
        hcube_alltoallv_in_place(buffer, scounts, sdispls, rcounts, rdispls, kind, comm)
    }

    /// hcube_alltoallv in place with Fortran handles, for the Fortran module hcube.
    fn hcube_fortran_alltoallv_in_place(
        buffer: *mut c_void, counts: *const c_int, displs: *const c_int, kind: MPI_Fint, comm: MPI_Fint
    ) -> c_int {
        let (nothing, kind, comm) = (no_datatype(), datatype(kind), communicator(comm));
        hcube_alltoallv(in_place(), null(), null(), nothing, buffer, counts, displs, kind, comm)
    }

    /// hcube_alltoallw with Fortran handles, for the Fortran module hcube.
    fn hcube_fortran_alltoallw(
        sendbuf: *const c_void, sendcounts: *const c_int, sdispls: *const c_int, sendtypes: *const MPI_Fint,
        recvbuf: *mut c_void, recvcounts: *const c_int, rdispls: *const c_int, recvtypes: *const MPI_Fint,
        comm: MPI_Fint
    ) -> c_int {
        let comm = communicator(comm);
        let (sent, received) = (datatypes(comm, sendtypes), datatypes(comm, recvtypes));
        let (sent, received) = (start(&sent), start(&received));
        hcube_alltoallw(sendbuf, sendcounts, sdispls, sent, recvbuf, recvcounts, rdispls, received, comm)
    }

    /// hcube_alltoallw in place with Fortran handles, for the Fortran module hcube.
    fn hcube_fortran_alltoallw_in_place(
        buffer: *mut c_void, counts: *const c_int, displs: *const c_int, kinds: *const MPI_Fint,
        comm: MPI_Fint
    ) -> c_int {
        let comm = communicator(comm);
        let types = datatypes(comm, kinds);
        hcube_alltoallw(in_place(), null(), null(), null(), buffer, counts, displs, start(&types), comm)
    }

    /// hcube_alltoall_set_options with a Fortran handle, for the Fortran module hcube.
    fn hcube_fortran_alltoall_set_options(
        comm: MPI_Fint, options: *const hcube_alltoall_options, error: *mut hcube_error
    ) -> i32 {
        hcube_alltoall_set_options(communicator(comm), options, error)
    }

    /// hcube_alltoall_last_path with a Fortran handle, for the Fortran module hcube.
    fn hcube_fortran_alltoall_last_way(
        comm: MPI_Fint, text: *mut c_char, length: u64, error: *mut hcube_error
    ) -> i32 {
        hcube_alltoall_last_path(communicator(comm), text, length, error)
    }
}
