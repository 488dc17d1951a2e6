//! The one border between C and Rust.

use crate::types::hcube_error;
use hcube_core::error::{Error, HCUBE_SUCCESS, Result};
use hcube_core::mpi::MpiComm;
use hcube_core::mpi::attribute::{self, Kept};
use hcube_core::mpi::handle::{self, Handle, check_communicator, check_state};
use std::ffi::c_char;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Runs the body of an exported function. Its error becomes the code, and the message where C has
/// given a place for one; a failure of MPI goes through the communicator's error handler as well,
/// as it does in MPI's own functions.
///
/// A panic is a defect of hcube. It may have happened inside an exchange that other ranks wait in,
/// so returning a code would leave them waiting: the job is aborted.
///
/// # Safety
/// `error` is null or points to a writable `hcube_error`.
pub(crate) unsafe fn enter(
    comm: Option<Handle>,
    error: *mut hcube_error,
    body: impl FnOnce() -> Result<()>,
) -> i32 {
    let failure = match catch_unwind(AssertUnwindSafe(body)) {
        Ok(Ok(())) => {
            // SAFETY: the caller's promise.
            if let Some(error) = unsafe { error.as_mut() } {
                error.set(HCUBE_SUCCESS, "");
            }
            return HCUBE_SUCCESS;
        }
        Ok(Err(failure)) => failure,
        Err(_) => {
            // The panic hook has printed message and place; the rank is missing there.
            eprintln!(
                "hcube: internal error on rank {}, aborting the job; please report the lines above",
                rank(comm)
            );
            handle::abort(comm);
        }
    };
    // SAFETY: the caller's promise.
    if let Some(error) = unsafe { error.as_mut() } {
        error.set(failure.code(), &failure.to_string());
    }
    if let (Some(comm), Error::Mpi { code, .. }) = (comm, &failure) {
        handle::call_error_handler(comm, *code);
    }
    failure.code()
}

/// The rank for a message, as far as it can be known.
fn rank(comm: Option<Handle>) -> String {
    comm.filter(|_| check_state().is_ok())
        .and_then(|comm| handle::rank(comm).ok())
        .map_or_else(|| "unknown".to_owned(), |rank| rank.to_string())
}

/// Runs `work` with the private communicator and what is kept on it.
pub(crate) fn on_communicator(
    comm: Handle,
    work: impl FnOnce(&MpiComm, &mut Kept) -> Result<()>,
) -> Result<()> {
    check_state()?;
    check_communicator(comm)?;
    attribute::with(comm, work)
}

/// A reference from a pointer that must not be null.
///
/// # Safety
/// The pointer is null or valid for the lifetime that the caller uses.
pub(crate) unsafe fn required<'a, T>(pointer: *const T, name: &'static str) -> Result<&'a T> {
    // SAFETY: the caller's promise.
    unsafe { pointer.as_ref() }.ok_or_else(|| Error::argument(name, "NULL", "a valid pointer"))
}

/// Like [`required`], for outputs.
///
/// # Safety
/// As [`required`], and writable.
pub(crate) unsafe fn output<'a, T>(pointer: *mut T, name: &'static str) -> Result<&'a mut T> {
    // SAFETY: the caller's promise.
    unsafe { pointer.as_mut() }.ok_or_else(|| Error::argument(name, "NULL", "a valid pointer"))
}

/// A caller's buffer for text.
///
/// # Safety
/// The pointer is null or has room for `length` bytes for the lifetime that the caller uses.
pub(crate) unsafe fn text_buffer<'a>(text: *mut c_char, length: u64) -> Result<&'a mut [u8]> {
    if text.is_null() || length == 0 {
        let given = format!("{text:p} of {length} bytes");
        return Err(Error::argument("text", given, "a buffer of 1 byte or more"));
    }
    // SAFETY: the caller's promise.
    Ok(unsafe { std::slice::from_raw_parts_mut(text.cast::<u8>(), length as usize) })
}

/// Writes as much of a line as there is room for, and a zero byte.
pub(crate) fn write_text(buffer: &mut [u8], line: &str) {
    let room = line.len().min(buffer.len() - 1);
    buffer[..room].copy_from_slice(&line.as_bytes()[..room]);
    buffer[room] = 0;
}
