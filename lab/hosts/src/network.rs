//! Links between hosts and the front, and their rates.

use crate::holder::Holder;
use crate::{address, relay};
use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

/// Bytes that a link with a rate sends at once after a pause: what it carries in this part of a second, in
/// which the kernel finds time to send more, and some frames at least. Messages of this length seem to be
/// faster than the rate.
const MIN_BURST: u64 = 16 << 10;
const PARTS: u64 = 10_000;

/// Bytes that wait for a link with a rate before frames are lost.
const QUEUE: u64 = 8 << 20;

/// How hosts are joined; by default a switch of the kernel, as fast as it is.
#[derive(Debug, Clone, Default)]
pub struct Network {
    /// Bits per second of each link, in each direction.
    pub rate: Option<u64>,
    /// From one host to another, and the program that delays frames: it is called with
    /// [`relay::Plan::arguments`].
    pub latency: Option<(Duration, PathBuf)>,
}

impl Network {
    /// The shell commands by which the front has a switch.
    pub(crate) fn switch(&self, number: usize) -> String {
        match self.latency {
            None => format!(
                "ip link add switch type bridge; ip addr add {}/24 dev switch; ip link set switch up;",
                address(number)
            ),
            Some(_) => String::new(),
        }
    }

    /// Connects a host with the switch of the kernel.
    pub(crate) fn connect(&self, front: &Holder, host: &Holder, number: usize) -> Result<(), String> {
        if self.latency.is_some() {
            return Ok(());
        }
        let port = format!("port{number}");
        let cable = format!(
            "ip link add {port} type veth peer name eth0 netns {}; ip link set {port} master switch up; {}",
            host.around,
            self.bucket(&port)
        );
        front.run(&cable)?;
        self.bring_up(host, "eth0", number)
    }

    /// Connects all hosts with the relay, if frames are delayed; its process, which ends with the front.
    pub(crate) fn start(
        &self,
        front: &Holder,
        number: usize,
        hosts: &[Holder],
    ) -> Result<Option<Child>, String> {
        let Some((latency, program)) = &self.latency else { return Ok(None) };
        let processes = hosts.iter().map(|host| host.around).collect();
        let plan = relay::Plan { processes, latency: *latency, rate: self.rate };
        let entrance = front.entrance();
        let mut command = Command::new(&entrance[0]);
        command.args(&entrance[1..]).arg(program).args(plan.arguments());
        let child = command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn();
        let mut child = child.map_err(|error| format!("{}: {error}", program.display()))?;
        let mut said = String::new();
        if let Some(stdout) = child.stdout.as_mut() {
            let _ = BufReader::new(stdout).read_line(&mut said);
        }
        if said.trim() != relay::READY {
            let _ = child.kill();
            let _ = child.wait();
            return Err(format!("{} did not delay frames", program.display()));
        }
        self.bring_up(front, relay::FRONT, number)?;
        for (index, host) in hosts.iter().enumerate() {
            self.bring_up(host, "eth0", index + 1)?;
        }
        Ok(Some(child))
    }

    fn bring_up(&self, host: &Holder, interface: &str, number: usize) -> Result<(), String> {
        let address = address(number);
        let bucket = self.bucket(interface);
        let commands =
            format!("ip addr add {address}/24 dev {interface}; ip link set {interface} up; {bucket}");
        host.run(&commands).map(drop)
    }

    /// The command by which an interface sends no faster than the rate.
    fn bucket(&self, interface: &str) -> String {
        let Some(rate) = self.rate else { return String::new() };
        let burst = (rate / 8 / PARTS).max(MIN_BURST);
        format!("tc qdisc add dev {interface} root tbf rate {rate}bit burst {burst} limit {QUEUE}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_burst_grows_with_the_rate() {
        let at = |rate| Network { rate, latency: None }.bucket("eth0");
        assert_eq!(at(None), "");
        assert!(at(Some(1_000_000_000)).ends_with("rate 1000000000bit burst 16384 limit 8388608"));
        assert!(at(Some(100_000_000_000)).contains(" burst 1250000 "));
    }
}
