//! Version and error texts of the library.

use std::ffi::{CStr, c_char};

/// The version with its terminating zero byte.
const VERSION: &CStr = match CStr::from_bytes_with_nul(concat!(env!("CARGO_PKG_VERSION"), "\0").as_bytes()) {
    Ok(version) => version,
    Err(_) => panic!("a version has no zero byte"),
};

/// Local. Returns the version of the library, for example "0.1.0". The text is static. May be
/// called before MPI_Init and after MPI_Finalize.
#[unsafe(no_mangle)]
pub extern "C-unwind" fn hcube_version() -> *const c_char {
    VERSION.as_ptr()
}

/// Local. Returns a short text for an error code, also for an unknown one. The text is static and
/// never NULL. May be called before MPI_Init and after MPI_Finalize.
///
/// The details of a failure are in hcube_error.message.
///
/// code: HCUBE_SUCCESS or HCUBE_ERR_*.
#[unsafe(no_mangle)]
pub extern "C-unwind" fn hcube_error_string(code: i32) -> *const c_char {
    hcube_core::error::describe_code(code).as_ptr()
}
