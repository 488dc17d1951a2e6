//! MPI calls on `MPI_COMM_WORLD`: safe functions over `world.c`.
//!
//! They panic unless the program uses the MPI library that hcube was built for ([`foreign`]), and MPI is
//! initialised and not finalised.

use crate::mpi_library::foreign;
use hcube_core::mpi::handle::check_state;
use std::ffi::c_int;

/// `MPI_SUCCESS`, which the standard fixes.
pub const SUCCESS: c_int = 0;

mod raw {
    use super::c_int;

    unsafe extern "C-unwind" {
        pub fn hcube_drop_in_world_rank() -> c_int;
        pub fn hcube_drop_in_world_size() -> c_int;
        pub fn hcube_drop_in_reduce(
            summands: *const u64,
            sums: *mut u64,
            summand_count: c_int,
            values: *const u64,
            maxima: *mut u64,
            value_count: c_int,
            limit: f64,
        ) -> c_int;
    }
}

/// Makes sure that functions of MPI may be called.
fn check() {
    assert!(foreign().is_none(), "a call of an MPI library that the program does not use");
    if let Err(error) = check_state() {
        panic!("{error}");
    }
}

/// Rank in `MPI_COMM_WORLD`.
///
/// # Panics
/// See the module.
pub fn rank() -> usize {
    check();
    // SAFETY: MPI is active, as was just checked.
    unsafe { raw::hcube_drop_in_world_rank() as usize }
}

/// Number of ranks of `MPI_COMM_WORLD`.
///
/// # Panics
/// See the module.
pub fn size() -> usize {
    check();
    // SAFETY: MPI is active, as was just checked.
    unsafe { raw::hcube_drop_in_world_size() as usize }
}

/// Collective over the ranks of `MPI_COMM_WORLD` that take part: sums and maxima over all ranks, on rank 0.
/// `None` if this rank has waited for others longer than `limit` seconds.
///
/// # Panics
/// See the module.
pub fn reduce(summands: Vec<u64>, values: Vec<u64>, limit: f64) -> Option<(Vec<u64>, Vec<u64>)> {
    check();
    let (mut sums, mut maxima) = (vec![0; summands.len()], vec![0; values.len()]);
    // SAFETY: MPI is active, as was just checked; the results have the lengths of the operands; what MPI may
    // still use is never freed.
    let done = unsafe {
        raw::hcube_drop_in_reduce(
            summands.as_ptr(),
            sums.as_mut_ptr(),
            summands.len() as c_int,
            values.as_ptr(),
            maxima.as_mut_ptr(),
            values.len() as c_int,
            limit,
        )
    };
    if done == 0 {
        for buffer in [summands, values, sums, maxima] {
            std::mem::forget(buffer);
        }
        return None;
    }
    Some((sums, maxima))
}
