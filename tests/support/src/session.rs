//! Temporary folders of launchers.
//!
//! All launchers of Open MPI share a temporary folder, which the last of them removes: a launcher that starts
//! at that moment fails ("mkdir: File exists"). Here jobs run at the same time, so each has its own temporary
//! folder.

use super::numbered;
use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output};

/// The temporary folder of a job, until its end.
pub(crate) struct Session(PathBuf);

impl Session {
    /// Makes one for the job that a command starts.
    pub(crate) fn of(command: &mut Command) -> Self {
        let path = std::env::temp_dir().join(numbered(&format!("hcube-test-{}", std::process::id())));
        fs::create_dir_all(&path).expect("the folder for temporary files is writable");
        command.env("TMPDIR", &path);
        Self(path)
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// The output of a command that may start a job.
pub fn run(command: &mut Command) -> Output {
    let _session = Session::of(command);
    command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"))
}
