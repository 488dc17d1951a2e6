//! Collective operations of teams.

use super::{buffer, member, on_image, refusing, size, team_of};
use crate::types::{hcube_caf_compare, hcube_error, hcube_team};
use hcube_caf::Handle;
use hcube_core::error::{Error, Result};
use hcube_core::memory::Region;
use std::ffi::c_void;

/// Collective over the team. Copies the buffer of one member to all others.
///
/// team: a team; 0 is the default team.
/// root: the rank of that member in the team; the same on all members.
/// buffer, bytes: the data that is sent or received and its size in bytes, which is the same on all members.
/// Errors on all members of the team, for this and all other collective operations on data:
/// HCUBE_ERR_ARGUMENT, HCUBE_ERR_BUFFER, HCUBE_ERR_MISMATCH if arguments differ, the code of another
/// member.
///
/// # Safety
/// buffer is valid for bytes bytes; error is null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn hcube_caf_broadcast(
    team: hcube_team,
    root: i32,
    buffer: *mut c_void,
    bytes: u64,
    error: *mut hcube_error,
) -> i32 {
    // SAFETY: null or valid, by the contract of this function.
    unsafe {
        on_image(error, |image| {
            let team = team_of(image, team)?;
            let given = root_and(root, super::buffer("buffer", buffer, bytes));
            let (root, region) = refusing(image, team, given)?;
            image.broadcast(team, root, region)
        })
    }
}

/// A root, and the other arguments checked with it.
pub(super) fn root_and<T>(root: i32, other: Result<T>) -> Result<(usize, T)> {
    Ok((member(root).map_err(|_| Error::argument("root", root, "0 or more"))?, other?))
}

/// The blocks of all members.
fn all_blocks(image: &super::Image, team: Handle, bytes: u64) -> Result<u64> {
    let members = image.look_at_team(team, |team| team.size())? as u64;
    bytes.checked_mul(members).ok_or_else(|| Error::argument("bytes", bytes, "less than 2^63 on all members"))
}

/// Collective over the team. Gathers a block of each member on the root.
///
/// team, root: as for hcube_caf_broadcast; the root receives.
/// from, bytes: the block of this member; bytes is the same on all members.
/// into: on the root, receives the blocks in rank order; not used on others.
/// Errors: as for hcube_caf_broadcast.
///
/// # Safety
/// from is valid for bytes bytes, on the root into for as many per member; error is null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn hcube_caf_gather(
    team: hcube_team,
    root: i32,
    from: *const c_void,
    bytes: u64,
    into: *mut c_void,
    error: *mut hcube_error,
) -> i32 {
    // SAFETY: null or valid, by the contract of this function.
    unsafe {
        on_image(error, |image| {
            let team = team_of(image, team)?;
            let is_root = image.look_at_team(team, |team| usize::try_from(root) == Ok(team.rank()))?;
            let given = || {
                let whole = if is_root { all_blocks(image, team, bytes)? } else { 0 };
                Ok((buffer("from", from, bytes)?, buffer("into", into, whole)?))
            };
            let (root, (from, into)) = refusing(image, team, root_and(root, given()))?;
            image.gather(team, root, from, into)
        })
    }
}

/// Collective over the team. Scatters the blocks of the root to all members.
///
/// team, root: as for hcube_caf_broadcast; the root sends.
/// from: on the root, a block for each member in rank order; not used on others.
/// bytes: size of a block; the same on all members.
/// into: receives the block of this member.
/// Errors: as for hcube_caf_broadcast.
///
/// # Safety
/// into is valid for bytes bytes, on the root from for as many per member; error is null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn hcube_caf_scatter(
    team: hcube_team,
    root: i32,
    from: *const c_void,
    bytes: u64,
    into: *mut c_void,
    error: *mut hcube_error,
) -> i32 {
    // SAFETY: null or valid, by the contract of this function.
    unsafe {
        on_image(error, |image| {
            let team = team_of(image, team)?;
            let is_root = image.look_at_team(team, |team| usize::try_from(root) == Ok(team.rank()))?;
            let given = || {
                let whole = if is_root { all_blocks(image, team, bytes)? } else { 0 };
                Ok((buffer("from", from, whole)?, buffer("into", into, bytes)?))
            };
            let (root, (from, into)) = refusing(image, team, root_and(root, given()))?;
            image.scatter(team, root, from, into)
        })
    }
}

/// Collective over the team. Gathers a block of each member on all members.
///
/// team: a team; 0 is the default team.
/// from, bytes: the block of this member; bytes is the same on all members.
/// into: receives the blocks in rank order.
/// Errors: as for hcube_caf_broadcast.
///
/// # Safety
/// from is valid for bytes bytes, into for as many per member; error is null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn hcube_caf_allgather(
    team: hcube_team,
    from: *const c_void,
    bytes: u64,
    into: *mut c_void,
    error: *mut hcube_error,
) -> i32 {
    // SAFETY: null or valid, by the contract of this function.
    unsafe {
        on_image(error, |image| {
            let team = team_of(image, team)?;
            let given = || {
                let whole = all_blocks(image, team, bytes)?;
                Ok((buffer("from", from, bytes)?, buffer("into", into, whole)?))
            };
            let (from, into) = refusing(image, team, given())?;
            image.allgather(team, from, into)
        })
    }
}

/// Collective over the team. Sends a block to each member and receives a block from each member.
///
/// team: a team; 0 is the default team.
/// from: a block for each member in rank order.
/// bytes: size of a block; the same on all members.
/// into: receives a block from each member in rank order; may be from.
/// Errors: as for hcube_caf_broadcast.
///
/// # Safety
/// from and into are valid for bytes bytes per member; error is null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn hcube_caf_alltoall(
    team: hcube_team,
    from: *const c_void,
    bytes: u64,
    into: *mut c_void,
    error: *mut hcube_error,
) -> i32 {
    // SAFETY: null or valid, by the contract of this function.
    unsafe {
        on_image(error, |image| {
            let team = team_of(image, team)?;
            let given = || {
                let whole = all_blocks(image, team, bytes)?;
                Ok((buffer("from", from, whole)?, buffer("into", into, whole)?))
            };
            let (from, into) = refusing(image, team, given())?;
            image.alltoall(team, from, into)
        })
    }
}

/// Collective over the team. Circular shift: each member sends a block to the member distance ranks higher,
/// modulo the size of the team, and receives a block from the member distance ranks lower.
///
/// team: a team; 0 is the default team.
/// distance: number of ranks; may be negative; the same on all members.
/// from, bytes: the block that is sent; bytes is the same on all members.
/// into: receives a block; may be from.
/// Errors: as for hcube_caf_broadcast.
///
/// # Safety
/// from and into are valid for bytes bytes; error is null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn hcube_caf_shift(
    team: hcube_team,
    distance: i64,
    from: *const c_void,
    bytes: u64,
    into: *mut c_void,
    error: *mut hcube_error,
) -> i32 {
    // SAFETY: null or valid, by the contract of this function.
    unsafe {
        on_image(error, |image| {
            let team = team_of(image, team)?;
            let (from, into) = refusing(image, team, pair(from, into, bytes))?;
            image.shift(team, distance, from, into)
        })
    }
}

/// Two buffers of the same size.
///
/// # Safety
/// Both are null or valid for `bytes` bytes while the regions are used.
pub(super) unsafe fn pair<'a>(
    from: *const c_void,
    into: *mut c_void,
    bytes: u64,
) -> Result<(Region<'a>, Region<'a>)> {
    // SAFETY: both are null or valid for `bytes` bytes while the regions are used.
    unsafe { Ok((buffer("from", from, bytes)?, buffer("into", into, bytes)?)) }
}

/// Collective over the team. Permutes blocks: each member sends its block to one member, its destination, and
/// receives a block from one member.
///
/// team: a team; 0 is the default team.
/// destination: a rank in the team; the destinations of all members are a permutation of their ranks.
/// from, bytes: the block that is sent; bytes is the same on all members.
/// into: receives a block; may be from.
/// Errors: as for hcube_caf_broadcast; HCUBE_ERR_ARGUMENT if two members have the same destination.
///
/// # Safety
/// from and into are valid for bytes bytes; error is null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn hcube_caf_permute(
    team: hcube_team,
    destination: i32,
    from: *const c_void,
    bytes: u64,
    into: *mut c_void,
    error: *mut hcube_error,
) -> i32 {
    // SAFETY: null or valid, by the contract of this function.
    unsafe {
        on_image(error, |image| {
            let team = team_of(image, team)?;
            let to = usize::try_from(destination)
                .map_err(|_| Error::argument("destination", destination, "0 or more"));
            let given = to.and_then(|to| pair(from, into, bytes).map(|pair| (to, pair)));
            let (to, (from, into)) = refusing(image, team, given)?;
            image.permute(team, to, from, into)
        })
    }
}

/// Collective over the team. Sorts the elements of all members: on return, the elements in rank order are
/// sorted.
///
/// team: a team; 0 is the default team.
/// elements: the elements of this member; receives the sorted elements.
/// count: number of elements of each member; the same on all members.
/// element_bytes: size of an element, 1 or more; the same on all members.
/// compare: the order of elements; the same on all members.
/// Errors: as for hcube_caf_broadcast.
///
/// # Safety
/// elements is valid for count elements; error is null or valid; compare does not leave by longjmp or an
/// exception.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn hcube_caf_sort(
    team: hcube_team,
    elements: *mut c_void,
    count: i64,
    element_bytes: u64,
    compare: hcube_caf_compare,
    error: *mut hcube_error,
) -> i32 {
    // SAFETY: null or valid, by the contract of this function.
    unsafe {
        on_image(error, |image| {
            let team = team_of(image, team)?;
            let given = || {
                let number =
                    u64::try_from(count).map_err(|_| Error::argument("count", count, "0 or more"))?;
                let compare = compare.ok_or_else(|| Error::argument("compare", "NULL", "a function"))?;
                let bytes =
                    number.checked_mul(element_bytes).filter(|_| element_bytes > 0).ok_or_else(|| {
                        Error::argument(
                            "element_bytes",
                            element_bytes,
                            "1 or more, and less than 2^63 in all",
                        )
                    })?;
                Ok((buffer("elements", elements, bytes)?, size("element_bytes", element_bytes)?, compare))
            };
            let (region, element, compare) = refusing(image, team, given())?;
            image.sort(team, region, element, &mut |first: &[u8], second: &[u8]| {
                compare(first.as_ptr().cast(), second.as_ptr().cast()).cmp(&0)
            })
        })
    }
}
