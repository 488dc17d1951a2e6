//! What concerns the library as a whole.

use std::ffi::{CStr, c_char};

/// The version with its terminating zero byte.
const VERSION: &CStr = match CStr::from_bytes_with_nul(concat!(env!("CARGO_PKG_VERSION"), "\0").as_bytes()) {
    Ok(version) => version,
    Err(_) => panic!("a version has no zero byte"),
};

/// The version of the library, for example "0.1.0". Static; may be called before MPI_Init.
#[unsafe(no_mangle)]
pub extern "C" fn hcube_version() -> *const c_char {
    VERSION.as_ptr()
}

/// One sentence for a code HCUBE_*. Static, never NULL, also for unknown codes; may be called before
/// MPI_Init. The particulars of a failure are in hcube_error.message.
#[unsafe(no_mangle)]
pub extern "C" fn hcube_error_string(code: i32) -> *const c_char {
    hcube_core::error::describe_code(code).as_ptr()
}
