//! MPI calls for the statistics: safe functions over `mpi.c`.
//!
//! Nothing here may be called unless the program uses the MPI library of this build and MPI is active (see
//! [`crate::intercept`]).

use hcube_alltoall::mpi_front::{Call, Types};
use hcube_core::mpi::{MPI_Comm, MPI_Datatype};
use std::ffi::c_int;

mod raw {
    use super::{MPI_Comm, MPI_Datatype, c_int};

    unsafe extern "C-unwind" {
        pub fn hcube_preload_blocks(comm: MPI_Comm, own: *mut c_int) -> c_int;
        pub fn hcube_preload_destinations(comm: MPI_Comm) -> c_int;
        pub fn hcube_preload_is_beyond(comm: MPI_Comm, block: c_int) -> c_int;
        pub fn hcube_preload_type_size(datatype: MPI_Datatype) -> i64;
    }
}

/// Bytes that a call sends to other ranks; to neighbours also those that stay on this rank.
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
        let blocks = match call.function.is_of_neighbours() {
            true => raw::hcube_preload_destinations(call.comm),
            false => raw::hcube_preload_blocks(call.comm, &mut own),
        };
        (blocks as usize, size_of)
    };
    // SAFETY: arrays of counts hold one entry per block, or MPI would not have accepted the call.
    let count_of = |block: usize| unsafe { side.counts.of(block) };
    // A datatype is valid only if the count is not 0.
    let bytes = |block: usize| match count_of(block) {
        0 => 0,
        count => (count as u64).saturating_mul(size_of(block) as u64),
    };
    // SAFETY: a communicator with a topology, by the function that MPI has accepted, and a block of it.
    let beyond = |block: usize| unsafe { raw::hcube_preload_is_beyond(call.comm, block as c_int) } != 0;
    let sent = |&block: &usize| match call.function.is_of_neighbours() {
        true => !beyond(block),
        false => block as c_int != own,
    };
    (0..blocks).filter(sent).map(bytes).sum()
}
