//! Coarray programs for C: a file for each part of include/hcube/caf.h.

pub mod asynchronous;
pub mod collectives;
pub mod copointers;
pub mod functions;
pub mod memory;
pub mod reductions;
pub mod runtime;
pub mod sections;
pub mod synchronisation;
pub mod teams;

use crate::boundary::{enter, required};
use crate::types::hcube_error;
use hcube_caf::coarray::Use;
use hcube_caf::{Handle, Runtime, process};
use hcube_core::error::{Error, Result};
use hcube_core::memory::Region;
use hcube_core::mpi::MpiComm;
use std::ffi::c_void;

/// This image, wherever an image is named.
pub const THIS_IMAGE: i32 = -1;

/// The runtime of this process.
type Image = Runtime<MpiComm>;

/// Runs the body of an exported function with the runtime.
///
/// # Safety
/// As [`enter`].
#[inline(always)]
unsafe fn on_image(error: *mut hcube_error, body: impl FnOnce(&Image) -> Result<()>) -> i32 {
    // SAFETY: `error` is null or points to a writable `hcube_error`.
    unsafe { enter(None, error, || process::with(body)) }
}

/// A team that a caller names.
#[inline(always)]
fn team_of(image: &Image, number: u64) -> Result<Handle> {
    if number == 0 { image.team() } else { Ok(Handle::from_number(number)) }
}

/// A rank in a team that a caller names.
#[inline]
fn member(image: i32) -> Result<usize> {
    usize::try_from(image).map_err(|_| Error::argument("image", image, "0 or more"))
}

/// The rank of an image that a caller names in the team of a coarray, of events or of locks.
#[inline]
fn rank(runtime: &Image, of: Handle, purpose: Use, image: i32) -> Result<usize> {
    match usize::try_from(image) {
        Ok(rank) => Ok(rank),
        Err(_) if image == THIS_IMAGE => runtime.own_rank(of, purpose),
        Err(_) => Err(Error::argument("image", image, "0 or more, or HCUBE_CAF_THIS_IMAGE")),
    }
}

/// An index that a caller passes.
#[inline]
fn index_of(index: i64) -> Result<usize> {
    usize::try_from(index).map_err(|_| Error::argument("index", index, "0 or more"))
}

/// A number of bytes, or a distance, that a caller passes.
#[inline]
fn size(name: &'static str, bytes: u64) -> Result<usize> {
    let size = usize::try_from(bytes).ok().filter(|&bytes| isize::try_from(bytes).is_ok());
    size.ok_or_else(|| Error::argument(name, bytes, "less than 2^63"))
}

/// Memory of the caller.
///
/// # Safety
/// The address is null or valid for `bytes` bytes while the region is used.
#[inline]
unsafe fn buffer<'a>(name: &'static str, address: *const c_void, bytes: u64) -> Result<Region<'a>> {
    let length = size("bytes", bytes)?;
    if address.is_null() && length > 0 {
        return Err(Error::Buffer(format!("{name} = NULL: expected memory of {bytes} bytes")));
    }
    // SAFETY: valid for the bytes, or without any, by the contract of this function; the caller may have
    // passed one buffer twice, which regions allow.
    Ok(unsafe { Region::new(address.cast_mut().cast(), length) })
}

/// An array of the caller's.
///
/// # Safety
/// The pointer is null or valid for `count` elements for the lifetime that the caller uses.
unsafe fn array<'a, T>(name: &'static str, first: *const T, count: i64) -> Result<&'a [T]> {
    let length = usize::try_from(count).map_err(|_| Error::argument("count", count, "0 or more"))?;
    if length == 0 {
        return Ok(&[]);
    }
    // SAFETY: null, which is refused, or valid, by the contract of this function.
    unsafe {
        required(first, name)?;
        Ok(std::slice::from_raw_parts(first, length))
    }
}

/// As [`array`], for outputs.
///
/// # Safety
/// As [`array`], and writable.
unsafe fn array_mut<'a, T>(name: &'static str, first: *mut T, count: i64) -> Result<&'a mut [T]> {
    let length = usize::try_from(count).map_err(|_| Error::argument("count", count, "0 or more"))?;
    if length == 0 {
        return Ok(&mut []);
    }
    // SAFETY: null, which is refused, or valid, by the contract of this function.
    unsafe {
        required(first, name)?;
        Ok(std::slice::from_raw_parts_mut(first, length))
    }
}

/// The arguments of a collective function, if they are valid; otherwise the function is an error on all
/// members.
fn refusing<T>(image: &Image, team: Handle, given: Result<T>) -> Result<T> {
    given.map_err(|error| image.refuse(team, error))
}
