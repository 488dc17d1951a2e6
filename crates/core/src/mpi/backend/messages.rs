//! Resources of messages: a communicator that hcube has created, and tags.

use crate::comm::tags::TAGS;
use crate::mpi::handle::check_state;
use crate::mpi::raw::{self, MPI_Comm};
use std::collections::BTreeSet;
use std::ffi::c_int;
use std::sync::{Arc, Mutex, PoisonError};

/// A communicator that hcube has created. Freed when this is dropped, unless MPI is finalised by then.
#[derive(Debug)]
pub(super) struct Private {
    comm: MPI_Comm,
    /// Where it may be shared.
    pub(super) sharing: Option<Sharing>,
}

/// By which communicators it is shared.
#[derive(Debug)]
pub(super) struct Sharing {
    /// Its name, which no other private communicator of these ranks has.
    pub(super) name: u64,
    /// The members in `MPI_COMM_WORLD`.
    pub(super) ranks: Vec<i32>,
    /// Those that the first rank has given.
    pub(super) numbers: Mutex<Numbers>,
}

// SAFETY: MPI's handles name the same object in all threads, and threads that use one at the same time are
// those of a program that has initialised MPI for that (`Handle::new`).
unsafe impl Send for Private {}
// SAFETY: MPI permits concurrent calls with a handle in such programs; the rest is `Sync`.
unsafe impl Sync for Private {}

impl Private {
    /// Takes over a communicator that was just created.
    pub(super) fn new(comm: MPI_Comm, sharing: Option<Sharing>) -> Self {
        Self { comm, sharing }
    }
}

impl Drop for Private {
    fn drop(&mut self) {
        if check_state().is_ok() {
            // SAFETY: created for this value and not freed before; MPI is active.
            unsafe { raw::PMPI_Comm_free(&mut self.comm) };
        }
    }
}

/// The resources of the messages of one communicator.
#[derive(Debug)]
pub(super) struct Messages {
    private: Arc<Private>,
    /// Where its tags begin, in units of [`TAGS`].
    number: c_int,
    /// Whether the number is to be freed: on the first rank.
    gives_back: bool,
}

impl Messages {
    /// With a private communicator.
    pub(super) fn alone(private: MPI_Comm) -> Self {
        Self { private: Arc::new(Private::new(private, None)), number: 0, gives_back: false }
    }

    /// With one that others may use as well, with other numbers.
    pub(super) fn shared(private: Arc<Private>, number: c_int, gives_back: bool) -> Self {
        Self { private, number, gives_back }
    }

    /// For messages.
    pub(super) fn comm(&self) -> MPI_Comm {
        self.private.comm
    }

    /// For collective functions, on a private communicator.
    pub(super) fn comm_of_one(&self) -> Option<MPI_Comm> {
        self.private.sharing.is_none().then_some(self.private.comm)
    }

    /// The name of the shared communicator, and the number; 0 if nothing is shared.
    pub(super) fn place(&self) -> (u64, u64) {
        self.private.sharing.as_ref().map_or((0, 0), |sharing| (sharing.name, self.number as u64))
    }

    /// The tag that stands for this one of a system.
    pub(super) fn tag(&self, tag: c_int) -> c_int {
        self.number * TAGS + tag
    }
}

impl Drop for Messages {
    fn drop(&mut self) {
        if let (Some(sharing), true) = (&self.private.sharing, self.gives_back) {
            sharing.numbers.lock().unwrap_or_else(PoisonError::into_inner).give_back(self.number);
        }
    }
}

/// Numbers for tags that the first rank gives.
#[derive(Debug)]
pub(super) struct Numbers {
    given: BTreeSet<c_int>,
    next: c_int,
    bound: c_int,
}

impl Numbers {
    /// Those below `bound`; 0 is given.
    pub(super) fn new(bound: c_int) -> Self {
        Self { given: BTreeSet::from([0]), next: 1, bound }
    }

    /// The next one in turn that is free.
    pub(super) fn give(&mut self) -> Option<c_int> {
        let number =
            (self.next..self.bound).chain(0..self.next).find(|number| !self.given.contains(number))?;
        self.given.insert(number);
        self.next = number + 1;
        Some(number)
    }

    pub(super) fn give_back(&mut self, number: c_int) {
        self.given.remove(&number);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_given_once_and_again_after_all_others() {
        let mut numbers = Numbers::new(4);
        assert_eq!([(); 4].map(|()| numbers.give()), [Some(1), Some(2), Some(3), None]);
        numbers.give_back(2);
        numbers.give_back(0);
        assert_eq!([(); 3].map(|()| numbers.give()), [Some(0), Some(2), None]);
        assert_eq!(Numbers::new(1).give(), None, "only the communicator for which it was made");
    }
}
