//! `sync images`, events and locks.
//!
//! Idea: `sync images` notifies an event on each image of the list, one per pair of images, and waits for the
//! events of these images: each pair synchronises as often as both have named each other. Events, locks and
//! critical constructs use the runtime.
//!
//! Cost: a notification per image of the list. Memory: 64 bytes per image.

pub mod atomic;
mod lock;
pub mod survivors;

use crate::abi::STAT_DUP_SYNC_IMAGES;
use crate::failure::{Failure, Image, Result};
use crate::statistics::{self, Path};
use crate::team::{Team, current};
use crate::token::{Content, Part, Token};
use hcube_caf::Handle;
use hcube_caf::event::STRIDE;
use hcube_caf::node_lock::{NodeLock, Refused};
use hcube_caf::others::Status;
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

/// The longest list whose images are compared one by one.
const FEW: usize = 16;

/// `sync images`, with these images of the current team.
pub fn sync_images(image: &Image, numbers: &[c_int]) -> Result<()> {
    let team = current();
    let mut named = HashSet::new();
    let mut others = Vec::with_capacity(numbers.len());
    for (at, &number) in numbers.iter().enumerate() {
        let rank = team.rank_of(number)?;
        let is_few = numbers.len() <= FEW;
        let is_repeated = if is_few { numbers[..at].contains(&number) } else { !named.insert(number) };
        if is_repeated {
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
    if statistics::are_wanted() {
        let are_here = others.iter().all(|&other| image.is_on_node(other));
        statistics::note_path(if are_here { Path::Node } else { Path::Messages });
    }
    for &other in others {
        let notified = image.notify_one(pairs, own, other);
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

/// A lock: words on this node, or one of the runtime by its handle and the rank of its image.
enum Lock<'a> {
    Words(NodeLock<'a>),
    Queue(Handle, usize),
}

/// The lock with an index on an image.
fn find<'a>(image: &Image, token: &Token, index: usize, number: c_int) -> Result<Lock<'a>> {
    check(token, index)?;
    let rank = if token.is_critical { 0 } else { rank(image, token, number)? };
    note_rank(image, token, rank)?;
    match token.content {
        Content::Words(_) => match token.part_of(image, rank)? {
            // SAFETY: the words of this lock, which the runtime has set to zero.
            Part::Here(part) => Ok(Lock::Words(unsafe { lock::at(part.wrapping_add(index * STRIDE)) })),
            Part::Away(_) => Err(Failure::new("a lock of this node on another one")),
        },
        Content::Locks(locks) => Ok(Lock::Queue(locks, rank)),
        other => Err(Failure::new(format!("{other:?}: expected locks"))),
    }
}

/// For the statistics.
fn note_rank(image: &Image, token: &Token, rank: usize) -> Result<()> {
    if statistics::are_wanted() {
        statistics::note_image(image, token.team.image_of(image, rank)?, Path::Node);
    }
    Ok(())
}

/// An error if there is no variable with an index.
fn check(token: &Token, index: usize) -> Result<()> {
    if index < token.bytes {
        return Ok(());
    }
    let number = index as isize;
    Err(Failure::new(token.no_elements(number..=number, token.bytes as isize)))
}

/// `event post`.
pub fn post(image: &Image, token: &Token, index: usize, number: c_int) -> Result<()> {
    check(token, index)?;
    let rank = rank(image, token, number)?;
    note_rank(image, token, rank)?;
    image.notify(events(token)?, index, rank)?;
    check_taker(image, token.team, rank)
}

thread_local! {
    static POSTS: Cell<usize> = const { Cell::new(0) };
}

/// Posts between two checks for failed images.
const POSTS_PER_LOOK: usize = 64;

/// An error if a member has failed: no notification is consumed.
fn check_taker(image: &Image, team: &Team, rank: usize) -> Result<()> {
    POSTS.set(POSTS.get() + 1);
    if POSTS.get().is_multiple_of(POSTS_PER_LOOK) {
        image.has_died(image.own())?;
    }
    match image.known_status(team.handle, rank)? {
        Status::Failed => Err(Error::FailedImage { image: team.image_of(image, rank)? }.into()),
        _ => Ok(()),
    }
}

/// `event wait` with UNTIL_COUNT: waits for this number of notifications, and consumes them.
pub fn wait(image: &Image, token: &Token, index: usize, until: c_int) -> Result<()> {
    check(token, index)?;
    let events = events(token)?;
    match usize::try_from(until).unwrap_or(1).max(1) {
        1 => Ok(image.wait_event(events, index)?),
        count => Ok(image.wait_notices(events, index, count as u64)?),
    }
}

/// `event_query`.
pub fn query(image: &Image, token: &Token, index: usize, number: c_int) -> Result<c_int> {
    check(token, index)?;
    // The program may poll again and again.
    image.progress()?;
    let rank = rank(image, token, number)?;
    note_rank(image, token, rank)?;
    Ok(image.atomic(events(token)?, rank, index * STRIDE, Atomic::Load, 0)? as c_int)
}

/// `lock`, and the begin of a critical construct.
pub fn lock(image: &Image, token: &Token, index: usize, number: c_int) -> Result<()> {
    match find(image, token, index, number)? {
        Lock::Words(words) => Ok(words.lock(image)?),
        Lock::Queue(locks, rank) => image.lock(locks, index, rank).map_err(locked),
    }
}

/// `lock` with `acquired_lock=`: whether this image has it now.
pub fn try_lock(image: &Image, token: &Token, index: usize, number: c_int) -> Result<bool> {
    match find(image, token, index, number)? {
        Lock::Words(words) => Ok(words.try_lock(image)?),
        Lock::Queue(locks, rank) => image.try_lock(locks, index, rank).map_err(locked),
    }
}

/// An error of the runtime when it locks.
fn locked(error: Error) -> Failure {
    match error {
        Error::Argument { name: "locks", .. } => Refused::LockedHere.into(),
        error => error.into(),
    }
}

/// `unlock`, and the end of a critical construct.
pub fn unlock(image: &Image, token: &Token, index: usize, number: c_int) -> Result<()> {
    let (locks, rank) = match find(image, token, index, number)? {
        Lock::Words(words) => return Ok(words.unlock(image)?),
        Lock::Queue(locks, rank) => (locks, rank),
    };
    match image.unlock(locks, index, rank) {
        Err(Error::Argument { name: "locks", .. }) => {
            let word = image.atomic(locks, rank, index * STRIDE, Atomic::Load, 0)?;
            Err(if word == 0 { Refused::Unlocked } else { Refused::LockedElsewhere }.into())
        }
        result => Ok(result?),
    }
}
