//! The types of longest common subsequences for C.

use std::ffi::c_void;

/// Told how far hcube_llcs is, many times per second. It must not call functions of hcube or MPI, nor
/// leave by longjmp or an exception.
///
/// done, total: entries of the matrix of lengths that this rank has computed, and that it has to.
/// data: what was passed to hcube_llcs.
/// Returns 0 to go on, else the computation ends.
#[expect(non_camel_case_types, reason = "a name of C")]
pub type hcube_llcs_progress =
    Option<unsafe extern "C-unwind" fn(done: i64, total: i64, data: *mut c_void) -> i32>;
