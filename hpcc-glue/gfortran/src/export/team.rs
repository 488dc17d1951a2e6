//! Teams.

use crate::failure::Image;
use crate::statement::{self, kind::Kind};
use crate::team::{self, Team, current};
use std::ffi::c_int;
use std::ptr;

/// `form team`.
///
/// # Safety
/// As gfortran calls it.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn _gfortran_caf_form_team(
    number: c_int,
    place: *mut *const Team,
    _unused: c_int,
) {
    let team = statement::run(Kind::FormTeam, |image| Team::form(image, number.into()));
    // SAFETY: the place of a team variable, which may be written.
    unsafe { place.write(team) };
}

/// `change team`.
///
/// # Safety
/// As gfortran calls it.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn _gfortran_caf_change_team(place: *const *const Team, _unused: c_int) {
    // SAFETY: the place of a team variable, which can be read.
    statement::run(Kind::ChangeTeam, |image| team::change(image, Team::named(unsafe { *place })?));
}

/// `end team`.
#[unsafe(no_mangle)]
pub extern "C-unwind" fn _gfortran_caf_end_team(_place: *const *const Team) {
    statement::run(Kind::EndTeam, team::end);
}

/// `sync team`.
///
/// # Safety
/// As gfortran calls it.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn _gfortran_caf_sync_team(place: *const *const Team, _unused: c_int) {
    // SAFETY: the place of a team variable, which can be read.
    let sync = |image: &Image| Ok(image.barrier(Team::named(unsafe { *place })?.handle)?);
    statement::run(Kind::SyncTeam, sync);
}

/// `team_number`; NULL stands for the current team.
#[unsafe(no_mangle)]
pub extern "C-unwind" fn _gfortran_caf_team_number(team: *const Team) -> c_int {
    let team = if team.is_null() { Ok(current()) } else { Team::named(team) };
    statement::run(Kind::TeamNumber, |_| Ok(team?.number as c_int))
}

/// `get_team`.
#[unsafe(no_mangle)]
pub extern "C-unwind" fn _gfortran_caf_get_team(_level: *const c_int) -> *const Team {
    ptr::from_ref(current())
}

/// OpenCoarrays' extension: the communicator of a team, or of the current one. Collective over the team at
/// the first call.
///
/// # Safety
/// NULL, or the address of a team variable.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn _gfortran_caf_get_communicator(place: *const *const Team) -> c_int {
    statement::run(Kind::GetCommunicator, |image| {
        // SAFETY: not NULL, and then the address of a team variable.
        let team = unsafe { if place.is_null() { current() } else { Team::named(*place)? } };
        team.communicator(image)
    })
}
