//! The end of the process.

/// Calls `work` when the process ends by `exit` or by returning from `main`, before what was registered earlier; at most once
/// for each call.
pub fn at_exit(work: extern "C" fn()) {
    // SAFETY: a function that lives as long as the library, which is never unloaded. Where there is no room for it, which
    // POSIX permits beyond 32 functions, it is not called.
    unsafe { libc::atexit(work) };
}
