//! Copointers: addresses in coarrays of other images as values.

use super::{buffer, on_image, rank, size};
use crate::boundary::{output, required};
use crate::types::{hcube_coarray, hcube_copointer, hcube_error};
use hcube_caf::Handle;
use hcube_caf::coarray::Use;
use hcube_caf::copointer::Copointer;
use hcube_core::error::Result;
use std::ffi::c_void;

/// One-sided. Returns an address in a coarray on an image as a value that all images of the job may use, for
/// example as an argument of a shipped function.
///
/// coarray, image, offset: as for hcube_caf_put.
/// copointer: receives the copointer.
/// Errors: HCUBE_ERR_ARGUMENT.
///
/// # Safety
/// The pointers are null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn hcube_caf_copointer(
    coarray: hcube_coarray,
    image: i32,
    offset: u64,
    copointer: *mut hcube_copointer,
    error: *mut hcube_error,
) -> i32 {
    // SAFETY: null or valid, by the contract of this function.
    unsafe {
        on_image(error, |runtime| {
            let (coarray, copointer) = (Handle::from_number(coarray), output(copointer, "copointer")?);
            let rank = rank(runtime, coarray, Use::Data, image)?;
            let Copointer { place, bytes } = runtime.copointer(coarray, rank, size("offset", offset)?)?;
            *copointer = hcube_copointer { place, bytes };
            Ok(())
        })
    }
}

/// One-sided. Writes bytes at a copointer; otherwise as hcube_caf_put.
///
/// copointer: a copointer whose coarray has not been freed.
/// offset: bytes from the address of the copointer.
/// from, bytes: the data to write and its size in bytes.
/// Errors: as for hcube_caf_put.
///
/// # Safety
/// from is valid for bytes bytes; the other pointers are null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn hcube_caf_copointer_put(
    copointer: *const hcube_copointer,
    offset: u64,
    from: *const c_void,
    bytes: u64,
    error: *mut hcube_error,
) -> i32 {
    // SAFETY: null or valid, by the contract of this function.
    unsafe {
        on_image(error, |runtime| {
            let (copointer, from) = (given(copointer)?, buffer("from", from, bytes)?);
            runtime.put_to(copointer, size("offset", offset)?, from)
        })
    }
}

/// One-sided. Reads bytes at a copointer; otherwise as hcube_caf_get.
///
/// copointer, offset: as for hcube_caf_copointer_put.
/// into, bytes: receives the data; its size in bytes.
/// Errors: as for hcube_caf_put.
///
/// # Safety
/// into is valid for bytes bytes; the other pointers are null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn hcube_caf_copointer_get(
    copointer: *const hcube_copointer,
    offset: u64,
    into: *mut c_void,
    bytes: u64,
    error: *mut hcube_error,
) -> i32 {
    // SAFETY: null or valid, by the contract of this function.
    unsafe {
        on_image(error, |runtime| {
            let (copointer, into) = (given(copointer)?, buffer("into", into, bytes)?);
            runtime.get_from(copointer, size("offset", offset)?, into)
        })
    }
}

/// A copointer that a caller passes.
///
/// # Safety
/// The pointer is null or valid.
pub(super) unsafe fn given(copointer: *const hcube_copointer) -> Result<Copointer> {
    // SAFETY: null or valid.
    let &hcube_copointer { place, bytes } = unsafe { required(copointer, "copointer")? };
    Ok(Copointer { place, bytes })
}
