//! The process that holds the namespaces of a host.

use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};

/// Name of the variable by which the process that holds a host is found.
const HOLDER: &str = "HCUBE_HOST";

/// The namespaces of a host, as `unshare` and `nsenter` call them.
const NAMESPACES: [&str; 5] = ["--net", "--uts", "--ipc", "--mount", "--pid"];

/// The command that puts a process into a new host. The first host of a user other than root is in a user
/// namespace as well, in which this user is root.
pub fn new_host(is_first: bool) -> Vec<String> {
    let user: &[&str] = if is_first && !is_root() { &["--user", "--map-root-user"] } else { &[] };
    let words = ["unshare"].iter().chain(user).chain(&NAMESPACES).chain(&["--fork", "--mount-proc"]);
    words.map(|&word| word.to_owned()).collect()
}

fn is_root() -> bool {
    fs::metadata("/proc/self").is_ok_and(|own| own.uid() == 0)
}

/// A process that waits in separate namespaces until its standard input is closed.
#[derive(Debug)]
pub struct Holder {
    child: Child,
    /// Its number here.
    pub process: u32,
    /// Its number in the namespace around its own.
    pub around: u32,
}

impl Holder {
    /// Inside the front, or the front itself; `commands` of the shell prepare it.
    pub fn start(front: Option<&Self>, name: &str, commands: &str) -> Result<Self, String> {
        static NUMBER: AtomicUsize = AtomicUsize::new(0);
        let mark = format!("{}-{}", std::process::id(), NUMBER.fetch_add(1, Ordering::Relaxed));
        let script = format!(
            "set -e; hostname {name}; mount -t tmpfs tmpfs /dev/shm; ip link set lo up; {commands}
             echo ready; cat >/dev/null"
        );
        let mut line = front.map_or_else(Vec::new, Self::entrance);
        line.extend(new_host(front.is_none()));
        let mut command = Command::new(&line[0]);
        command.args(&line[1..]).args(["sh", "-c", &script]).env(HOLDER, &mark);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().map_err(|error| format!("{}: {error}", line[0]))?;
        let mut said = String::new();
        if let Some(stdout) = child.stdout.as_mut() {
            let _ = BufReader::new(stdout).read_line(&mut said);
        }
        let numbers = if said.trim() == "ready" { first_process(&mark) } else { Vec::new() };
        let [.., around, _] = numbers[..] else {
            drop(child.stdin.take());
            let mut reason = String::new();
            if let Some(mut stderr) = child.stderr.take() {
                let _ = stderr.read_to_string(&mut reason);
            }
            let _ = child.wait();
            return Err(format!("{name} did not come up: {}", reason.trim()));
        };
        Ok(Self { child, process: numbers[0], around })
    }

    /// Runs a command of the shell on this host; its output.
    pub fn run(&self, command: &str) -> Result<String, String> {
        let entrance = self.entrance();
        let output = Command::new(&entrance[0]).args(&entrance[1..]).args(["sh", "-ec", command]).output();
        let output = output.map_err(|error| format!("{}: {error}", entrance[0]))?;
        if output.status.success() {
            Ok(String::from_utf8_lossy(&output.stdout).into_owned())
        } else {
            Err(format!("{command}: {}", String::from_utf8_lossy(&output.stderr).trim()))
        }
    }

    /// Writes a file in the memory of this host.
    pub fn write(&self, path: &str, mode: u32, text: &str) -> Result<(), String> {
        let file = format!("/proc/{}/root{path}", self.process);
        fs::write(&file, text)
            .and_then(|()| fs::set_permissions(&file, fs::Permissions::from_mode(mode)))
            .map_err(|error| format!("{file}: {error}"))
    }

    /// The start of a command line that runs on this host, from outside.
    pub fn entrance(&self) -> Vec<String> {
        let user: &[&str] = if is_root() { &[] } else { &["--user", "--preserve-credentials"] };
        enter(self.process, user)
    }

    /// The same from another host.
    pub fn entrance_from_hosts(&self) -> Vec<String> {
        enter(self.around, &[])
    }
}

/// The command that enters all namespaces of a process, by its number where the command runs.
fn enter(process: u32, user: &[&str]) -> Vec<String> {
    let target = process.to_string();
    let words = ["nsenter", "--target", &target];
    words.iter().chain(user).chain(&NAMESPACES).map(|&word| word.to_owned()).collect()
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
    all_processes().find_map(numbers).unwrap_or_default()
}

pub fn all_processes() -> impl Iterator<Item = u32> {
    let folders = fs::read_dir("/proc").into_iter().flatten().flatten();
    folders.filter_map(|folder| folder.file_name().to_string_lossy().parse().ok())
}
