//! Runs a launcher to its end or to a time limit, and ends all its processes.

use super::disturb::Progress;
use super::session::Session;
use super::turn::Turn;
use super::{Launch, folder};
use std::fs::{self, File, OpenOptions};
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// Name of the variable by which the processes of a launch are found again.
pub(super) const MARKER: &str = "HCUBE_TEST_LAUNCH";

/// Name of the variable with the files of a launch's output, without `.out` and `.err`.
pub(super) const OUTPUT: &str = "HCUBE_TEST_OUTPUT";

/// An action on a job once its output has a certain text.
pub(super) struct Interruption {
    pub text: String,
    pub action: Box<dyn FnOnce() + Send>,
}

impl std::fmt::Debug for Interruption {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_tuple("Interruption").field(&self.text).finish()
    }
}

/// The result of a launch.
#[derive(Debug)]
pub struct Outcome {
    pub status: ExitStatus,
    pub stdout: String,
    pub stderr: String,
    /// Processes of the job that were still there after the launcher had ended.
    pub left: Vec<u32>,
    /// Whether the job was disturbed, as [`Launch::disturb`] says, before it ended.
    pub disturbed: bool,
    /// From the start of the launcher to its end.
    pub lasted: Duration,
}

impl Outcome {
    /// Whether the job has ended well. The launcher of Open MPI 4 may crash afterwards, when all ranks have
    /// ended.
    pub fn ended_well(&self) -> bool {
        self.status.success() || self.stderr.contains("PMIx_server_finalize+")
    }

    /// Standard output, after a check that all went well.
    pub fn success(self) -> String {
        let Self { status, stdout, stderr, left, .. } = self;
        assert!(status.success(), "{status}\n--- output\n{stdout}\n--- error output\n{stderr}");
        assert!(left.is_empty(), "processes left: {left:?}");
        stdout
    }
}

/// Standard output and error output of a launch. Files, not pipes: a process that outlives the launcher
/// would keep a pipe open.
struct Files {
    /// Both paths without their ends.
    stem: PathBuf,
    paths: [PathBuf; 2],
}

impl Files {
    fn new(marker: &str) -> Self {
        let folder = folder("output");
        let paths = ["out", "err"].map(|kind| folder.join(format!("{marker}.{kind}")));
        Self { stem: folder.join(marker), paths }
    }

    fn open(&self) -> [File; 2] {
        // Appending, because launcher and ranks may both write.
        let open = |path: &PathBuf| OpenOptions::new().create(true).append(true).open(path);
        self.paths.each_ref().map(|path| open(path).expect("a file for output"))
    }

    fn read(&self) -> [String; 2] {
        let text = |path| fs::read(path).map(|text| String::from_utf8_lossy(&text).into_owned());
        self.paths.each_ref().map(|path| text(path).unwrap_or_default())
    }

    fn remove(self) {
        for path in &self.paths {
            let _ = fs::remove_file(path);
        }
    }
}

impl Launch {
    /// Runs it with a launcher's command line that is complete except for the program's arguments.
    pub fn supervise(mut self, mut command: Command) -> Outcome {
        static NUMBER: AtomicUsize = AtomicUsize::new(0);
        let _turn = (!self.simulated).then(|| Turn::wait(self.ranks + self.further_ranks, self.alone));
        let marker = format!("{}-{}", std::process::id(), NUMBER.fetch_add(1, Ordering::Relaxed));
        let files = Files::new(&marker);
        self.complete(&mut command, &marker, &files);
        // Several hosts have separate folders.
        let _session = self.placement.is_none().then(|| Session::of(&mut command));
        let begin = Instant::now();
        let mut child = command.spawn().unwrap_or_else(|error| panic!("{command:?}: {error}"));
        let (mut ended, disturbed) = self.wait(&mut child, &files, &marker);
        if ended.is_none() {
            // Launchers put ranks into separate process groups, so killing one group is not enough.
            end_processes(child.id(), &marker);
            let status = child.wait().expect("a child can be waited for");
            ended = (begin.elapsed() < self.limit).then_some(status);
        }
        let Some(status) = ended else {
            let [stdout, stderr] = files.read();
            panic!(
                "{command:?} had not ended after {:?}\n--- output\n{stdout}\n--- error output\n{stderr}",
                self.limit
            );
        };
        let lasted = begin.elapsed();
        // Processes that the launcher has killed take a moment to end.
        let mut left = processes(&marker);
        while !left.is_empty() && begin.elapsed() < lasted + Duration::from_secs(10) {
            std::thread::sleep(Duration::from_millis(20));
            left = processes(&marker);
        }
        if !left.is_empty() {
            end_processes(child.id(), &marker);
        }
        let [stdout, stderr] = files.read();
        files.remove();
        Outcome { status, stdout, stderr, left, disturbed, lasted }
    }

    fn complete(&self, command: &mut Command, marker: &str, files: &Files) {
        command.args(&self.arguments);
        // Variables of the person who runs the tests must not change what is tested.
        for (name, _) in std::env::vars_os() {
            if name.to_string_lossy().starts_with("HCUBE_") {
                command.env_remove(name);
            }
        }
        command.envs(self.environment.iter().map(|(name, value)| (name, value)));
        command.env(MARKER, marker).env(OUTPUT, &files.stem);
        // Open MPI 4 takes one of some thousand jobs that end well for one that left without MPI_Finalize
        // (github.com/open-mpi/ompi/issues/7833).
        command.env("OMPI_MCA_orte_allowed_exit_without_sync", "1");
        if let Some(folder) = &self.folder {
            command.current_dir(folder);
        }
        let [out, err] = files.open();
        command.stdin(Stdio::null()).stdout(out).stderr(err).process_group(0);
    }

    /// How the launcher has ended, if it has within the limit and soon after its ranks, and whether the job
    /// was disturbed.
    fn wait(&mut self, child: &mut Child, files: &Files, marker: &str) -> (Option<ExitStatus>, bool) {
        let (begin, mut ended, mut progress) = (Instant::now(), None, Progress::Waits);
        let mut ranks = Ranks::new(begin);
        while ended.is_none() && begin.elapsed() < self.limit && !ranks.ended_long_ago(marker, files) {
            std::thread::sleep(Duration::from_millis(2));
            ended = child.try_wait().expect("a child can be waited for");
            let said = self.interruption.take_if(|interruption| files.read()[0].contains(&interruption.text));
            if let Some(interruption) = said {
                (interruption.action)();
            }
            if let Some(disturbance) = self.disturbance {
                progress = disturbance.advance(progress, marker, begin.elapsed());
            }
            if let Some((_, time)) = self.hopeless.take_if(|(text, _)| files.read()[0].contains(*text)) {
                self.limit = self.limit.min(begin.elapsed() + time);
            }
        }
        (ended, progress != Progress::Waits)
    }
}

/// When the ranks of a job were last seen. The launcher of Open MPI 4 may report a killed rank and then
/// deadlock (in
/// `PMIx_server_finalize`), long after all ranks have ended.
struct Ranks {
    seen: Instant,
    looked: Instant,
}

impl Ranks {
    const INTERVAL: Duration = Duration::from_secs(1);
    const PATIENCE: Duration = Duration::from_secs(20);
    const SAID: &str = "noticed that process rank";

    fn new(begin: Instant) -> Self {
        Self { seen: begin, looked: begin }
    }

    fn ended_long_ago(&mut self, marker: &str, files: &Files) -> bool {
        if self.looked.elapsed() >= Self::INTERVAL {
            self.looked = Instant::now();
            // One of them is the launcher.
            if processes(marker).len() > 1 {
                self.seen = self.looked;
            }
        }
        self.seen.elapsed() > Self::PATIENCE && files.read().iter().any(|text| text.contains(Self::SAID))
    }
}

/// Living processes that were started with this marker in their environment.
pub(super) fn processes(marker: &str) -> Vec<u32> {
    let wanted = format!("{MARKER}={marker}");
    let folders = fs::read_dir("/proc").expect("/proc").flatten();
    folders
        .filter_map(|folder| folder.file_name().to_string_lossy().parse().ok())
        .filter(|process| {
            let environment = fs::read(format!("/proc/{process}/environ")).unwrap_or_default();
            environment.split(|&byte| byte == 0).any(|variable| variable == wanted.as_bytes())
        })
        .collect()
}

fn end_processes(group: u32, marker: &str) {
    // SAFETY: a signal to the group that this test has made.
    unsafe { libc::kill(-(group as i32), libc::SIGKILL) };
    for process in processes(marker) {
        // SAFETY: a signal to a process that this test has started.
        unsafe { libc::kill(process as i32, libc::SIGKILL) };
    }
}
