//! Several hosts on one machine, joined by a network.
//!
//! A host is a process in separate namespaces: network, host name, mounts, System V memory and process
//! numbers. It has one interface, `eth0`, a private `/dev/shm`, and process numbers that begin at 1 as on
//! every other host, so that only the network connects hosts. The launcher runs on the *front*, as on a login
//! node: it holds the switch, runs no ranks, and starts the daemons of the MPI library by `nsenter` instead
//! of ssh.
//!
//! Nothing is left behind, even if the program that has made them is killed. Hosts are created inside the
//! front's process namespace, and the front waits for the end of a pipe that this process holds: when it is
//! closed, by `Drop`, a panic or SIGKILL, the front ends, the kernel ends every process inside, and
//! interfaces, addresses and memory are freed with the last of them. None of them has a name outside, so
//! several sets are independent.
//!
//! The network is the kernel's: a bridge, or, where messages shall take time, the program of [`relay`]. The
//! rate of each link is limited by the kernel's token bucket. What is real: the MPI libraries, their messages
//! and system calls. What is not: all hosts share the processors and the memory of one machine.
//!
//! | module | contents |
//! |---|---|
//! | `holder` | the process that holds the namespaces of a host |
//! | `network` | links and their rates |
//! | `relay` | a switch in user space that delays frames |
//! | `placement` | how launchers of MPI libraries start ranks on hosts |

#![expect(missing_docs, reason = "no public crate: only tests and hcube-lab use it")]

mod holder;
mod network;
pub mod placement;
pub mod relay;

pub use network::Network;
pub use placement::{Launcher, Placement};

use holder::Holder;
use std::collections::BTreeMap;
use std::fs;
use std::process::{Child, Command};
use std::time::{Duration, Instant};

/// Where the MPI libraries keep their files of a job: they can be found there, and end with the host.
pub const TEMPORARY: &str = "/dev/shm";

/// The command that launchers call instead of ssh. Daemons of Open MPI also check whether it exists, though
/// they start nothing.
pub(crate) const AGENT: &str = "/dev/shm/agent";

/// Names and addresses, in the place of `/etc/hosts`.
pub(crate) const NAMES: &str = "/dev/shm/hosts";

/// The most hosts: their addresses have one number of their own.
pub const MAX_HOSTS: usize = 250;

/// Hosts `node1`, `node2` and so on, connected to a front with a switch.
#[derive(Debug)]
pub struct Hosts {
    /// Declared before the front, because fields are dropped in the order of declaration.
    hosts: Vec<Holder>,
    front: Holder,
    _relay: Ended,
}

/// A process that ends with the front.
#[derive(Debug)]
struct Ended(Option<Child>);

impl Drop for Ended {
    fn drop(&mut self) {
        if let Some(child) = &mut self.0 {
            let _ = child.wait();
        }
    }
}

/// Why this machine, or this user, cannot have hosts.
///
/// # Errors
/// The reason, in the words of the command that failed.
pub fn possible() -> Result<(), String> {
    let probe = "mount -t tmpfs tmpfs /dev/shm && mount --bind /dev/null /etc/hosts && hostname host &&
                 ip link add switch type bridge && ip link add port type veth peer name eth0 &&
                 ip link set port master switch";
    let words = holder::new_host(true);
    let attempt = Command::new(&words[0]).args(&words[1..]).args(["sh", "-c", probe]).output();
    match attempt {
        Ok(attempt) if attempt.status.success() => Ok(()),
        Ok(attempt) => Err(String::from_utf8_lossy(&attempt.stderr).trim().replace('\n', "; ")),
        Err(error) => Err(format!("{}: {error}", words[0])),
    }
}

impl Hosts {
    /// So many hosts, joined by this network. Daemons of launchers get these variables from their
    /// environment.
    ///
    /// # Errors
    /// Where the machine or the user cannot have them; nothing is left then.
    pub fn new(number: usize, network: &Network, variables: &[&str]) -> Result<Self, String> {
        assert!((1..=MAX_HOSTS).contains(&number), "{number} hosts: 1 to {MAX_HOSTS} are possible");
        let names = Self::names(number);
        let front = Holder::start(None, "front", &format!("{names}\n{}", network.switch(FRONT)))?;
        let mut hosts = Vec::new();
        for index in 1..=number {
            let host = Holder::start(Some(&front), &name(index), &names)?;
            network.connect(&front, &host, index)?;
            hosts.push(host);
        }
        let relay = network.start(&front, FRONT, &hosts)?;
        let agent = placement::agent(&hosts, variables);
        for host in hosts.iter().chain([&front]) {
            host.write(AGENT, 0o755, &agent)?;
        }
        Ok(Self { hosts, front, _relay: Ended(relay) })
    }

    /// The shell commands that give a host the names of all.
    fn names(number: usize) -> String {
        let line = |index: usize| format!("{} {}\\n", address(index), name(index));
        let lines: String = (1..=number).map(line).collect();
        format!(
            "printf '127.0.0.1 localhost\\n{} front\\n{lines}' >{NAMES}; mount --bind {NAMES} /etc/hosts",
            address(FRONT)
        )
    }

    /// How a job with these numbers of ranks per host is started.
    pub fn placement(&self, ranks: &[usize], order: placement::Order) -> Placement {
        assert!(ranks.len() <= self.hosts.len(), "{ranks:?} on {} hosts", self.hosts.len());
        let places = ranks.iter().enumerate().map(|(index, ranks)| format!("{}:{ranks}", name(index + 1)));
        Placement::new(self.front.entrance(), places.collect::<Vec<_>>().join(","), order)
    }

    /// A command that runs on the front.
    pub fn on_front(&self, program: &str) -> Command {
        let entrance = self.front.entrance();
        let mut command = Command::new(&entrance[0]);
        command.args(&entrance[1..]).arg(program).env("TMPDIR", TEMPORARY);
        command
    }

    /// Sets the interface of a host down, from another thread if need be.
    pub fn cutter(&self, host: usize) -> impl FnOnce() + Send + 'static {
        let entrance = self.hosts[host - 1].entrance();
        move || {
            let mut command = Command::new(&entrance[0]);
            let status = command.args(&entrance[1..]).args(["ip", "link", "set", "eth0", "down"]).status();
            assert!(status.is_ok_and(|status| status.success()), "{command:?}");
        }
    }

    /// Files in /dev/shm and pieces of System V memory, of all hosts, by the host's name.
    ///
    /// # Errors
    /// Where a host is gone.
    pub fn shared_memory(&self) -> Result<BTreeMap<String, Vec<String>>, String> {
        let list = format!(
            "hostname; find /dev/shm -type f ! -path {AGENT} ! -path {NAMES}; tail -n +2 /proc/sysvipc/shm"
        );
        let mut found = BTreeMap::new();
        for host in self.hosts.iter().chain([&self.front]) {
            let text = host.run(&list)?;
            let mut lines = text.lines().map(str::to_owned);
            let name = lines.next().unwrap_or_default();
            let lines: Vec<String> = lines.collect();
            if !lines.is_empty() {
                found.insert(name, lines);
            }
        }
        Ok(found)
    }

    /// Numbers of all processes inside.
    pub fn processes(&self) -> Vec<u32> {
        let namespace = |process: u32| fs::read_link(format!("/proc/{process}/ns/pid")).ok();
        let inside: Vec<_> =
            self.hosts.iter().chain([&self.front]).filter_map(|host| namespace(host.process)).collect();
        holder::all_processes()
            .filter(|&process| namespace(process).is_some_and(|namespace| inside.contains(&namespace)))
            .collect()
    }
}

/// The number of the front among the addresses.
const FRONT: usize = 254;

/// Addresses of these hosts; they mean nothing outside.
pub(crate) fn address(number: usize) -> String {
    format!("10.77.0.{number}")
}

pub(crate) fn name(number: usize) -> String {
    format!("node{number}")
}

/// Whether none of these processes is left after a while.
pub fn all_gone(processes: &[u32]) -> bool {
    let begin = Instant::now();
    let left = || processes.iter().any(|process| fs::exists(format!("/proc/{process}")).unwrap_or(true));
    while left() && begin.elapsed() < Duration::from_secs(10) {
        std::thread::sleep(Duration::from_millis(20));
    }
    !left()
}
