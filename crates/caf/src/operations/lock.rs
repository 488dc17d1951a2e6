//! Locks: mutual exclusion, granted in FIFO order.
//!
//! Idea: an MCS lock. The word of a lock is the tail of a queue, and each image in the queue has a link to
//! the next one. A waiter swaps itself into the tail by one atomic operation. If the queue was not empty, it
//! writes the link of its predecessor, and polls a word of its own heap, which the predecessor writes when it
//! unlocks. Queue nodes are two words in the heap of the waiting image, one node per lock that it holds or
//! waits for, and are reused.
//!
//! An image unlocks when its earlier puts are complete everywhere, so the next holder of the lock sees them.
//!
//! Restrictions: locks are not recursive, not even for shipped functions that the holder executes. An image
//! that gives up waiting, because another image has failed or stopped, stays in the queue, and keeps its
//! position if it requests the lock again.
//! Cost: to lock, an atomic operation and at most one word written to another image; to unlock, one of the
//! two.
//! Memory: 128 bytes per lock that an image has held at the same time as other locks.
//! Source: Mellor-Crummey and Scott 1991, "Algorithms for scalable synchronization on shared-memory
//! multiprocessors".

#[cfg(hcube_model)]
pub mod model;

use crate::engine::runtime::Runtime;
use crate::state::coarray::Use;
use crate::state::handles::Handle;
use crate::state::locks::{Lock, LockAt};
use hcube_core::comm::Comm;
use hcube_core::error::Result;

impl<C: Comm> Runtime<C> {
    /// Collective over the team: `count` unlocked locks on each member.
    ///
    /// # Errors
    /// As [`Self::allocate`].
    pub fn allocate_locks(&self, team: Handle, count: usize) -> Result<Handle> {
        self.allocate_slots(team, count, Use::Locks)
    }

    /// A lock on a member.
    pub(crate) fn find_lock(&self, at: LockAt) -> Result<Lock> {
        Ok(Lock { at, place: self.place_of_slot(at, Use::Locks)? })
    }

    /// Waits until this image has a lock on a member.
    ///
    /// # Errors
    /// For locks that were freed, an index that does not exist, a rank that no member has, a lock that this
    /// image has or waits for; if an image has failed or stopped.
    pub fn lock(&self, locks: Handle, index: usize, rank: usize) -> Result<()> {
        self.take_lock(self.find_lock((locks, index, rank))?)
    }

    /// As [`Self::lock`], of one that was found.
    pub(crate) fn take_lock(&self, lock: Lock) -> Result<()> {
        self.wait_for_room(lock.place.image)?;
        // An abandoned attempt without the queue may end without result.
        while !self.ask_for_lock(lock, true)? {}
        Ok(())
    }

    /// Whether this image has the lock now.
    fn ask_for_lock(&self, lock: Lock, queues: bool) -> Result<bool> {
        self.with(|image| image.locks.begin(lock, queues, &mut image.memory))?;
        let lock = lock.place;
        let taken =
            self.wait_for_any(|image| match image.locks.advance(lock, &mut image.memory, &image.others)? {
                // It resumes a wait that was given up, but does not wait.
                None if !queues && image.locks.is_queued(lock) => {
                    image.locks.give_up(lock);
                    Ok(Some(false))
                }
                taken => Ok(taken),
            });
        if taken.is_err() {
            self.change(|image| image.locks.give_up(lock))?;
        }
        taken
    }

    /// Acquires a lock on a member if it is free; returns whether this image holds it now.
    ///
    /// # Errors
    /// As [`Self::lock`].
    pub fn try_lock(&self, locks: Handle, index: usize, rank: usize) -> Result<bool> {
        let lock = self.find_lock((locks, index, rank))?;
        self.wait_for_room(lock.place.image)?;
        let taken = self.ask_for_lock(lock, false)?;
        if !taken {
            self.poll_others()?;
        }
        Ok(taken)
    }

    /// Gives a lock on a member to the image that waits for it longest, when what this image has put before
    /// is there for all.
    ///
    /// # Errors
    /// For locks that were freed, an index that does not exist, a rank that no member has, a lock that this
    /// image does not have; if an image has failed or stopped.
    pub fn unlock(&self, locks: Handle, index: usize, rank: usize) -> Result<()> {
        let lock = self.find_lock((locks, index, rank))?;
        self.with(|image| image.locks.check_held(lock))?;
        self.wait_for_puts()?;
        self.release_lock(lock)
    }

    /// As [`Self::unlock`], of one that was found, when what this image has put is there.
    pub(crate) fn release_lock(&self, lock: Lock) -> Result<()> {
        self.with(|image| image.locks.check_held(lock))?;
        let lock = lock.place;
        let released =
            self.wait_for_any(|image| image.locks.advance_release(lock, &mut image.memory, &image.others));
        if released.is_err() {
            self.change(|image| image.locks.give_up(lock))?;
        }
        released
    }
}
