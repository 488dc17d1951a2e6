//! Extensible structures: the first field is the size of the structure in the header of the caller, which may
//! be of another version.
//!
//! Fields that one side does not know are zero, and zero in a later field means the behaviour of the library
//! before it had that field. doc/abi.md has the rules.

use crate::boundary::output;
use hcube_core::error::{Error, Result};

/// A structure that may grow.
///
/// # Safety
/// `repr(C)`, aligned to 8 bytes, without padding, of integers, floating-point numbers and addresses of
/// functions that may be null only; a `u64` with the size that the caller knows is first.
pub(crate) unsafe trait Growing: Copy {
    /// The name of its size in messages.
    const NAME: &'static str;
    /// Which function fills it, for messages.
    const FILLED_BY: &'static str;
}

/// The size and one field.
const MIN_STRUCT_BYTES: u64 = 16;
/// Larger than any version's size: the value in uninitialised memory.
const MAX_STRUCT_BYTES: u64 = 4096;

/// Whether some version of the header may have a structure of that size.
fn check<T: Growing>(name: &'static str, size: u64) -> Result<usize> {
    if (MIN_STRUCT_BYTES..=MAX_STRUCT_BYTES).contains(&size) && size.is_multiple_of(8) {
        return Ok(size as usize);
    }
    Err(Error::argument(name, size, format!("{} ({})", size_of::<T>(), T::FILLED_BY)))
}

/// A caller's structure; fields that the caller does not know are taken from `defaults`.
///
/// # Errors
/// Where the caller knows more and has set it, or the size is not one of a structure.
///
/// # Safety
/// The pointer is valid for the bytes that its first field says.
pub(crate) unsafe fn read<T: Growing>(from: *const T, defaults: impl FnOnce() -> Result<T>) -> Result<T> {
    // SAFETY: the first field is there, by the contract of this function.
    let size = unsafe { from.cast::<u64>().read() };
    let (size, known) = (check::<T>(T::NAME, size)?, size_of::<T>());
    // SAFETY: valid for the bytes that the first field says, by the contract of this function.
    let given = unsafe { std::slice::from_raw_parts(from.cast::<u8>(), size) };
    if given.iter().skip(known).any(|&byte| byte != 0) {
        let hint = format!(
            "{known}, or zeros in the fields after those that hcube {} knows",
            env!("CARGO_PKG_VERSION")
        );
        return Err(Error::argument(T::NAME, size, hint));
    }
    let whole = size >= known;
    // SAFETY: `T` is plain numbers and addresses, and a caller that knows the whole structure has given it
    // whole.
    let mut value = if whole { unsafe { from.read() } } else { defaults()? };
    if !whole {
        // SAFETY: `size` bytes are given, and fit because the structure has more; any bytes are numbers or
        // addresses.
        unsafe { std::ptr::copy_nonoverlapping(given.as_ptr(), (&raw mut value).cast(), size) };
    }
    Ok(value)
}

/// Fills a caller's structure up to `size` bytes, as much as the caller knows: with `value`, followed by
/// zeros. Its first field becomes that size.
///
/// # Safety
/// The pointer is valid for `size` bytes.
pub(crate) unsafe fn write<T: Growing>(
    to: *mut T,
    name: &'static str,
    size: u64,
    value: impl FnOnce() -> Result<T>,
) -> Result<()> {
    let size = check::<T>(name, size)?;
    let value = value()?;
    let known = size.min(size_of::<T>());
    // SAFETY: valid for `size` bytes, by the contract of this function; `T` has no padding.
    unsafe {
        let bytes = std::slice::from_raw_parts_mut(to.cast::<u8>(), size);
        bytes[..known].copy_from_slice(std::slice::from_raw_parts((&raw const value).cast(), known));
        bytes[known..].fill(0);
        to.cast::<u64>().write(size as u64);
    }
    Ok(())
}

/// [`write()`] for the functions that fill options.
///
/// # Safety
/// As [`write()`].
pub(crate) unsafe fn fill<T: Growing>(
    options: *mut T,
    size: u64,
    defaults: impl FnOnce() -> Result<T>,
) -> Result<()> {
    // SAFETY: null, which is refused, or valid for `size` bytes, by the contract of `write`.
    unsafe {
        output(options.cast::<u8>(), "options")?;
        write(options, "size", size, defaults)
    }
}

/// [`write()`] for a caller's structure with the size in the first field.
///
/// # Safety
/// The pointer is null or valid for the bytes that its first field says.
pub(crate) unsafe fn answer<T: Growing>(
    to: *mut T,
    argument: &'static str,
    value: impl FnOnce() -> Result<T>,
) -> Result<()> {
    // SAFETY: null, which is refused, or valid for the bytes that its first field says, by the contract of
    // this function.
    unsafe {
        let size = *output(to.cast::<u64>(), argument)?;
        write(to, T::NAME, size, value)
    }
}
