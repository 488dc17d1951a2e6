//! Memory of the C library, from which Fortran allocates variables other than coarrays, and which the program
//! frees.

use crate::failure::Result;
use hcube_core::error::Error;
use std::ffi::c_void;

unsafe extern "C" {
    fn malloc(bytes: usize) -> *mut c_void;
}

/// Memory for `what`, with an address also if it has no bytes.
///
/// # Errors
/// Where no memory is available.
pub fn allocate(bytes: usize, what: &str) -> Result<*mut u8> {
    // SAFETY: the C library's function, which accepts any number.
    let memory: *mut u8 = unsafe { malloc(bytes.max(1)) }.cast();
    if memory.is_null() {
        return Err(Error::Memory(format!("{bytes} bytes for {what}")).into());
    }
    Ok(memory)
}
