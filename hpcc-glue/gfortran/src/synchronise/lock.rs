//! Locks and critical constructs of a team whose images are all on one node.
//!
//! Idea: the word of a lock names its owner. Any image that finds it free acquires it, even if others wait:
//! an image that repeatedly needs the lock has it in its cache, and no image waits until the scheduler runs
//! the next image of a queue. An image that has acquired locks `BATCH` times while others waited lets one of
//! them proceed.
//!
//! Restrictions: waiting images have no order; between nodes, the queues of the runtime implement the locks.
//! Cost: an atomic operation to lock, one to unlock. Memory: two words per lock.
//! Source: test-and-test-and-set; the batches are our own.

use crate::abi::{STAT_LOCKED, STAT_LOCKED_OTHER_IMAGE, STAT_UNLOCKED};
use crate::failure::{Failure, Image, Result};
use std::cell::Cell;
use std::sync::atomic::{AtomicU64, Ordering};

/// The word of a free lock; other values are the owner, counted from 1.
const FREE: u64 = 0;
/// How often an image takes locks, while others wait, before it lets them go first.
const BATCH: u32 = 64;
/// Polls of the lock for which it lets them go first.
const MAX_LOOKS: u32 = 64;

thread_local! {
    /// How often this image has taken locks while others waited.
    static TAKEN: Cell<u32> = const { Cell::new(0) };
}

/// A lock.
#[derive(Debug, Clone, Copy)]
pub struct Words<'a> {
    owner: &'a AtomicU64,
    waiting: &'a AtomicU64,
}

impl<'a> Words<'a> {
    /// The lock at an address.
    ///
    /// # Safety
    /// There are two words of the shared memory, which are zeros at first and are accessed only by such
    /// locks.
    pub unsafe fn at(address: *mut u8) -> Self {
        // SAFETY: two words of the shared memory, which only such locks access.
        unsafe {
            Self {
                owner: AtomicU64::from_ptr(address.cast()),
                waiting: AtomicU64::from_ptr(address.cast::<u64>().add(1)),
            }
        }
    }

    /// Takes the lock for an image if its owner is this one: the owner otherwise.
    fn replace(self, owner: u64, by: u64) -> std::result::Result<u64, u64> {
        self.owner.compare_exchange(owner, by, Ordering::Acquire, Ordering::Relaxed)
    }

    /// Acquires the lock if it is free; returns whether this image holds it now.
    #[inline]
    pub fn try_lock(self, image: &Image) -> Result<bool> {
        match self.replace(FREE, own(image)) {
            Ok(_) => Ok(true),
            Err(owner) if owner == own(image) => Err(locked_here()),
            Err(owner) => self.look_at_owner(image, owner),
        }
    }

    /// Another image has the lock: an error if it has failed or stopped. The program may try again and again.
    #[cold]
    fn look_at_owner(self, image: &Image, owner: u64) -> Result<bool> {
        let mut looks = 0;
        image.wait_for_living(owner as usize - 1, || {
            looks += 1;
            looks > 2
        })?;
        Ok(false)
    }

    /// Waits until this image has the lock.
    #[inline]
    pub fn lock(self, image: &Image) -> Result<()> {
        match self.replace(FREE, own(image)) {
            Ok(_) => Ok(()),
            Err(owner) if owner == own(image) => Err(locked_here()),
            Err(_) => self.wait(image),
        }
    }

    #[cold]
    fn wait(self, image: &Image) -> Result<()> {
        TAKEN.set(0);
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
    fn wait_for_owner(self, image: &Image) -> Result<bool> {
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
    #[inline]
    pub fn unlock(self, image: &Image) -> Result<()> {
        let owner = self.owner.load(Ordering::Relaxed);
        if owner != own(image) {
            return Err(not_locked_here(owner));
        }
        image.wait_for_puts()?;
        self.owner.store(FREE, Ordering::Release);
        if self.waiting.load(Ordering::Relaxed) > 0 { self.let_others(image) } else { Ok(()) }
    }

    /// Lets others proceed from time to time.
    fn let_others(self, image: &Image) -> Result<()> {
        TAKEN.set(TAKEN.get() + 1);
        if TAKEN.get() < BATCH {
            return Ok(());
        }
        TAKEN.set(0);
        let mut looks = 0;
        // The lock has been released, so errors of others are not errors of this statement.
        Ok(image.wait_for_living(image.own(), || {
            looks += 1;
            looks > MAX_LOOKS || self.owner.load(Ordering::Relaxed) != FREE
        })?)
    }
}

/// The number of this image in locks.
fn own(image: &Image) -> u64 {
    image.own() as u64 + 1
}

/// The error if this image has the lock.
pub fn locked_here() -> Failure {
    Failure { stat: STAT_LOCKED, text: "the lock is locked by this image".into() }
}

/// The error if this image does not have a lock with this word.
pub fn not_locked_here(word: u64) -> Failure {
    match word {
        FREE => Failure { stat: STAT_UNLOCKED, text: "the lock is not locked".into() },
        _ => Failure { stat: STAT_LOCKED_OTHER_IMAGE, text: "the lock is locked by another image".into() },
    }
}
