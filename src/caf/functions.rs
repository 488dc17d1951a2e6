//! Shipped functions and finish blocks.

use super::asynchronous::optional;
use super::{array, member, on_image, team_of};
use crate::boundary::output;
use crate::types::{hcube_caf_function, hcube_error, hcube_event, hcube_team};
use hcube_core::error::Error;
use std::ffi::c_void;
use std::rc::Rc;

/// Local. Registers a function that can be shipped. All images register the same functions in the same
/// order, since a number names them on all of them. Other images may ship it here before it is
/// registered; it runs afterwards.
///
/// function: the function.
/// number: receives its number, from 0.
/// Errors: HCUBE_ERR_ARGUMENT.
///
/// # Safety
/// function is a function of the program; the pointers are null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn hcube_caf_register(
    function: hcube_caf_function,
    number: *mut i32,
    error: *mut hcube_error,
) -> i32 {
    // SAFETY: null or valid, by the contract of this function.
    unsafe {
        on_image(error, |image| {
            let number = output(number, "number")?;
            let function = function.ok_or_else(|| Error::argument("function", "NULL", "a function"))?;
            *number = image.register(Rc::new(move |_, from, arguments: &[u8]| {
                // SAFETY: a function of the program, by the contract of `hcube_caf_register`.
                function(from as i32, arguments.as_ptr().cast(), arguments.len() as u64);
            })) as i32;
            Ok(())
        })
    }
}

/// One-sided. Has an image run a function with a copy of the arguments. It runs where that image waits
/// or calls hcube_caf_progress; functions that one image ships to another one run in that order.
///
/// team: a team; 0 is the default team. In a finish block that of the block, or one that was split
/// from it.
/// image: a rank in the team.
/// function: a number of hcube_caf_register.
/// arguments, bytes: copied before this returns. Copointers may be among them, addresses may not.
/// done: an event of any image, notified when the function has returned; NULL for none.
/// Errors: HCUBE_ERR_ARGUMENT, HCUBE_ERR_BUFFER, with nothing shipped.
///
/// # Safety
/// arguments is valid for bytes bytes; the other pointers are null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn hcube_caf_spawn(
    team: hcube_team,
    image: i32,
    function: i32,
    arguments: *const c_void,
    bytes: u64,
    done: *const hcube_event,
    error: *mut hcube_error,
) -> i32 {
    // SAFETY: null or valid, by the contract of this function.
    unsafe {
        on_image(error, |runtime| {
            let count =
                i64::try_from(bytes).map_err(|_| Error::argument("bytes", bytes, "less than 2^63"))?;
            if arguments.is_null() && count > 0 {
                let text = format!("arguments = NULL: expected memory of {bytes} bytes");
                return Err(Error::Buffer(text));
            }
            let arguments = array::<u8>("arguments", arguments.cast(), count)?;
            let number = usize::try_from(function)
                .map_err(|_| Error::argument("function", function, "a number of hcube_caf_register"))?;
            let done = optional(runtime, "done", done)?;
            runtime.spawn(team_of(runtime, team)?, member(image)?, number, arguments, done)
        })
    }
}

/// Collective over the team: begins a finish block. Blocks may be nested; the team of an inner one has
/// only members of the team of the outer one. Does not wait.
///
/// team: a team; 0 is the default team.
/// Errors: HCUBE_ERR_ARGUMENT, also in a shipped function.
///
/// # Safety
/// error is null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn hcube_caf_finish_begin(team: hcube_team, error: *mut hcube_error) -> i32 {
    // SAFETY: null or valid, by the contract of this function.
    unsafe { on_image(error, |image| image.begin_finish(team_of(image, team)?)) }
}

/// Collective over the team of the innermost finish block: ends it. Returns when all functions that its
/// members have shipped in it have returned, with all that these have shipped, and all copies that
/// its members have started are complete. Takes at most one reduction more than the longest chain of
/// functions that ship each other is long.
///
/// Errors: HCUBE_ERR_ARGUMENT outside of a finish block, and in a shipped function; on all members if a
/// function was shipped to an image that has not registered it, where the block stays open: that image
/// registers it, and all members call this again.
///
/// # Safety
/// error is null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn hcube_caf_finish_end(error: *mut hcube_error) -> i32 {
    // SAFETY: null or valid, by the contract of this function.
    unsafe { on_image(error, |image| image.end_finish().map(drop)) }
}
