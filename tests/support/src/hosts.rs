//! Several hosts on one machine, joined by a network.
//!
//! A host is a process in separate namespaces: network, host name, mounts, System V memory and process
//! numbers. It has one interface, `eth0`, a private `/dev/shm`, and process numbers that begin at 1 as on
//! every other host, so that only the network connects hosts. The launcher runs on the *front*, as on a login
//! node: it holds the switch, runs no ranks, and starts Open MPI's daemons by `nsenter` instead of ssh.
//!
//! Nothing is left behind, even if a test fails or is killed. Hosts are created inside the front's process
//! namespace, and the front waits for the end of a pipe that this process holds: when it is closed, by
//! `Drop`, a panic or SIGKILL, the front ends, the kernel ends every process inside, and interfaces,
//! addresses and memory are freed with the last of them. None of them has a name outside, so several sets are
//! independent.

use super::supervise::{MARKER, OUTPUT};
use super::{Launch, output};
use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::os::unix::fs::PermissionsExt;
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// The command that puts a process into a new host.
const NEW_HOST: [&str; 8] =
    ["unshare", "--net", "--uts", "--ipc", "--mount", "--pid", "--fork", "--mount-proc"];

/// Name of the variable by which the process that holds a host is found.
const HOLDER: &str = "HCUBE_TEST_HOST";

/// Where Open MPI keeps its files of a job: they can be found there, and end with the host.
const TEMPORARY: &str = "/dev/shm";

/// The command that Open MPI calls instead of ssh. Its daemons also check whether it exists, though they
/// start nothing.
const AGENT: &str = "/dev/shm/agent";

/// Seconds after which Open MPI has detected that a host is gone: its daemons' connections are idle during a
/// job, so silence is detected only by TCP's keepalive. By default it begins after 300 s and gives up after 9
/// probes, 20 s apart: 480 s. Here it is 3 s and 3 probes, 1 s apart.
pub const KEEPALIVE: [(&str, u64); 3] =
    [("oob_tcp_keepalive_time", 3), ("oob_tcp_keepalive_intvl", 1), ("oob_tcp_keepalive_probes", 3)];

/// A process that waits in separate namespaces until its standard input is closed.
#[derive(Debug)]
struct Holder {
    child: Child,
    /// Its number here.
    process: u32,
    /// Its number in the namespace around its own.
    around: u32,
}

impl Holder {
    /// `inside` is the prefix of the command: empty, or the command that enters the front.
    fn start(inside: &[String], name: &str, commands: &str) -> Self {
        static NUMBER: AtomicUsize = AtomicUsize::new(0);
        let mark = format!("{}-{}", std::process::id(), NUMBER.fetch_add(1, Ordering::Relaxed));
        let script = format!(
            "set -e; hostname {name}; mount -t tmpfs tmpfs /dev/shm; ip link set lo up; {commands}
             echo ready; cat >/dev/null"
        );
        let line = inside.iter().map(String::as_str).chain(NEW_HOST).chain(["sh", "-c", &script]);
        let line: Vec<&str> = line.collect();
        let mut command = Command::new(line[0]);
        command.args(&line[1..]).env(HOLDER, &mark);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap_or_else(|error| panic!("{command:?}: {error}"));
        let mut said = String::new();
        let stdout = child.stdout.as_mut().expect("a pipe");
        BufReader::new(stdout).read_line(&mut said).expect("a line of the host");
        if said.trim() != "ready" {
            let mut reason = String::new();
            let _ = child.stderr.as_mut().expect("a pipe").read_to_string(&mut reason);
            let _ = child.wait();
            panic!("{name} did not come up: {reason}");
        }
        let numbers = first_process(&mark);
        Self { child, process: numbers[0], around: numbers[numbers.len() - 2] }
    }

    /// Runs a command with some of the host's namespaces; its output.
    fn run(&self, namespaces: &[&str], command: &str) -> String {
        let mut enter = Command::new("nsenter");
        enter.args(["--target", &self.process.to_string()]).args(namespaces);
        output(enter.args(["sh", "-ec", command]))
    }

    /// All namespaces of a process, by a number that is known where the command runs.
    fn entrance(process: u32) -> Vec<String> {
        let process = process.to_string();
        ["nsenter", "--target", &process, "--net", "--uts", "--ipc", "--mount", "--pid"]
            .map(str::to_owned)
            .to_vec()
    }
}

impl Drop for Holder {
    fn drop(&mut self) {
        drop(self.child.stdin.take());
        let _ = self.child.wait();
    }
}

/// Numbers, from here inwards, of the process with this mark that is the first of its namespace.
fn first_process(mark: &str) -> Vec<u32> {
    let wanted = format!("{HOLDER}={mark}");
    let numbers = |process: u32| -> Option<Vec<u32>> {
        let environment = fs::read(format!("/proc/{process}/environ")).ok()?;
        environment.split(|&byte| byte == 0).find(|&variable| variable == wanted.as_bytes())?;
        let status = fs::read_to_string(format!("/proc/{process}/status")).ok()?;
        let line = status.lines().find_map(|line| line.strip_prefix("NSpid:"))?;
        let numbers: Vec<u32> = line.split_whitespace().filter_map(|word| word.parse().ok()).collect();
        (numbers.len() > 1 && numbers.last() == Some(&1)).then_some(numbers)
    };
    all_processes().find_map(numbers).expect("the first process of a host")
}

fn all_processes() -> impl Iterator<Item = u32> {
    let folders = fs::read_dir("/proc").expect("/proc").flatten();
    folders.filter_map(|folder| folder.file_name().to_string_lossy().parse().ok())
}

/// Why this machine, or this user, cannot have hosts.
fn reason_against() -> Option<&'static str> {
    static REASON: OnceLock<Option<String>> = OnceLock::new();
    REASON.get_or_init(find_reason).as_deref()
}

fn find_reason() -> Option<String> {
    // SAFETY: has no preconditions.
    if unsafe { libc::geteuid() } != 0 {
        return Some("only root may make network namespaces".to_owned());
    }
    if super::Mpi::selected() != super::Mpi::Open {
        return Some("they are about Open MPI's daemons".to_owned());
    }
    let probe = "mount -t tmpfs tmpfs /dev/shm && hostname host && ip link add switch type bridge &&
                 ip link add port type veth peer name eth0 && ip link set port master switch";
    let attempt = Command::new(NEW_HOST[0]).args(&NEW_HOST[1..]).args(["sh", "-c", probe]).output();
    match attempt {
        Ok(attempt) if attempt.status.success() => None,
        Ok(attempt) => Some(String::from_utf8_lossy(&attempt.stderr).trim().replace('\n', "; ")),
        Err(error) => Some(format!("{}: {error}", NEW_HOST[0])),
    }
}

/// Hosts `node1`, `node2` and so on, connected to a front with a switch.
#[derive(Debug)]
pub struct Hosts {
    /// Declared before the front, because fields are dropped in the order of declaration.
    hosts: Vec<Holder>,
    front: Holder,
}

impl Hosts {
    /// So many hosts, or none where the machine cannot have them.
    pub fn new(number: usize) -> Option<Self> {
        if let Some(reason) = reason_against() {
            super::skip("hosts", &format!("this machine cannot have several hosts: {reason}"));
            return None;
        }
        let address = |number: usize| format!("ip addr add {}/24 dev", Self::address(number));
        let switch =
            format!("ip link add switch type bridge; {} switch; ip link set switch up;", address(254));
        let front = Holder::start(&[], "front", &switch);
        let mut hosts = Vec::new();
        for index in 1..=number {
            let host = Holder::start(&Holder::entrance(front.process), &format!("node{index}"), "");
            let cable = format!(
                "ip link add port{index} type veth peer name eth0 netns {};
                 ip link set port{index} master switch up",
                host.process
            );
            front.run(&["--net"], &cable);
            host.run(&["--net"], &format!("{} eth0; ip link set eth0 up", address(index)));
            hosts.push(host);
        }
        let made = Self { hosts, front };
        made.write_agent();
        Some(made)
    }

    /// Addresses of these hosts; they mean nothing outside.
    fn address(number: usize) -> String {
        format!("10.77.0.{number}")
    }

    /// The agent is called as `agent <address> <command>`. Nothing of the environment goes along but
    /// what marks the processes of a job: variables go by `mpirun -x` as between real hosts.
    fn write_agent(&self) {
        let case = |(index, host): (usize, &Holder)| {
            format!(
                "  {}) entrance='{}' ;;\n",
                Self::address(index + 1),
                Holder::entrance(host.around).join(" ")
            )
        };
        let cases: String = self.hosts.iter().enumerate().map(case).collect();
        let environment = format!("{MARKER}=\"${MARKER}\" PATH=\"$PATH\" HOME=/root TMPDIR={TEMPORARY}");
        let script = format!(
            "#!/bin/sh\ncase $1 in\n{cases}  *) echo \"no host $1\" >&2; exit 1 ;;\nesac\n\
             shift\nexec $entrance env -i {environment} sh -c \"$*\"\n"
        );
        for host in self.hosts.iter().chain([&self.front]) {
            let file = format!("/proc/{}/root{AGENT}", host.process);
            fs::write(&file, &script).expect("a host's memory is writable");
            fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).expect("our own file");
        }
    }

    /// How a job with these numbers of ranks per host is started; `order` is what Open MPI deals them out by.
    pub fn placement(&self, ranks: &[usize], order: &'static str) -> Placement {
        assert!(ranks.len() <= self.hosts.len(), "{ranks:?} on {} hosts", self.hosts.len());
        let places =
            ranks.iter().enumerate().map(|(index, ranks)| format!("{}:{ranks}", Self::address(index + 1)));
        Placement {
            entrance: Holder::entrance(self.front.process),
            hosts: places.collect::<Vec<_>>().join(","),
            order,
        }
    }

    /// Sets the interface of a host down, from another thread if need be.
    pub fn cutter(&self, host: usize) -> impl FnOnce() + Send + 'static {
        let process = self.hosts[host - 1].process.to_string();
        move || {
            output(
                Command::new("nsenter")
                    .args(["--target", &process, "--net", "ip", "link", "set", "eth0", "down"]),
            );
        }
    }

    /// Files in /dev/shm and pieces of System V memory, of all hosts, by the host's name.
    pub fn shared_memory(&self) -> BTreeMap<String, Vec<String>> {
        let list = format!("find /dev/shm -type f ! -path {AGENT}; tail -n +2 /proc/sysvipc/shm");
        let hosts = self.hosts.iter().chain([&self.front]);
        hosts
            .map(|host| {
                let name = host.run(&["--uts"], "hostname").trim().to_owned();
                (name, host.run(&["--mount", "--ipc"], &list).lines().map(str::to_owned).collect())
            })
            .filter(|(_, lines): &(String, Vec<String>)| !lines.is_empty())
            .collect()
    }

    /// Numbers of all processes inside.
    pub fn processes(&self) -> Vec<u32> {
        let namespace = |process: u32| fs::read_link(format!("/proc/{process}/ns/pid")).ok();
        let inside: Vec<_> =
            self.hosts.iter().chain([&self.front]).filter_map(|host| namespace(host.process)).collect();
        all_processes()
            .filter(|&process| namespace(process).is_some_and(|namespace| inside.contains(&namespace)))
            .collect()
    }
}

/// Where the ranks of a job are to run, and how they are started there.
#[derive(Debug, Clone)]
pub struct Placement {
    entrance: Vec<String>,
    hosts: String,
    order: &'static str,
}

impl Placement {
    /// The start of the launcher's command line.
    pub fn command(&self, launcher: &str, launch: &Launch) -> Command {
        let mut command = Command::new(&self.entrance[0]);
        command.args(&self.entrance[1..]).arg(launcher).args(["--map-by", self.order, "--host", &self.hosts]);
        command.args(["--mca", "plm_rsh_agent", AGENT]).env("TMPDIR", TEMPORARY);
        // Hosts have all cores each, as far as Open MPI knows, and in truth share them.
        command.args(["--mca", "mpi_yield_when_idle", "1"]);
        for (name, seconds) in KEEPALIVE {
            command.args(["--mca", name, &seconds.to_string()]);
        }
        let own = [MARKER, OUTPUT, "LD_LIBRARY_PATH"];
        for name in own.into_iter().chain(launch.environment.iter().map(|(name, _)| name.as_str())) {
            command.args(["-x", name]);
        }
        if let Some(folder) = &launch.folder {
            command.arg("-wdir").arg(folder);
        }
        command
    }
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
