//! Coarrays: allocation, put and get, atomic operations.

use super::{buffer, on_image, rank, refusing, size, team_of};
use crate::boundary::output;
use crate::types::{hcube_coarray, hcube_error, hcube_team};
use hcube_caf::Handle;
use hcube_caf::coarray::Use;
use hcube_caf::options::Action;
use hcube_core::error::{Error, Result};
use hcube_core::onesided::Atomic;
use hcube_core::options::{Number, choices};
use std::ffi::c_void;

/// Collective over the team: allocates a coarray.
///
/// team: a team; 0 is the default team.
/// bytes: size of the part of each member in bytes; the same on all members. The parts are aligned to 128
/// bytes and not initialised.
/// coarray: receives the handle. Freed by hcube_caf_coarray_free.
/// address: receives the address of the part of this image; may be NULL.
/// Errors on all members: HCUBE_ERR_MEMORY, HCUBE_ERR_MISMATCH; HCUBE_ERR_ARGUMENT.
///
/// # Safety
/// The pointers are null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn hcube_caf_coarray_alloc(
    team: hcube_team,
    bytes: u64,
    coarray: *mut hcube_coarray,
    address: *mut *mut c_void,
    error: *mut hcube_error,
) -> i32 {
    // SAFETY: null or valid, by the contract of this function.
    unsafe {
        on_image(error, |image| {
            let team = team_of(image, team)?;
            let coarray = refusing(image, team, output(coarray, "coarray"))?;
            let bytes = usize::try_from(bytes).unwrap_or(usize::MAX);
            let new = image.allocate(team, bytes, Use::Data)?;
            *coarray = new.number();
            if let Some(address) = address.as_mut() {
                *address = image.address(new)?.cast();
            }
            Ok(())
        })
    }
}

/// Collective over the team of the coarray: frees it.
///
/// coarray: a coarray.
/// Errors: HCUBE_ERR_ARGUMENT.
///
/// # Safety
/// error is null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn hcube_caf_coarray_free(
    coarray: hcube_coarray,
    error: *mut hcube_error,
) -> i32 {
    // SAFETY: null or valid, by the contract of this function.
    unsafe { on_image(error, |image| image.free(Handle::from_number(coarray), Use::Data)) }
}

/// Local. Returns the address of the part of this image. It is the same address in all images of the node.
///
/// coarray: a coarray.
/// address: receives the address, which is valid until the coarray is freed.
/// Errors: HCUBE_ERR_ARGUMENT.
///
/// # Safety
/// The pointers are null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn hcube_caf_address(
    coarray: hcube_coarray,
    address: *mut *mut c_void,
    error: *mut hcube_error,
) -> i32 {
    // SAFETY: null or valid, by the contract of this function.
    unsafe {
        on_image(error, |image| {
            *output(address, "address")? = image.address(Handle::from_number(coarray))?.cast();
            Ok(())
        })
    }
}

/// One-sided. Writes bytes to a coarray on an image. Locally complete on return: from may be changed. Another
/// image sees the bytes after the next synchronisation of this image with it: barrier, event, lock or the end
/// of a finish block.
///
/// coarray: a coarray.
/// image: a rank in its team, or HCUBE_CAF_THIS_IMAGE.
/// offset: bytes from the start of the part of that image.
/// from, bytes: the data to write and its size in bytes.
/// Errors: HCUBE_ERR_ARGUMENT, HCUBE_ERR_BUFFER, with nothing written.
///
/// # Safety
/// from is valid for bytes bytes; error is null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn hcube_caf_put(
    coarray: hcube_coarray,
    image: i32,
    offset: u64,
    from: *const c_void,
    bytes: u64,
    error: *mut hcube_error,
) -> i32 {
    // SAFETY: null or valid, by the contract of this function.
    unsafe {
        on_image(error, |runtime| {
            let (coarray, from) = (Handle::from_number(coarray), buffer("from", from, bytes)?);
            runtime.put(coarray, rank(runtime, coarray, Use::Data, image)?, size("offset", offset)?, from)
        })
    }
}

/// One-sided. Reads bytes from a coarray on an image; complete on return. Earlier puts of this image to the
/// same memory are visible.
///
/// coarray, image, offset: as for hcube_caf_put.
/// into, bytes: receives the data; its size in bytes.
/// Errors: as for hcube_caf_put.
///
/// # Safety
/// into is valid for bytes bytes; error is null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn hcube_caf_get(
    coarray: hcube_coarray,
    image: i32,
    offset: u64,
    into: *mut c_void,
    bytes: u64,
    error: *mut hcube_error,
) -> i32 {
    // SAFETY: null or valid, by the contract of this function.
    unsafe {
        on_image(error, |runtime| {
            let (coarray, into) = (Handle::from_number(coarray), buffer("into", into, bytes)?);
            runtime.get(coarray, rank(runtime, coarray, Use::Data, image)?, size("offset", offset)?, into)
        })
    }
}

/// An operation that a caller names.
fn action(number: i32, compare: u64) -> Result<Atomic> {
    let known = Action::from_number(number.into());
    Ok(match known.ok_or_else(|| Error::argument("operation", number, choices(Action::NAMES)))? {
        Action::Load => Atomic::Load,
        Action::Swap => Atomic::Swap,
        Action::Add => Atomic::Add,
        Action::And => Atomic::And,
        Action::Or => Atomic::Or,
        Action::Xor => Atomic::Xor,
        Action::CompareSwap => Atomic::CompareSwap(compare),
    })
}

/// One-sided. Performs an atomic operation on a 64-bit word of a coarray on an image. It is atomic with
/// respect to all calls of this function by any image.
///
/// coarray, image: as for hcube_caf_put.
/// offset: bytes from the start of the part of that image, a multiple of 8.
/// operation: HCUBE_CAF_LOAD, HCUBE_CAF_SWAP, HCUBE_CAF_ADD, HCUBE_CAF_AND, HCUBE_CAF_OR, HCUBE_CAF_XOR
/// or HCUBE_CAF_COMPARE_SWAP.
/// operand: the operand; not used by HCUBE_CAF_LOAD.
/// compare: the value to compare with; used only by HCUBE_CAF_COMPARE_SWAP.
/// before: receives the previous value of the word; may be NULL.
/// Errors: as for hcube_caf_put.
///
/// # Safety
/// The pointers are null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn hcube_caf_atomic(
    coarray: hcube_coarray,
    image: i32,
    offset: u64,
    operation: i32,
    operand: u64,
    compare: u64,
    before: *mut u64,
    error: *mut hcube_error,
) -> i32 {
    // SAFETY: null or valid, by the contract of this function.
    unsafe {
        on_image(error, |runtime| {
            let (coarray, action) = (Handle::from_number(coarray), action(operation, compare)?);
            let rank = rank(runtime, coarray, Use::Data, image)?;
            let found = runtime.atomic(coarray, rank, size("offset", offset)?, action, operand)?;
            if let Some(before) = before.as_mut() {
                *before = found;
            }
            Ok(())
        })
    }
}
