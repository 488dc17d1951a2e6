//! Starting mpirun, and ending it, or another launcher, with all that it has started.

use super::arguments::{Arguments, Mpi};
use hcube_tool::session::Failure;
use nix::sys::signal::{Signal, killpg};
use nix::sys::wait::{Id, WaitPidFlag, WaitStatus, waitid};
use nix::unistd::Pid;
use std::fs::File;
use std::os::unix::fs::MetadataExt;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, ExitStatus};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Time for mpirun to end its ranks before it is killed, and for what is killed to be gone.
const GRACE: Duration = Duration::from_secs(5);
/// How often is looked.
const GLANCE: Duration = Duration::from_millis(50);

/// Whether a signal has asked this tool to end.
static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// From now on ctrl-C and its like are seen by [`interrupted`] instead of ending this process at once:
/// mpirun, in a process group of its own, has to be ended first.
pub fn end_children_on_signals() -> Result<(), Failure> {
    ctrlc::set_handler(|| INTERRUPTED.store(true, Ordering::Relaxed))
        .map_err(|error| format!("signals: {error}"))
}

/// Whether the user wants to stop.
pub fn interrupted() -> bool {
    INTERRUPTED.load(Ordering::Relaxed)
}

/// How ranks are started.
#[derive(Debug)]
pub struct Launcher {
    /// The MPI library.
    pub mpi: Mpi,
    command: Vec<String>,
}

/// Whether a program of this name is in the search path.
fn exists(name: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|folder| folder.join(name).is_file())
}

impl Launcher {
    /// mpirun of the chosen library, or what the user has asked for.
    pub fn new(arguments: &Arguments) -> Result<Self, Failure> {
        let mpi = arguments.mpi()?;
        let command: Vec<String> = match &arguments.launcher {
            Some(command) => command.split_whitespace().map(str::to_owned).collect(),
            None => Self::usual(mpi)?,
        };
        match command.first() {
            Some(program) if exists(program) || Path::new(program).is_file() => Ok(Self { mpi, command }),
            _ => Err(format!("--launcher '{}': no such program", command.join(" "))),
        }
    }

    fn usual(mpi: Mpi) -> Result<Vec<String>, Failure> {
        // Debian gives each library's launcher a name of its own; others call it mpirun.
        let names: &[&str] = match mpi {
            Mpi::Openmpi => &["mpirun.openmpi", "mpirun"],
            Mpi::Mpich => &["mpirun.mpich", "mpiexec.mpich", "mpirun"],
        };
        let Some(name) = names.iter().find(|name| exists(name)) else {
            return Err(format!(
                "none of {} is in the search path (--launcher names another)",
                names.join(", ")
            ));
        };
        let options: &[&str] = match mpi {
            // More ranks than cores are wanted here, and binding would put them all on one.
            Mpi::Openmpi => &["--oversubscribe", "--bind-to", "none"],
            Mpi::Mpich => &[],
        };
        Ok(std::iter::once(name).chain(options).map(|&word| word.to_owned()).collect())
    }

    /// Starts a program on `ranks` ranks in `folder`; all of its output goes to `output`.
    pub fn start(&self, program: &Path, ranks: usize, folder: &Path, output: File) -> std::io::Result<Job> {
        let mut command = Command::new(&self.command[0]);
        command.args(&self.command[1..]).arg("-np").arg(ranks.to_string()).arg(program);
        // A process group of its own, so that all of it can be ended.
        command.current_dir(folder).process_group(0);
        command.stdin(std::process::Stdio::null()).stderr(output.try_clone()?).stdout(output);
        // Threads of the BLAS would compete with the ranks.
        command.env("OPENBLAS_NUM_THREADS", "1").env("OMP_NUM_THREADS", "1").env("HCUBE_VERBOSE", "1");
        if self.mpi == Mpi::Openmpi && std::fs::metadata("/proc/self").is_ok_and(|own| own.uid() == 0) {
            command.env("OMPI_ALLOW_RUN_AS_ROOT", "1").env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1");
        }
        if self.mpi == Mpi::Openmpi {
            // One of some thousand jobs that end well is taken for one that left without MPI_Finalize
            // (Open MPI 4, github.com/open-mpi/ompi/issues/7833). What they print is checked anyway.
            command.env("OMPI_MCA_orte_allowed_exit_without_sync", "1");
        }
        command.spawn().map(Job::new)
    }
}

/// A running launcher with its process group; ended when dropped.
#[derive(Debug)]
pub struct Job {
    child: Child,
    /// How the launcher has ended; known once its process group has been ended with it.
    status: Option<ExitStatus>,
}

impl Job {
    /// Takes charge of a process that leads a process group.
    pub fn new(child: Child) -> Self {
        Self { child, status: None }
    }

    /// How the launcher has ended, if it has; nothing of its process group is left then.
    pub fn ended(&mut self) -> std::io::Result<Option<ExitStatus>> {
        if self.status.is_none() && self.launcher_has_ended() {
            self.status = Some(self.clear()?);
        }
        Ok(self.status)
    }

    /// Ends it: mpirun is asked first, since it alone can end ranks that left its process group.
    pub fn end(&mut self) {
        if !matches!(self.ended(), Ok(None)) {
            return;
        }
        let _ = killpg(self.group(), Signal::SIGTERM);
        let begin = Instant::now();
        while begin.elapsed() < GRACE && !self.launcher_has_ended() {
            std::thread::sleep(GLANCE);
        }
        self.status = self.clear().ok();
    }

    fn group(&self) -> Pid {
        Pid::from_raw(self.child.id() as i32)
    }

    /// Leaves the launcher a zombie, which keeps its number from being given to another process.
    fn launcher_has_ended(&self) -> bool {
        let flags = WaitPidFlag::WEXITED | WaitPidFlag::WNOHANG | WaitPidFlag::WNOWAIT;
        // An error is about how it has ended: by a signal that is not known here.
        !matches!(waitid(Id::Pid(self.group()), flags), Ok(WaitStatus::StillAlive))
    }

    /// Kills the process group, with the launcher where it still runs. smpirun waits for its simulator
    /// neither when it is asked to end nor when it is killed, so the others may outlive the launcher.
    fn clear(&mut self) -> std::io::Result<ExitStatus> {
        let group = self.group();
        // Before the launcher is reaped: a group of which all are reaped leaves its number to others.
        let _ = killpg(group, Signal::SIGKILL);
        let status = self.child.wait()?;
        // They hold files and memory for a moment, and count until init has reaped them. This sends no
        // signal, so it does no harm where others have the number by now.
        let begin = Instant::now();
        while killpg(group, None).is_ok() && begin.elapsed() < GRACE {
            std::thread::sleep(GLANCE);
        }
        Ok(status)
    }
}

impl Drop for Job {
    fn drop(&mut self) {
        self.end();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{PipeReader, Read};
    use std::os::fd::OwnedFd;
    use std::os::unix::process::ExitStatusExt;

    /// A shell in the place of a launcher, and what it and its children print.
    fn start(script: &str) -> (Job, PipeReader) {
        let launcher =
            Launcher { mpi: Mpi::Mpich, command: ["sh", "-c", script, "sh"].map(str::to_owned).into() };
        let (reader, writer) = std::io::pipe().expect("a pipe");
        let output = File::from(OwnedFd::from(writer));
        (launcher.start(Path::new("x"), 1, Path::new("/"), output).expect("starts"), reader)
    }

    /// What was printed until the last process was gone that could.
    fn rest(mut reader: PipeReader) -> String {
        let mut text = String::new();
        reader.read_to_string(&mut text).expect("a pipe");
        text
    }

    #[test]
    fn a_job_is_ended_with_its_children() {
        // The launcher ends when it is asked to, and its child does not.
        let (mut job, mut reader) = start("(trap '' TERM; echo y; sleep 5; echo left) & sleep 60");
        reader.read_exact(&mut [0; 2]).expect("the child has started");
        assert!(matches!(job.ended(), Ok(None)));
        job.end();
        assert_eq!(job.ended().expect("a status").and_then(|status| status.signal()), Some(15));
        assert_eq!(rest(reader), "");
    }

    #[test]
    fn children_do_not_outlive_a_launcher_that_ends_by_itself() {
        let (mut job, reader) = start("(sleep 5; echo left) & exit 3");
        let status = loop {
            if let Some(status) = job.ended().expect("it can be waited for") {
                break status;
            }
            std::thread::sleep(GLANCE);
        };
        assert_eq!(status.code(), Some(3));
        assert_eq!(rest(reader), "");
    }

    #[test]
    fn a_dropped_job_is_ended() {
        let (job, mut reader) = start("(trap '' TERM; echo y; sleep 5; echo left) & sleep 60");
        reader.read_exact(&mut [0; 2]).expect("the child has started");
        drop(job);
        assert_eq!(rest(reader), "");
    }
}
