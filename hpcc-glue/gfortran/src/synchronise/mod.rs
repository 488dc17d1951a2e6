//! `sync images`, events and locks.
//!
//! Idea: `sync images` notifies an event on each image of the list, one per pair of images, and waits for theirs: so each pair
//! synchronises as often as both have named each other. Events, locks and critical constructs are those of the runtime.
//!
//! Cost: a notice per image of the list. Memory: 64 bytes per image.

pub mod atomic;

use crate::abi::{STAT_DUP_SYNC_IMAGES, STAT_LOCKED, STAT_LOCKED_OTHER_IMAGE, STAT_UNLOCKED};
use crate::statement::{Failure, Image, Result};
use crate::team::current;
use crate::token::{Content, Token};
use hcube_caf::Handle;
use hcube_caf::event::STRIDE;
use hcube_core::error::Error;
use hcube_core::onesided::Atomic;
use std::cell::Cell;
use std::collections::HashSet;
use std::ffi::c_int;

thread_local! {
    /// The events of pairs: on each image, one for every other one.
    static PAIRS: Cell<Option<Handle>> = const { Cell::new(None) };
}

/// Collective over all images: makes the events of pairs.
pub fn begin(image: &Image) -> Result<()> {
    PAIRS.set(Some(image.allocate_events(image.world(), current().size)?));
    Ok(())
}

/// `sync images`, with these images of the current team.
pub fn sync_images(image: &Image, numbers: &[c_int]) -> Result<()> {
    let team = current();
    let mut named = HashSet::new();
    let mut others = Vec::with_capacity(numbers.len());
    for &number in numbers {
        let rank = team.rank_of(number)?;
        if !named.insert(rank) {
            let text = format!("image index {number} is named twice");
            return Err(Failure { stat: STAT_DUP_SYNC_IMAGES, text });
        }
        if rank != team.rank {
            others.push(team.image_of(image, rank)?);
        }
    }
    sync_with(image, &others)
}

/// `sync images (*)`.
pub fn sync_all_images(image: &Image) -> Result<()> {
    let team = current();
    let others = (0..team.size).filter(|&rank| rank != team.rank);
    let others = others.map(|rank| team.image_of(image, rank)).collect::<Result<Vec<_>>>()?;
    sync_with(image, &others)
}

/// Synchronises with other images, also where some of them have failed or stopped: that is the error then.
fn sync_with(image: &Image, others: &[usize]) -> Result<()> {
    let pairs = PAIRS.get().ok_or_else(|| Failure::new("the program has not begun"))?;
    let own = image.own();
    let mut result: std::result::Result<(), Error> = Ok(());
    for &other in others {
        let notified = image.notify_regardless(pairs, own, other);
        result = first(result, notified);
    }
    for &other in others {
        let waited = image.wait_event_of(pairs, other, other);
        result = first(result, waited);
    }
    Ok(result?)
}

/// The error that Fortran reports: an image that has failed rather than one that has stopped.
fn first(
    before: std::result::Result<(), Error>,
    now: std::result::Result<(), Error>,
) -> std::result::Result<(), Error> {
    match (&before, &now) {
        (Err(Error::StoppedImage { .. }), Err(Error::FailedImage { .. })) | (Ok(()), _) => now,
        _ => before,
    }
}

/// The rank of an image in the team of a coarray; 0 stands for this one.
fn rank(image: &Image, token: &Token, number: c_int) -> Result<usize> {
    if number == 0 { Ok(token.team.rank) } else { token.team.rank_of_current(image, number) }
}

fn events(token: &Token) -> Result<Handle> {
    match token.content {
        Content::Events(events) => Ok(events),
        other => Err(Failure::new(format!("{other:?}: expected events"))),
    }
}

fn locks(token: &Token) -> Result<Handle> {
    match token.content {
        Content::Locks(locks) => Ok(locks),
        other => Err(Failure::new(format!("{other:?}: expected locks"))),
    }
}

/// An error where there is no variable with an index.
fn check(token: &Token, index: usize) -> Result<()> {
    if index < token.bytes {
        return Ok(());
    }
    let text = format!(
        "element {}, counted from 1: expected 1 to {}, the elements of the coarray",
        index + 1,
        token.bytes
    );
    Err(Failure::new(text))
}

/// `event post`.
pub fn post(image: &Image, token: &Token, index: usize, number: c_int) -> Result<()> {
    check(token, index)?;
    Ok(image.notify_regardless(events(token)?, index, rank(image, token, number)?)?)
}

/// `event wait`, until there are some notices, which it takes.
pub fn wait(image: &Image, token: &Token, index: usize, until: c_int) -> Result<()> {
    check(token, index)?;
    let events = events(token)?;
    match usize::try_from(until).unwrap_or(1).max(1) {
        1 => Ok(image.wait_event(events, index)?),
        count => Ok(image.wait_all(&vec![(events, index); count])?),
    }
}

/// `event_query`.
pub fn query(image: &Image, token: &Token, index: usize, number: c_int) -> Result<c_int> {
    check(token, index)?;
    // The program may look again and again.
    image.progress()?;
    let rank = rank(image, token, number)?;
    Ok(image.atomic(events(token)?, rank, index * STRIDE, Atomic::Load, 0)? as c_int)
}

/// `lock`, and the begin of a critical construct.
pub fn lock(image: &Image, token: &Token, index: usize, number: c_int) -> Result<()> {
    check(token, index)?;
    image.lock(locks(token)?, index, rank(image, token, number)?).map_err(locked)
}

/// `lock` with `acquired_lock=`: whether this image has it now.
pub fn try_lock(image: &Image, token: &Token, index: usize, number: c_int) -> Result<bool> {
    check(token, index)?;
    image.try_lock(locks(token)?, index, rank(image, token, number)?).map_err(locked)
}

/// An error of the runtime when it locks.
fn locked(error: Error) -> Failure {
    match error {
        Error::Argument { name: "locks", .. } => {
            Failure { stat: STAT_LOCKED, text: "the lock is locked by this image".into() }
        }
        error => error.into(),
    }
}

/// `unlock`, and the end of a critical construct.
pub fn unlock(image: &Image, token: &Token, index: usize, number: c_int) -> Result<()> {
    check(token, index)?;
    let (locks, rank) = (locks(token)?, rank(image, token, number)?);
    match image.unlock(locks, index, rank) {
        Err(Error::Argument { name: "locks", .. }) => {
            let word = image.atomic(locks, rank, index * STRIDE, Atomic::Load, 0)?;
            Err(match word {
                0 => Failure { stat: STAT_UNLOCKED, text: "the lock is not locked".into() },
                _ => Failure {
                    stat: STAT_LOCKED_OTHER_IMAGE,
                    text: "the lock is locked by another image".into(),
                },
            })
        }
        result => Ok(result?),
    }
}
