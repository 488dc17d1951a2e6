//! Communicators of one rank: nothing is exchanged, and the function of the MPI library takes less time than
//! a lookup of the state, so calls are forwarded without it.
//!
//! Idea: the last used communicator of one rank is in a static that every call reads first. By default its
//! calls are forwarded. If options select an algorithm, so that hcube performs all exchanges, exchanges in
//! place with obviously valid arguments are complete without any action.
//! Restrictions: only calls of programs that do not use hcube's functions.
//! Cost: two loads and comparisons in each call.

#[cfg(hcube_model)]
pub mod model;

use super::call::{Call, Counts, Types};
use hcube_core::atomic::{AtomicUsize, Ordering};
use hcube_core::comm::Comm;
use hcube_core::mpi::datatype::is_usual;
use hcube_core::mpi::forward::in_place;
use hcube_core::mpi::{MPI_Comm, MpiComm};
use hcube_core::of_process;
use hcube_core::progress::Progress;

of_process! {
    /// The handles of the last one that is forwarded, and of the last one that is served; [`NONE`] if it was
    /// freed, and before the first.
    fn last() -> [AtomicUsize; 2] = [const { AtomicUsize::new(NONE) }; 2];
}

/// The handle of no communicator in any library.
const NONE: usize = 0;

/// A communicator of one rank. It is forgotten when this is dropped, which happens before MPI reuses its
/// handle.
#[derive(Debug)]
pub(super) struct OneRank {
    comm: usize,
    served: bool,
}

/// The outcome of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AtOnce {
    /// It is forwarded.
    Forwarded,
    /// It is complete.
    Done,
}

impl OneRank {
    /// The communicator of a call, if it has one rank. `served`: not forwarded.
    pub(super) fn new(call: &Call, comm: &MpiComm, served: bool) -> Option<Self> {
        let known = call.guest && comm.size() == 1 && !comm.simulated();
        known.then_some(Self { comm: handle(call.comm), served })
    }

    /// Its next calls end immediately.
    #[inline]
    pub(super) fn remember(&self) {
        // Relaxed: nothing else is published; other threads make their calls on other communicators.
        last()[usize::from(self.served)].store(self.comm, Ordering::Relaxed);
    }
}

impl Drop for OneRank {
    fn drop(&mut self) {
        let last = &last()[usize::from(self.served)];
        let _ = last.compare_exchange(self.comm, NONE, Ordering::Relaxed, Ordering::Relaxed);
    }
}

fn handle(comm: MPI_Comm) -> usize {
    comm as usize
}

/// Local: what becomes of a call on a communicator of one rank, if that is known. If not,
/// [`exchange`](super::exchange) decides.
///
/// # Safety
/// The contract of [`Call`].
#[inline(always)]
pub unsafe fn at_once(call: &Call) -> Option<AtOnce> {
    let comm = handle(call.comm);
    let [forwarded, served] = [&last()[0], &last()[1]].map(|last| last.load(Ordering::Relaxed));
    if comm == NONE || !call.guest {
        None
    } else if comm == forwarded {
        Some(AtOnce::Forwarded)
    } else {
        // SAFETY: arrays have an entry for the one rank, by the contract of this function.
        (comm == served && unsafe { is_complete(call) }).then_some(AtOnce::Done)
    }
}

/// Whether a call is in place, and its arguments are plainly valid.
///
/// # Safety
/// Arrays of the call hold an entry.
unsafe fn is_complete(call: &Call) -> bool {
    let side = &call.receive;
    if !call.in_place() || !call.function.has_in_place() || side.buffer.is_null() || side.buffer == in_place()
    {
        return false;
    }
    let arrays = match side.counts {
        Counts::Same(_) | Counts::SameLarge(_) => true,
        Counts::Int(counts, places) => !counts.is_null() && !places.is_null(),
        Counts::Far(..) | Counts::Large(..) => false,
    };
    // SAFETY: arrays that are not null hold an entry, by the contract of this function.
    unsafe {
        let datatype = match side.types {
            Types::One(datatype) => datatype,
            Types::Each(datatypes) if datatypes.is_null() => return false,
            Types::Each(datatypes) => *datatypes,
        };
        arrays && side.counts.of(0) >= 0 && is_usual(datatype)
    }
}

#[cfg(test)]
mod tests {
    use super::super::call::{Function, Side};
    use super::*;

    fn call(comm: usize) -> Call {
        let side = Side { buffer: 64 as _, counts: Counts::Same(0), types: Types::One(7 as _) };
        Call { function: Function::Alltoall, send: side, receive: side, comm: comm as MPI_Comm, guest: true }
    }

    /// One test, because the process has one static.
    #[test]
    fn the_last_one_is_known_until_it_goes() {
        let [first, second] = [5, 6].map(|comm| OneRank { comm, served: false });
        // SAFETY: no arrays.
        let known = || [0, 5, 6].map(|comm| unsafe { at_once(&call(comm)) }.is_some());
        assert_eq!(known(), [false; 3], "none was used");
        first.remember();
        assert_eq!(known(), [false, true, false]);
        // SAFETY: no arrays.
        assert_eq!(unsafe { at_once(&Call { guest: false, ..call(5) }) }, None);
        second.remember();
        drop(first);
        assert_eq!(known(), [false, false, true]);
        drop(second);
        assert_eq!(known(), [false; 3]);
        let served = OneRank { comm: 5, served: true };
        served.remember();
        assert_eq!(known(), [false; 3], "out of place there is something to do");
    }
}
