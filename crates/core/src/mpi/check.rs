//! Return codes of MPI.

use super::constants::{SUCCESS, constants};
use super::raw;
use crate::error::{Error, Result};
use std::ffi::c_int;

/// Turns an MPI return code into a result.
pub(super) fn check(call: &'static str, code: c_int) -> Result<()> {
    if code == SUCCESS {
        return Ok(());
    }
    let mut text = vec![0u8; constants().max_error_string as usize + 1];
    let mut length = 0;
    // SAFETY: the buffer has the length that MPI requires; any code may be asked about.
    unsafe { raw::PMPI_Error_string(code, text.as_mut_ptr().cast(), &mut length) };
    text.truncate(length.max(0) as usize);
    Err(Error::Mpi { call, code, text: String::from_utf8_lossy(&text).into_owned() })
}
