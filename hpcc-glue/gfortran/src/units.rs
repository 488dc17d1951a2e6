//! The units of libgfortran, in which lies what the program has written.
//!
//! Idea: libgfortran holds the lock of a unit as long as an I/O statement runs, and an item of its list may end the program: an
//! error of a reference, `stop` or `error stop` in a function, in a procedure for defined I/O. Whoever flushes units waits for
//! these locks. The termination functions of libgfortran, which `exit` calls with any of them held, take none: they close all
//! units, those of `newunit=` too, which its flush leaves out. MPI's abort does not always call `exit`, so an error calls them.
//!
//! Restrictions: libgfortran is a shared library; otherwise only `exit` closes the units, and an error loses what they hold.
//! Termination takes the lock of libgfortran's list of units, which a signal handler may have interrupted. So a thread of its
//! own does all this, for which nobody waits longer than a limit.

use hcube_core::node::{exit, loader};
use std::ffi::c_int;
use std::ptr;
use std::sync::mpsc;
use std::time::Duration;

/// Far more than it takes to write the buffers, unless nobody reads what the program writes.
const CLOSE_LIMIT: Duration = Duration::from_secs(5);
/// As long as that, where `exit` follows.
const FLUSH_LIMIT: Duration = Duration::from_secs(1);

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

/// As [`flush`], where an I/O statement may be running: what it has locked, `exit` writes later.
#[cold]
pub fn flush_unlocked() {
    within(FLUSH_LIMIT, || {
        flush();
        true
    });
}

/// Closes all units, for a program that ends by an error, in which an I/O statement may be running. `exit` does nothing
/// afterwards but end the process with this code.
#[cold]
pub fn close(code: c_int) {
    let is_done_here = within(CLOSE_LIMIT, || {
        let is_terminated = loader::global(c"_gfortran_flush_i4").is_some_and(|address| {
            // SAFETY: libgfortran may be terminated by any thread, and `exit` does not do it again.
            unsafe { loader::terminate(address) }
        });
        // SAFETY: the C library's function.
        unsafe { fflush(ptr::null_mut()) };
        is_terminated
    });
    if is_done_here {
        exit::end_at_exit(code);
    }
}

/// Does something in a thread that is not waited for longer than a limit. It may wait for locks that this thread holds. Its result,
/// true where it goes on; false without a thread.
fn within(limit: Duration, work: fn() -> bool) -> bool {
    let (done, is_done) = mpsc::channel();
    let thread = std::thread::Builder::new().name("hcube units".into());
    let spawned = thread.spawn(move || {
        // Nobody waits any more if that takes too long.
        done.send(work()).ok();
    });
    spawned.is_ok() && is_done.recv_timeout(limit).unwrap_or(true)
}
