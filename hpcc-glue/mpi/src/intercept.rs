//! What happens between a call of the program and the MPI library.

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
/// What is called from there is not the program's: hcube itself calls `PMPI_Alltoallv`, which the
/// loader resolves to this library again, and some MPI libraries come from one of their own functions
/// back through another.
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

/// Whether this process may go through hcube. It belongs to the process as MPI itself does.
static STATE: AtomicU8 = AtomicU8::new(UNKNOWN);
/// MPI was not running yet, or nobody has looked.
const UNKNOWN: u8 = 0;
/// MPI is running, and it is the right one.
const ACTIVE: u8 = 1;
/// Everything is forwarded for good: the wrong MPI library, or `MPI_Finalize` has begun.
const FORWARD: u8 = 2;

fn active() -> bool {
    // A value of STATE stands for itself: nothing else is published with it.
    match STATE.load(Ordering::Relaxed) {
        ACTIVE => true,
        FORWARD => false,
        _ => decide(),
    }
}

/// The first calls. Without MPI running they are forwarded, so that MPI says what is wrong with them.
#[cold]
fn decide() -> bool {
    if let Some([program, build]) = next::foreign() {
        if STATE.swap(FORWARD, Ordering::Relaxed) == UNKNOWN && first_rank_by_environment() {
            eprintln!(
                "hcube: this program uses {program}, but libhcube_preload.so was built for {build}: it does \
                 nothing here, all calls are forwarded"
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

/// Whether this is rank 0 as far as the launcher says it, for a process in which MPI cannot be asked.
fn first_rank_by_environment() -> bool {
    let names = ["OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK", "SLURM_PROCID"];
    names.iter().find_map(|name| std::env::var(name).ok()).is_none_or(|rank| rank == "0")
}

/// An all-to-all call of the program: by hcube, or by the function that `forward` calls.
///
/// # Safety
/// The call describes memory and handles as MPI asks for them.
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
                // The error handler is the program's, which may call MPI or leave by a jump.
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
