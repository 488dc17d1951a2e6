//! The units of libgfortran, in which lies what the program has written.
//!
//! Idea: libgfortran holds the lock of a unit as long as an I/O statement runs, and an item of its list may end the program: an
//! error of a reference, `stop` or `error stop` in a function, in a procedure for defined I/O. Whoever flushes units waits for
//! these locks. The termination functions of libgfortran, which `exit` calls with any of them held, take none: they close all
//! units. MPI's abort does not always call `exit`, and a launcher may kill a process as soon as another one has ended with an exit
//! code other than 0. So an error calls them, and nothing of a program that stops is left to `exit`.
//!
//! Restrictions: libgfortran is a shared library; otherwise only `exit` closes the units, and an error loses what they hold.
//! Termination takes the lock of libgfortran's list of units, which a signal handler may have interrupted. So a thread of its
//! own does all this, for which an error waits no longer than a limit.

use hcube_core::node::{exit, loader};
use std::ffi::c_int;
use std::ptr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;
use std::time::Duration;

/// Far more than it takes to write the buffers, unless nobody reads what the program writes.
const CLOSE_LIMIT: Duration = Duration::from_secs(5);
/// As long as that, where [`close`] follows.
const FLUSH_LIMIT: Duration = Duration::from_secs(1);

/// The numbers that libgfortran gives to units of `newunit=`, the lowest free one first, which its flush of all units leaves out.
/// A unit beyond these, of which hundreds must be open, is flushed by `exit`.
const NEW_UNITS: std::ops::RangeInclusive<i32> = -1033..=-10;

/// Whether [`close`] was called.
static IS_CLOSED: AtomicBool = AtomicBool::new(false);

unsafe extern "C" {
    /// The C library's: NULL for all streams.
    fn fflush(stream: *mut u8) -> c_int;
}

/// Has libgfortran write what the program has printed. No I/O statement is running.
pub fn flush() {
    if let Some(address) = loader::global(c"_gfortran_flush_i4") {
        // SAFETY: libgfortran's function of that name, which takes the number of a unit, or NULL for all that a program has numbered.
        unsafe {
            let flush: unsafe extern "C" fn(*const i32) = std::mem::transmute(address);
            flush(ptr::null());
            // It does nothing for a unit that does not exist.
            NEW_UNITS.for_each(|unit| flush(&raw const unit));
        }
    }
}

/// As [`flush`], for a program that ends with this code, in which an I/O statement may be running: then all units are closed, as
/// by [`close`].
#[cold]
pub fn flush_or_close(code: c_int) {
    let flush = || {
        flush();
        true
    };
    if !within(FLUSH_LIMIT, flush, false) {
        // Whoever reads what the program writes may take any time.
        close_within(Duration::MAX, code);
    }
}

/// Closes all units, for a program that ends with this code, in which an I/O statement may be running. `exit` does nothing
/// afterwards but end the process.
#[cold]
pub fn close(code: c_int) {
    close_within(CLOSE_LIMIT, code);
}

fn close_within(limit: Duration, code: c_int) {
    // A program that stops may fail to end.
    if IS_CLOSED.swap(true, Ordering::Relaxed) {
        return;
    }
    let terminate = || {
        let is_terminated = loader::global(c"_gfortran_flush_i4").is_some_and(|address| {
            // SAFETY: libgfortran may be terminated by any thread, and neither `exit` nor a second call does it again.
            unsafe { loader::terminate(address) }
        });
        // SAFETY: the C library's function.
        unsafe { fflush(ptr::null_mut()) };
        is_terminated
    };
    if within(limit, terminate, true) {
        exit::end_at_exit(code);
    }
}

/// Does something in a thread that is not waited for longer than a limit. It may wait for locks that this thread holds. Its result,
/// `late` where it goes on, and false without a thread.
fn within(limit: Duration, work: fn() -> bool, late: bool) -> bool {
    let (done, is_done) = mpsc::channel();
    let thread = std::thread::Builder::new().name("hcube units".into());
    let spawned = thread.spawn(move || {
        // Nobody waits any more if that takes too long.
        done.send(work()).ok();
    });
    spawned.is_ok() && is_done.recv_timeout(limit).unwrap_or(late)
}
