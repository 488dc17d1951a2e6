//! A value that several communicators of a rank use one after the other.
//!
//! Restriction: the program calls MPI from one thread at a time (any thread level below
//! `MPI_THREAD_MULTIPLE`). Its collective calls on communicators of the same processes then have the same
//! order on all ranks, so the ranks' shared state may be used for all of these communicators, one call after
//! another.

use super::raw;
use super::state::in_use;
use crate::error::Result;
use std::cell::{Cell, UnsafeCell};
use std::sync::{Arc, Weak};

/// The value of one user of it; it is dropped with the last one.
#[derive(Debug)]
pub struct Shared<T>(Arc<Inner<T>>);

/// A value that exists as long as it has users.
#[derive(Debug)]
pub struct Observed<T>(Weak<Inner<T>>);

#[derive(Debug)]
struct Inner<T> {
    busy: Cell<bool>,
    value: UnsafeCell<T>,
}

// SAFETY: the code that creates a second user promises that users take turns (`Shared::share`), so a value
// and its mark are reached by one thread at a time, as in a value that is moved from thread to thread, for
// which `T` is `Send`.
unsafe impl<T: Send> Send for Shared<T> {}
// SAFETY: an observer reaches the value only as a user does, in turns, or drops it, for which `T` is `Send`.
unsafe impl<T: Send> Send for Observed<T> {}

/// Local: whether the program calls MPI from one thread at a time; the same on all ranks of most programs,
/// and to be agreed on.
pub fn one_thread_at_a_time() -> bool {
    let mut level = 0;
    // SAFETY: MPI is active where communicators are in use.
    let code = unsafe { raw::PMPI_Query_thread(&mut level) };
    code == super::constants::SUCCESS && level != super::constants::constants().thread_multiple
}

impl<T> Shared<T> {
    /// A value with one user.
    pub fn new(value: T) -> Self {
        Self(Arc::new(Inner { busy: Cell::new(false), value: UnsafeCell::new(value) }))
    }

    /// A reference by which the value is found as long as it has users.
    ///
    /// # Safety
    /// All users that are found by it take turns: no two threads use or drop them at the same time.
    pub unsafe fn observe(&self) -> Observed<T> {
        Observed(Arc::downgrade(&self.0))
    }

    /// A further user.
    ///
    /// # Safety
    /// As [`Self::observe`].
    pub unsafe fn share(&self) -> Self {
        Self(Arc::clone(&self.0))
    }

    /// Runs `work` with the value.
    ///
    /// # Errors
    /// Errors of `work`, and [`Error::Communicator`](crate::Error::Communicator) inside another use.
    #[inline(always)]
    pub fn with<R>(&self, work: impl FnOnce(&mut T) -> Result<R>) -> Result<R> {
        /// Ends the use, also when it panics.
        struct Leave<'a>(&'a Cell<bool>);
        impl Drop for Leave<'_> {
            fn drop(&mut self) {
                self.0.set(false);
            }
        }
        if self.0.busy.replace(true) {
            return Err(in_use());
        }
        let _leave = Leave(&self.0.busy);
        // SAFETY: one thread at a time is here, by the contract of `share`, and the mark keeps a second use
        // inside the first one out.
        work(unsafe { &mut *self.0.value.get() })
    }
}

impl<T> Observed<T> {
    /// The value, if it has users.
    pub fn user(&self) -> Option<Shared<T>> {
        self.0.upgrade().map(Shared)
    }

    /// Whether the value has users.
    pub fn is_used(&self) -> bool {
        self.0.strong_count() > 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Error;

    #[test]
    fn users_see_one_value_until_the_last_one_goes() {
        let first = Shared::new(1);
        // SAFETY: one thread.
        let (second, observed) = unsafe { (first.share(), first.observe()) };
        let add = |user: &Shared<i32>| {
            user.with(|value| {
                *value += 1;
                Ok(*value)
            })
        };
        assert_eq!((add(&first), add(&second)), (Ok(2), Ok(3)));
        drop(first);
        assert_eq!(observed.user().map(|third| add(&third)), Some(Ok(4)));
        drop(second);
        assert!(observed.user().is_none() && !observed.is_used());
    }

    #[test]
    fn a_use_inside_a_use_is_refused_and_a_panic_ends_one() {
        let value = Shared::new(());
        let nested = value.with(|()| Ok(value.with(|()| Ok(()))));
        assert!(matches!(&nested, Ok(Err(Error::Communicator(_)))), "{nested:?}");
        let panicked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            value.with(|()| -> Result<()> { panic!("on purpose") })
        }));
        assert!(panicked.is_err() && value.with(|()| Ok(())).is_ok());
    }
}
