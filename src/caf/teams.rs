//! Teams.

use super::{on_image, team_of};
use crate::boundary::output;
use crate::types::{hcube_error, hcube_team};
use hcube_caf::Handle;

/// Local. Returns the team of all images.
///
/// team: receives the handle.
///
/// # Safety
/// The pointers are null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn hcube_caf_team_world(team: *mut hcube_team, error: *mut hcube_error) -> i32 {
    // SAFETY: null or valid, by the contract of this function.
    unsafe {
        on_image(error, |image| {
            *output(team, "team")? = image.world().number();
            Ok(())
        })
    }
}

/// Collective over the parent: forms a team for each colour, as MPI_Comm_split. Time O(log^2 P), memory O(log
/// P) words per member.
///
/// parent: a team; 0 is the default team.
/// colour: members with the same colour form a team; a member with a negative colour is in no team.
/// key: members are ranked by key, then by their rank in the parent.
/// team: receives the handle, or 0 for a negative colour. Freed by hcube_caf_team_free.
/// Errors: HCUBE_ERR_ARGUMENT; this image is then in no team.
///
/// # Safety
/// The pointers are null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn hcube_caf_team_split(
    parent: hcube_team,
    colour: i64,
    key: i64,
    team: *mut hcube_team,
    error: *mut hcube_error,
) -> i32 {
    // SAFETY: null or valid, by the contract of this function.
    unsafe {
        on_image(error, |image| {
            let team = output(team, "team");
            // The others wait for this image, which is in no team then.
            let colour = if team.is_ok() { colour } else { -1 };
            let new = image.split(team_of(image, parent)?, colour, key)?;
            *team? = new.map_or(0, Handle::number);
            Ok(())
        })
    }
}

/// Collective over the team: frees it.
///
/// team: a team of hcube_caf_team_split.
/// Errors: HCUBE_ERR_ARGUMENT for the team of all images, a default team, and a team that has
/// coarrays, events or locks.
///
/// # Safety
/// error is null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn hcube_caf_team_free(team: hcube_team, error: *mut hcube_error) -> i32 {
    // SAFETY: null or valid, by the contract of this function.
    unsafe { on_image(error, |image| image.free_team(Handle::from_number(team))) }
}

/// Local. Returns the rank of this image in a team, from 0.
///
/// team: a team; 0 is the default team.
/// rank: receives the rank.
/// Errors: HCUBE_ERR_ARGUMENT.
///
/// # Safety
/// The pointers are null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn hcube_caf_team_rank(
    team: hcube_team,
    rank: *mut i32,
    error: *mut hcube_error,
) -> i32 {
    // SAFETY: null or valid, by the contract of this function.
    unsafe {
        on_image(error, |image| {
            *output(rank, "rank")? = image.look_at_team(team_of(image, team)?, |team| team.rank())? as i32;
            Ok(())
        })
    }
}

/// Local. Returns the number of images of a team.
///
/// team: a team; 0 is the default team.
/// size: receives the number.
/// Errors: HCUBE_ERR_ARGUMENT.
///
/// # Safety
/// The pointers are null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn hcube_caf_team_size(
    team: hcube_team,
    size: *mut i32,
    error: *mut hcube_error,
) -> i32 {
    // SAFETY: null or valid, by the contract of this function.
    unsafe {
        on_image(error, |image| {
            *output(size, "size")? = image.look_at_team(team_of(image, team)?, |team| team.size())? as i32;
            Ok(())
        })
    }
}

/// Local. Makes a team the default team of this image, which 0 stands for, until hcube_caf_team_pop.
///
/// team: a team.
/// Errors: HCUBE_ERR_ARGUMENT, also in a shipped function.
///
/// # Safety
/// error is null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn hcube_caf_team_push(team: hcube_team, error: *mut hcube_error) -> i32 {
    // SAFETY: null or valid, by the contract of this function.
    unsafe { on_image(error, |image| image.push_team(Handle::from_number(team))) }
}

/// Local. Restores the previous default team, before the last hcube_caf_team_push.
///
/// Errors: HCUBE_ERR_ARGUMENT without a preceding hcube_caf_team_push, and in a shipped function.
///
/// # Safety
/// error is null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn hcube_caf_team_pop(error: *mut hcube_error) -> i32 {
    // SAFETY: null or valid, by the contract of this function.
    unsafe { on_image(error, |image| image.pop_team().map(drop)) }
}
