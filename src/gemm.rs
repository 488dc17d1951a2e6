//! Matrix products for C.

use crate::boundary::{enter, enter_on, text_buffer, write_text};
use crate::gemm_arguments::{Passed, choice};
use crate::sized;
use crate::types::{hcube_error, hcube_gemm_options, hcube_matrix};
use hcube_core::mpi::{MPI_Comm, gate};
use hcube_gemm::entrance::Products;
use std::ffi::{c_char, c_void};

/// Collective. Computes sub(C) := alpha op(sub(A)) op(sub(B)) + beta sub(C) for block-cyclic matrices
/// on a grid of processes, as PDGEMM of PBLAS: op(X) is X, its transpose or its conjugate transpose,
/// op(sub(A)) has m rows and k columns, op(sub(B)) k rows and n columns, sub(C) m rows and n columns.
/// Rank r of comm is at row r / grid_columns and column r % grid_columns of the grid.
///
/// If beta is 0, C is not read; if alpha is 0, neither A nor B is. Only elements of sub(C) are
/// written. Two calls with the same arguments on the same grid return the same bits.
///
/// comm: an intracommunicator of grid_rows * grid_columns ranks.
/// grid_rows, grid_columns: 1 or more.
/// m, n, k: 0 to 2^40 (1099511627776); the same bound holds for the fields of hcube_matrix.
/// element: the type of all elements, alpha and beta, HCUBE_ELEMENT_*.
/// transa, transb: 'N', 'T' or 'C', also as small letters.
/// alpha, beta: scalars of that type; the same on all ranks.
/// a, b, c: the local part of each matrix; NULL if this rank has no elements of the sub-matrix. They
/// may be disjoint parts of one array.
/// at, bt, ct: the matrices; the same on all ranks except leading_dimension.
/// options: the same on all ranks, for this call; NULL selects the options of hcube_gemm_set_options, else
/// the defaults and the environment. HCUBE_GEMM_LIBRARY has the effect of HCUBE_GEMM_AUTO.
/// Memory for panels is kept until the communicator is freed.
/// Errors on all ranks, with nothing written: HCUBE_ERR_ARGUMENT, with the argument number of PBLAS if there
/// is one; HCUBE_ERR_BUFFER; HCUBE_ERR_MISMATCH if arguments differ; the code of another rank if its
/// arguments are not valid; HCUBE_ERR_MEMORY, HCUBE_ERR_MPI.
/// Errors only on the calling rank: HCUBE_ERR_COMM for an invalid communicator,
/// HCUBE_ERR_MPI_STATE.
/// Source: J.-N. Quintin, K. Hasanov, A. Lastovetsky, Hierarchical Parallel Matrix Multiplication on
/// Large-Scale Distributed Memory Platforms, ICPP 2013.
///
/// # Safety
/// Pointers are null or valid, arrays as large as the structures say, and used by nobody else meanwhile.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn hcube_gemm(
    comm: MPI_Comm,
    grid_rows: i32,
    grid_columns: i32,
    element: i32,
    transa: c_char,
    transb: c_char,
    m: i64,
    n: i64,
    k: i64,
    alpha: *const c_void,
    a: *const c_void,
    at: *const hcube_matrix,
    b: *const c_void,
    bt: *const hcube_matrix,
    beta: *const c_void,
    c: *mut c_void,
    ct: *const hcube_matrix,
    options: *const hcube_gemm_options,
    error: *mut hcube_error,
) -> i32 {
    let passed = Passed {
        grid: [grid_rows, grid_columns],
        element,
        letters: [transa, transb],
        sizes: [m, n, k],
        scalars: [alpha, beta],
        memory: [a.cast_mut(), b.cast_mut(), c],
        matrices: [at, bt, ct],
        options,
    };
    // SAFETY: pointers are null or valid, and arrays large enough, by the contract of this function; the
    // handle is one of MPI's.
    unsafe {
        enter_on(comm, error, |comm| {
            gate::enter_without_messages(comm, |comm, kept: &mut Option<Products>| {
                let products = kept.get_or_insert_default();
                let read = passed.read(comm);
                let values = passed.values(read.as_ref().ok());
                let work = passed.work(&read, products);
                products.multiply(comm, work, &values)
            })
        })
    }
}

/// Local. Returns the default options, changed by the environment variables
/// [`hcube_gemm::Options`].
/// May be called before MPI_Init.
///
/// options: receives the options; allocated by the caller.
/// size: size of *options in bytes, sizeof(hcube_gemm_options).
/// Errors: HCUBE_ERR_ARGUMENT if options is NULL, size is not valid or the value of a variable is
/// not valid.
///
/// # Safety
/// The pointers are null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn hcube_gemm_default_options(
    options: *mut hcube_gemm_options,
    size: u64,
    error: *mut hcube_error,
) -> i32 {
    // SAFETY: null or valid, by the contract of this function.
    unsafe { enter(None, error, || sized::fill(options, size, hcube_gemm_options::defaults)) }
}

/// Collective. Sets the options of all later products on a communicator that pass no options, in
/// place of the defaults and the environment.
///
/// comm: an intracommunicator.
/// options: the same on all ranks; NULL restores the defaults and the environment.
/// Errors on all ranks: HCUBE_ERR_ARGUMENT, HCUBE_ERR_MISMATCH, HCUBE_ERR_MPI; on the calling rank
/// also HCUBE_ERR_COMM, HCUBE_ERR_MPI_STATE.
///
/// # Safety
/// The pointers are null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn hcube_gemm_set_options(
    comm: MPI_Comm,
    options: *const hcube_gemm_options,
    error: *mut hcube_error,
) -> i32 {
    // SAFETY: the pointers are null or valid; the handle is one of MPI's.
    unsafe {
        enter_on(comm, error, |comm| {
            let chosen = choice(options).and_then(|choice| match choice {
                Some(choice) => Ok(choice),
                None => Products::default().choice(None),
            });
            gate::enter_without_messages(comm, |comm, kept: &mut Option<Products>| {
                kept.get_or_insert_default().set_choice(comm, chosen)
            })
        })
    }
}

/// Local. Returns the path of the last product of this rank on a communicator as text: "none" (no product
/// yet), "nothing" (nothing had to be computed), "scale" (alpha or k is 0), "local" (no data of other ranks
/// was needed), "shared-panels", "summa", "hsumma", "stationary-a", "stationary-b" or "refused" (an error).
///
/// comm: an intracommunicator.
/// text, length: a buffer of length bytes, at least 1. The text is truncated to fit and always
/// terminated by a zero byte.
/// Errors: HCUBE_ERR_ARGUMENT, HCUBE_ERR_COMM, HCUBE_ERR_MPI_STATE.
///
/// # Safety
/// The pointers are null or valid; text has room for length bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn hcube_gemm_last_path(
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
            let path = gate::look(comm, Products::last_path)?;
            write_text(text, path.unwrap_or("none"));
            Ok(())
        })
    }
}
