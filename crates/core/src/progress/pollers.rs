//! The registry of pollers: work of systems that every waiting loop of a rank performs.
//!
//! A poller is a function that checks for work and performs it, for example handles the active messages that
//! have arrived. Rules:
//! - It never waits for another rank, which may be in an MPI call that drives no poller.
//! - Registering is collective in this sense: between two collective calls on a communicator of the family
//!   (the communicator that a program has passed and all that were split from it) either all ranks have a
//!   poller or no rank has, because with pollers a collective call begins with a barrier that drives them.
//! - It holds the communicator that it uses by `Weak`, or the communicator is never freed: the registry
//!   belongs to it. A communicator is not `Sync`; a `Mutex` around it and its data is, and is never waited
//!   for.
//! - Pending work between two calls owns its memory ([`comm::owned`](crate::comm::owned)).
//!
//! A poller may itself call functions that drive pollers: it is not entered again while it runs.
//!
//! Cost: one load per poll if nothing is registered. The registry belongs to one rank and is attached to its
//! communicator, which different threads may use one after the other: its contents are therefore `Send`, and
//! its locks are only taken by the thread that is inside a call. No lock is waited for, and the list is not
//! locked while a poller runs.

use crate::atomic::{AtomicUsize, Ordering};
use crate::error::Result;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError, Weak};

/// The pollers of one rank.
#[derive(Default)]
pub struct Pollers {
    entries: Mutex<Vec<Arc<Entry>>>,
    /// Number of entries, to be read without the lock.
    count: AtomicUsize,
}

/// Locked while it runs, so that it is not entered again.
type Entry = Mutex<Poll>;
type Poll = Box<dyn Fn() -> Result<()> + Send>;

/// A registered poller; it is called until this value is dropped.
#[must_use = "the poller is removed when this value is dropped"]
pub struct Registration {
    pollers: Weak<Pollers>,
    entry: Arc<Entry>,
}

impl Pollers {
    /// Adds a poller; see the rules of this module.
    pub fn register(self: &Arc<Self>, poll: impl Fn() -> Result<()> + Send + 'static) -> Registration {
        let entry: Arc<Entry> = Arc::new(Mutex::new(Box::new(poll)));
        self.change(|entries| entries.push(Arc::clone(&entry)));
        Registration { pollers: Arc::downgrade(self), entry }
    }

    /// Whether there is no poller.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.count.load(Ordering::Relaxed) == 0
    }

    /// Calls every poller once, except those that are running already.
    ///
    /// # Errors
    /// The first error of a poller; those after it are not called.
    #[cold]
    pub fn drive(&self) -> Result<()> {
        let mut index = 0;
        while let Some(entry) = self.entry(index) {
            index += 1;
            match entry.try_lock() {
                Ok(poll) => poll()?,
                // A panic in it ended an earlier call.
                Err(TryLockError::Poisoned(poll)) => poll.into_inner()()?,
                Err(TryLockError::WouldBlock) => {}
            }
        }
        Ok(())
    }

    fn entry(&self, index: usize) -> Option<Arc<Entry>> {
        self.entries().get(index).cloned()
    }

    fn entries(&self) -> MutexGuard<'_, Vec<Arc<Entry>>> {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn change(&self, change: impl FnOnce(&mut Vec<Arc<Entry>>)) {
        let mut entries = self.entries();
        change(&mut entries);
        self.count.store(entries.len(), Ordering::Relaxed);
    }
}

impl Drop for Registration {
    fn drop(&mut self) {
        let Some(pollers) = self.pollers.upgrade() else { return };
        pollers.change(|entries| entries.retain(|entry| !Arc::ptr_eq(entry, &self.entry)));
    }
}

impl fmt::Debug for Pollers {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Pollers").field("count", &self.count).finish_non_exhaustive()
    }
}

impl fmt::Debug for Registration {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Registration").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Error;
    use std::sync::atomic::AtomicBool;

    #[test]
    fn pollers_are_called_in_order_until_they_are_removed() {
        let (pollers, calls) = (Arc::new(Pollers::default()), Arc::new(Mutex::new(Vec::new())));
        let register = |name: u32| {
            let calls = Arc::clone(&calls);
            pollers.register(move || {
                calls.lock().expect("not poisoned").push(name);
                Ok(())
            })
        };
        assert!(pollers.is_empty());
        let (first, second) = (register(1), register(2));
        pollers.drive().expect("no poller fails");
        drop(first);
        assert!(!pollers.is_empty());
        pollers.drive().expect("no poller fails");
        drop(second);
        pollers.drive().expect("no poller is left");
        assert_eq!(
            (pollers.is_empty(), &**calls.lock().expect("not poisoned")),
            (true, [1, 2, 2].as_slice())
        );
    }

    #[test]
    fn a_poller_may_drive_register_and_remove() {
        let (pollers, inside) = (Arc::new(Pollers::default()), Arc::new(AtomicBool::new(false)));
        let later: Arc<Mutex<Vec<Registration>>> = Arc::default();
        let _registration = pollers.register({
            let (pollers, inside, later) =
                (Arc::downgrade(&pollers), Arc::clone(&inside), Arc::clone(&later));
            move || {
                assert!(!inside.swap(true, Ordering::Relaxed), "entered while it runs");
                let pollers = pollers.upgrade().expect("the registry is driving");
                pollers.drive()?;
                let other = later.lock().expect("not poisoned").pop();
                match other {
                    Some(other) => drop(other),
                    None => later.lock().expect("not poisoned").push(pollers.register(|| Ok(()))),
                }
                inside.store(false, Ordering::Relaxed);
                Ok(())
            }
        });
        for entries in [2, 1, 2] {
            pollers.drive().expect("no poller fails");
            assert_eq!(pollers.entries().len(), entries);
        }
    }

    #[test]
    fn the_error_of_a_poller_is_passed_on_and_it_can_be_called_again() {
        let pollers = Arc::new(Pollers::default());
        let _registration = pollers.register(|| Err(Error::Internal("lost".into())));
        for _ in 0..2 {
            assert_eq!(pollers.drive(), Err(Error::Internal("lost".into())));
        }
    }
}
