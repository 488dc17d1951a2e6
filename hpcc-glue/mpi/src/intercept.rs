//! Decides for each call of the program: hcube or the MPI library.

use crate::statistics::{self, Path};
use crate::{mpi, next, report};
use hcube_alltoall::mpi_front::{Call, Verdict, exchange};
use std::cell::Cell;
use std::ffi::c_int;
use std::sync::atomic::{AtomicU8, Ordering};
use std::time::Instant;

/// `MPI_SUCCESS`, which the standard fixes.
const SUCCESS: c_int = 0;

thread_local! {
    static INSIDE: Cell<bool> = const { Cell::new(false) };
}

/// Marks this thread as being inside an intercepted call.
///
/// Calls from there are not the program's: hcube itself calls `PMPI_Alltoallv`, which the loader resolves to
/// this library again, and some MPI libraries call one of these functions from another.
struct Guard;

impl Guard {
    fn enter() -> Option<Self> {
        (!INSIDE.replace(true)).then_some(Self)
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        INSIDE.set(false);
    }
}

/// Whether hcube may serve calls of this process.
static STATE: AtomicU8 = AtomicU8::new(UNKNOWN);
/// Not decided yet, or MPI was not initialised.
const UNKNOWN: u8 = 0;
/// MPI is initialised, and it is the right library.
const ACTIVE: u8 = 1;
/// All further calls are forwarded: another MPI library, or `MPI_Finalize` has begun.
const FORWARD: u8 = 2;

fn active() -> bool {
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
    if let Some([program, build]) = next::foreign() {
        if STATE.swap(FORWARD, Ordering::Relaxed) == UNKNOWN && first_rank_by_environment() {
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
    STATE.store(ACTIVE, Ordering::Relaxed);
    true
}

/// Whether this is rank 0 by the launcher's environment, for a process in which MPI is not initialised.
fn first_rank_by_environment() -> bool {
    let names = ["OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK", "SLURM_PROCID"];
    names.iter().find_map(|name| std::env::var(name).ok()).is_none_or(|rank| rank == "0")
}

/// An all-to-all call of the program, served by hcube or by `forward`.
///
/// # Safety
/// The call describes memory and handles as MPI requires.
pub unsafe fn all_to_all(call: impl FnOnce() -> Call, forward: impl FnOnce() -> c_int) -> c_int {
    let Some(guard) = Guard::enter() else { return forward() };
    if !active() {
        return forward();
    }
    let call = call();
    let Some(statistics) = statistics::wanted() else {
        // SAFETY: the contract of this function.
        return match unsafe { exchange(&call) } {
            Verdict::Done(_) => SUCCESS,
            Verdict::Library(_) => forward(),
            Verdict::Refused(refusal) => {
                // The error handler belongs to the program and may call MPI or longjmp.
                drop(guard);
                refusal.raise()
            }
        };
    };
    let begin = Instant::now();
    // SAFETY: the contract of this function.
    match unsafe { exchange(&call) } {
        Verdict::Done(report) => {
            statistics.count(&call, Path::Hcube(report.path), begin.elapsed(), report.bytes, report.memory);
            SUCCESS
        }
        Verdict::Library(reason) => {
            let code = forward();
            let time = begin.elapsed();
            // SAFETY: MPI has accepted the call.
            let bytes = if code == SUCCESS { unsafe { mpi::bytes_sent(&call) } } else { 0 };
            statistics.count(&call, Path::Library, time, bytes, 0);
            statistics.explain(&call, reason);
            code
        }
        Verdict::Refused(refusal) => {
            statistics.count(&call, Path::Refused, begin.elapsed(), 0, 0);
            drop(guard);
            refusal.raise()
        }
    }
}

/// `MPI_Finalize` of the program.
pub fn finalize(forward: impl FnOnce() -> c_int) -> c_int {
    let Some(_guard) = Guard::enter() else { return forward() };
    if active() {
        if let Some(statistics) = statistics::wanted() {
            report::report(statistics);
        }
        STATE.store(FORWARD, Ordering::Relaxed);
    }
    forward()
}
