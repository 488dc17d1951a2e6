//! An allowance of exchanges of a communicator that are forwarded without a lookup of its state.
//!
//! Idea: if short exchanges are forwarded without votes (`without_votes`), the lookup of the state of the
//! communicator takes a sixth of the time of an exchange inside the library. If the state would forward the
//! next calls anyway, it therefore stores their number in a static that every call reads first. The next call
//! that looks up the state counts the calls that were forwarded meanwhile. The decisions are the same with
//! and without an allowance, so it does not matter which ranks have one.
//!
//! Restrictions: only one communicator of a process has the allowance at a time. It ends when it is used up,
//! at another call of hcube, and when the communicator is freed. It covers calls of `MPI_Alltoall` and
//! `MPI_Alltoallv` out of place, of one predefined datatype, with obviously valid arguments; all other calls
//! look up the state. While hcube is inside a call for a communicator, this communicator has no allowance
//! (`on_communicator`): calls of MPI functions by hcube are never taken for calls by the program.
//! Cost: some 50 instructions in a call with an allowance.
//! Source: our own.

#[cfg(hcube_model)]
pub mod model;

use super::call::{Call, Counts, Function, Types};
use hcube_core::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use hcube_core::comm::Comm;
use hcube_core::mpi::forward::in_place;
use hcube_core::mpi::{MPI_Comm, MPI_Datatype, MpiComm};
use hcube_core::of_process;
use hcube_core::progress::Progress;

/// The allowance of the process. It contains nothing that the state of its communicator does not have, and
/// ends before the state.
struct Current {
    /// Whether an [`Allowance`] exists.
    taken: AtomicBool,
    /// The handle of its communicator; [`NO_COMMUNICATOR`] while the rest may be changing.
    comm: AtomicUsize,
    datatype: AtomicUsize,
    ranks: AtomicUsize,
    calls_left: OwnLine,
}

/// Calls that may still be forwarded. Those on one communicator come one after the other, as MPI requires.
/// They write it, while other threads read the rest.
#[repr(align(128))]
struct OwnLine(AtomicU64);

/// The handle of no communicator in any library.
const NO_COMMUNICATOR: usize = 0;

of_process! {
    /// The allowance of the process.
    fn current() -> Current = Current {
        taken: AtomicBool::new(false),
        comm: AtomicUsize::new(NO_COMMUNICATOR),
        datatype: AtomicUsize::new(0),
        ranks: AtomicUsize::new(0),
        calls_left: OwnLine(AtomicU64::new(0)),
    };
}

/// The allowance of a communicator, which ends when this is dropped.
#[derive(Debug)]
pub(super) struct Allowance {
    calls_given: u64,
}

impl Allowance {
    /// An allowance for `calls` calls like this one, if its blocks are of this predefined datatype; none
    /// where another communicator has it.
    pub(super) fn new(
        call: &Call,
        comm: &MpiComm,
        datatype: Option<MPI_Datatype>,
        calls: u64,
    ) -> Option<Self> {
        let datatype = datatype.filter(|&datatype| one_datatype(call) == Some(datatype))?;
        if calls == 0 || comm.simulated() {
            None
        } else {
            Self::give(call.comm, comm.size(), datatype, calls)
        }
    }

    fn give(comm: MPI_Comm, ranks: usize, datatype: MPI_Datatype, calls: u64) -> Option<Self> {
        let comm = handle(comm);
        if comm == NO_COMMUNICATOR || current().taken.swap(true, Ordering::Acquire) {
            return None;
        }
        current().datatype.store(datatype as usize, Ordering::Relaxed);
        current().ranks.store(ranks, Ordering::Relaxed);
        current().calls_left.0.store(calls, Ordering::Relaxed);
        current().comm.store(comm, Ordering::Release);
        Some(Self { calls_given: calls })
    }

    /// How many calls have used it.
    pub(super) fn used(&self) -> u64 {
        self.calls_given - current().calls_left.0.load(Ordering::Relaxed)
    }
}

impl Drop for Allowance {
    fn drop(&mut self) {
        current().comm.store(NO_COMMUNICATOR, Ordering::Relaxed);
        current().taken.store(false, Ordering::Release);
    }
}

/// Local: whether a call has an allowance to be forwarded, and uses one call of it; for programs that do not
/// know of hcube. If not, [`exchange`](super::exchange) decides.
///
/// # Safety
/// The contract of [`Call`].
#[inline(always)]
pub unsafe fn take(call: &Call) -> bool {
    let comm = handle(call.comm);
    if current().comm.load(Ordering::Acquire) != comm
        || comm == NO_COMMUNICATOR
        || !matches!(call.function, Function::Alltoall | Function::Alltoallv)
        || !call.guest
    {
        return false;
    }
    let left = current().calls_left.0.load(Ordering::Relaxed);
    // SAFETY: arrays of these functions hold an entry per rank of this communicator, by the contract of this
    // function.
    if left == 0 || !unsafe { is_plainly_valid(call, current().ranks.load(Ordering::Relaxed)) } {
        return false;
    }
    current().calls_left.0.store(left - 1, Ordering::Relaxed);
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
/// Arrays of the call hold an entry per rank.
#[inline(always)]
unsafe fn is_plainly_valid(call: &Call, ranks: usize) -> bool {
    let datatype = current().datatype.load(Ordering::Relaxed);
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
    use super::super::call::Side;
    use super::*;
    use std::ffi::c_int;

    const RANKS: usize = 2;
    static PLACES: [c_int; RANKS] = [0, 9];
    static COUNTS: [c_int; RANKS] = [1, 0];
    static NEGATIVE: [c_int; RANKS] = [1, -1];

    fn comm(number: usize) -> MPI_Comm {
        number as MPI_Comm
    }

    fn datatype(number: usize) -> MPI_Datatype {
        number as MPI_Datatype
    }

    fn arrays(counts: &'static [c_int; RANKS]) -> Counts {
        Counts::Int(counts.as_ptr(), PLACES.as_ptr())
    }

    fn side(counts: Counts) -> Side {
        let buffer = (&raw const PLACES).cast_mut().cast();
        Side { buffer, counts, types: Types::One(datatype(7)) }
    }

    fn call() -> Call {
        let side = side(Counts::Same(3));
        Call { function: Function::Alltoall, send: side, receive: side, comm: comm(5), guest: true }
    }

    fn takes(call: Call) -> bool {
        // SAFETY: arrays of counts have an entry per rank; memory is not read.
        unsafe { take(&call) }
    }

    /// Sides that are not plainly valid.
    fn other_sides() -> Vec<Side> {
        let nothing = std::ptr::null_mut();
        let good = side(Counts::Same(3));
        vec![
            Side { buffer: nothing, ..good },
            Side { buffer: in_place(), ..good },
            Side { types: Types::One(datatype(8)), ..good },
            Side { types: Types::Each(nothing.cast()), ..good },
            side(Counts::Same(-1)),
            side(Counts::SameLarge(3)),
            side(arrays(&NEGATIVE)),
            side(Counts::Int(nothing.cast(), PLACES.as_ptr())),
            side(Counts::Int(COUNTS.as_ptr(), nothing.cast())),
        ]
    }

    /// One test, because the process has one allowance.
    #[test]
    fn only_calls_like_the_first_one_use_it() {
        assert!(!takes(call()), "none was given");
        let given = Allowance::give(comm(5), RANKS, datatype(7), 3).expect("nobody has it");
        assert!(Allowance::give(comm(6), RANKS, datatype(7), 3).is_none(), "it is given once");
        assert!(!takes(Call { comm: comm(6), ..call() }) && !takes(Call { comm: comm(0), ..call() }));
        assert!(!takes(Call { guest: false, ..call() }));
        for function in Function::ALL {
            let usable = matches!(function, Function::Alltoall | Function::Alltoallv);
            assert!(usable || !takes(Call { function, ..call() }), "{function:?}");
        }
        for other in other_sides() {
            assert!(!takes(Call { send: other, ..call() }), "sent: {other:?}");
            assert!(!takes(Call { receive: other, ..call() }), "received: {other:?}");
        }
        assert_eq!(given.used(), 0);
        let lists = side(arrays(&COUNTS));
        assert!(takes(call()) && takes(Call { send: lists, receive: lists, ..call() }));
        assert_eq!(given.used(), 2);
        assert!(takes(call()) && !takes(call()), "all of it was used");
        assert_eq!(given.used(), 3);
        drop(given);
        assert!(!takes(call()), "it has ended");
        assert!(!takes(Call { comm: comm(0), ..call() }), "the handle that stands for none");
        // The second rank's count is not read if there is one rank.
        let other = Allowance::give(comm(5), 1, datatype(7), 1).expect("nobody has it");
        assert!(takes(Call { send: side(arrays(&NEGATIVE)), ..call() }));
        assert_eq!(other.used(), 1);
    }
}
