//! The registry of pollers: work of systems that every waiting loop of a rank drives.
//!
//! A poller is a function that looks for work and does it, for example takes in the active messages that have
//! arrived. Rules:
//! - It never waits for another rank: that rank may be in a call of MPI that drives no poller.
//! - Registering is collective in this sense: between two collective calls on a communicator of the family
//!   (the duplicate that hcube made and all communicators split from it) either all ranks have a poller or
//!   none has, because with pollers a collective call begins with a barrier that drives them.
//! - It keeps the communicator that it uses by `Weak`, or that is never freed: the registry hangs on it.
//!
//! A poller may itself call functions that drive pollers: it is not entered again while it runs.
//!
//! Cost: one load per look where nothing is registered. No lock: the registry belongs to one rank, hangs on
//! its communicator, and no borrow of it is held while a poller runs.

use crate::error::Result;
use std::cell::{Cell, RefCell};
use std::fmt;
use std::rc::{Rc, Weak};

/// The pollers of one rank.
#[derive(Default)]
pub struct Pollers {
    entries: RefCell<Vec<Rc<Entry>>>,
    /// Number of entries, to be read without a borrow.
    count: Cell<usize>,
}

struct Entry {
    poll: Box<dyn Fn() -> Result<()>>,
    running: Cell<bool>,
}

/// A registered poller; it is called until this value is dropped.
#[must_use = "the poller is removed when this value is dropped"]
pub struct Registration {
    pollers: Weak<Pollers>,
    entry: Rc<Entry>,
}

impl Pollers {
    /// Adds a poller; see the rules of this module.
    pub fn register(self: &Rc<Self>, poll: impl Fn() -> Result<()> + 'static) -> Registration {
        let entry = Rc::new(Entry { poll: Box::new(poll), running: Cell::new(false) });
        self.entries.borrow_mut().push(Rc::clone(&entry));
        self.count.set(self.count.get() + 1);
        Registration { pollers: Rc::downgrade(self), entry }
    }

    /// Whether there is no poller.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.count.get() == 0
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
            if !entry.running.replace(true) {
                let result = (entry.poll)();
                entry.running.set(false);
                result?;
            }
        }
        Ok(())
    }

    fn entry(&self, index: usize) -> Option<Rc<Entry>> {
        self.entries.borrow().get(index).cloned()
    }
}

impl Drop for Registration {
    fn drop(&mut self) {
        let Some(pollers) = self.pollers.upgrade() else { return };
        pollers.entries.borrow_mut().retain(|entry| !Rc::ptr_eq(entry, &self.entry));
        pollers.count.set(pollers.count.get() - 1);
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

    #[test]
    fn pollers_are_called_in_order_until_they_are_removed() {
        let (pollers, calls) = (Rc::new(Pollers::default()), Rc::new(RefCell::new(Vec::new())));
        let register = |name: u32| {
            let calls = Rc::clone(&calls);
            pollers.register(move || {
                calls.borrow_mut().push(name);
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
        assert_eq!((pollers.is_empty(), &**calls.borrow()), (true, [1, 2, 2].as_slice()));
    }

    #[test]
    fn a_poller_may_drive_register_and_remove() {
        let (pollers, depth) = (Rc::new(Pollers::default()), Rc::new(Cell::new(0)));
        let later: Rc<RefCell<Vec<Registration>>> = Rc::default();
        let _registration = pollers.register({
            let (pollers, depth, later) = (Rc::downgrade(&pollers), Rc::clone(&depth), Rc::clone(&later));
            move || {
                depth.set(depth.get() + 1);
                assert_eq!(depth.get(), 1, "entered while it runs");
                let pollers = pollers.upgrade().expect("the registry is driving");
                pollers.drive()?;
                let other = later.borrow_mut().pop();
                match other {
                    Some(other) => drop(other),
                    None => later.borrow_mut().push(pollers.register(|| Ok(()))),
                }
                depth.set(0);
                Ok(())
            }
        });
        for entries in [2, 1, 2] {
            pollers.drive().expect("no poller fails");
            assert_eq!(pollers.entries.borrow().len(), entries);
        }
    }

    #[test]
    fn the_error_of_a_poller_is_passed_on_and_it_can_be_called_again() {
        let pollers = Rc::new(Pollers::default());
        let _registration = pollers.register(|| Err(Error::Internal("lost".into())));
        for _ in 0..2 {
            assert_eq!(pollers.drive(), Err(Error::Internal("lost".into())));
        }
    }
}
