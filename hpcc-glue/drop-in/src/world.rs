//! The calls of MPI on `MPI_COMM_WORLD`: safe functions over `world.c`.
//!
//! Nothing here may be called unless the program uses the MPI library that hcube was built for
//! ([`crate::mpi_library::foreign`]) and MPI is running.

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

/// Rank in `MPI_COMM_WORLD`.
pub fn rank() -> usize {
    // SAFETY: MPI is running.
    unsafe { raw::hcube_drop_in_world_rank() as usize }
}

/// Number of ranks of `MPI_COMM_WORLD`.
pub fn size() -> usize {
    // SAFETY: MPI is running.
    unsafe { raw::hcube_drop_in_world_size() as usize }
}

/// Collective over the ranks of `MPI_COMM_WORLD` that take part: sums and maxima over all ranks, valid on rank
/// 0. `None` if this rank has waited for others longer than `limit` seconds.
pub fn reduce(summands: Vec<u64>, values: Vec<u64>, limit: f64) -> Option<(Vec<u64>, Vec<u64>)> {
    let (mut sums, mut maxima) = (vec![0; summands.len()], vec![0; values.len()]);
    // SAFETY: the results have the lengths of the operands; what MPI may still use is never freed.
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
