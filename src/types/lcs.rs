//! The types of longest common subsequences for C.

use std::ffi::c_void;

/// Callback that receives the progress of hcube_llcs many times per second. It must not call functions of
/// hcube or MPI, nor leave by longjmp or an exception.
///
/// done, total: number of matrix entries that this rank has computed, and that it will compute in total.
/// data: the argument data of hcube_llcs.
/// Returns 0 to continue, any other value to stop the computation.
#[expect(non_camel_case_types, reason = "a name of C")]
pub type hcube_llcs_progress =
    Option<unsafe extern "C-unwind" fn(done: i64, total: i64, data: *mut c_void) -> i32>;
