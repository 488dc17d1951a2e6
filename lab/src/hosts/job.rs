//! Hosts, and jobs on them.

use super::options::{Links, Options};
use crate::hpcc::launch::{Job, interrupted};
use hcube_hosts::placement::Order;
use hcube_hosts::{Hosts, Launcher, Network};
use hcube_results::hosts as results;
use hcube_tool::launcher;
use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Interval of polls.
const POLL: Duration = Duration::from_millis(20);

/// Variables that reach the ranks if they are set, beside hcube's own.
pub const VARIABLES: [&str; 3] = ["LD_LIBRARY_PATH", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"];

/// Libraries that are loaded before the libraries of a program.
const PRELOAD: &str = "LD_PRELOAD";

/// The library by which ranks of MPICH yield lies beside this program.
fn yielding() -> Result<PathBuf, String> {
    let own = std::env::current_exe().map_err(|error| format!("the path of this program: {error}"))?;
    let file = own.with_file_name("libhcube_yielding.so");
    if file.is_file() {
        return Ok(file);
    }
    Err(format!("{} is missing, so ranks do not yield; cargo build -p hcube-yielding", file.display()))
}

/// Hosts with their launcher.
pub struct Place {
    options: Options,
    hosts: Hosts,
    /// What ranks preload so that they yield, where their MPI library does not.
    yielding: Option<PathBuf>,
    /// What starts a program on one core, where ranks are bound.
    binding: Option<String>,
}

impl Place {
    /// New hosts as the options say.
    ///
    /// # Errors
    /// Where the machine cannot have them, or has no such launcher.
    pub fn new(options: &Options) -> Result<Self, String> {
        if !launcher::exists(&program(options)) {
            return Err(format!("--mpi {}: {} is not in the search path", options.mpi, program(options)));
        }
        let own = std::env::current_exe().map_err(|error| format!("the path of this program: {error}"))?;
        let latency = options.links.latency.map(|latency| (latency, own));
        let network = Network { rate: options.links.rate, latency };
        let hosts = Hosts::new(options.hosts, &network, &[]).map_err(|reason| {
            format!("--hosts {}: this machine cannot have them: {reason}", options.hosts)
        })?;
        Ok(Self { options: options.clone(), hosts, yielding: None, binding: None })
    }

    /// Lets ranks yield that poll the network without result.
    ///
    /// # Errors
    /// Where the library for this is missing.
    pub fn let_ranks_yield(&mut self) -> Result<(), String> {
        // Ranks of Open MPI do where the launcher says so.
        if Launcher::of(&self.options.mpi) == Launcher::Hydra {
            self.yielding = Some(yielding()?);
        }
        Ok(())
    }

    /// Binds the ranks of each host to the cores in turn. Otherwise the kernel decides for each job anew
    /// which of its ranks share a core, and two ranks of a host exchange in 0.4 or in 11 us (`rows` of 128
    /// bytes on 2 x 2 ranks with Open MPI 5.0.11, two jobs).
    ///
    /// # Errors
    /// Where the cores of this process are not known.
    pub fn bind_ranks(&mut self) -> Result<(), String> {
        const STATUS: &str = "/proc/self/status";
        let status = std::fs::read_to_string(STATUS).map_err(|error| format!("{STATUS}: {error}"))?;
        self.binding = Some(on_a_core(&allowed(&status).ok_or_else(|| format!("{STATUS}: no cores"))?));
        Ok(())
    }

    /// What there is, in words.
    pub fn title(&self) -> String {
        self.about().title()
    }

    /// The same for results.
    pub fn about(&self) -> results::Place {
        let Options { hosts, ranks_per_host, links: Links { rate, latency }, mpi, .. } = &self.options;
        results::Place {
            mpi: mpi.clone(),
            hosts: *hosts,
            ranks_per_host: *ranks_per_host,
            rate_mbit: rate.map(|rate| rate as f64 / 1e6),
            latency_us: latency.map(|time| time.as_nanos() as f64 / 1e3),
        }
    }

    /// The command that starts a program on all ranks, in the current folder.
    ///
    /// # Errors
    /// Where there is no current folder.
    pub fn command(&self, variables: &[String], line: &[OsString]) -> Result<Command, String> {
        let folder = std::env::current_dir().map_err(|error| format!("the current folder: {error}"))?;
        let mut command = self.launcher(&folder, variables, self.order());
        self.add_program(&mut command, line);
        Ok(command)
    }

    /// Adds the program of all ranks to the start of a launcher's command.
    pub fn add_program(&self, command: &mut Command, line: &[OsString]) {
        command.args(["-np", &self.ranks().to_string()]);
        if let Some(script) = &self.binding {
            command.args(["sh", "-c", script]);
        }
        command.args(line);
    }

    pub fn ranks(&self) -> usize {
        self.options.hosts * self.options.ranks_per_host
    }

    /// What the options say.
    fn order(&self) -> Order {
        if self.options.in_turn { Order::InTurn } else { Order::Filling }
    }

    /// The start of a command for ranks in a folder, up to their number; these variables reach them too.
    pub fn launcher(&self, folder: &Path, variables: &[String], order: Order) -> Command {
        let Options { hosts, ranks_per_host, mpi, .. } = &self.options;
        let placement = self.hosts.placement(&vec![*ranks_per_host; *hosts], order);
        let own = std::env::vars_os().filter_map(|(name, _)| name.into_string().ok());
        let own = own.filter(|name| name.starts_with("HCUBE_") || VARIABLES.contains(&name.as_str()));
        let mut names: BTreeSet<String> = own.chain(variables.iter().cloned()).collect();
        let kind = Launcher::of(mpi);
        names.extend(self.yielding.is_some().then(|| PRELOAD.to_owned()));
        let mut command = placement.command(kind, program(&self.options), names.iter().map(String::as_str));
        command.arg("-wdir").arg(folder);
        if let Some(file) = &self.yielding {
            let others = std::env::var_os(PRELOAD).unwrap_or_default();
            let all = [others, file.into()].into_iter().filter(|one| !one.is_empty()).collect::<Vec<_>>();
            command.env(PRELOAD, all.join(OsStr::new(":")));
        }
        if kind != Launcher::Hydra {
            command.args(["--oversubscribe", "--bind-to", "none"]);
            launcher::prepare(&mut command, "openmpi");
            // Inside, the user is root.
            command.env("OMPI_ALLOW_RUN_AS_ROOT", "1").env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1");
        }
        command
    }
}

/// The cores that a process may use, from its status.
fn allowed(status: &str) -> Option<Vec<usize>> {
    let list = status.lines().find_map(|line| line.strip_prefix("Cpus_allowed_list:"))?;
    let range = |part: &str| {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        Some(first.parse().ok()?..=last.parse().ok()?)
    };
    let ranges: Option<Vec<_>> = list.trim().split(',').map(range).collect();
    Some(ranges?.into_iter().flatten().collect())
}

/// A script that starts its arguments on the core whose turn it is, by the number of a rank on its host.
fn on_a_core(cores: &[usize]) -> String {
    let list = cores.iter().map(ToString::to_string).collect::<Vec<_>>().join(",");
    format!(
        "exec taskset -c $(echo {list} | cut -d , -f $((${{OMPI_COMM_WORLD_LOCAL_RANK:-${{MPI_LOCALRANKID:-0}}}} % \
         {} + 1))) \"$0\" \"$@\"",
        cores.len()
    )
}

fn program(options: &Options) -> String {
    format!("mpirun.{}", options.mpi)
}

/// Runs a job to its end; its exit status as shells have it.
///
/// # Errors
/// If it cannot be started, does not end within the limit, or the user has interrupted this command.
pub fn status(command: Command, limit: Option<Duration>) -> Result<u8, String> {
    until(command, limit, || false).map(|status| status.unwrap_or(0))
}

/// Runs a job to its end, or until it has done enough: then it has no exit status.
///
/// # Errors
/// As [`status`].
pub fn until(
    mut command: Command,
    limit: Option<Duration>,
    has_done_enough: impl Fn() -> bool,
) -> Result<Option<u8>, String> {
    command.stdin(Stdio::null()).process_group(0);
    let child = command.spawn().map_err(|error| format!("nsenter: {error}"))?;
    let (mut job, begin) = (Job::new(child), Instant::now());
    loop {
        std::thread::sleep(POLL);
        if interrupted() {
            job.end();
            return Err("interrupted".to_owned());
        }
        if let Some(limit) = limit.filter(|&limit| begin.elapsed() > limit) {
            job.end();
            return Err(format!("it did not end within {} s", limit.as_secs()));
        }
        if let Some(status) = job.ended().map_err(|error| format!("the launcher: {error}"))? {
            let signal = || status.signal().map_or(1, |signal| 128 + signal);
            return Ok(Some(status.code().unwrap_or_else(signal).try_into().unwrap_or(1)));
        }
        if has_done_enough() {
            job.end();
            return Ok(None);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cores_are_listed_in_ranges() {
        let status = |list: &str| format!("Name:\thcube\nCpus_allowed_list:\t{list}\nMems_allowed:\t1\n");
        assert_eq!(allowed(&status("0-2,5,7-8")), Some(vec![0, 1, 2, 5, 7, 8]));
        assert_eq!(allowed(&status("3")), Some(vec![3]));
        assert_eq!((allowed(&status("")), allowed("Name:\thcube\n")), (None, None));
    }

    /// The ranks of a host take turns, also on cores that do not begin with 0.
    #[test]
    fn ranks_are_bound_in_turn() {
        let own = std::fs::read_to_string("/proc/self/status").expect("readable");
        let cores = allowed(&own).expect("a list");
        for rank in 0..2 * cores.len() {
            let mut command = Command::new("sh");
            command.args(["-c", &on_a_core(&cores), "grep", "Cpus_allowed_list", "/proc/self/status"]);
            let output = command.env("OMPI_COMM_WORLD_LOCAL_RANK", rank.to_string()).output().expect("sh");
            let said = String::from_utf8_lossy(&output.stdout).into_owned();
            assert_eq!(allowed(&said), Some(vec![cores[rank % cores.len()]]), "{output:?}");
        }
    }

    #[test]
    fn jobs_end_by_themselves_or_when_they_have_done_enough() {
        let shell = |line: &str| {
            let mut command = Command::new("sh");
            command.args(["-c", line]);
            command
        };
        assert_eq!(status(shell("exit 3"), None), Ok(3));
        assert_eq!(status(shell("kill -9 $$"), None), Ok(137));
        assert_eq!(until(shell("sleep 60"), None, || true), Ok(None));
        let limit = Some(Duration::from_millis(50));
        assert!(status(shell("sleep 60"), limit).is_err_and(|reason| reason.contains("did not end")));
    }
}
