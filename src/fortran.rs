//! RandomAccess, transpositions and matrix products for Fortran: the functions of `random_access.rs`,
//! `transpose.rs` and `gemm.rs` with Fortran handles, for the module in fortran/hcube.f90.

use super::gemm::{hcube_gemm, hcube_gemm_last_path, hcube_gemm_set_options};
use super::random_access::{
    hcube_random_access_describe, hcube_random_access_last_statistics, hcube_random_access_prepare,
    hcube_random_access_run, hcube_random_access_verify,
};
use super::transpose::{hcube_transpose, hcube_transpose_check};
use super::transpose_grid::{hcube_grid_transpose_create, hcube_grid_transpose_memory_create};
use crate::boundary::exported;
use crate::types::{
    hcube_error, hcube_gemm_options, hcube_grid_transpose, hcube_grid_transpose_memory,
    hcube_grid_transpose_shape, hcube_matrix, hcube_random_access_options, hcube_random_access_statistics,
    hcube_table, hcube_transpose_shape, hcube_updates,
};
use hcube_core::mpi::MPI_Fint;
use hcube_core::mpi::fortran::communicator;
use hcube_core::mpi::forward::in_place;
use std::ffi::{c_char, c_void};

exported! {
    /// hcube_random_access_prepare with a Fortran handle, for the Fortran module hcube.
    fn hcube_fortran_random_access_prepare(
        comm: MPI_Fint, options: *const hcube_random_access_options, error: *mut hcube_error
    ) -> i32 {
        hcube_random_access_prepare(communicator(comm), options, error)
    }

    /// hcube_random_access_run with a Fortran handle, for the Fortran module hcube.
    fn hcube_fortran_random_access_run(
        comm: MPI_Fint, table: *const hcube_table, updates: *const hcube_updates,
        options: *const hcube_random_access_options, error: *mut hcube_error
    ) -> i32 {
        hcube_random_access_run(communicator(comm), table, updates, options, error)
    }

    /// hcube_random_access_verify with a Fortran handle, for the Fortran module hcube.
    fn hcube_fortran_random_access_verify(
        comm: MPI_Fint, table: *const hcube_table, updates: *const hcube_updates, errors: *mut i64,
        error: *mut hcube_error
    ) -> i32 {
        hcube_random_access_verify(communicator(comm), table, updates, errors, error)
    }

    /// hcube_random_access_last_statistics with a Fortran handle, for the Fortran module hcube.
    fn hcube_fortran_random_access_last_statistics(
        comm: MPI_Fint, statistics: *mut hcube_random_access_statistics, error: *mut hcube_error
    ) -> i32 {
        hcube_random_access_last_statistics(communicator(comm), statistics, error)
    }

    /// hcube_random_access_describe with a Fortran handle, for the Fortran module hcube.
    fn hcube_fortran_random_access_describe(
        comm: MPI_Fint, options: *const hcube_random_access_options, text: *mut c_char, length: u64,
        error: *mut hcube_error
    ) -> i32 {
        hcube_random_access_describe(communicator(comm), options, text, length, error)
    }

    /// hcube_transpose with a Fortran handle, for the Fortran module hcube.
    fn hcube_fortran_transpose(
        input: *const c_void, output: *mut c_void, shape: *const hcube_transpose_shape, comm: MPI_Fint,
        error: *mut hcube_error
    ) -> i32 {
        hcube_transpose(input, output, shape, communicator(comm), error)
    }

    /// hcube_transpose in place with a Fortran handle, for the Fortran module hcube.
    fn hcube_fortran_transpose_in_place(
        matrix: *mut c_void, shape: *const hcube_transpose_shape, comm: MPI_Fint, error: *mut hcube_error
    ) -> i32 {
        hcube_transpose(in_place(), matrix, shape, communicator(comm), error)
    }

    /// hcube_transpose_check with a Fortran handle, for the Fortran module hcube.
    fn hcube_fortran_transpose_check(
        shape: *const hcube_transpose_shape, in_place: i32, comm: MPI_Fint, error: *mut hcube_error
    ) -> i32 {
        hcube_transpose_check(shape, in_place, communicator(comm), error)
    }

    /// hcube_grid_transpose_memory_create with a Fortran handle, for the Fortran module hcube.
    fn hcube_fortran_grid_transpose_memory_create(
        bytes: i64, comm: MPI_Fint, memory: *mut *mut hcube_grid_transpose_memory, address: *mut *mut c_void,
        error: *mut hcube_error
    ) -> i32 {
        hcube_grid_transpose_memory_create(bytes, communicator(comm), memory, address, error)
    }

    /// hcube_grid_transpose_create with a Fortran handle, for the Fortran module hcube.
    fn hcube_fortran_grid_transpose_create(
        shape: *const hcube_grid_transpose_shape, memory: *const hcube_grid_transpose_memory, comm: MPI_Fint,
        transposition: *mut *mut hcube_grid_transpose, error: *mut hcube_error
    ) -> i32 {
        hcube_grid_transpose_create(shape, memory, communicator(comm), transposition, error)
    }

    /// hcube_gemm with a Fortran handle, for the Fortran module hcube.
    fn hcube_fortran_gemm(
        comm: MPI_Fint, grid_rows: i32, grid_columns: i32, element: i32, transa: c_char, transb: c_char,
        m: i64, n: i64, k: i64, alpha: *const c_void, a: *const c_void, at: *const hcube_matrix,
        b: *const c_void, bt: *const hcube_matrix, beta: *const c_void, c: *mut c_void,
        ct: *const hcube_matrix, options: *const hcube_gemm_options, error: *mut hcube_error
    ) -> i32 {
        hcube_gemm(
            communicator(comm), grid_rows, grid_columns, element, transa, transb, m, n, k, alpha, a, at, b,
            bt, beta, c, ct, options, error,
        )
    }

    /// hcube_gemm_set_options with a Fortran handle, for the Fortran module hcube.
    fn hcube_fortran_gemm_set_options(
        comm: MPI_Fint, options: *const hcube_gemm_options, error: *mut hcube_error
    ) -> i32 {
        hcube_gemm_set_options(communicator(comm), options, error)
    }

    /// hcube_gemm_last_path with a Fortran handle, for the Fortran module hcube.
    fn hcube_fortran_gemm_last_path(
        comm: MPI_Fint, text: *mut c_char, length: u64, error: *mut hcube_error
    ) -> i32 {
        hcube_gemm_last_path(communicator(comm), text, length, error)
    }
}
