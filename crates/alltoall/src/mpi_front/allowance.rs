//! An allowance: so many exchanges of a communicator, of one datatype, are forwarded without a look at its state.
//!
//! Idea: where short exchanges are forwarded without votes (`without_votes`), the way to the state of the communicator and
//! back takes a sixth of the time of an exchange inside the library. So the state gives an allowance for those that it
//! would forward anyway, in a place that every call looks at first; what was used of it is counted when the state is
//! entered again. The decisions are the same with an allowance and without, so it does not matter which ranks have one.
//!
//! Restrictions: one communicator of a process has the allowance at a time; calls of `MPI_Alltoall` and `MPI_Alltoallv` out
//! of place, of one predefined datatype, with arguments that are plainly valid. Other calls go the long way.
//! The place is a static, because a handle alone must lead to it. It says nothing that the state of the communicator does
//! not know, and is emptied before that ends.
//! Cost: 2 ns for a call with an allowance.
//! Source: our own.

use super::call::{Call, Counts, Types};
use hcube_core::comm::Comm;
use hcube_core::mpi::forward::in_place;
use hcube_core::mpi::{MPI_Comm, MPI_Datatype, MpiComm};
use hcube_core::progress::Progress;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};

/// Where calls look.
struct Place {
    /// Whether an [`Allowance`] exists.
    taken: AtomicBool,
    /// The handle of its communicator; [`NO_COMMUNICATOR`] while the rest may be changing.
    comm: AtomicUsize,
    datatype: AtomicUsize,
    ranks: AtomicUsize,
    /// Exchanges that may still be forwarded. Calls on one communicator come one after the other, as MPI demands of
    /// programs.
    left: AtomicU64,
}

/// The handle of no communicator in any library.
const NO_COMMUNICATOR: usize = 0;

static PLACE: Place = Place {
    taken: AtomicBool::new(false),
    comm: AtomicUsize::new(NO_COMMUNICATOR),
    datatype: AtomicUsize::new(0),
    ranks: AtomicUsize::new(0),
    left: AtomicU64::new(0),
};

/// The allowance of a communicator, which ends when this is dropped.
#[derive(Debug)]
pub(super) struct Allowance {
    given: u64,
}

impl Allowance {
    /// An allowance for `number` calls like this one, if its blocks are of this predefined datatype; none where another
    /// communicator has it.
    pub(super) fn new(
        call: &Call,
        comm: &MpiComm,
        datatype: Option<MPI_Datatype>,
        number: u64,
    ) -> Option<Self> {
        let datatype = datatype.filter(|&datatype| one_datatype(call) == Some(datatype))?;
        if number == 0 || comm.simulated() {
            None
        } else {
            Self::give(call.comm, comm.size(), datatype, number)
        }
    }

    fn give(comm: MPI_Comm, ranks: usize, datatype: MPI_Datatype, number: u64) -> Option<Self> {
        let comm = handle(comm);
        if comm == NO_COMMUNICATOR || PLACE.taken.swap(true, Ordering::Acquire) {
            return None;
        }
        PLACE.datatype.store(datatype as usize, Ordering::Relaxed);
        PLACE.ranks.store(ranks, Ordering::Relaxed);
        PLACE.left.store(number, Ordering::Relaxed);
        PLACE.comm.store(comm, Ordering::Release);
        Some(Self { given: number })
    }

    /// How many exchanges have used it.
    pub(super) fn used(&self) -> u64 {
        self.given - PLACE.left.load(Ordering::Relaxed)
    }
}

impl Drop for Allowance {
    fn drop(&mut self) {
        PLACE.comm.store(NO_COMMUNICATOR, Ordering::Relaxed);
        PLACE.taken.store(false, Ordering::Release);
    }
}

/// Local: whether a call has an allowance to be forwarded, of which it takes its part; for programs that do not know of hcube. If
/// not, [`exchange`](super::exchange) decides.
///
/// # Safety
/// The contract of [`Call`].
#[inline(always)]
pub unsafe fn take(call: &Call) -> bool {
    if PLACE.comm.load(Ordering::Acquire) != handle(call.comm) || !call.guest {
        return false;
    }
    let left = PLACE.left.load(Ordering::Relaxed);
    // SAFETY: the contract of this function; the number of ranks is that of this communicator.
    if left == 0 || !unsafe { is_plainly_valid(call, PLACE.ranks.load(Ordering::Relaxed)) } {
        return false;
    }
    PLACE.left.store(left - 1, Ordering::Relaxed);
    true
}

fn handle(comm: MPI_Comm) -> usize {
    comm as usize
}

/// The datatype of all blocks.
#[inline(always)]
fn one_datatype(call: &Call) -> Option<MPI_Datatype> {
    match (call.send.types, call.receive.types) {
        (Types::One(sent), Types::One(received)) if sent == received => Some(sent),
        _ => None,
    }
}

/// # Safety
/// As [`take`].
#[inline(always)]
unsafe fn is_plainly_valid(call: &Call, ranks: usize) -> bool {
    let datatype = PLACE.datatype.load(Ordering::Relaxed);
    one_datatype(call).is_some_and(|found| found as usize == datatype)
        && [call.send, call.receive].iter().all(|side| {
            let counted = match side.counts {
                Counts::Same(count) => count >= 0,
                Counts::Int(counts, displacements) => {
                    !counts.is_null()
                        && !displacements.is_null()
                        // SAFETY: an array with an entry per rank, by the contract of this function.
                        && unsafe { std::slice::from_raw_parts(counts, ranks) }.iter().all(|&count| count >= 0)
                }
                _ => false,
            };
            counted && !side.buffer.is_null() && side.buffer != in_place()
        })
}

#[cfg(test)]
mod tests {
    use super::super::call::Function;
    use super::*;
    use std::ffi::{c_int, c_void};

    const RANKS: usize = 2;

    fn comm(number: usize) -> MPI_Comm {
        number as MPI_Comm
    }

    fn call(number: usize, sent: *const c_void, counts: Counts, guest: bool) -> Call {
        let types = Types::One(7 as MPI_Datatype);
        let received = (&raw const PLACE).cast_mut().cast();
        Call::new(Function::Alltoallv, (sent, counts, types), (received, counts, types), comm(number), guest)
    }

    #[test]
    fn calls_like_the_first_one_use_it_up() {
        let sent = (&raw const PLACE).cast::<c_void>();
        let takes = |number, sent, counts, guest| {
            // SAFETY: arrays of counts have an entry per rank; memory is not read.
            unsafe { take(&call(number, sent, counts, guest)) }
        };
        let (counts, negative, at): ([c_int; RANKS], [c_int; RANKS], [c_int; RANKS]) =
            ([1, 0], [1, -1], [0, 9]);
        let same = Counts::Same(3);
        let arrays = |counts: &[c_int; RANKS]| Counts::Int(counts.as_ptr(), at.as_ptr());
        assert!(!takes(5, sent, same, true), "none was given");
        let given = Allowance::give(comm(5), RANKS, 7 as MPI_Datatype, 3).expect("nobody has it");
        assert!(Allowance::give(comm(6), RANKS, 7 as MPI_Datatype, 3).is_none(), "it is given once");
        for (reason, taken) in [
            ("another communicator", takes(6, sent, same, true)),
            ("a program that knows of hcube", takes(5, sent, same, false)),
            ("in place", takes(5, in_place(), same, true)),
            ("no buffer", takes(5, std::ptr::null(), same, true)),
            ("a negative count", takes(5, sent, Counts::Same(-1), true)),
            ("a negative count for one rank", takes(5, sent, arrays(&negative), true)),
            ("no counts", takes(5, sent, Counts::Int(std::ptr::null(), at.as_ptr()), true)),
            ("counts of another type", takes(5, sent, Counts::SameLarge(3), true)),
        ] {
            assert!(!taken, "{reason}");
        }
        assert_eq!(given.used(), 0);
        assert!(takes(5, sent, same, true) && takes(5, sent, arrays(&counts), true));
        assert_eq!(given.used(), 2);
        assert!(takes(5, sent, same, true) && !takes(5, sent, same, true), "all of it was used");
        assert_eq!(given.used(), 3);
        drop(given);
        assert!(!takes(5, sent, same, true), "it has ended");
        let other = Allowance::give(comm(6), RANKS, 8 as MPI_Datatype, 1).expect("nobody has it");
        assert!(!takes(6, sent, same, true), "another datatype");
        assert_eq!(other.used(), 0);
    }
}
