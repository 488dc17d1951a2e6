//! The end of processes.

/// Calls `work` when the process ends by `exit` or by returning from `main`, before what was registered earlier; at most once
/// for each call.
pub fn at_exit(work: extern "C" fn()) {
    // SAFETY: a function that lives as long as the library, which is never unloaded. Where there is no room for it, which
    // POSIX permits beyond 32 functions, it is not called.
    unsafe { libc::atexit(work) };
}

/// Whether a process of this node has ended, also where nobody has asked for its result yet.
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
    use std::process::{Command, Stdio};

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
