//! Tells a new call of the program from one that arrives while a call of the same thread is under way.
//!
//! Three kinds of calls arrive during a call. hcube's own: it calls `PMPI_Alltoallv`, which the loader resolves to
//! this library again. A forwarded call on its way through another preloaded library, which calls the `PMPI_` form,
//! or through an MPI library whose functions call each other. And calls of the program from its error handler, which
//! MPI runs inside a forwarded call. The first two are forwarded; the third is served as any other, because other
//! ranks may make it outside of an error handler.
//!
//! Idea: each call marks its thread with the address of its stack frame and its arguments. A call belongs to the
//! marked one if its frame lies below the marked frame, on a stack that grows down, and if it is one of hcube's own or
//! has the arguments of a call that is forwarded. A mark survives a `longjmp` of an error handler out of a
//! forwarded call; a call at the same depth or above finds it stale by the address, a call at a greater depth by the
//! arguments. If these are the same as well, the call repeats the one that failed, for which the decision was to
//! forward it. An exception removes the mark.
//!
//! Restrictions: addresses on different stacks of one thread (fibers, `sigaltstack`) have no meaningful order. A
//! call on another stack that is taken for a new one is served, which is right for calls of the program; one that is
//! taken for a part of the marked call has the same buffers and communicator, which MPI does not permit for two
//! calls at the same time. A jump out of hcube's own part of a call, in which code of the program runs only from
//! signal handlers, is not supported.
//!
//! Cost: two accesses to a thread-local variable per call.

use hcube_alltoall::mpi_front::{Call, Function};
use hcube_core::mpi::MPI_Comm;
use std::cell::Cell;
use std::ffi::c_void;

/// The arguments by which a call is recognised.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Identity {
    function: Function,
    buffers: [*mut c_void; 2],
    comm: MPI_Comm,
}

impl From<&Call> for Identity {
    fn from(call: &Call) -> Self {
        Self { function: call.function, buffers: [call.send.buffer, call.receive.buffer], comm: call.comm }
    }
}

/// A call under way.
#[derive(Debug, Clone, Copy)]
struct Mark {
    /// An address in its stack frame.
    frame: usize,
    call: Identity,
    /// Whether it is forwarded: only calls with the same arguments belong to it.
    forwarded: bool,
}

impl Mark {
    /// Whether a call whose stack frame contains an address is a part of the marked one.
    fn includes(&self, frame: usize, call: &Identity) -> bool {
        self.may_live(frame) && (!self.forwarded || self.call == *call)
    }

    /// Whether the marked frame may still exist when a call has a frame at this address.
    fn may_live(&self, frame: usize) -> bool {
        frame < self.frame
    }
}

thread_local! {
    static MARK: Cell<Option<Mark>> = const { Cell::new(None) };
}

/// Marks this thread as being inside a call, until it is dropped.
pub struct Guard {
    own: Mark,
    /// The mark of a call that this one interrupts.
    outer: Option<Mark>,
}

impl Guard {
    /// `None` for a call that is a part of the one under way, and is to be forwarded.
    #[inline(always)]
    pub fn enter(call: &Call) -> Option<Self> {
        let place = 0u8;
        Self::enter_at((&raw const place).addr(), call.into())
    }

    #[inline(always)]
    fn enter_at(frame: usize, call: Identity) -> Option<Self> {
        MARK.with(|mark| {
            let outer = mark.get().filter(|outer| outer.may_live(frame));
            if outer.is_some_and(|outer| outer.includes(frame, &call)) {
                return None;
            }
            let own = Mark { frame, call, forwarded: false };
            mark.set(Some(own));
            Some(Self { own, outer })
        })
    }

    /// From now on code of the program may run inside the call.
    pub fn forwards(&mut self) {
        self.own.forwarded = true;
        MARK.set(Some(self.own));
    }
}

impl Drop for Guard {
    #[inline(always)]
    fn drop(&mut self) {
        MARK.set(self.outer);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(function: Function, buffer: usize) -> Identity {
        let buffers = [std::ptr::without_provenance_mut(buffer); 2];
        // SAFETY: a handle is an address or a number, of which zero is a value; it is only compared.
        Identity { function, buffers, comm: unsafe { std::mem::zeroed() } }
    }

    fn enter(frame: usize, buffer: usize) -> Option<Guard> {
        Guard::enter_at(frame, call(Function::Alltoall, buffer))
    }

    /// A call that an error handler has left by a jump.
    fn abandoned(frame: usize, buffer: usize) {
        let mut guard = enter(frame, buffer).expect("a new call");
        guard.forwards();
        std::mem::forget(guard);
    }

    #[test]
    fn calls_of_hcube_belong_to_the_call_of_the_program() {
        let guard = enter(5000, 1);
        assert!(guard.is_some() && enter(4000, 2).is_none());
        drop(guard);
        assert!(enter(4000, 2).is_some());
    }

    #[test]
    fn a_forwarded_call_passes_through_another_library() {
        let mut guard = enter(5000, 1).expect("a new call");
        guard.forwards();
        assert!(enter(4000, 1).is_none());
        assert!(enter(4000, 2).is_some(), "a call of an error handler");
        assert!(Guard::enter_at(4000, call(Function::Alltoallv, 1)).is_some(), "another function");
        assert!(enter(4000, 1).is_none(), "the mark of the forwarded call is back");
    }

    #[test]
    fn a_call_after_a_jump_is_new() {
        abandoned(5000, 1);
        assert!(enter(4000, 2).is_some(), "deeper");
        abandoned(5000, 1);
        assert!(enter(5000, 1).is_some(), "at the same depth");
        abandoned(5000, 1);
        assert!(enter(6000, 1).is_some(), "above");
        assert!(enter(4000, 1).is_some(), "the stale mark is gone");
    }

    #[test]
    fn a_stale_mark_is_not_put_back() {
        abandoned(5000, 1);
        let mut guard = enter(6000, 2).expect("a new call");
        guard.forwards();
        drop(guard);
        assert!(MARK.get().is_none());
    }
}
