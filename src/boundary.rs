//! The one boundary between C and Rust: the handling of arguments and results of every exported function.
//! Communicators enter through [`gate`].

use crate::types::hcube_error;
use hcube_core::error::{Error, HCUBE_SUCCESS, Result};
use hcube_core::mpi::handle::{self, Handle};
use hcube_core::mpi::{MPI_Comm, gate};
use std::ffi::c_char;

/// Exports short functions that take the place of a function of another interface, or only call another one.
/// cbindgen expands no macros: build.rs shows it what this one writes.
macro_rules! exported {
    ($(
        $(#[$doc:meta])*
        fn $name:ident($($argument:ident: $Type:ty),*) $(-> $Result:ty)? { $($body:tt)* }
    )*) => {
        $(
            $(#[$doc])*
            ///
            /// # Safety
            /// The arguments are as the other function requires.
            #[unsafe(no_mangle)]
            pub unsafe extern "C-unwind" fn $name($($argument: $Type),*) $(-> $Result)? {
                // SAFETY: addresses are null or valid for what the other function reads and writes, and
                // handles come from MPI.
                unsafe { $($body)* }
            }
        )*
    };
}
pub(crate) use exported;

/// Runs the body of an exported function. Its error becomes the code, and the message where C has
/// given a place for one; a failure of MPI goes through the communicator's error handler as well,
/// as it does in MPI's own functions. A panic ends the job ([`gate::run`]).
///
/// # Safety
/// `error` is null or points to a writable `hcube_error`.
pub(crate) unsafe fn enter(
    comm: Option<Handle>,
    error: *mut hcube_error,
    body: impl FnOnce() -> Result<()>,
) -> i32 {
    let result = gate::run(comm, body);
    let code = result.as_ref().err().map_or(HCUBE_SUCCESS, Error::code);
    // SAFETY: null or writable, by the contract of this function.
    if let Some(error) = unsafe { error.as_mut() } {
        error.set(code, &result.as_ref().err().map(Error::to_string).unwrap_or_default());
    }
    let of_mpi = match result {
        Err(Error::Mpi { code, .. }) => Some(code),
        _ => None,
    };
    // The error handler may leave by a jump or an exception: nothing is held here.
    if let (Some(comm), Some(code)) = (comm, of_mpi) {
        handle::call_error_handler(comm, code);
    }
    code
}

/// [`enter`] for a function on a communicator.
///
/// # Safety
/// As [`enter`]; the handle is one of MPI's.
pub(crate) unsafe fn enter_on(
    comm: MPI_Comm,
    error: *mut hcube_error,
    body: impl FnOnce(Handle) -> Result<()>,
) -> i32 {
    // SAFETY: one of MPI's handles, by the contract of this function.
    let comm = unsafe { Handle::new(comm) };
    // SAFETY: null or writable, by the contract of this function.
    unsafe { enter(Some(comm), error, || body(comm)) }
}

/// Frees a handle, whose place becomes null.
///
/// # Safety
/// The pointer is null or valid, and the handle null or of `Box::into_raw`.
pub(crate) unsafe fn free<T>(handle: *mut *mut T, name: &'static str) -> Result<()> {
    // SAFETY: null or valid, by the contract of this function.
    let place = unsafe { output(handle, name) }?;
    let freed = std::mem::replace(place, std::ptr::null_mut());
    if !freed.is_null() {
        // SAFETY: a handle of `Box::into_raw`, which is passed once.
        drop(unsafe { Box::from_raw(freed) });
    }
    Ok(())
}

/// A reference from a pointer that must not be null.
///
/// # Safety
/// The pointer is null or valid for the lifetime that the caller uses.
pub(crate) unsafe fn required<'a, T>(pointer: *const T, name: &'static str) -> Result<&'a T> {
    // SAFETY: null or valid, by the contract of this function.
    unsafe { pointer.as_ref() }.ok_or_else(|| Error::argument(name, "NULL", "a valid pointer"))
}

/// Like [`required`], for outputs.
///
/// # Safety
/// As [`required`], and writable.
pub(crate) unsafe fn output<'a, T>(pointer: *mut T, name: &'static str) -> Result<&'a mut T> {
    // SAFETY: null or writable, by the contract of this function.
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
    // SAFETY: not null, and then it has room for `length` bytes, by the contract of this function.
    Ok(unsafe { std::slice::from_raw_parts_mut(text.cast::<u8>(), length as usize) })
}

/// Writes as much of a line as there is room for, and a zero byte.
pub(crate) fn write_text(buffer: &mut [u8], line: &str) {
    let room = line.len().min(buffer.len() - 1);
    buffer[..room].copy_from_slice(&line.as_bytes()[..room]);
    buffer[room] = 0;
}
