//! Starting mpirun, and ending it with all that it has started.

use super::arguments::{Arguments, Mpi};
use crate::session::Failure;
use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;
use std::fs::File;
use std::os::unix::fs::MetadataExt;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, ExitStatus};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Time for mpirun to end its ranks before it is killed.
const GRACE: Duration = Duration::from_secs(5);

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
        command.spawn().map(Job::new)
    }
}

/// A running mpirun; ended when dropped.
#[derive(Debug)]
pub struct Job {
    child: Child,
}

impl Job {
    /// Takes charge of a process that leads a process group.
    pub fn new(child: Child) -> Self {
        Self { child }
    }

    /// How it has ended, if it has.
    pub fn ended(&mut self) -> std::io::Result<Option<ExitStatus>> {
        self.child.try_wait()
    }

    /// Ends it: mpirun is asked first, since it alone can end ranks that left its process group.
    pub fn end(&mut self) {
        let group = Pid::from_raw(self.child.id() as i32);
        if !matches!(self.ended(), Ok(None)) {
            return;
        }
        let _ = killpg(group, Signal::SIGTERM);
        let begin = Instant::now();
        while begin.elapsed() < GRACE {
            if !matches!(self.ended(), Ok(None)) {
                return;
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        let _ = killpg(group, Signal::SIGKILL);
        drop(self.child.wait());
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

    #[test]
    fn a_job_is_ended_with_its_children() {
        let launcher = Launcher {
            mpi: Mpi::Mpich,
            command: ["sh", "-c", "sleep 60 & sleep 60", "sh"].map(str::to_owned).into(),
        };
        let output = File::options().write(true).open("/dev/null").expect("opens");
        let mut job = launcher.start(Path::new("x"), 1, Path::new("/"), output).expect("starts");
        assert!(matches!(job.ended(), Ok(None)));
        let begin = Instant::now();
        job.end();
        assert!(begin.elapsed() < GRACE && matches!(job.ended(), Ok(Some(_))));
    }
}
