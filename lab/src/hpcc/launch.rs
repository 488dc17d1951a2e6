//! Starts mpirun or another launcher, and stops it with all of its processes.

use super::arguments::Arguments;
use super::variant::Mpi;
use hcube_tool::launcher;
use nix::sys::signal::{Signal, killpg};
use nix::sys::wait::{Id, WaitPidFlag, WaitStatus, waitid};
use nix::unistd::Pid;
use std::fs::File;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, ExitStatus};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Time that mpirun has to end its ranks before it is killed, and that killed processes have to disappear.
const GRACE: Duration = Duration::from_secs(5);
/// Interval of polls.
const POLL: Duration = Duration::from_millis(50);

/// Whether a signal has interrupted this command.
static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// Makes [`interrupted`] report SIGINT and SIGTERM, which otherwise end this process: mpirun, in a process
/// group of its own, must be stopped first.
pub fn end_children_on_signals() -> Result<(), String> {
    ctrlc::set_handler(|| INTERRUPTED.store(true, Ordering::Relaxed))
        .map_err(|error| format!("signals: {error}"))
}

/// Whether the user has interrupted the command.
pub fn interrupted() -> bool {
    INTERRUPTED.load(Ordering::Relaxed)
}

/// The command that starts ranks.
#[derive(Debug)]
pub struct Launcher {
    pub mpi: Mpi,
    command: Vec<String>,
}

impl Launcher {
    /// mpirun of the library, or the command of `--launcher`.
    pub fn new(arguments: &Arguments) -> Result<Self, String> {
        let mpi = arguments.mpi()?;
        let command: Vec<String> = match &arguments.launcher {
            Some(command) => command.split_whitespace().map(str::to_owned).collect(),
            None => launcher::usual(mpi.name())?,
        };
        match command.first() {
            Some(program) if launcher::exists(program) || Path::new(program).is_file() => {
                Ok(Self { mpi, command })
            }
            _ => Err(format!("--launcher '{}': no such program", command.join(" "))),
        }
    }

    /// Starts a program on `ranks` ranks in `folder`; its output goes to `output`.
    pub fn start(&self, program: &Path, ranks: usize, folder: &Path, output: File) -> std::io::Result<Job> {
        let mut command = Command::new(&self.command[0]);
        command.args(&self.command[1..]).arg("-np").arg(ranks.to_string()).arg(program);
        // A process group of its own, so that all processes can be stopped.
        command.current_dir(folder).process_group(0);
        command.stdin(std::process::Stdio::null()).stderr(output.try_clone()?).stdout(output);
        // Threads of the BLAS would compete with the ranks.
        command.env("OPENBLAS_NUM_THREADS", "1").env("OMP_NUM_THREADS", "1").env("HCUBE_VERBOSE", "1");
        launcher::prepare(&mut command, self.mpi.name());
        command.spawn().map(Job::new)
    }
}

/// Refuses a program whose shared libraries are not found: each of its runs would fail.
pub fn check_libraries(program: &Path) -> Result<(), String> {
    // Without ldd, and for what it does not understand, a run shows what is wrong.
    let Ok(output) = Command::new("ldd").arg(program).output() else { return Ok(()) };
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let missing: Vec<&str> =
        text.lines().filter_map(|line| line.trim().strip_suffix(" => not found")).collect();
    if missing.is_empty() {
        return Ok(());
    }
    Err(format!(
        "{} needs {}, which the loader does not find: build it again (make run), or name the folder in LD_LIBRARY_PATH",
        program.display(),
        missing.join(", ")
    ))
}

/// A running launcher with its process group; stopped when dropped.
#[derive(Debug)]
pub struct Job {
    child: Child,
    /// Exit status of the launcher, after its process group has ended.
    status: Option<ExitStatus>,
}

impl Job {
    /// Takes ownership of a process that leads a process group.
    pub fn new(child: Child) -> Self {
        Self { child, status: None }
    }

    /// Exit status of the launcher if it has ended; its process group has ended, too.
    pub fn ended(&mut self) -> std::io::Result<Option<ExitStatus>> {
        if self.status.is_none() && self.launcher_has_ended() {
            self.status = Some(self.clear()?);
        }
        Ok(self.status)
    }

    /// Stops it: by SIGTERM first, since only mpirun can end ranks that left its process group.
    pub fn end(&mut self) {
        if !matches!(self.ended(), Ok(None)) {
            return;
        }
        let _ = killpg(self.group(), Signal::SIGTERM);
        let begin = Instant::now();
        while begin.elapsed() < GRACE && !self.launcher_has_ended() {
            std::thread::sleep(POLL);
        }
        self.status = self.clear().ok();
    }

    fn group(&self) -> Pid {
        Pid::from_raw(self.child.id() as i32)
    }

    /// The launcher stays a zombie, so that its process number is not reused.
    fn launcher_has_ended(&self) -> bool {
        let flags = WaitPidFlag::WEXITED | WaitPidFlag::WNOHANG | WaitPidFlag::WNOWAIT;
        // An error means that a signal unknown here has ended it.
        !matches!(waitid(Id::Pid(self.group()), flags), Ok(WaitStatus::StillAlive))
    }

    /// Kills the process group, and the launcher if it still runs. smpirun does not wait for its simulator
    /// when it ends by a signal, so other processes may outlive the launcher.
    fn clear(&mut self) -> std::io::Result<ExitStatus> {
        let group = self.group();
        // Before the launcher is reaped: afterwards the number of the group may be reused.
        let _ = killpg(group, Signal::SIGKILL);
        let status = self.child.wait()?;
        // Killed processes exist until init has reaped them. This sends no signal, so it is harmless if the
        // number has been reused.
        let begin = Instant::now();
        while killpg(group, None).is_ok() && begin.elapsed() < GRACE {
            std::thread::sleep(POLL);
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

    /// A shell in place of a launcher, and its output.
    fn start(script: &str) -> (Job, PipeReader) {
        let launcher =
            Launcher { mpi: Mpi::Mpich, command: ["sh", "-c", script, "sh"].map(str::to_owned).into() };
        let (reader, writer) = std::io::pipe().expect("a pipe");
        let output = File::from(OwnedFd::from(writer));
        (launcher.start(Path::new("x"), 1, Path::new("/"), output).expect("starts"), reader)
    }

    /// The output until the last process has closed it.
    fn rest(mut reader: PipeReader) -> String {
        let mut text = String::new();
        reader.read_to_string(&mut text).expect("a pipe");
        text
    }

    #[test]
    fn libraries_that_are_not_found_are_named() {
        let folder = std::env::temp_dir().join(format!("hcube-hpcc-libraries-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a folder");
        let (library, program) = (folder.join("libabsent.so.1"), folder.join("program"));
        let compile = |arguments: &[&str], output: &Path| {
            let source = folder.join("source.c");
            std::fs::write(&source, "int main(void) { return 0; }").expect("a file");
            let status = Command::new("cc").args(["-o".as_ref(), output, &source]).args(arguments).status();
            assert!(status.expect("a compiler").success());
        };
        compile(&["-shared", "-fPIC", "-Wl,-soname,libabsent.so.1"], &library);
        compile(&["-Wl,--no-as-needed", &library.display().to_string()], &program);
        std::fs::remove_file(&library).expect("there");
        let refused = check_libraries(&program).expect_err("no library");
        assert!(
            refused.contains("program needs libabsent.so.1, which the loader does not find"),
            "{refused}"
        );
        assert_eq!(check_libraries(Path::new("/bin/sh")), Ok(()));
        drop(std::fs::remove_dir_all(folder));
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
            std::thread::sleep(POLL);
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
