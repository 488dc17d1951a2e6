//! A run of a program under the launcher.

use super::lines::{self, Output};
use crate::interrupt::Interrupt;
use crate::launcher::{self, TIME_TO_END};
use crate::output;
use crate::session::Failure;
use hcube_core::options::RANKS_PER_NODE;
use std::fs::{self, File};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// Polling interval of the launcher.
const POLL: Duration = Duration::from_millis(20);
/// Time that mpirun has to end its processes before it is killed.
const GRACE: Duration = Duration::from_secs(5);
/// Interval at which the output is read.
const READ: Duration = Duration::from_millis(500);

/// How programs are started.
pub struct Launcher<'a> {
    pub command: Vec<String>,
    pub mpi: &'a str,
    pub folder: &'a Path,
    pub limit: Duration,
    pub ranks_per_node: Option<u32>,
}

/// How a run has ended.
pub struct Ended {
    pub output: Output,
    /// Why it has not done everything.
    pub failure: Option<String>,
    /// Whether its ranks have gone on after everything was done, and were ended.
    pub was_ended: bool,
}

/// How the wait for a launcher has ended.
enum Waited {
    Ended(ExitStatus),
    Stopped,
    Interrupted,
}

impl Launcher<'_> {
    /// Runs a program on `images` processes to its end; nothing where the user has interrupted it.
    pub fn run(
        &self,
        program: &Path,
        images: u32,
        words: &[String],
        interrupt: &Interrupt,
    ) -> Result<Option<Ended>, Failure> {
        let files = ["stdout", "stderr"].map(|name| self.folder.join(name));
        let failure = output::failure(self.folder);
        let mut command = Command::new(&self.command[0]);
        command.args(&self.command[1..]).arg("-np").arg(images.to_string()).arg(program).args(words);
        command.stdin(Stdio::null());
        command.stdout(File::create(&files[0]).map_err(failure)?);
        command.stderr(File::create(&files[1]).map_err(failure)?);
        launcher::prepare(&mut command, self.mpi);
        if let Some(count) = self.ranks_per_node {
            command.env(RANKS_PER_NODE.variable, count.to_string());
        }
        let mut child = command.spawn().map_err(output::failure(Path::new(&self.command[0])))?;
        let waited = self.wait(&mut child, &files[0], interrupt).map_err(failure)?;
        let output = lines::read(&text(&files[0]));
        let (failure, was_ended) = match waited {
            Waited::Interrupted => return Ok(None),
            Waited::Stopped if output.is_finished => (None, true),
            Waited::Stopped => (Some(format!("not finished after {} s", self.limit.as_secs())), false),
            Waited::Ended(status) if status.success() => (None, false),
            Waited::Ended(status) => (Some(reason(&text(&files[1]), status)), false),
        };
        Ok(Some(Ended { output, failure, was_ended }))
    }

    /// Waits until the launcher has ended. It is stopped at the limit, or when [`TIME_TO_END`] has passed
    /// since all results were printed.
    fn wait(&self, child: &mut Child, results: &Path, interrupt: &Interrupt) -> std::io::Result<Waited> {
        let (begin, mut last_read) = (Instant::now(), Instant::now());
        let mut finished: Option<Instant> = None;
        loop {
            if let Some(status) = child.try_wait()? {
                return Ok(Waited::Ended(status));
            }
            if interrupt.requested() {
                end(child)?;
                return Ok(Waited::Interrupted);
            }
            if finished.is_none() && last_read.elapsed() > READ {
                last_read = Instant::now();
                finished = lines::read(&text(results)).is_finished.then_some(last_read);
            }
            if begin.elapsed() > self.limit || finished.is_some_and(|since| since.elapsed() > TIME_TO_END) {
                end(child)?;
                return Ok(Waited::Stopped);
            }
            std::thread::sleep(POLL);
        }
    }
}

/// What a program has written to a file so far.
fn text(path: &Path) -> String {
    let bytes = fs::read(path).unwrap_or_default();
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Ends the launcher: by SIGTERM first, since only it knows its processes.
fn end(child: &mut Child) -> std::io::Result<()> {
    // SAFETY: the child has not been waited for, so its number is its own.
    unsafe { libc::kill(child.id() as libc::pid_t, libc::SIGTERM) };
    let begin = Instant::now();
    while begin.elapsed() < GRACE {
        if child.try_wait()?.is_some() {
            return Ok(());
        }
        std::thread::sleep(POLL);
    }
    child.kill()?;
    child.wait().map(drop)
}

/// The line of the messages that tells most: of an error, or else the first one.
fn reason(messages: &str, status: ExitStatus) -> String {
    let lines =
        || messages.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with("---"));
    let is_telling =
        |line: &&str| ["rror", "ignal", "hcube: ", "STOP"].iter().any(|word| line.contains(word));
    let line = lines().find(is_telling).or_else(|| lines().next());
    line.map_or_else(|| status.to_string(), |line| format!("{status}: {line}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::PathBuf;

    fn folder(name: &str) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("hcube-job-{name}-{}", std::process::id()));
        fs::create_dir_all(&folder).expect("a temporary folder");
        folder
    }

    /// A shell in place of a launcher; the words of mpirun are its arguments.
    fn run(folder: &Path, script: &str, limit: Duration) -> Ended {
        let interrupt = Interrupt::none();
        let command = ["sh", "-c", script].map(str::to_owned).into();
        let launcher = Launcher { command, mpi: "mpich", folder, limit, ranks_per_node: Some(1) };
        let ended = launcher.run(Path::new("program"), 3, &["word".to_owned()], &interrupt);
        ended.expect("starts").expect("not interrupted")
    }

    #[test]
    fn a_program_gets_images_and_words() {
        let folder = folder("words");
        let script =
            "echo skip $0 $1 $2 $3 $HCUBE_RANKS_PER_NODE; echo begin get 8; echo fatal error: x >&2; exit 3";
        let ended = run(&folder, script, GRACE);
        assert_eq!(ended.output.skipped, [("-np".to_owned(), "3 program word 1".to_owned())]);
        assert_eq!(ended.output.unfinished.as_deref(), Some("get"));
        assert!(ended.failure.is_some_and(|text| text.ends_with("3: fatal error: x")));
        drop(fs::remove_dir_all(folder));
    }

    #[test]
    fn a_job_that_goes_on_after_all_results_is_ended() {
        let folder = folder("finished");
        let begin = Instant::now();
        let ended =
            run(&folder, "echo end get 8 1.0 0 0 1 1 1 1 1 1; echo finished; exec sleep 600", 60 * GRACE);
        assert!(ended.was_ended && ended.failure.is_none() && begin.elapsed() < 50 * GRACE);
        assert_eq!(ended.output.lines.len(), 1);
        drop(fs::remove_dir_all(folder));
    }

    #[test]
    fn a_program_that_hangs_is_ended() {
        let folder = folder("limit");
        let begin = Instant::now();
        let ended = run(&folder, "echo begin put 8; exec sleep 60", Duration::from_millis(200));
        assert_eq!(ended.failure.as_deref(), Some("not finished after 0 s"));
        assert!(ended.output.unfinished.is_some() && begin.elapsed() < Duration::from_secs(30));
        drop(fs::remove_dir_all(folder));
    }
}
