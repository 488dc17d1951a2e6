//! The entry point of nonblocking exchanges.
//!
//! They are served only if the program selects single copy: otherwise MPI libraries are as fast. Measured
//! with a concurrent computation on two ranks with a core each: Open MPI 4.1.4 and 5.0.11 and Intel MPI
//! 2021.16, which use single copy, at all sizes; MPICH 4.0.2 and 5.0.2 except for long blocks of
//! `MPI_Ialltoallv` and `MPI_Ialltoallw`, whose counts only their ranks know.
//!
//! A rank that starts an exchange must not wait for others, so there is no set-up here: exchanges are served
//! on communicators that a blocking exchange or `hcube_alltoall_set_options` has set up. Ranks call
//! collective functions of a communicator in the same order, so the set-up exists on all of them or on no
//! rank. The caller's request is the request of a barrier, which starts when the data of this rank has been
//! copied.

use super::arguments::read;
use super::call::{Call, Counts, Types};
use super::collective::{INSTEAD, Refusal, Verdict};
use super::state::{Engine, Stage, State};
use crate::Outcome;
use crate::report::{Report, UsedPath};
use hcube_core::comm::Comm;
use hcube_core::error::{Error, Result};
use hcube_core::mpi::backend::MpiComm;
use hcube_core::mpi::handle::Handle;
use hcube_core::mpi::{MPI_Request, attribute, forward, gate};
use hcube_core::progress::Progress;
use std::ffi::c_int;

/// Starts the exchange of a call, or returns that it must be forwarded. After a start, [`complete`] creates
/// the request.
///
/// # Safety
/// As [`super::exchange`]; the memory of the call stays until the request is complete.
pub unsafe fn start(call: &Call) -> Verdict {
    // SAFETY: the handle of the call, as MPI requires.
    let comm = unsafe { Handle::new(call.comm) };
    gate::run(Some(comm), || {
        let outcome = match attribute::find(comm) {
            Ok(Some(found)) => found.with(|comm, kept: &mut Option<State>| match kept {
                Some(state) => {
                    // SAFETY: memory and handles of the call are as MPI requires, until the request is
                    // complete.
                    let outcome = unsafe { start_with(call, comm, state) };
                    state.note_outcome(&outcome);
                    outcome
                }
                None => Ok(Outcome::Library(NO_SET_UP)),
            }),
            Ok(None) => Ok(Outcome::Library(NO_SET_UP)),
            Err(error) => Err(error),
        };
        match outcome {
            Ok(Outcome::Done(report)) => Verdict::Done(report),
            Ok(Outcome::Library(reason)) => Verdict::Library(reason),
            Err(error) => Verdict::Refused(Refusal::new(comm, call.function, error)),
        }
    })
}

/// The request of an exchange that was started.
///
/// # Safety
/// The call was started, and the request can be written.
pub unsafe fn complete(call: &Call, request: *mut MPI_Request) -> c_int {
    // SAFETY: the call was started, so MPI knows its communicator; the request can be written.
    unsafe { forward::ibarrier(call.comm, request) }
}

/// Raises the error of a call. If the other ranks have started the exchange, so has this one: the request
/// belongs to the exchange without the blocks that the error names, and must be completed.
///
/// # Safety
/// The call was refused so, and the request can be written.
pub unsafe fn refuse(call: &Call, refusal: Refusal, request: *mut MPI_Request) -> c_int {
    if refusal.is_truncation() {
        // SAFETY: the other ranks have started the exchange, and the request can be written. An error of the
        // barrier leaves the first one to be raised.
        unsafe { complete(call, request) };
    }
    refusal.raise()
}

/// The library's own function.
///
/// # Safety
/// As [`start`], and the request can be written.
pub unsafe fn by_library(call: &Call, request: *mut MPI_Request) -> c_int {
    let (send, receive, comm) = (call.send, call.receive, call.comm);
    // SAFETY: the arguments are as MPI requires, by the contract of this function.
    unsafe {
        match (send.counts, send.types, receive.counts, receive.types) {
            (
                Counts::Same(sent),
                Types::One(sent_type),
                Counts::Same(received),
                Types::One(received_type),
            ) => {
                let (from, to) = (send.buffer, receive.buffer);
                forward::ialltoall(from, sent, sent_type, to, received, received_type, comm, request)
            }
            (
                Counts::Int(sent, from),
                Types::One(sent_type),
                Counts::Int(received, to),
                Types::One(received_type),
            ) => forward::ialltoallv(
                send.buffer,
                sent,
                from,
                sent_type,
                receive.buffer,
                received,
                to,
                received_type,
                comm,
                request,
            ),
            (
                Counts::Int(sent, from),
                Types::Each(sent_types),
                Counts::Int(received, to),
                Types::Each(received_types),
            ) => forward::ialltoallw(
                send.buffer,
                sent,
                from,
                sent_types,
                receive.buffer,
                received,
                to,
                received_types,
                comm,
                request,
            ),
            _ => forward::error_count(),
        }
    }
}

const NO_SET_UP: &str = "nonblocking, before a blocking exchange on the communicator";

/// # Safety
/// As [`start`].
unsafe fn start_with(call: &Call, comm: &MpiComm, state: &mut State) -> Result<Outcome> {
    let engine = match &state.stage {
        Stage::Ready(engine) => engine,
        Stage::Forwarded(reason) => return Ok(Outcome::Library(reason)),
        Stage::New | Stage::Due(_) => return Ok(Outcome::Library(NO_SET_UP)),
    };
    if call.in_place() {
        return Ok(Outcome::Library("nonblocking in place"));
    }
    let (user, operations) = (state.user, &mut state.operations);
    engine.with(|engine| {
        let Engine { exchange, named, .. } = engine;
        let memory = exchange.memory();
        let Some((nonblocking, node, patience)) = exchange.nonblocking() else {
            return Ok(Outcome::Library("nonblocking without single copy"));
        };
        // SAFETY: memory and handles of the call are as MPI requires, until the request is complete.
        let task = match unsafe { read(call, comm, named) } {
            Err(error @ Error::Unsupported(_)) => comm.abort(&by_library_instead(&error)),
            task => task?,
        };
        // Not before: a rank whose arguments are refused has not started the exchange that the others have.
        *operations += 1;
        let key = user << 32 | *operations;
        // SAFETY: the memory stays until the request is complete, which is when a barrier behind all starts
        // is.
        match unsafe { nonblocking.start(comm, node, key, &task, patience) } {
            Err(error @ Error::Memory(_)) => comm.abort(&by_library_instead(&error)),
            result => result?,
        }
        let (bytes, memory) = (task.bytes_sent(comm.rank()), memory + nonblocking.memory() as u64);
        Ok(Outcome::Done(Report { path: UsedPath::SingleCopy, bytes, memory }))
    })
}

/// An operation that this rank cannot perform, and that the others take for done.
fn by_library_instead(error: &Error) -> Error {
    Error::Unsupported(format!("{error}, in a nonblocking exchange: {INSTEAD}"))
}
