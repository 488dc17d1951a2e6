//! The calls of MPI for the statistics: safe functions over `mpi.c`.
//!
//! Nothing here may be called unless the program uses the MPI library that this one was built for and
//! MPI is running (see [`crate::intercept`]).

use hcube_alltoall::mpi_front::{Call, Types};
use hcube_core::mpi::{MPI_Comm, MPI_Datatype};
use std::ffi::c_int;

/// `MPI_SUCCESS`, which the standard fixes.
pub const SUCCESS: c_int = 0;

mod raw {
    use super::{MPI_Comm, MPI_Datatype, c_int};

    unsafe extern "C-unwind" {
        pub fn hcube_preload_world_rank() -> c_int;
        pub fn hcube_preload_world_size() -> c_int;
        pub fn hcube_preload_blocks(comm: MPI_Comm, own: *mut c_int) -> c_int;
        pub fn hcube_preload_type_size(datatype: MPI_Datatype) -> i64;
        pub fn hcube_preload_reduce(
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
pub fn world_rank() -> usize {
    // SAFETY: MPI is running.
    unsafe { raw::hcube_preload_world_rank() as usize }
}

/// Number of ranks of `MPI_COMM_WORLD`.
pub fn world_size() -> usize {
    // SAFETY: MPI is running.
    unsafe { raw::hcube_preload_world_size() as usize }
}

/// Bytes that a call sends to other ranks.
///
/// # Safety
/// MPI has accepted the call.
pub unsafe fn bytes_sent(call: &Call) -> u64 {
    let side = if call.in_place() { call.receive } else { call.send };
    let mut own = -1;
    // SAFETY: MPI has accepted the call, by the contract of this function: the communicator and the datatypes
    // are valid, and arrays hold one entry per block.
    let (blocks, size_of) = unsafe {
        let size_of = move |block: usize| match side.types {
            Types::One(datatype) => raw::hcube_preload_type_size(datatype),
            Types::Each(datatypes) => raw::hcube_preload_type_size(*datatypes.add(block)),
        };
        (raw::hcube_preload_blocks(call.comm, &mut own) as usize, size_of)
    };
    // SAFETY: arrays of counts hold one entry per block, or MPI would not have accepted the call.
    let count_of = |block: usize| unsafe { side.counts.of(block) };
    // A datatype is valid only if the count is not 0.
    let bytes = |block: usize| match count_of(block) {
        0 => 0,
        count => (count as u64).saturating_mul(size_of(block) as u64),
    };
    (0..blocks).filter(|&block| block as c_int != own).map(bytes).sum()
}

/// Collective over the ranks of `MPI_COMM_WORLD` that take part: sums and maxima over all ranks, valid on rank
/// 0. `None` if this rank has waited for others longer than `limit` seconds.
pub fn reduce(summands: Vec<u64>, values: Vec<u64>, limit: f64) -> Option<(Vec<u64>, Vec<u64>)> {
    let (mut sums, mut maxima) = (vec![0; summands.len()], vec![0; values.len()]);
    // SAFETY: the results have the lengths of the operands; what MPI may still use is never freed.
    let done = unsafe {
        raw::hcube_preload_reduce(
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
