//! Communicators of one rank, whose exchanges are forwarded without a look at their state: there is nothing to exchange, and the
//! library's own function takes less time than that look.
//!
//! Idea: the communicator of one rank that was used last stands in a static that every call reads first.
//! Restrictions: calls of programs that do not know of hcube, without options that choose an algorithm.
//! Cost: a load and a comparison in each call.

use super::call::Call;
use hcube_core::comm::Comm;
use hcube_core::mpi::{MPI_Comm, MpiComm};
use hcube_core::progress::Progress;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The handle of the last one; [`NONE`] where it was freed, and before the first.
static LAST: AtomicUsize = AtomicUsize::new(NONE);

/// The handle of no communicator in any library.
const NONE: usize = 0;

/// A communicator of one rank. It is forgotten when this is dropped, which happens before MPI gives its handle to another one.
#[derive(Debug)]
pub(super) struct OneRank(usize);

impl OneRank {
    /// That of a call, if it has one rank.
    pub(super) fn new(call: &Call, comm: &MpiComm) -> Option<Self> {
        (call.guest && comm.size() == 1 && !comm.simulated()).then_some(Self(handle(call.comm)))
    }

    /// Its next calls are forwarded at once.
    pub(super) fn remember(&self) {
        // Relaxed: nothing else is published; other threads make their calls on other communicators.
        LAST.store(self.0, Ordering::Relaxed);
    }
}

impl Drop for OneRank {
    fn drop(&mut self) {
        let _ = LAST.compare_exchange(self.0, NONE, Ordering::Relaxed, Ordering::Relaxed);
    }
}

fn handle(comm: MPI_Comm) -> usize {
    comm as usize
}

/// Local: whether a call is on a communicator of one rank whose exchanges are forwarded. If not,
/// [`exchange`](super::exchange) decides.
#[inline(always)]
pub fn is_known(call: &Call) -> bool {
    let last = LAST.load(Ordering::Relaxed);
    last != NONE && last == handle(call.comm) && call.guest
}

#[cfg(test)]
mod tests {
    use super::super::call::{Counts, Function, Side, Types};
    use super::*;

    fn call(comm: usize) -> Call {
        let nothing = std::ptr::null_mut();
        let side = Side { buffer: nothing, counts: Counts::Same(0), types: Types::One(7 as _) };
        Call { function: Function::Alltoall, send: side, receive: side, comm: comm as MPI_Comm, guest: true }
    }

    /// One test, because the process has one static.
    #[test]
    fn the_last_one_is_known_until_it_goes() {
        let (first, second) = (OneRank(5), OneRank(6));
        let known = || [0, 5, 6].map(|comm| is_known(&call(comm)));
        assert_eq!(known(), [false; 3], "none was used");
        first.remember();
        assert_eq!(known(), [false, true, false]);
        assert!(!is_known(&Call { guest: false, ..call(5) }));
        second.remember();
        drop(first);
        assert_eq!(known(), [false, false, true]);
        drop(second);
        assert_eq!(known(), [false; 3]);
    }
}
