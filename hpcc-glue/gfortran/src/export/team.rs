//! Teams.

use crate::statement::{self, Failure, Image, Result};
use crate::team::{self, Team, current};
use std::ffi::c_int;
use std::ptr;

/// The team that a variable of the program names.
///
/// # Safety
/// It is NULL or a team that `form team` has given.
unsafe fn named<'a>(team: *const Team) -> Result<&'a Team> {
    // SAFETY: the contract of this function.
    unsafe { team.as_ref() }
        .ok_or_else(|| Failure::new("the team variable has no value: expected one of form team"))
}

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
    let team = statement::run("form team", |image| Team::form(image, number.into()));
    // SAFETY: the contract of this function.
    unsafe { place.write(team) };
}

/// `change team`.
///
/// # Safety
/// As gfortran calls it.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn _gfortran_caf_change_team(place: *const *const Team, _unused: c_int) {
    // SAFETY: the contract of this function; teams are never freed.
    statement::run("change team", |image| team::change(image, unsafe { named::<'static>(*place) }?));
}

/// `end team`.
#[unsafe(no_mangle)]
pub extern "C-unwind" fn _gfortran_caf_end_team(_place: *const *const Team) {
    statement::run("end team", team::end);
}

/// `sync team`.
///
/// # Safety
/// As gfortran calls it.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn _gfortran_caf_sync_team(place: *const *const Team, _unused: c_int) {
    // SAFETY: the contract of this function.
    let sync = |image: &Image| Ok(image.barrier(unsafe { named(*place) }?.handle)?);
    statement::run("sync team", sync);
}

/// `team_number`; NULL stands for the current team.
///
/// # Safety
/// As gfortran calls it.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn _gfortran_caf_team_number(team: *const Team) -> c_int {
    // SAFETY: the contract of this function.
    let team = unsafe { team.as_ref() }.unwrap_or_else(|| current());
    team.number as c_int
}

/// `get_team`.
#[unsafe(no_mangle)]
pub extern "C-unwind" fn _gfortran_caf_get_team(_level: *const c_int) -> *const Team {
    ptr::from_ref(current())
}

/// OpenCoarrays' extension: the communicator of a team, or of the current one. Collective over the team at the first call.
///
/// # Safety
/// NULL, or the address of a team variable.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn _gfortran_caf_get_communicator(place: *const *const Team) -> c_int {
    statement::run("get_communicator", |image| {
        // SAFETY: the contract of this function.
        let team = unsafe { if place.is_null() { current() } else { named(*place)? } };
        team.communicator(image)
    })
}
