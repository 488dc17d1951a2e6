//! Initialisation and finalisation of coarray programs, progress, statistics, failed images.

use super::{array_mut, member, on_image, team_of};
use crate::boundary::{enter, output};
use crate::sized;
use crate::types::{hcube_caf_statistics, hcube_error, hcube_team};
use hcube_caf::others::Status;
use hcube_caf::process;
use hcube_core::error::{Error, Result};

/// Collective over MPI_COMM_WORLD: its ranks become images. Initialises MPI if the program has not. Call all
/// other functions of this header after this function and before hcube_caf_finalize, in the thread that
/// called this function.
///
/// Every function that waits for other images or accesses them may return, in addition to the errors listed
/// there, HCUBE_ERR_FAILED_IMAGE if an image has failed, and HCUBE_ERR_STOPPED_IMAGE if an image has called
/// hcube_caf_finalize.
///
/// Reads the environment variables [`hcube_caf::Options`].
/// Errors on all images: HCUBE_ERR_ARGUMENT for an invalid value of a variable and for a second call,
/// HCUBE_ERR_MISMATCH if variables differ, HCUBE_ERR_MEMORY, HCUBE_ERR_MPI.
/// Source: G. Jin, J. Mellor-Crummey, L. Adhianto, W. N. Scherer III, C. Yang, Implementation and
/// Performance Evaluation of the HPC Challenge Benchmarks in Coarray Fortran 2.0, IPDPS 2011.
///
/// # Safety
/// error is null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn hcube_caf_init(error: *mut hcube_error) -> i32 {
    // SAFETY: null or valid, by the contract of this function.
    unsafe { enter(None, error, process::initialise) }
}

/// Collective over all images: waits until all asynchronous copies and all shipped functions are complete,
/// then ends the runtime and frees all teams, coarrays, events and locks. Finalises MPI if hcube_caf_init has
/// initialised it.
///
/// Errors: HCUBE_ERR_ARGUMENT in a finish block or a shipped function, and on all images if a function was
/// shipped to an image that has not registered it: the program may register it and call hcube_caf_finalize
/// again; HCUBE_ERR_FAILED_IMAGE if an image has failed: the runtime has ended on this image nevertheless.
///
/// # Safety
/// error is null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn hcube_caf_finalize(error: *mut hcube_error) -> i32 {
    // SAFETY: null or valid, by the contract of this function.
    unsafe { enter(None, error, process::finalise) }
}

/// Local. Makes progress: serves pending requests of other images, runs the functions that they have shipped,
/// and advances asynchronous operations. Every function that waits makes progress as well, so calls are
/// needed only in long computations.
///
/// # Safety
/// error is null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn hcube_caf_progress(error: *mut hcube_error) -> i32 {
    // SAFETY: null or valid, by the contract of this function.
    unsafe { on_image(error, |image| image.progress()) }
}

/// Local. Returns the statistics of this image since hcube_caf_init.
///
/// statistics: receives the statistics; statistics->struct_size is sizeof(hcube_caf_statistics).
/// Errors: HCUBE_ERR_ARGUMENT.
///
/// # Safety
/// The pointers are null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn hcube_caf_last_statistics(
    statistics: *mut hcube_caf_statistics,
    error: *mut hcube_error,
) -> i32 {
    // SAFETY: null or valid, by the contract of this function.
    unsafe {
        on_image(error, |image| {
            let counts = || Ok(hcube_caf_statistics::from_statistics(&image.statistics()));
            sized::answer(statistics, "statistics", counts)
        })
    }
}

/// Local. Marks this image as failed: functions that wait for it, directly or through other images, return
/// HCUBE_ERR_FAILED_IMAGE. So does every later call on this image, except hcube_caf_finalize, which it must
/// still call.
///
/// # Safety
/// error is null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn hcube_caf_fail_image(error: *mut hcube_error) -> i32 {
    // SAFETY: null or valid, by the contract of this function.
    unsafe { on_image(error, |image| image.fail()) }
}

/// Local. Returns the status of an image as far as this image knows it: a failure is known after it has ended
/// a wait of this image.
///
/// team: a team; 0 is the default team.
/// image: a rank in the team.
/// status: receives HCUBE_CAF_ALIVE, HCUBE_CAF_FAILED or HCUBE_CAF_STOPPED.
/// Errors: HCUBE_ERR_ARGUMENT; HCUBE_ERR_FAILED_IMAGE if the image cannot be looked up.
///
/// # Safety
/// The pointers are null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn hcube_caf_image_status(
    team: hcube_team,
    image: i32,
    status: *mut i32,
    error: *mut hcube_error,
) -> i32 {
    // SAFETY: null or valid, by the contract of this function.
    unsafe {
        on_image(error, |runtime| {
            let status = output(status, "status")?;
            *status = runtime.status(team_of(runtime, team)?, member(image)?)? as i32;
            Ok(())
        })
    }
}

/// Local. Returns the images of a team with a given status, as far as this image knows it.
///
/// team: a team; 0 is the default team.
/// status: HCUBE_CAF_FAILED or HCUBE_CAF_STOPPED.
/// images: receives their ranks in the team, in ascending order, at most room ranks.
/// room: number of elements of images; 0 if images is NULL.
/// count: receives the number of such images, which may exceed room.
/// Errors: HCUBE_ERR_ARGUMENT.
///
/// # Safety
/// The pointers are null or valid; images has room for room elements.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn hcube_caf_images_with_status(
    team: hcube_team,
    status: i32,
    images: *mut i32,
    room: i64,
    count: *mut i64,
    error: *mut hcube_error,
) -> i32 {
    // SAFETY: null or valid, and images as large as it says, by the contract of this function.
    unsafe {
        on_image(error, |runtime| {
            if room < 0 {
                return Err(Error::argument("room", room, "0 or more"));
            }
            let (room, count) = (array_mut("images", images, room)?, output(count, "count")?);
            let ranks = runtime.images_with(team_of(runtime, team)?, status_of(status)?)?;
            *count = ranks.len() as i64;
            room.iter_mut().zip(ranks).for_each(|(place, rank)| *place = rank as i32);
            Ok(())
        })
    }
}

/// A status that can be queried.
fn status_of(number: i32) -> Result<Status> {
    [Status::Failed, Status::Stopped]
        .into_iter()
        .find(|&status| status as i32 == number)
        .ok_or_else(|| Error::argument("status", number, "HCUBE_CAF_FAILED or HCUBE_CAF_STOPPED"))
}
