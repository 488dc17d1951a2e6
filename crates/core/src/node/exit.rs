//! The end of processes.

use crate::atomic::{AtomicBool, AtomicI32, Ordering};

/// The exit code of [`end_within`], [`end_at_exit`] and [`end_behind_handlers`].
static EXIT_CODE: AtomicI32 = AtomicI32::new(0);
/// Whether the handler of [`prepare`] ends the process.
static ENDS_BEHIND_HANDLERS: AtomicBool = AtomicBool::new(false);

fn end_now() -> ! {
    // SAFETY: may be called at any time, also in a signal handler.
    unsafe { libc::_exit(EXIT_CODE.load(Ordering::Relaxed)) }
}

/// Ends this process with an exit code when this time has passed, unless it has ended by then, also if all of
/// its threads wait for locks. A process that ends a job calls libraries, whose locks may be held by what it
/// has interrupted. A later call sets another time.
pub fn end_within(seconds: u32, code: i32) {
    extern "C" fn end(_: libc::c_int) {
        end_now()
    }
    EXIT_CODE.store(code, Ordering::Relaxed);
    // SAFETY: the sets and the action are filled before they are used; the handler calls only what POSIX
    // permits in one. The program has nothing more to do with this signal, since the process ends.
    unsafe {
        let mut signals: libc::sigset_t = std::mem::zeroed();
        libc::sigemptyset(&mut signals);
        let mut action: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction = end as extern "C" fn(libc::c_int) as usize;
        action.sa_mask = signals;
        libc::sigaction(libc::SIGALRM, &action, std::ptr::null_mut());
        libc::sigaddset(&mut signals, libc::SIGALRM);
        libc::pthread_sigmask(libc::SIG_UNBLOCK, &signals, std::ptr::null_mut());
        libc::alarm(seconds);
    }
}

/// From now on, `exit` ends this process immediately with an exit code: it calls no function that was
/// registered before, and no termination functions of libraries, which
/// [`terminate`](super::loader::terminate) has called.
pub fn end_at_exit(code: i32) {
    extern "C" fn end() {
        end_now()
    }
    EXIT_CODE.store(code, Ordering::Relaxed);
    at_exit(end);
}

/// Makes [`end_behind_handlers`] possible. To be called before the program registers what `exit` calls.
pub fn prepare() {
    extern "C" fn end() {
        if ENDS_BEHIND_HANDLERS.load(Ordering::Relaxed) {
            // SAFETY: NULL stands for all streams.
            unsafe { libc::fflush(std::ptr::null_mut()) };
            end_now();
        }
    }
    at_exit(end);
}

/// From now on, `exit` ends this process with an exit code when it has called what was registered after
/// [`prepare`]. It calls no termination functions of libraries, which [`terminate`](super::loader::terminate)
/// has called.
pub fn end_behind_handlers(code: i32) {
    EXIT_CODE.store(code, Ordering::Relaxed);
    ENDS_BEHIND_HANDLERS.store(true, Ordering::Relaxed);
}

/// Calls `work` when the process ends by `exit` or by returning from `main`, before what was registered
/// earlier; at most once for each call.
pub fn at_exit(work: extern "C" fn()) {
    // SAFETY: a function that lives as long as the library, which is never unloaded. Where there is no room
    // for it, which POSIX permits beyond 32 functions, it is not called.
    unsafe { libc::atexit(work) };
}

/// Whether a process of this node has ended, even if its parent has not waited for it.
pub fn has_ended(process: u32) -> bool {
    match std::fs::read_to_string(format!("/proc/{process}/stat")) {
        // The name may hold anything; the state follows its last bracket.
        Ok(text) => text.rsplit_once(") ").is_some_and(|(_, rest)| rest.starts_with(['Z', 'X'])),
        Err(error) => {
            error.kind() == std::io::ErrorKind::NotFound && std::path::Path::new("/proc/self/stat").exists()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::{Command, Output, Stdio};

    /// The part of a test of this module that runs as a separate process, if a variable is set.
    fn started_again(test: &str, variable: &str) -> Output {
        let own = std::env::current_exe().expect("the test");
        let name = format!("{}::{test}", module_path!().split_once("::").expect("a crate").1);
        let child = Command::new(own).args([&name, "--exact", "--nocapture"]).env(variable, "1").output();
        child.expect("the test")
    }

    /// This test starts itself as a process that waits for ever, with the signal blocked.
    #[test]
    fn a_process_ends_within_a_time() {
        const VARIABLE: &str = "HCUBE_TEST_ENDS_WITHIN";
        if std::env::var_os(VARIABLE).is_some() {
            // SAFETY: a set that is filled first.
            unsafe {
                let mut all: libc::sigset_t = std::mem::zeroed();
                libc::sigfillset(&mut all);
                libc::pthread_sigmask(libc::SIG_BLOCK, &all, std::ptr::null_mut());
            }
            end_within(1, 7);
            loop {
                std::thread::park();
            }
        }
        let output = started_again("a_process_ends_within_a_time", VARIABLE);
        assert_eq!(output.status.code(), Some(7), "{output:?}");
    }

    /// This test starts itself as a process that ends so.
    #[test]
    fn handlers_are_called_before_a_process_ends_behind_them() {
        const VARIABLE: &str = "HCUBE_TEST_ENDS_BEHIND_HANDLERS";
        extern "C" fn say() {
            println!("called");
        }
        extern "C" fn never() {
            println!("never");
        }
        if std::env::var_os(VARIABLE).is_some() {
            at_exit(never);
            prepare();
            at_exit(say);
            end_behind_handlers(7);
            std::process::exit(3);
        }
        let output = started_again("handlers_are_called_before_a_process_ends_behind_them", VARIABLE);
        let text = String::from_utf8_lossy(&output.stdout);
        assert_eq!(output.status.code(), Some(7), "{output:?}");
        assert!(text.contains("called") && !text.contains("never"), "{text}");
    }

    #[test]
    fn a_process_has_ended_before_somebody_asks_for_its_result() {
        assert!(!has_ended(std::process::id()));
        let mut child = Command::new("cat").stdin(Stdio::piped()).spawn().expect("cat");
        assert!(!has_ended(child.id()));
        child.kill().expect("a child");
        while !has_ended(child.id()) {
            std::thread::yield_now();
        }
        child.wait().expect("a child");
        assert!(has_ended(child.id()));
    }
}
