//! Starting `smpirun`, and what may come of it: lines of results, a deadlock, a hang, a failure.
//!
//! SimGrid's options, and why:
//! - The piecewise factors of its default model are for a cluster with Ethernet; factors of 1 leave the
//!   machine's own figures. TCP's window and the traffic of its acknowledgements do not exist on these
//!   networks, and competing messages share a link evenly (weight-S).
//! - No send is detached: one that is stands in a list of all such sends of all ranks, which is searched
//!   at every end of one. That takes three quarters of the time on 8192 ranks.
//! - Collectives along trees, 2 P messages in log2 P steps: a reduction in which all ranks exchange in
//!   every step costs the simulator as much as a round of RandomAccess, and no figure depends on it. By
//!   default rank 0 sends to all others, and SimGrid's `ompi` for all
//!   of them fails in a reduction on one rank. The all-to-all exchange that hcube is compared with is Open
//!   MPI's linear one, all messages at once: SimGrid's `ompi` fails where ranks are no power of two.
//! - A poll takes no time: hcube waits in simulated time by itself (node::wait).
//! - The time of this machine does not count: local work is charged by the library.

use super::platform::Platform;
use crate::hpcc::launch::{Job, interrupted};
use crate::session::Failure;
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{BufRead, BufReader};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const OPTIONS: [&str; 20] = [
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
    "--cfg=smpi/alltoallv:ompi_basic_linear",
    "--cfg=smpi/test:0",
    "--cfg=smpi/iprobe:0",
    "--cfg=contexts/stack-size:256",
    "--cfg=contexts/guard-size:0",
    "--log=root.thres:error",
    // The ranks that are left in a deadlock.
    "--log=ker_engine.thres:info",
];

/// Bytes that SimGrid and hcube take for a rank: 260 MB on 8192 ranks, and as much again for the driver.
const MEMORY_PER_RANK: u64 = 64 << 10;

/// What SimGrid says where no rank can go on.
const DEADLOCK: &str = "Deadlock detected";

/// One simulation: a driver with its arguments on a platform.
#[derive(Debug, Clone)]
pub struct Simulation<'a> {
    pub platform: &'a Platform<'a>,
    pub ranks: usize,
    pub driver: PathBuf,
    pub arguments: Vec<String>,
    pub costs: String,
}

/// What all simulations share.
#[derive(Debug, Clone)]
pub struct Runner {
    /// Where platform.so and the drivers are, and files of runs are put.
    pub root: PathBuf,
    pub limit: Duration,
}

/// What is missing for simulations at all.
pub fn check(root: &Path) -> Result<(), Failure> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    if !std::env::split_paths(&path).any(|folder| folder.join("smpirun").is_file()) {
        return Err("smpirun is not in the search path: SimGrid is not installed (Debian's package \
                    libsimgrid-dev; `make simulate` installs it)"
            .to_owned());
    }
    for file in ["platform.so", "random_access", "alltoall"] {
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

/// The first number after a name in a file of the kernel's; nothing where there is none, or no limit.
fn number_in(path: &str, name: &str) -> Option<u64> {
    let text = fs::read_to_string(path).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    line.split_whitespace().next()?.parse().ok()
}

/// Whether this machine can hold that many simulated ranks, `jobs` simulations at a time.
pub fn check_room(ranks: usize, jobs: usize) -> Result<(), Failure> {
    // A stack each, and what the process itself has mapped.
    let mappings = ranks as u64 + 1000;
    let handles = number_in("/proc/self/limits", "Max open files");
    let allowed = number_in("/proc/sys/vm/max_map_count", "");
    let free = number_in("/proc/meminfo", "MemAvailable:").map(|kilobytes| kilobytes << 10);
    let memory = jobs as u64 * ranks as u64 * MEMORY_PER_RANK;
    for (what, needed, available, remedy) in [
        ("file handles", 64, handles, "ulimit -n"),
        ("mappings", mappings, allowed, "sysctl vm.max_map_count"),
        ("bytes of free memory", memory, free, "fewer --jobs"),
    ] {
        if let Some(available) = available.filter(|&available| available < needed) {
            return Err(format!(
                "{ranks} simulated ranks, {jobs} simulation(s) at a time, need {needed} {what}, and {available} are available ({remedy})"
            ));
        }
    }
    Ok(())
}

impl Runner {
    fn command(&self, simulation: &Simulation<'_>, files: &[PathBuf; 2], more: &[&str]) -> Command {
        let mut command = Command::new("smpirun");
        command.arg("-np").arg(simulation.ranks.to_string());
        command.arg("-platform").arg(self.root.join("platform.so")).arg("-hostfile").arg(&files[1]);
        let overhead = simulation.platform.overhead();
        // From 0 bytes on: seconds, and seconds per byte; of blocking sends and of others.
        command.args(["os", "ois"].map(|name| format!("--cfg=smpi/{name}:0:{overhead:e}:0")));
        command.args(OPTIONS).args(more).arg(&simulation.driver).args(&simulation.arguments);
        command.env("HCUBE_PLATFORM", &files[0]).env("HCUBE_SIMULATED_COSTS", &simulation.costs);
        // The smpirun of one MPI library must not find the library for another.
        command.env_remove("LD_LIBRARY_PATH").env_remove("LD_PRELOAD");
        command.process_group(0).stdin(Stdio::null());
        command
    }

    /// Runs a simulation; its lines of standard output. `number` tells files of several runs apart.
    pub fn run(&self, number: usize, simulation: &Simulation<'_>) -> Result<Vec<String>, Failure> {
        let files = self.write_platform(simulation.platform)?;
        let folder = self.root.join("runs");
        let outputs = ["out", "err"].map(|kind| folder.join(format!("{number}.{kind}")));
        let open =
            |path: &PathBuf| File::create(path).map_err(|error| format!("{}: {error}", path.display()));
        fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
        let mut command = self.command(simulation, &files, &[]);
        command.stdout(open(&outputs[0])?).stderr(open(&outputs[1])?);
        let child = command.spawn().map_err(|error| format!("smpirun: {error}"))?;
        let ended = self.wait(Job::new(child))?;
        let [text, errors] = outputs.map(|path| fs::read_to_string(path).unwrap_or_default());
        let what = format!("{} {}", simulation.driver.display(), simulation.arguments.join(" "));
        if errors.contains(DEADLOCK) || ended.is_none() {
            let how = if ended.is_none() {
                format!("has not ended after {} s (--time-limit)", self.limit.as_secs())
            } else {
                "is in a deadlock: no rank can go on".to_owned()
            };
            let calls = self.calls_of_a_hang(simulation, &files)?;
            return Err(format!("the simulation of {what} on {} ranks {how}\n{calls}", simulation.ranks));
        }
        if ended != Some(true) {
            let last: Vec<&str> = errors.lines().rev().take(20).collect();
            let last = last.into_iter().rev().collect::<Vec<_>>().join("\n");
            return Err(format!("the simulation of {what} on {} ranks failed:\n{last}", simulation.ranks));
        }
        Ok(text.lines().map(str::to_owned).collect())
    }

    fn write_platform(&self, platform: &Platform<'_>) -> Result<[PathBuf; 2], Failure> {
        let folder = self.root.join("platforms");
        let put = |end: &str, text: String| {
            let path = folder.join(format!("{}.{end}", platform.name()));
            fs::create_dir_all(&folder)
                .and_then(|()| fs::write(&path, text))
                .map_err(|error| format!("{}: {error}", path.display()))?;
            Ok::<_, Failure>(path)
        };
        Ok([put("platform", platform.description())?, put("hosts", platform.hosts())?])
    }

    /// Whether it has ended well; nothing where it was ended at the limit.
    fn wait(&self, mut job: Job) -> Result<Option<bool>, Failure> {
        let begin = Instant::now();
        loop {
            if let Some(status) = job.ended().map_err(|error| format!("smpirun: {error}"))? {
                return Ok(Some(status.success()));
            }
            if interrupted() {
                job.end();
                return Err("interrupted".to_owned());
            }
            if begin.elapsed() > self.limit {
                job.end();
                return Ok(None);
            }
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// The same once more, with SimGrid telling of every call, of which the last of each rank is kept.
    fn calls_of_a_hang(&self, simulation: &Simulation<'_>, files: &[PathBuf; 2]) -> Result<String, Failure> {
        let more = ["--log=smpi_mpi.thres:verbose", "--log=smpi_pmpi.thres:verbose"];
        let mut command = self.command(simulation, files, &more);
        command.stdout(Stdio::null()).stderr(Stdio::piped());
        let mut child = command.spawn().map_err(|error| format!("smpirun: {error}"))?;
        let pipe = child.stderr.take();
        let reader = std::thread::spawn(move || {
            let mut calls = Calls::default();
            for line in pipe.into_iter().flat_map(|pipe| BufReader::new(pipe).lines()).map_while(Result::ok) {
                calls.read(&line);
            }
            calls
        });
        self.wait(Job::new(child))?;
        let calls = reader.join().map_err(|_| "the calls of a hang could not be read".to_owned())?;
        Ok(calls.text())
    }
}

/// Where every rank is, from SimGrid's log.
#[derive(Debug, Default)]
struct Calls {
    last: BTreeMap<usize, String>,
}

impl Calls {
    /// `[node-0:3:(4) 0.000000] file: [smpi_mpi/VERBOSE] SMPI - Entering MPI_Recv`: rank 3, or at the end
    /// `Actor 4 (3@node-0): waiting for ...`.
    fn read(&mut self, line: &str) {
        let rank =
            line.strip_prefix('[').and_then(|rest| rest.split(':').nth(1)).and_then(|rank| rank.parse().ok());
        if let (Some(rank), Some((_, call))) = (rank, line.split_once("SMPI - Entering ")) {
            self.last.insert(rank, format!("in {call}"));
        } else if let (Some(rank), Some((_, call))) = (rank, line.split_once("SMPI - Leaving ")) {
            let place =
                if call == "MPI_Finalize" { "at its end".to_owned() } else { format!("after {call}") };
            self.last.insert(rank, place);
        }
    }

    /// Ranks that are not at their end, those at the same place together.
    fn text(&self) -> String {
        let mut places: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        for (&rank, place) in self.last.iter().filter(|(_, place)| *place != "at its end") {
            places.entry(place).or_default().push(rank);
        }
        let lines = places.iter().map(|(place, ranks)| {
            let shown: Vec<String> = ranks.iter().take(16).map(ToString::to_string).collect();
            let more = if ranks.len() > 16 { ", ..." } else { "" };
            format!("  {} rank(s) {place}: {}{more}", ranks.len(), shown.join(", "))
        });
        lines.collect::<Vec<_>>().join("\n")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_of_a_hang_are_told_by_their_calls() {
        let mut calls = Calls::default();
        for (rank, what) in [(0, "Entering MPI_Recv"), (1, "Entering MPI_Barrier"), (2, "Entering MPI_Recv")]
        {
            calls.read(&format!(
                "[node-{rank}:{rank}:({}) 0.1] ./x.cpp:1: [smpi_mpi/VERBOSE] SMPI - {what}",
                rank + 1
            ));
        }
        calls.read("[node-3:3:(4) 0.1] ./x.cpp:1: [smpi_mpi/VERBOSE] SMPI - Leaving MPI_Comm_rank");
        calls.read("[0.000000] [ker_engine/INFO] 4 actors are still running, waiting for something.");
        assert_eq!(
            calls.text(),
            "  1 rank(s) after MPI_Comm_rank: 3\n  1 rank(s) in MPI_Barrier: 1\n  2 rank(s) in MPI_Recv: 0, 2"
        );
    }

    #[test]
    fn what_does_not_fit_is_refused_with_both_numbers() {
        assert_eq!(check_room(8, 1), Ok(()));
        let error = check_room(1 << 40, 1).expect_err("no machine has room");
        assert!(error.contains("1099511627776 simulated ranks") && error.contains("available"), "{error}");
    }
}
