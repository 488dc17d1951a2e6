//! Shipped functions and finish blocks.

use super::asynchronous::optional;
use super::{array, member, on_image, team_of};
use crate::boundary::output;
use crate::types::{hcube_caf_function, hcube_error, hcube_event, hcube_team};
use hcube_core::error::Error;
use std::ffi::c_void;
use std::rc::Rc;

/// Local. Registers a function that can be shipped. All images must register the same functions in the same
/// order, because the same number identifies a function on all images. If other images ship it to this image
/// before it is registered, it runs after the registration.
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

/// One-sided. Ships a function: another image executes it with a copy of the arguments, while it waits or
/// calls hcube_caf_progress. Functions that one image ships to another image run in the order of the calls.
///
/// team: a team; 0 is the default team. In a finish block it must be the team of the block, or a team that
/// was split from it.
/// image: a rank in the team.
/// function: the number from hcube_caf_register.
/// arguments, bytes: the arguments and their size; copied before the function returns. They may contain
/// copointers, but not addresses.
/// done: an event of any image, notified when the function has returned; may be NULL.
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

/// Collective over the team: begins a finish block. Blocks may be nested; the team of an inner block must be
/// a subset of the team of the outer block. Does not wait.
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

/// Collective over the team of the innermost finish block: ends it. Returns when all functions that members
/// have shipped in the block, and all functions that these have shipped in turn, have returned, and all
/// copies that members have started are complete. Needs at most d + 1 reductions if functions ship functions
/// to depth d.
///
/// Errors: HCUBE_ERR_ARGUMENT outside of a finish block, and in a shipped function; on all members if a
/// function was shipped to an image that has not registered it. The block then stays open: that image can
/// register the function, and all members call hcube_caf_finish_end again.
///
/// # Safety
/// error is null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn hcube_caf_finish_end(error: *mut hcube_error) -> i32 {
    // SAFETY: null or valid, by the contract of this function.
    unsafe { on_image(error, |image| image.end_finish().map(drop)) }
}
