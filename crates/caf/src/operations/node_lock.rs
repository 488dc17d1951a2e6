//! Locks of images that are all on one node.
//!
//! Idea: the word of a lock names its owner. Any image that finds it free acquires it, even if others wait:
//! an image that repeatedly needs the lock has it in its cache, and no image waits until the scheduler runs
//! the next image of a queue. An image that has acquired locks `BATCH` times while others waited lets one of
//! them proceed.
//!
//! Restrictions: waiting images have no order; between nodes, the queues of the runtime implement the locks.
//! Cost: an atomic operation to lock, one to unlock. Memory: two words per lock.
//! Source: test-and-test-and-set; the batches are our own.

#[cfg(hcube_model)]
pub mod model;

use crate::engine::runtime::Runtime;
use hcube_core::atomic::{self, AtomicU64, Ordering};
use hcube_core::comm::Comm;
use hcube_core::error::Error;

/// The word of a free lock; other values are the owner, counted from 1.
const FREE: u64 = 0;
/// How often an image takes locks, while others wait, before it lets them go first.
const BATCH: u32 = if cfg!(hcube_model) { 2 } else { 64 };
/// Polls of the lock for which it lets them go first.
const MAX_LOOKS: u32 = if cfg!(hcube_model) { 1 } else { 64 };

/// Why a lock is not locked or unlocked.
#[derive(Debug, PartialEq, Eq)]
pub enum Refused {
    /// This image has it already.
    LockedHere,
    /// It is unlocked.
    Unlocked,
    /// Another image has it.
    LockedElsewhere,
    /// As everywhere.
    Other(Error),
}

impl From<Error> for Refused {
    fn from(error: Error) -> Self {
        Self::Other(error)
    }
}

type Result<T> = std::result::Result<T, Refused>;

/// A lock: two words of shared memory, which are zeros at first and are accessed only by such locks.
#[derive(Debug, Clone, Copy)]
pub struct NodeLock<'a> {
    owner: &'a AtomicU64,
    waiting: &'a AtomicU64,
}

impl<'a> NodeLock<'a> {
    /// The lock in these words.
    pub fn new([owner, waiting]: [&'a AtomicU64; 2]) -> Self {
        Self { owner, waiting }
    }

    /// Takes the lock for an image if its owner is this one: the owner otherwise.
    fn replace(self, owner: u64, by: u64) -> std::result::Result<u64, u64> {
        self.owner.compare_exchange(owner, by, Ordering::Acquire, Ordering::Relaxed)
    }

    /// Acquires the lock if it is free; returns whether this image holds it now.
    ///
    /// # Errors
    /// Where this image has it, and where its owner has failed or stopped.
    #[inline]
    pub fn try_lock<C: Comm>(self, image: &Runtime<C>) -> Result<bool> {
        match self.replace(FREE, own(image)) {
            Ok(_) => Ok(true),
            Err(owner) if owner == own(image) => Err(Refused::LockedHere),
            Err(owner) => self.look_at_owner(image, owner),
        }
    }

    /// Another image has the lock: an error if it has failed or stopped. The program may try again and again.
    #[cold]
    fn look_at_owner<C: Comm>(self, image: &Runtime<C>, owner: u64) -> Result<bool> {
        let mut looks = 0;
        image.wait_for_living(owner as usize - 1, || {
            looks += 1;
            atomic::worked();
            looks > 2
        })?;
        Ok(false)
    }

    /// Waits until this image has the lock.
    ///
    /// # Errors
    /// As [`Self::try_lock`].
    #[inline]
    pub fn lock<C: Comm>(self, image: &Runtime<C>) -> Result<()> {
        match self.replace(FREE, own(image)) {
            Ok(_) => Ok(()),
            Err(owner) if owner == own(image) => Err(Refused::LockedHere),
            Err(_) => self.wait(image),
        }
    }

    #[cold]
    fn wait<C: Comm>(self, image: &Runtime<C>) -> Result<()> {
        image.locked.set(0);
        self.waiting.fetch_add(1, Ordering::Relaxed);
        let result = loop {
            match self.wait_for_owner(image) {
                Ok(true) => break Ok(()),
                Ok(false) => {}
                Err(error) => break Err(error),
            }
        };
        self.waiting.fetch_sub(1, Ordering::Relaxed);
        result
    }

    /// Waits until the owner is another one: whether this image is.
    fn wait_for_owner<C: Comm>(self, image: &Runtime<C>) -> Result<bool> {
        let own = own(image);
        let Err(owner) = self.replace(FREE, own) else { return Ok(true) };
        let mut is_taken = false;
        let waited = image.wait_for_living(owner as usize - 1, || {
            let found = self.owner.load(Ordering::Relaxed);
            is_taken = found == FREE && self.replace(FREE, own).is_ok();
            is_taken || found != owner
        });
        Ok(waited.map(|()| is_taken)?)
    }

    /// Gives the lock back, when what this image has put before is there for all.
    ///
    /// # Errors
    /// Where this image has not locked it; errors of MPI.
    #[inline]
    pub fn unlock<C: Comm>(self, image: &Runtime<C>) -> Result<()> {
        let owner = self.owner.load(Ordering::Relaxed);
        if owner != own(image) {
            return Err(if owner == FREE { Refused::Unlocked } else { Refused::LockedElsewhere });
        }
        image.wait_for_puts()?;
        self.owner.store(FREE, Ordering::Release);
        if self.waiting.load(Ordering::Relaxed) > 0 { self.let_others(image) } else { Ok(()) }
    }

    /// Lets others proceed from time to time.
    fn let_others<C: Comm>(self, image: &Runtime<C>) -> Result<()> {
        image.locked.set(image.locked.get() + 1);
        if image.locked.get() < BATCH {
            return Ok(());
        }
        image.locked.set(0);
        let mut looks = 0;
        // The lock has been released, so errors of others are not errors of this statement.
        Ok(image.wait_for_living(image.own(), || {
            looks += 1;
            atomic::worked();
            looks > MAX_LOOKS || self.owner.load(Ordering::Relaxed) != FREE
        })?)
    }
}

/// The number of this image in locks.
fn own<C: Comm>(image: &Runtime<C>) -> u64 {
    image.own() as u64 + 1
}
