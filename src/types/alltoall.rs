//! The types of the all-to-all exchange for C.

use super::options_of_a_table;
use crate::sized::Growing;

/// Options of the exchanges and transpositions on a communicator; the same on all ranks. Call
/// hcube_alltoall_default_options first, then change fields. A later version may append fields:
/// struct_size is the size in the header of the caller, and fields beyond it have their defaults.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct hcube_alltoall_options {
    /// sizeof(hcube_alltoall_options) in the program of the caller.
    pub struct_size: u64,
    /// [`hcube_alltoall::Options::memory`]
    pub memory: i64,
    /// [`hcube_alltoall::Options::schedule`]
    pub schedule: i32,
    /// [`hcube_alltoall::Options::path`]
    pub path: i32,
    /// [`hcube_alltoall::Options::ranks_per_node`]
    pub ranks_per_node: i32,
    /// 0; reserved for a later version.
    pub reserved: i32,
}

options_of_a_table!(
    hcube_alltoall_options,
    hcube_alltoall::Options,
    [memory, schedule, path, ranks_per_node],
    zero: reserved
);

// SAFETY: numbers, the size first; without padding, as test `abi` checks.
unsafe impl Growing for hcube_alltoall_options {
    const NAME: &'static str = "options.struct_size";
    const FILLED_BY: &'static str = "call hcube_alltoall_default_options first";
}
