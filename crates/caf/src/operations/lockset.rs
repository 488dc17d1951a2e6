//! Sets of locks.
//!
//! Idea: all images acquire them in one order, by address. An image that waits for a lock therefore holds
//! only locks that precede it in this order, so no cycle of waiting images exists.
//!
//! Restrictions: this holds only if an image acquires all locks that it needs at the same time in one call.
//! Cost: the sum over the locks. Source: Havender 1968, "Avoiding deadlock in multitasking systems".

use crate::engine::runtime::Runtime;
use crate::state::locks::{Lock, LockAt, error_of};
use hcube_core::comm::Comm;
use hcube_core::error::Result;

impl<C: Comm> Runtime<C> {
    /// Locks, in the order in which all images take them.
    fn find_locks(&self, locks: &[LockAt]) -> Result<Vec<Lock>> {
        let mut locks = locks.iter().map(|&lock| self.find_lock(lock)).collect::<Result<Vec<_>>>()?;
        locks.sort_unstable_by_key(|lock| (lock.place.image, lock.place.offset));
        match locks.windows(2).find(|pair| pair[0].place == pair[1].place) {
            None => Ok(locks),
            Some(pair) => Err(error_of(pair[0].at, "which is named twice", "different locks")),
        }
    }

    /// Waits until this image has all of these locks. Images do not deadlock, in any order of the locks.
    ///
    /// # Errors
    /// As [`Self::lock`], and for a lock that is named twice; this image has none of them then.
    pub fn lock_all(&self, locks: &[LockAt]) -> Result<()> {
        let locks = self.find_locks(locks)?;
        self.with(|image| locks.iter().try_for_each(|&lock| image.locks.check_free(lock)))?;
        for (number, &lock) in locks.iter().enumerate() {
            if let Err(error) = self.take_lock(lock) {
                for &taken in locks[..number].iter().rev() {
                    // Only an image that is gone can prevent a release; the caller learns of it.
                    let _ = self.release_lock(taken);
                }
                return Err(error);
            }
        }
        Ok(())
    }

    /// Gives all of these locks to the images that wait for them longest; see [`Self::unlock`].
    ///
    /// # Errors
    /// As [`Self::unlock`], and for a lock that is named twice; where arguments are wrong, this image keeps
    /// all.
    pub fn unlock_all(&self, locks: &[LockAt]) -> Result<()> {
        let locks = self.find_locks(locks)?;
        self.with(|image| locks.iter().try_for_each(|&lock| image.locks.check_held(lock)))?;
        self.wait_for_puts()?;
        locks.iter().rev().try_for_each(|&lock| self.release_lock(lock))
    }
}
