//! Asynchronous copies, broadcasts and barriers, and their completion.

use super::collectives::root_and;
use super::synchronisation::{check_reserved, event_at};
use super::{buffer, on_image, rank, size, team_of};
use crate::boundary::required;
use crate::types::{hcube_copointer, hcube_error, hcube_event, hcube_place, hcube_team};
use hcube_caf::coarray::Use;
use hcube_caf::copy::Side;
use hcube_caf::event::{EventAt, field};
use hcube_caf::{Handle, Runtime};
use hcube_core::error::{Error, Result};
use hcube_core::mpi::MpiComm;
use std::ffi::c_void;

/// One side of a copy: the argument `name`.
///
/// # Safety
/// The pointer is null or valid; memory is valid for `bytes` bytes from the offset on, until the copy is
/// complete.
unsafe fn side(
    runtime: &Runtime<MpiComm>,
    name: &'static str,
    place: *const hcube_place,
    bytes: u64,
) -> Result<Side> {
    // SAFETY: null or valid, by the contract of this function.
    let place = unsafe { required(place, name)? };
    // SAFETY: memory is valid for `bytes` bytes from the offset on, until the copy is complete.
    unsafe { side_at(runtime, name, place, bytes) }.map_err(|error| field(name, error))
}

/// As [`side`], of a place that is there.
///
/// # Safety
/// Memory is valid for `bytes` bytes from the offset on, until the copy is complete.
unsafe fn side_at(
    runtime: &Runtime<MpiComm>,
    name: &'static str,
    place: &hcube_place,
    bytes: u64,
) -> Result<Side> {
    check_reserved(place.reserved)?;
    let offset = size("offset", place.offset)?;
    let hcube_place { coarray, copointer: hcube_copointer { place: pointed, bytes: room }, memory, .. } =
        *place;
    Ok(match (coarray != 0, pointed != 0 || room != 0, !memory.is_null()) {
        (true, false, false) => {
            let coarray = Handle::from_number(coarray);
            Side::Coarray(coarray, rank(runtime, coarray, Use::Data, place.image)?, offset)
        }
        (false, true, false) => {
            let copointer = hcube_caf::copointer::Copointer { place: pointed, bytes: room };
            Side::Copointer(copointer, offset)
        }
        (false, false, true) => {
            // SAFETY: valid until the copy is complete, by the contract of this function.
            let region = unsafe { buffer("memory", memory.wrapping_byte_add(offset), bytes)? };
            Side::Memory(region)
        }
        _ => {
            let given = "none or several of coarray, copointer and memory";
            return Err(Error::argument(name, given, "exactly one of them"));
        }
    })
}

/// An event that a caller may name: the argument `name`.
///
/// # Safety
/// The pointer is null or valid.
pub(super) unsafe fn optional(
    runtime: &Runtime<MpiComm>,
    name: &'static str,
    event: *const hcube_event,
) -> Result<Option<EventAt>> {
    // SAFETY: null or valid.
    let event = unsafe { event.as_ref() };
    event.map(|event| event_at(runtime, event)).transpose().map_err(|error| field(name, error))
}

/// One-sided. Starts an asynchronous copy, which makes progress while this image waits or calls
/// hcube_caf_progress. A copy inside a node is performed immediately, unless it waits for predicate. Source
/// and destination may be on any images.
///
/// destination, source: a coarray on an image, a copointer, or memory of this image. Memory is in use until
/// hcube_caf_cofence has returned or done has been notified.
/// bytes: number of bytes to copy.
/// done: an event of any image, notified when the copy is complete at the destination; may be NULL.
/// predicate: an event of any image; the copy begins when the event has been notified, and decrements its
/// counter. NULL: the copy begins immediately.
/// Errors: as for hcube_caf_put; nothing is copied then.
/// The innermost finish block of this image does not end before the copy has ended.
///
/// # Safety
/// The pointers are null or valid; memory is valid until the copy is complete.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn hcube_caf_copy_async(
    destination: *const hcube_place,
    source: *const hcube_place,
    bytes: u64,
    done: *const hcube_event,
    predicate: *const hcube_event,
    error: *mut hcube_error,
) -> i32 {
    // SAFETY: null or valid, by the contract of this function.
    unsafe {
        on_image(error, |image| {
            let destination = side(image, "destination", destination, bytes)?;
            let source = side(image, "source", source, bytes)?;
            let (done, predicate) =
                (optional(image, "done", done)?, optional(image, "predicate", predicate)?);
            image.copy_async(destination, source, size("bytes", bytes)?, done, predicate)
        })
    }
}

/// Collective over the team: starts a broadcast, as hcube_caf_broadcast. Waits for other members only to
/// compare the arguments.
///
/// team, root, buffer, bytes: as for hcube_caf_broadcast; buffer stays in use until done has been
/// notified or hcube_caf_cofence has returned.
/// done: an event, notified when the buffer of this image has been received or, on the root, may be reused;
/// may be NULL.
/// Errors: as for hcube_caf_broadcast.
///
/// # Safety
/// buffer is valid for bytes bytes until the broadcast is complete; the other pointers are null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn hcube_caf_broadcast_async(
    team: hcube_team,
    root: i32,
    buffer: *mut c_void,
    bytes: u64,
    done: *const hcube_event,
    error: *mut hcube_error,
) -> i32 {
    // SAFETY: null or valid, by the contract of this function.
    unsafe {
        on_image(error, |image| {
            let (team, checked) = (team_of(image, team)?, super::buffer("buffer", buffer, bytes));
            let given = checked.and_then(|region| Ok((region, optional(image, "done", done)?)));
            let refuse = |error| image.refuse_broadcast_async(team, error);
            let (root, (region, done)) = root_and(root, given).map_err(refuse)?;
            image.broadcast_async(team, root, region, done)
        })
    }
}

/// Collective over the team: starts a non-blocking barrier.
///
/// team: a team; 0 is the default team.
/// done: an event of any image, notified when all members have called it.
/// Errors: HCUBE_ERR_ARGUMENT; if the event is not valid, this image takes part in the barrier nevertheless.
///
/// # Safety
/// The pointers are null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn hcube_caf_barrier_async(
    team: hcube_team,
    done: *const hcube_event,
    error: *mut hcube_error,
) -> i32 {
    // SAFETY: null or valid, by the contract of this function.
    unsafe {
        on_image(error, |image| {
            let event = required(done, "done")
                .and_then(|done| event_at(image, done).map_err(|error| field("done", error)));
            image.barrier_async(team_of(image, team)?, event)
        })
    }
}

/// Local. Waits until all asynchronous operations that this image has started are locally complete:
/// memory that they read may be changed, and memory of this image that they write has been written.
///
/// # Safety
/// error is null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn hcube_caf_cofence(error: *mut hcube_error) -> i32 {
    // SAFETY: null or valid, by the contract of this function.
    unsafe { on_image(error, |image| image.cofence()) }
}
