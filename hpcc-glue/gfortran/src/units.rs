//! The units of libgfortran, which buffer the output of the program.
//!
//! Idea: libgfortran holds the lock of a unit during an I/O statement, and an item of its list may end the
//! program: an error of a reference, `stop` or `error stop` in a function, in a procedure for defined I/O. To
//! flush units waits for these locks. The termination functions of libgfortran, which `exit` calls with any
//! of them held, take no locks: they close all units, also units of `newunit=`, which the flush of
//! libgfortran omits. MPI's abort does not always call `exit`, and a launcher may kill a process as soon as
//! another one has ended with an exit code. Errors therefore call these functions, and so does an image that
//! stops, before it waits for the others.
//!
//! Restrictions: libgfortran is a shared library; otherwise only `exit` closes the units, and an error loses
//! the buffered output. Termination takes the lock of libgfortran's list of units, which a signal handler may
//! have interrupted. A separate thread therefore performs it, and an error waits for this thread only for a
//! limited time.

use hcube_core::node::{exit, loader};
use std::ffi::c_int;
use std::ptr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;
use std::time::Duration;

/// Far more than is needed to write the buffers, unless the output of the program is not read.
const CLOSE_LIMIT: Duration = Duration::from_secs(5);
/// As long as that, where `exit` closes the units.
const FLUSH_LIMIT: Duration = Duration::from_secs(1);

/// Whether all units were closed, or are being closed.
static IS_CLOSED: AtomicBool = AtomicBool::new(false);

unsafe extern "C" {
    /// The C library's: NULL for all streams.
    fn fflush(stream: *mut u8) -> c_int;
}

/// Has libgfortran write what the program has printed. No I/O statement is running.
pub fn flush() {
    if let Some(address) = loader::global(c"_gfortran_flush_i4") {
        // SAFETY: libgfortran's function of that name, which takes NULL for all units.
        unsafe {
            let flush: unsafe extern "C" fn(*const i32) = std::mem::transmute(address);
            flush(ptr::null());
        }
    }
}

/// Closes all units, for an image that stops with this code, in which an I/O statement may be running. `exit`
/// calls what the program has registered, and ends the process then.
#[cold]
pub fn close_for_stop(code: c_int) {
    // A reader of the program's output may take any time.
    if terminate(Duration::MAX) {
        exit::end_behind_handlers(code);
    } else {
        within(FLUSH_LIMIT, || {
            flush();
            true
        });
    }
}

/// Closes all units, for a program that ends by an error, in which an I/O statement may be running. `exit`
/// does nothing afterwards but end the process with this code.
#[cold]
pub fn close(code: c_int) {
    if terminate(CLOSE_LIMIT) {
        exit::end_at_exit(code);
    }
}

/// Calls the termination functions of libgfortran, which `exit` must not call again. False if that is left to
/// `exit`, and if it was done before: an image that stops may fail to end.
fn terminate(limit: Duration) -> bool {
    if IS_CLOSED.swap(true, Ordering::Relaxed) {
        return false;
    }
    within(limit, || {
        let is_terminated = loader::global(c"_gfortran_flush_i4").is_some_and(|address| {
            // SAFETY: libgfortran may be terminated by any thread, and neither `exit` nor a second call does
            // it again.
            unsafe { loader::terminate(address) }
        });
        // SAFETY: the C library's function.
        unsafe { fflush(ptr::null_mut()) };
        is_terminated
    })
}

/// Runs a function in a thread, with a time limit for the wait. The function may wait for locks that this
/// thread holds. Returns its result, true if it continues; false without a thread.
fn within(limit: Duration, work: fn() -> bool) -> bool {
    let (done, is_done) = mpsc::channel();
    let thread = std::thread::Builder::new().name("hcube units".into());
    let spawned = thread.spawn(move || {
        // Nobody waits any more if that takes too long.
        done.send(work()).ok();
    });
    spawned.is_ok() && is_done.recv_timeout(limit).unwrap_or(true)
}
