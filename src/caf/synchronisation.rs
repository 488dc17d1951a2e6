//! Barriers, events, sets of events, locks, sets of locks.

use super::{array, index_of, on_image, rank, refusing, team_of};
use crate::boundary::output;
use crate::types::{hcube_error, hcube_event, hcube_events, hcube_lock, hcube_locks, hcube_team};
use hcube_caf::coarray::Use;
use hcube_caf::event::EventAt;
use hcube_caf::{Handle, Runtime};
use hcube_core::error::{Error, Result};
use hcube_core::mpi::MpiComm;

/// Collective over the team: returns when all members have called it. Puts before the barrier, by any member,
/// are visible to all members after it.
///
/// team: a team; 0 is the default team.
/// Errors: HCUBE_ERR_ARGUMENT.
///
/// # Safety
/// error is null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn hcube_caf_barrier(team: hcube_team, error: *mut hcube_error) -> i32 {
    // SAFETY: null or valid, by the contract of this function.
    unsafe { on_image(error, |image| image.barrier(team_of(image, team)?)) }
}

/// A number of events or locks.
fn number(count: i64) -> Result<usize> {
    usize::try_from(count).map_err(|_| Error::argument("count", count, "0 or more"))
}

/// Collective over the team: allocates events with counters of 0.
///
/// team: a team; 0 is the default team.
/// count: number of events of each member; the same on all members. An event takes 64 bytes.
/// events: receives the handle. Freed by hcube_caf_event_free.
/// Errors: as for hcube_caf_coarray_alloc.
///
/// # Safety
/// The pointers are null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn hcube_caf_event_alloc(
    team: hcube_team,
    count: i64,
    events: *mut hcube_events,
    error: *mut hcube_error,
) -> i32 {
    // SAFETY: null or valid, by the contract of this function.
    unsafe {
        on_image(error, |image| {
            let team = team_of(image, team)?;
            let given = output(events, "events").and_then(|events| Ok((events, number(count)?)));
            let (events, count) = refusing(image, team, given)?;
            *events = image.allocate_events(team, count)?.number();
            Ok(())
        })
    }
}

/// Collective over the team of the events: frees them.
///
/// events: events of hcube_caf_event_alloc.
/// Errors: HCUBE_ERR_ARGUMENT.
///
/// # Safety
/// error is null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn hcube_caf_event_free(events: hcube_events, error: *mut hcube_error) -> i32 {
    // SAFETY: null or valid, by the contract of this function.
    unsafe { on_image(error, |image| image.free(Handle::from_number(events), Use::Events)) }
}

/// One-sided. Notifies an event of an image, which may be this image. Earlier puts of this image, to any
/// image, are visible to the image that waits for the event when its wait returns.
///
/// events, index: the event; index counts from 0.
/// image: a rank in the team of the events, or HCUBE_CAF_THIS_IMAGE.
/// Errors: HCUBE_ERR_ARGUMENT.
///
/// # Safety
/// error is null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn hcube_caf_event_notify(
    events: hcube_events,
    index: i64,
    image: i32,
    error: *mut hcube_error,
) -> i32 {
    // SAFETY: null or valid, by the contract of this function.
    unsafe {
        on_image(error, |runtime| {
            let events = Handle::from_number(events);
            runtime.notify(events, index_of(index)?, rank(runtime, events, Use::Events, image)?)
        })
    }
}

/// Local. Waits until the counter of an event of this image is positive, then decrements it.
///
/// events, index: the event; index counts from 0.
/// Errors: HCUBE_ERR_ARGUMENT.
///
/// # Safety
/// error is null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn hcube_caf_event_wait(
    events: hcube_events,
    index: i64,
    error: *mut hcube_error,
) -> i32 {
    // SAFETY: null or valid, by the contract of this function.
    unsafe { on_image(error, |image| image.wait_event(Handle::from_number(events), index_of(index)?)) }
}

/// Local. As hcube_caf_event_wait, but returns at once if the counter is 0.
///
/// events, index: the event; index counts from 0.
/// notified: receives 1 if the counter was positive and has been decremented, else 0.
/// Errors: HCUBE_ERR_ARGUMENT.
///
/// # Safety
/// The pointers are null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn hcube_caf_event_trywait(
    events: hcube_events,
    index: i64,
    notified: *mut i32,
    error: *mut hcube_error,
) -> i32 {
    // SAFETY: null or valid, by the contract of this function.
    unsafe {
        on_image(error, |image| {
            let notified = output(notified, "notified")?;
            *notified = image.try_event(Handle::from_number(events), index_of(index)?)?.into();
            Ok(())
        })
    }
}

/// The event that a caller names.
pub(super) fn event_at(runtime: &Runtime<MpiComm>, event: &hcube_event) -> Result<EventAt> {
    check_reserved(event.reserved)?;
    let events = Handle::from_number(event.events);
    Ok((events, index_of(event.index)?, rank(runtime, events, Use::Events, event.image)?))
}

pub(super) fn check_reserved(reserved: i32) -> Result<()> {
    if reserved == 0 { Ok(()) } else { Err(Error::argument("reserved", reserved, 0)) }
}

/// Events that a caller names.
fn events_at(runtime: &Runtime<MpiComm>, events: &[hcube_event]) -> Result<Vec<EventAt>> {
    events.iter().map(|event| event_at(runtime, event)).collect()
}

/// Events of this image that a caller names.
fn own_events(runtime: &Runtime<MpiComm>, events: &[hcube_event]) -> Result<Vec<(Handle, usize)>> {
    let own = |(handle, index, rank): EventAt| {
        let this = runtime.own_rank(handle, Use::Events)?;
        let expected = format!("HCUBE_CAF_THIS_IMAGE or {this}, the rank of this image");
        if rank == this { Ok((handle, index)) } else { Err(Error::argument("image", rank, expected)) }
    };
    events_at(runtime, events)?.into_iter().map(own).collect()
}

/// Local. Waits until any of these events has been notified, and decrements its counter. Polls round-robin,
/// starting after the event that the previous call returned.
///
/// events, count: events of this image, at least one.
/// which: receives the index in events of this event, from 0.
/// Errors: HCUBE_ERR_ARGUMENT.
///
/// # Safety
/// The pointers are null or valid; events has count elements.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn hcube_caf_eventset_waitany(
    events: *const hcube_event,
    count: i64,
    which: *mut i64,
    error: *mut hcube_error,
) -> i32 {
    // SAFETY: null or valid, by the contract of this function.
    unsafe {
        on_image(error, |image| {
            let (events, which) = (array("events", events, count)?, output(which, "which")?);
            *which = image.wait_any(&own_events(image, events)?)? as i64;
            Ok(())
        })
    }
}

/// Local. Waits for each of these events, as hcube_caf_event_wait.
///
/// events, count: events of this image. An event that occurs twice is waited for twice.
/// Errors: HCUBE_ERR_ARGUMENT.
///
/// # Safety
/// The pointers are null or valid; events has count elements.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn hcube_caf_eventset_waitall(
    events: *const hcube_event,
    count: i64,
    error: *mut hcube_error,
) -> i32 {
    // SAFETY: null or valid, by the contract of this function.
    unsafe { on_image(error, |image| image.wait_all(&own_events(image, array("events", events, count)?)?)) }
}

/// One-sided. Notifies each of these events, as hcube_caf_event_notify.
///
/// events, count: events of any images.
/// Errors: HCUBE_ERR_ARGUMENT, with no event notified.
///
/// # Safety
/// The pointers are null or valid; events has count elements.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn hcube_caf_eventset_notifyall(
    events: *const hcube_event,
    count: i64,
    error: *mut hcube_error,
) -> i32 {
    // SAFETY: null or valid, by the contract of this function.
    unsafe { on_image(error, |image| image.notify_all(&events_at(image, array("events", events, count)?)?)) }
}

/// Collective over the team: allocates locks, initially unlocked.
///
/// team: a team; 0 is the default team.
/// count: number of locks of each member; the same on all members. A lock takes 64 bytes.
/// locks: receives the handle. Freed by hcube_caf_lock_free.
/// Errors: as for hcube_caf_coarray_alloc.
///
/// # Safety
/// The pointers are null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn hcube_caf_lock_alloc(
    team: hcube_team,
    count: i64,
    locks: *mut hcube_locks,
    error: *mut hcube_error,
) -> i32 {
    // SAFETY: null or valid, by the contract of this function.
    unsafe {
        on_image(error, |image| {
            let team = team_of(image, team)?;
            let given = output(locks, "locks").and_then(|locks| Ok((locks, number(count)?)));
            let (locks, count) = refusing(image, team, given)?;
            *locks = image.allocate_locks(team, count)?.number();
            Ok(())
        })
    }
}

/// Collective over the team of the locks: frees them.
///
/// locks: locks of hcube_caf_lock_alloc, of which this image holds none.
/// Errors: HCUBE_ERR_ARGUMENT.
///
/// # Safety
/// error is null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn hcube_caf_lock_free(locks: hcube_locks, error: *mut hcube_error) -> i32 {
    // SAFETY: null or valid, by the contract of this function.
    unsafe { on_image(error, |image| image.free(Handle::from_number(locks), Use::Locks)) }
}

/// One-sided. Acquires a lock, waiting if another image holds it. Locks are FIFO; each waiting image polls
/// only its own memory (MCS lock).
///
/// locks, index: the lock; index counts from 0.
/// image: a rank in the team of the locks, or HCUBE_CAF_THIS_IMAGE.
/// Errors: HCUBE_ERR_ARGUMENT, also for a lock that this image holds.
///
/// # Safety
/// error is null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn hcube_caf_lock(
    locks: hcube_locks,
    index: i64,
    image: i32,
    error: *mut hcube_error,
) -> i32 {
    // SAFETY: null or valid, by the contract of this function.
    unsafe {
        on_image(error, |runtime| {
            let locks = Handle::from_number(locks);
            runtime.lock(locks, index_of(index)?, rank(runtime, locks, Use::Locks, image)?)
        })
    }
}

/// One-sided. As hcube_caf_lock, but does not wait if another image holds the lock.
///
/// locks, index, image: as for hcube_caf_lock.
/// acquired: receives 1 if this image now holds the lock, else 0.
/// Errors: as for hcube_caf_lock.
///
/// # Safety
/// The pointers are null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn hcube_caf_trylock(
    locks: hcube_locks,
    index: i64,
    image: i32,
    acquired: *mut i32,
    error: *mut hcube_error,
) -> i32 {
    // SAFETY: null or valid, by the contract of this function.
    unsafe {
        on_image(error, |runtime| {
            let (locks, acquired) = (Handle::from_number(locks), output(acquired, "acquired")?);
            *acquired =
                runtime.try_lock(locks, index_of(index)?, rank(runtime, locks, Use::Locks, image)?)?.into();
            Ok(())
        })
    }
}

/// One-sided. Releases a lock. Earlier puts of this image are visible to the next image that acquires the
/// lock.
///
/// locks, index, image: as for hcube_caf_lock.
/// Errors: HCUBE_ERR_ARGUMENT, also for a lock that this image does not hold.
///
/// # Safety
/// error is null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn hcube_caf_unlock(
    locks: hcube_locks,
    index: i64,
    image: i32,
    error: *mut hcube_error,
) -> i32 {
    // SAFETY: null or valid, by the contract of this function.
    unsafe {
        on_image(error, |runtime| {
            let locks = Handle::from_number(locks);
            runtime.unlock(locks, index_of(index)?, rank(runtime, locks, Use::Locks, image)?)
        })
    }
}

/// Locks that a caller names.
fn locks_at(runtime: &Runtime<MpiComm>, locks: &[hcube_lock]) -> Result<Vec<EventAt>> {
    let at = |lock: &hcube_lock| {
        check_reserved(lock.reserved)?;
        let locks = Handle::from_number(lock.locks);
        Ok((locks, index_of(lock.index)?, rank(runtime, locks, Use::Locks, lock.image)?))
    };
    locks.iter().map(at).collect()
}

/// One-sided. Acquires all of these locks, in an order that is the same on all images. Images that acquire
/// overlapping sets of locks therefore do not deadlock.
///
/// locks, count: different locks of any images; this image must hold none of them.
/// Errors: as for hcube_caf_lock, with no lock acquired.
///
/// # Safety
/// The pointers are null or valid; locks has count elements.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn hcube_caf_lockset_lock(
    locks: *const hcube_lock,
    count: i64,
    error: *mut hcube_error,
) -> i32 {
    // SAFETY: null or valid, by the contract of this function.
    unsafe { on_image(error, |image| image.lock_all(&locks_at(image, array("locks", locks, count)?)?)) }
}

/// One-sided. Releases all of these locks.
///
/// locks, count: different locks that this image holds.
/// Errors: as for hcube_caf_unlock.
///
/// # Safety
/// The pointers are null or valid; locks has count elements.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn hcube_caf_lockset_unlock(
    locks: *const hcube_lock,
    count: i64,
    error: *mut hcube_error,
) -> i32 {
    // SAFETY: null or valid, by the contract of this function.
    unsafe { on_image(error, |image| image.unlock_all(&locks_at(image, array("locks", locks, count)?)?)) }
}
