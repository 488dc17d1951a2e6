//! Where the cases of `hcube-lab hosts bench` run, and where they write.

use super::job::{self, Place, VARIABLES};
use hcube_hosts::placement::Order;
use hcube_results::hosts as results;
use hcube_tool::launcher::TIME_TO_END;
use hcube_tool::output;
use std::ffi::OsString;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// The limit of a job.
pub const LIMIT: Duration = Duration::from_secs(300);

/// Hosts with the build for their MPI library.
pub struct Site<'a> {
    pub place: &'a Place,
    /// `hcube` of the build; libraries lie beside it.
    pub tool: PathBuf,
    /// Folder of results and output.
    root: PathBuf,
}

impl<'a> Site<'a> {
    /// # Errors
    /// Where there is no current folder.
    pub fn new(place: &'a Place, tool: &Path, root: &Path) -> Result<Self, String> {
        Ok(Self { place, tool: absolute(tool)?, root: absolute(root)? })
    }

    pub fn about(&self) -> results::Place {
        self.place.about()
    }

    /// A file or folder of a case, whose name ends so.
    pub fn file(&self, case: &str, end: &str) -> PathBuf {
        let results::Place { mpi, hosts, ranks_per_host, .. } = self.about();
        self.root.join(format!("{mpi}-{hosts}x{ranks_per_host}-{case}{end}"))
    }

    /// A file of the build for the MPI library.
    pub fn built(&self, name: &str) -> PathBuf {
        self.tool.with_file_name(name)
    }

    /// The folder of all builds.
    pub fn target(&self) -> &Path {
        // target/<mpi>/release/hcube
        self.tool.ancestors().nth(3).unwrap_or(Path::new("."))
    }

    /// The start of a launcher's command for ranks in a folder, with its environment.
    pub fn launcher(&self, folder: &Path, order: Order) -> Command {
        let mut command = self.place.launcher(folder, &VARIABLES.map(str::to_owned), order);
        // Threads of the BLAS would compete with the ranks.
        command.env("OMP_NUM_THREADS", "1").env("OPENBLAS_NUM_THREADS", "1");
        command.env("LD_LIBRARY_PATH", self.tool.parent().unwrap_or(&self.tool));
        command
    }

    /// Runs a program and its arguments on all ranks, in a folder, to its end or until it has done enough;
    /// whether it went to its end. Its output goes to the file.
    ///
    /// # Errors
    /// If it fails, or as [`job::until`].
    pub fn run(
        &self,
        (folder, order): (&Path, Order),
        line: &[OsString],
        said: &Path,
        has_done_enough: impl Fn() -> bool,
    ) -> Result<bool, String> {
        let mut command = self.launcher(folder, order);
        self.place.add_program(&mut command, line);
        run(command, LIMIT, said, has_done_enough)
    }
}

/// Runs a command to its end within a limit, or until it has done enough, with its output in a file; whether
/// it went to its end.
///
/// # Errors
/// If it fails, or as [`job::until`].
pub fn run(
    mut command: Command,
    limit: Duration,
    said: &Path,
    has_done_enough: impl Fn() -> bool,
) -> Result<bool, String> {
    let failed = output::failure(said);
    let log = File::create(said).map_err(failed)?;
    command.stderr(log.try_clone().map_err(failed)?).stdout(log);
    match job::until(command, Some(limit), has_done_enough)? {
        None => Ok(false),
        Some(0) => Ok(true),
        Some(status) => Err(format!("it ended with status {status}, see {}", said.display())),
    }
}

/// Whether this file was written some time ago, when asked again and again.
pub fn has_been_written(file: &Path) -> impl Fn() -> bool {
    move || {
        let written = fs::metadata(file).and_then(|file| file.modified());
        written.is_ok_and(|time| time.elapsed().is_ok_and(|since| since > TIME_TO_END))
    }
}

fn absolute(file: &Path) -> Result<PathBuf, String> {
    std::path::absolute(file).map_err(output::failure(file))
}
