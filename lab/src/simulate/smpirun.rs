//! Runs `smpirun`; the outcome is the output of a driver, a deadlock, a hang or a failure.
//!
//! SimGrid's options and their reasons:
//! - The piecewise factors of its default model are for a cluster with Ethernet; factors of 1 leave the
//!   machine's own figures. TCP's window and the traffic of its acknowledgements do not exist on these
//!   networks, and competing messages share a link evenly (weight-S).
//! - No send is detached: SimGrid keeps detached sends of all ranks in one list and searches it when one
//!   ends, which takes three quarters of the time on 8192 ranks.
//!   Only where a machine's file has costs of messages, short ones are (platform.rs).
//! - Collectives along trees, 2 P messages in log2 P steps: a reduction in which all ranks exchange in every
//!   step costs the simulator as much as a round of RandomAccess, and no figure depends on it. By default
//!   rank 0 sends to all others, and SimGrid's `ompi` for all of them fails in a reduction on one rank. The
//!   all-to-all exchange that hcube is compared with is the pairwise one of MPI libraries, with one partner
//!   after the other (SimGrid's name for it is `ring`); in place SimGrid copies the blocks first. Numbers are
//!   exchanged by Bruck's algorithm, as MPI libraries do with so small blocks.
//! - A poll takes no time: hcube lets simulated time pass while it waits (progress::wait).
//! - Real time is not counted: the library charges simulated time for local work.

use super::calls::{self, Calls};
use super::platform::Platform;
use super::spent::Spent;
use crate::hpcc::busy::children_s;
use crate::hpcc::launch::{Job, interrupted};
use hcube_core::options::Table;
use hcube_tool::output;
use std::fs::{self, File};
use std::io::{BufRead, BufReader};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// String of a simulation that a signal has stopped.
pub const INTERRUPTED: &str = "interrupted";
const OPTIONS: [&str; 21] = [
    "-no-privatize",
    "--cfg=smpi/simulate-computation:no",
    "--cfg=smpi/bw-factor:0:1",
    "--cfg=smpi/lat-factor:0:1",
    "--cfg=network/TCP-gamma:0",
    "--cfg=network/crosstraffic:0",
    "--cfg=network/weight-S:0",
    "--cfg=smpi/send-is-detached-thresh:0",
    "--cfg=smpi/barrier:ompi_tree",
    "--cfg=smpi/bcast:binomial_tree",
    "--cfg=smpi/reduce:binomial",
    "--cfg=smpi/allreduce:redbcast",
    "--cfg=smpi/allgather:bruck",
    "--cfg=smpi/alltoall:bruck",
    "--cfg=smpi/alltoallv:ring",
    "--cfg=smpi/test:0",
    "--cfg=smpi/iprobe:0",
    "--cfg=contexts/stack-size:256",
    "--cfg=contexts/guard-size:0",
    "--log=root.thres:error",
    // The ranks in a deadlock.
    "--log=ker_engine.thres:info",
];

/// Bytes of SimGrid, hcube and the driver per rank: 260 MB on 8192 ranks without the driver, twice that with
/// it.
pub const MEMORY_PER_RANK: u64 = 64 << 10;

/// File handles of a simulation, with room to spare: libraries, files of the run, pipes.
const HANDLES: u64 = 64;

/// SimGrid's message when no rank can proceed, also after MPI_Abort of some ranks.
const DEADLOCK: &str = "Deadlock detected";

/// Its message after MPI_Abort; the exit status of smpirun is 0 nevertheless.
const ABORTED: &str = "Process called exit when leaving";

/// The drivers, and the platform.
const FILES: [&str; 14] = [
    "platform.so",
    "random_access",
    "buckets",
    "alltoall",
    "gemm",
    "bsp",
    "caf",
    "caf_operations",
    "caf_updates",
    "fft",
    "panels",
    "lcs",
    "matmul",
    "transposes",
];

/// One simulation: a driver with its arguments on a platform.
#[derive(Debug, Clone)]
pub struct Simulation<'a> {
    pub section: &'a str,
    pub platform: &'a Platform<'a>,
    pub ranks: usize,
    pub driver: PathBuf,
    /// Before the cases.
    pub arguments: Vec<String>,
    /// The driver prints a record for each.
    pub cases: Vec<String>,
    pub costs: String,
    /// Algorithms of SimGrid's collectives that differ from `OPTIONS`.
    pub collectives: &'static [&'static str],
}

impl Simulation<'_> {
    /// The simulation and its current case, by the records that the driver has printed.
    fn place(&self, printed: &str) -> String {
        let (driver, name, ranks) = (self.driver.display(), self.platform.name(), self.ranks);
        // smpirun writes there too when a driver fails.
        let done = printed.lines().filter(|line| line.starts_with("case\t")).count();
        let case = match self.cases.get(done) {
            Some(case) => format!(", case {case},"),
            None => String::new(),
        };
        format!("the simulation of {driver} on {ranks} ranks ({name}){case}")
    }
}

/// Starts simulations.
#[derive(Debug)]
pub struct Runner {
    /// Folder of platform.so, the drivers and the files of runs.
    pub root: PathBuf,
    pub limit: Duration,
    /// Processor time of its simulations.
    pub spent: Mutex<Spent>,
}

/// Lines of the driver and the library on standard error, without the lines of SimGrid and smpirun; each line
/// once, even if several ranks have printed it.
fn words_of(errors: &str) -> String {
    let of_others = |line: &str| {
        line.starts_with('[')
            || line == "Aborted"
            // SimGrid ends ranks by an exception that unwinds all of their functions.
            || line.starts_with("fatal runtime error: Rust cannot catch foreign exceptions")
    };
    let mut words: Vec<&str> = Vec::new();
    for line in errors.lines().filter(|line| !line.trim().is_empty() && !of_others(line)) {
        if !words.contains(&line) && words.len() < 20 {
            words.push(line);
        }
    }
    words.iter().fold(String::new(), |text, line| text + "\n" + line)
}

/// The first missing prerequisite of simulations.
pub fn check(root: &Path) -> Result<(), String> {
    // smpirun is a script that splits its arguments at spaces.
    if root.canonicalize().is_ok_and(|root| root.to_string_lossy().contains(char::is_whitespace)) {
        let root = root.display();
        return Err(format!("--root {root}: smpirun expects folders without blanks in their names"));
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    if !std::env::split_paths(&path).any(|folder| folder.join("smpirun").is_file()) {
        return Err("smpirun is not in the search path: SimGrid is not installed (Debian's package \
                    libsimgrid-dev; `make simulate` installs it)"
            .to_owned());
    }
    for file in FILES {
        if !root.join(file).is_file() {
            let (root, place) = (root.display(), root.join(file));
            return Err(format!(
                "--root {root}: {} is missing (scripts/simulate.sh builds it)",
                place.display()
            ));
        }
    }
    Ok(())
}

/// The first number after a name in a file of the kernel; `None` without a number or a limit.
fn number_in(path: &str, name: &str) -> Option<u64> {
    let text = fs::read_to_string(path).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    line.split_whitespace().next()?.parse().ok()
}

/// Limits of this machine; `None` where unknown or unlimited.
#[derive(Debug, Clone, Copy)]
struct Room {
    handles: Option<u64>,
    mappings: Option<u64>,
    memory: Option<u64>,
}

/// Checks that simulations of `ranks` ranks, which open this number of files each, and their memory fit into
/// this machine.
pub fn check_room(ranks: usize, files: usize, memory: u64) -> Result<(), String> {
    let room = Room {
        handles: number_in("/proc/self/limits", "Max open files"),
        mappings: number_in("/proc/sys/vm/max_map_count", ""),
        memory: number_in("/proc/meminfo", "MemAvailable:").map(|kilobytes| kilobytes << 10),
    };
    room.check(ranks as u64, files as u64, memory)
}

impl Room {
    fn check(self, ranks: u64, files: u64, memory: u64) -> Result<(), String> {
        for (what, needed, available, remedy) in [
            ("file handles", HANDLES + files, self.handles, "ulimit -n"),
            // A stack for each rank, and the mappings of the process itself.
            ("mappings", ranks.saturating_add(1000), self.mappings, "sysctl vm.max_map_count"),
            ("bytes of free memory", memory, self.memory, "fewer --ranks or --jobs"),
        ] {
            if let Some(available) = available.filter(|&available| available < needed) {
                return Err(format!(
                    "simulations of {ranks} ranks need {needed} {what}, and {available} are available ({remedy})"
                ));
            }
        }
        Ok(())
    }
}

/// The variables of all systems.
fn variables() -> impl Iterator<Item = &'static str> {
    fn of<T: Table>() -> impl Iterator<Item = &'static str> {
        T::TABLE.iter().map(|row| row.spec.variable)
    }
    let updates = of::<hcube_random_access::Options>().chain(of::<hcube_alltoall::Options>());
    let products = of::<hcube_gemm::options::Options>().chain(of::<hcube_bsp::options::Options>());
    let coarrays = of::<hcube_caf::options::Options>().chain(of::<hcube_fft::Options>());
    updates.chain(products).chain(coarrays).chain(of::<hcube_lcs::options::Options>())
}

impl Runner {
    fn command(&self, simulation: &Simulation<'_>, files: &[PathBuf; 2], more: &[&str]) -> Command {
        let mut command = Command::new("smpirun");
        command.arg("-np").arg(simulation.ranks.to_string());
        let library = self.root.join("platform.so");
        command.arg("-platform").arg(&library).arg("-hostfile").arg(&files[1]);
        if simulation.platform.has_costs() {
            let library = library.canonicalize().unwrap_or(library);
            command.arg("-wrapper").arg(format!("env LD_PRELOAD={}", library.display()));
        }
        let overhead = simulation.platform.overhead();
        // From 0 bytes: seconds and seconds per byte, for blocking and for other sends.
        command.args(["os", "ois"].map(|name| format!("--cfg=smpi/{name}:0:{overhead:e}:0")));
        command.args(OPTIONS).args(simulation.platform.options());
        command.args(simulation.collectives).args(more).arg(&simulation.driver);
        command.args(&simulation.arguments).args(&simulation.cases);
        command.env("HCUBE_PLATFORM", &files[0]).env("HCUBE_SIMULATED_COSTS", &simulation.costs);
        // The environment may name libraries for another MPI library and options for real programs, which
        // would change the figures.
        command.env_remove("LD_LIBRARY_PATH").env_remove("LD_PRELOAD");
        for variable in variables() {
            command.env_remove(variable);
        }
        command.process_group(0).stdin(Stdio::null());
        command
    }

    /// Runs a simulation and returns its standard output. `number` is part of its file names.
    pub fn run(&self, number: usize, simulation: &Simulation<'_>) -> Result<String, String> {
        let files = self.write_platform(number, simulation.platform)?;
        let folder = self.root.join("runs");
        // Several processes may use one folder.
        let process = std::process::id();
        let outputs = ["out", "err"].map(|kind| folder.join(format!("{process}-{number}.{kind}")));
        let open = |path: &PathBuf| File::create(path).map_err(output::failure(path));
        fs::create_dir_all(&folder).map_err(output::failure(&folder))?;
        let mut command = self.command(simulation, &files, &[]);
        let mut start = || {
            command.stdout(open(&outputs[0])?).stderr(open(&outputs[1])?);
            let child = command.spawn().map_err(output::failure(Path::new("smpirun")))?;
            self.wait(Job::new(child), simulation.section)
        };
        let ended = start();
        let [text, errors] = outputs.map(|path| {
            let text = fs::read_to_string(&path).unwrap_or_default();
            drop(fs::remove_file(path));
            text
        });
        let ended = ended?;
        let place = simulation.place(&text);
        let aborted = errors.contains(ABORTED);
        if ended.is_none() || errors.contains(DEADLOCK) && !aborted {
            let calls = self.calls_of_a_hang(simulation, &files)?;
            let how = match ended {
                None => format!("has not ended after {} s (--time-limit)", self.limit.as_secs()),
                Some(_) => "is in a deadlock: no rank can go on".to_owned(),
            };
            return Err(format!("{place} {how}{calls}{}", words_of(&errors)));
        }
        if ended != Some(true) || aborted {
            let words = words_of(&errors);
            let shown = if words.is_empty() { format!("\n{}", errors.trim_end()) } else { words };
            return Err(format!("{place} has failed:{shown}"));
        }
        Ok(text)
    }

    /// Concurrent simulations may share a platform.
    fn write_platform(&self, number: usize, platform: &Platform<'_>) -> Result<[PathBuf; 2], String> {
        let folder = self.root.join("platforms");
        let put = |end: &str, text: String| {
            let path = folder.join(format!("{}.{end}", platform.name()));
            let new = folder.join(format!("{}.{end}.{}-{number}", platform.name(), std::process::id()));
            fs::create_dir_all(&folder)
                .and_then(|()| fs::write(&new, text))
                .and_then(|()| fs::rename(&new, &path))
                .map_err(output::failure(&path))?;
            Ok::<_, String>(path)
        };
        Ok([put("platform", platform.description())?, put("hosts", platform.hosts())?])
    }

    /// Whether it has succeeded; `None` if it was stopped at the limit.
    fn wait(&self, mut job: Job, section: &str) -> Result<Option<bool>, String> {
        let begin = Instant::now();
        loop {
            // One thread at a time, so that the time of ended children belongs to this job.
            let mut spent = self.spent.lock().unwrap_or_else(PoisonError::into_inner);
            let before = children_s();
            let ended = job.ended().map_err(output::failure(Path::new("smpirun")))?;
            let (is_interrupted, is_late) = (interrupted(), begin.elapsed() > self.limit);
            if ended.is_some() || is_interrupted || is_late {
                if ended.is_none() {
                    job.end();
                }
                spent.add(section, children_s() - before);
                return match ended {
                    Some(status) => Ok(Some(status.success())),
                    None if is_interrupted => Err(INTERRUPTED.to_owned()),
                    None => Ok(None),
                };
            }
            drop(spent);
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Where the ranks are, by a second run with SimGrid's log; it has the same time limit, and may not get
    /// as far.
    fn calls_of_a_hang(&self, simulation: &Simulation<'_>, files: &[PathBuf; 2]) -> Result<String, String> {
        let mut command = self.command(simulation, files, &calls::LOGS);
        command.stdout(Stdio::null()).stderr(Stdio::piped());
        let mut child = command.spawn().map_err(output::failure(Path::new("smpirun")))?;
        let pipe = child.stderr.take();
        let reader = std::thread::spawn(move || {
            let (mut calls, mut deadlock) = (Calls::default(), false);
            for line in pipe.into_iter().flat_map(|pipe| BufReader::new(pipe).lines()).map_while(Result::ok) {
                deadlock |= line.contains(DEADLOCK);
                calls.read(&line);
            }
            (calls, deadlock)
        });
        let ended = self.wait(Job::new(child), simulation.section)?;
        let (calls, deadlock) = reader.join().map_err(|_| "SimGrid's log could not be read".to_owned())?;
        Ok(match ended {
            Some(_) if !deadlock => "; in a second run, with SimGrid's log, it has ended".to_owned(),
            _ => format!("; last entries of SimGrid's log:{}", calls.text()),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_fit_is_refused_with_both_numbers() {
        let room = Room { handles: Some(1024), mappings: Some(65530), memory: Some(1 << 30) };
        assert_eq!(room.check(8192, 512, 1 << 30), Ok(()));
        assert_eq!(Room { handles: None, mappings: None, memory: None }.check(1 << 40, 0, 1 << 60), Ok(()));
        for (room, ranks, message) in [
            (Room { handles: Some(20), ..room }, 1, "need 64 file handles, and 20 are available (ulimit -n)"),
            (room, 65_000, "simulations of 65000 ranks need 66000 mappings, and 65530 are available"),
            (Room { memory: Some(99), ..room }, 1, "need 100 bytes of free memory, and 99 are available"),
        ] {
            let error = room.check(ranks, 0, 100).expect_err("no room");
            assert!(error.contains(message), "{error}");
        }
        // The kernel's files can be parsed.
        assert!(
            check_room(1 << 40, 0, 0).is_err()
                && check_room(1, 1 << 40, 0).is_err()
                && check_room(1, 0, 1 << 60).is_err()
        );
    }

    #[test]
    fn what_a_driver_says_is_told_apart_from_what_simgrid_says() {
        let errors = "the driver gives up\n[0.1] ./x.cpp:1: [ker_engine/CRITICAL] Oops! Deadlock detected, ...\n\
                      the driver gives up\n[0.1] [ker_engine/WARNING] Process called exit when leaving - Skipping\n\
                      fatal runtime error: Rust cannot catch foreign exceptions, aborting\nAborted\n\
        ";
        assert_eq!(words_of(errors), "\nthe driver gives up");
        assert_eq!(words_of("[0.1] [x/INFO] y\n"), "");
    }
}
