//! Decides for each call of the program: hcube or the MPI library.

use crate::statistics::{self, Label, Path, Statistics};
use crate::{membership, mpi, report};
use hcube_alltoall::mpi_front::nonblocking::{complete, refuse, start};
use hcube_alltoall::mpi_front::one_rank::{AtOnce, at_once};
use hcube_alltoall::mpi_front::{Call, Verdict, allowance, exchange, forwarded};
use hcube_alltoall::{Options, Schedule};
use hcube_core::mpi::MPI_Request;
use hcube_core::mpi::own_call::is_own;
use hcube_drop_in::launcher::is_first_rank;
use hcube_drop_in::mpi_library::foreign;
use hcube_drop_in::world::SUCCESS;
use std::ffi::c_int;
use std::sync::atomic::{AtomicU8, Ordering};
use std::time::Instant;

/// Whether hcube may serve calls of this process.
static STATE: AtomicU8 = AtomicU8::new(UNKNOWN);
/// Not decided yet, or MPI was not initialised.
const UNKNOWN: u8 = 0;
/// MPI is initialised, and it is the right library.
const ACTIVE: u8 = 1;
/// All further calls are forwarded: another MPI library, processes without this library,
/// `HCUBE_ALLTOALL=library` without statistics, or `MPI_Finalize` has begun.
const FORWARD: u8 = 2;

/// Whether hcube may serve calls of this process.
pub fn active() -> bool {
    // Relaxed: STATE publishes no other data.
    match STATE.load(Ordering::Relaxed) {
        ACTIVE => true,
        FORWARD => false,
        _ => decide(),
    }
}

/// Called until the decision is made. Calls before `MPI_Init` are forwarded, so that MPI reports the error.
#[cold]
fn decide() -> bool {
    if let Some([program, build]) = foreign() {
        if STATE.swap(FORWARD, Ordering::Relaxed) == UNKNOWN && is_first_rank() {
            eprintln!(
                "hcube: this program uses {program}, but libhcube_preload.so was built for {build}: \
                 all calls are forwarded"
            );
        }
        return false;
    }
    if hcube_core::mpi::handle::check_state().is_err() {
        return false;
    }
    let active = membership::everybody_has_hcube() && !only_forwards();
    STATE.store(if active { ACTIVE } else { FORWARD }, Ordering::Relaxed);
    active
}

/// Whether a call is only forwarded. All processes that have hcube make the same decision: if their options
/// differ, `membership` has forwarded all calls.
fn only_forwards() -> bool {
    let library = Options::from_environment().is_ok_and(|options| options.schedule == Schedule::Library);
    library && statistics::wanted().is_none()
}

/// An all-to-all call of the program, served by hcube or by `forward`. Code of the program runs in `forward`
/// and in error handlers, and may leave by a jump or an exception: nothing is held there. A forwarded call
/// may arrive again, through the `PMPI_` form that another preloaded library calls; it is a call like any
/// other then, on all ranks.
///
/// # Safety
/// The call describes memory and handles as MPI requires.
#[inline(always)]
pub unsafe fn all_to_all(call: impl Fn() -> Call, forward: impl FnOnce() -> c_int) -> c_int {
    // Each has a separate description: these never have an address, so they stay in registers.
    if active() && statistics::wanted().is_none() {
        // SAFETY: memory and handles of the call are as MPI requires.
        match unsafe { at_once(&call()) } {
            Some(AtOnce::Forwarded) => return forward(),
            Some(AtOnce::Done) => return SUCCESS,
            // SAFETY: memory and handles of the call are as MPI requires.
            None if unsafe { allowance::take(&call()) } => return forward(),
            None => {}
        }
    }
    // SAFETY: memory and handles of the call are as MPI requires.
    unsafe { decided(&call(), forward) }
}

/// As [`all_to_all`], without an allowance.
///
/// # Safety
/// As [`all_to_all`].
unsafe fn decided(call: &Call, forward: impl FnOnce() -> c_int) -> c_int {
    if is_own(call.send.buffer) || !active() {
        return forward();
    }
    match statistics::wanted() {
        // SAFETY: memory and handles of the call are as MPI requires.
        Some(statistics) => unsafe { counted(call, forward, statistics) },
        // SAFETY: memory and handles of the call are as MPI requires.
        None => match unsafe { exchange(call) } {
            Verdict::Done(_) => SUCCESS,
            Verdict::Library(reason) => {
                // SAFETY: memory and handles of the call are as MPI requires.
                unsafe { forwarded(call, reason, forward) }
            }
            Verdict::Refused(refusal) => refusal.raise(),
        },
    }
}

/// As [`all_to_all`], with statistics.
///
/// # Safety
/// As [`all_to_all`].
#[cold]
unsafe fn counted(call: &Call, forward: impl FnOnce() -> c_int, statistics: &Statistics) -> c_int {
    let begin = Instant::now();
    // SAFETY: memory and handles of the call are as MPI requires.
    match unsafe { exchange(call) } {
        Verdict::Done(report) => {
            let label = Label::of(call, Path::Hcube(report.path));
            statistics.count(label, begin.elapsed(), report.bytes, report.memory);
            SUCCESS
        }
        Verdict::Library(reason) => {
            // SAFETY: memory and handles of the call are as MPI requires.
            let code = unsafe { forwarded(call, reason, forward) };
            let time = begin.elapsed();
            // SAFETY: MPI has accepted the call.
            let bytes = if code == SUCCESS { unsafe { mpi::bytes_sent(call) } } else { 0 };
            statistics.count(Label::of(call, Path::Library), time, bytes, 0);
            statistics.explain(call, reason);
            code
        }
        Verdict::Refused(refusal) => {
            statistics.count(Label::of(call, Path::Refused), begin.elapsed(), 0, 0);
            refusal.raise()
        }
    }
}

/// A nonblocking call of the program, started by hcube or by `forward`; the request is MPI's own in either
/// case.
///
/// # Safety
/// As [`all_to_all`], and the request can be written; the memory of the call stays until it is complete.
pub unsafe fn nonblocking(call: &Call, request: *mut MPI_Request, forward: impl FnOnce() -> c_int) -> c_int {
    if !active() {
        return forward();
    }
    let statistics = statistics::wanted().map(|statistics| (statistics, Instant::now()));
    // SAFETY: memory and handles of the call are as MPI requires, until the exchange is complete.
    match unsafe { start(call) } {
        Verdict::Done(report) => {
            // SAFETY: the call was started, and the request can be written.
            let code = unsafe { complete(call, request) };
            if let Some((statistics, begin)) = statistics {
                let label = Label::of(call, Path::Hcube(report.path));
                statistics.count(label, begin.elapsed(), report.bytes, report.memory);
            }
            code
        }
        Verdict::Library(reason) => {
            let code = forward();
            if let Some((statistics, begin)) = statistics {
                // SAFETY: MPI has accepted the call.
                let bytes = if code == SUCCESS { unsafe { mpi::bytes_sent(call) } } else { 0 };
                statistics.count(Label::of(call, Path::Library), begin.elapsed(), bytes, 0);
                statistics.explain(call, reason);
            }
            code
        }
        Verdict::Refused(refusal) => {
            if let Some((statistics, begin)) = statistics {
                statistics.count(Label::of(call, Path::Refused), begin.elapsed(), 0, 0);
            }
            // SAFETY: the call was refused so, and the request can be written.
            unsafe { refuse(call, refusal, request) }
        }
    }
}

/// `MPI_Init` or `MPI_Init_thread` of the program.
pub fn initialise(forward: impl FnOnce() -> c_int) -> c_int {
    if foreign().is_some() {
        return forward();
    }
    let code = membership::initialise(forward);
    if code == SUCCESS {
        hcube_core::mpi::misspelt::report_here();
    }
    code
}

/// `MPI_Finalize` of the program.
pub fn finalize(forward: impl FnOnce() -> c_int) -> c_int {
    let first = active() && STATE.swap(FORWARD, Ordering::Relaxed) == ACTIVE;
    match statistics::wanted().filter(|_| first) {
        Some(statistics) => report::report(statistics, forward),
        None => forward(),
    }
}
