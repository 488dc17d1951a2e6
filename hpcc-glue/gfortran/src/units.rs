//! The units of libgfortran, in which lies what the program has written.
//!
//! Idea: libgfortran holds the lock of a unit as long as an I/O statement runs, and an item of its list may end the program: an
//! error of a reference, `stop` or `error stop` in a function, in a procedure for defined I/O. Whoever flushes units waits for
//! these locks. What libgfortran does at the end of the process, `exit` calls with any of them held, so it takes none: it
//! closes all units, those of `newunit=` too, which its flush leaves out. A program that ends here comes to that point anyway.
//!
//! Restrictions: libgfortran is a shared library; otherwise only `exit` closes the units, and an error loses what they hold.
//! It takes the lock of its list of units, which a signal handler may have interrupted: a thread of its own does it, and is
//! not waited for longer than `CLOSE_SECONDS`.

use hcube_core::node::loader;
use std::ptr;
use std::sync::mpsc;
use std::time::Duration;

/// Far more than it takes to write the buffers, unless nobody reads what the program writes.
const CLOSE_SECONDS: u64 = 5;

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

/// Closes all units, for a program that runs no further statement; an I/O statement may be running.
#[cold]
pub fn close() {
    let (closed, is_closed) = mpsc::channel();
    let work = move || {
        close_here();
        // Nobody waits any more if that took too long.
        closed.send(()).ok();
    };
    match std::thread::Builder::new().name("hcube units".into()).spawn(work) {
        Ok(_) => drop(is_closed.recv_timeout(Duration::from_secs(CLOSE_SECONDS))),
        // Without a thread, the limit is that of the whole end.
        Err(_) => close_here(),
    }
}

fn close_here() {
    if let Some(address) = loader::global(c"_gfortran_flush_i4") {
        // SAFETY: libgfortran closes the units that are open, in any thread, so none the second time.
        unsafe { loader::terminate(address) };
    }
}
