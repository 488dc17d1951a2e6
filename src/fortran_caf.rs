//! Reductions in teams for Fortran: the functions of `caf/collectives.rs` with MPI handles, for the module in
//! fortran/hcube_caf.f90.

use crate::boundary::exported;
use crate::caf::reductions::{hcube_caf_allreduce, hcube_caf_reduce, hcube_caf_scan};
use crate::types::{hcube_error, hcube_team};
use hcube_core::mpi::MPI_Fint;
use hcube_core::mpi::fortran::{datatype as of_datatype, operation as of_operation};
use std::ffi::c_void;

exported! {
    /// hcube_caf_reduce with Fortran handles, for the Fortran module hcube_caf.
    fn hcube_fortran_caf_reduce(
        team: hcube_team, root: i32, from: *const c_void, into: *mut c_void, count: i64, datatype: MPI_Fint,
        operation: MPI_Fint, error: *mut hcube_error
    ) -> i32 {
        let (datatype, operation) = (of_datatype(datatype), of_operation(operation));
        hcube_caf_reduce(team, root, from, into, count, datatype, operation, error)
    }

    /// hcube_caf_allreduce with Fortran handles, for the Fortran module hcube_caf.
    fn hcube_fortran_caf_allreduce(
        team: hcube_team, from: *const c_void, into: *mut c_void, count: i64, datatype: MPI_Fint,
        operation: MPI_Fint, error: *mut hcube_error
    ) -> i32 {
        let (datatype, operation) = (of_datatype(datatype), of_operation(operation));
        hcube_caf_allreduce(team, from, into, count, datatype, operation, error)
    }

    /// hcube_caf_scan with Fortran handles, for the Fortran module hcube_caf.
    fn hcube_fortran_caf_scan(
        team: hcube_team, from: *const c_void, into: *mut c_void, count: i64, datatype: MPI_Fint,
        operation: MPI_Fint, inclusive: i32, error: *mut hcube_error
    ) -> i32 {
        let (datatype, operation) = (of_datatype(datatype), of_operation(operation));
        hcube_caf_scan(team, from, into, count, datatype, operation, inclusive, error)
    }
}
