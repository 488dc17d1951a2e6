//! A switch in user space that delays frames.
//!
//! Idea: the interface of each host is a tap device, whose other end is a file of this program. A frame that
//! a host has sent is kept for the latency, and is then written to the port behind which its destination has
//! been seen, or to all where that is not known. Frames of a port leave in order and, where links have a
//! rate, one after the other at that rate. The latency becomes longer where this program has to wait for a
//! processor: it asks for a real-time priority, which only root gets.
//!
//! Cost: two system calls and two copies per frame of up to 9000 bytes.

use std::collections::{HashMap, VecDeque};
use std::fs::{File, OpenOptions};
use std::io::{ErrorKind, Read, Write};
use std::os::fd::AsRawFd;
use std::os::unix::fs::OpenOptionsExt;
use std::rc::Rc;
use std::time::{Duration, Instant};

/// The first argument of the program that runs [`Plan::run`].
pub const COMMAND: &str = "relay";

/// What it prints when all interfaces are there.
pub const READY: &str = "ready";

/// The interface of the front.
pub const FRONT: &str = "switch";

/// The largest frame, a jumbo frame of Ethernet.
const MTU: libc::c_int = 9000;

/// Bytes before the contents of a frame: two addresses and the type.
const HEADER: usize = 14;

/// Frames that are read from one port before others have their turn.
const TURN: usize = 64;

/// Frames that wait for a port before more are lost.
const QUEUE: usize = 4096;

/// What a relay is told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    /// A process of each host, by the numbers of the front.
    pub processes: Vec<u32>,
    pub latency: Duration,
    /// Bits per second of each link.
    pub rate: Option<u64>,
}

impl Plan {
    /// The arguments of the program.
    pub fn arguments(&self) -> Vec<String> {
        let numbers = [self.latency.as_nanos().to_string(), self.rate.unwrap_or(0).to_string()];
        let processes = self.processes.iter().map(u32::to_string);
        [COMMAND.to_owned()].into_iter().chain(numbers).chain(processes).collect()
    }

    /// The plan that these arguments describe; nothing if their first word is another command.
    pub fn of(arguments: &[String]) -> Option<Self> {
        let [command, latency, rate, processes @ ..] = arguments else { return None };
        let rate: u64 = rate.parse().ok()?;
        let processes = processes.iter().map(|process| process.parse().ok());
        (command == COMMAND).then_some(Self {
            processes: processes.collect::<Option<_>>()?,
            latency: Duration::from_nanos(latency.parse().ok()?),
            rate: (rate > 0).then_some(rate),
        })
    }

    /// Relays frames until the process is killed.
    ///
    /// # Errors
    /// Where interfaces cannot be made, or no longer be read.
    pub fn run(&self) -> Result<(), String> {
        let own = tap(FRONT)?;
        let mut taps = vec![own];
        for process in &self.processes {
            enter_network(*process)?;
            taps.push(tap("eth0")?);
        }
        in_time();
        println!("{READY}");
        let mut switch = Switch::new(taps.len(), self);
        loop {
            wait(&taps, switch.next())?;
            for (port, tap) in taps.iter().enumerate() {
                receive(tap, |frame| switch.take(port, frame, Instant::now()))?;
            }
            for (port, tap) in taps.iter().enumerate() {
                while let Some(frame) = switch.give(port, Instant::now()) {
                    // An interface that is down takes no frames: they are lost as on a cable that is cut.
                    let _ = (&mut &*tap).write(&frame);
                }
            }
        }
    }
}

/// The frames on their way.
struct Switch {
    latency: Duration,
    rate: Option<u64>,
    ports: Vec<Port>,
    /// Behind which port an address has been seen.
    seen: HashMap<[u8; 6], usize>,
}

#[derive(Default)]
struct Port {
    /// Each with the time at which it arrives.
    frames: VecDeque<(Instant, Rc<[u8]>)>,
    /// When the last of them has been sent.
    free: Option<Instant>,
}

impl Switch {
    fn new(ports: usize, plan: &Plan) -> Self {
        let Plan { latency, rate, .. } = *plan;
        Self { latency, rate, ports: (0..ports).map(|_| Port::default()).collect(), seen: HashMap::new() }
    }

    /// When the next frame arrives.
    fn next(&self) -> Option<Instant> {
        self.ports.iter().filter_map(|port| port.frames.front().map(|(time, _)| *time)).min()
    }

    /// Takes a frame that a port has sent.
    fn take(&mut self, from: usize, frame: &[u8], now: Instant) {
        let Some((destination, source)) = addresses(frame) else { return };
        self.seen.insert(source, from);
        let frame: Rc<[u8]> = frame.into();
        match self.seen.get(&destination) {
            Some(&port) if port == from => {}
            Some(&port) => self.send(port, &frame, now),
            None => (0..self.ports.len())
                .filter(|&port| port != from)
                .for_each(|port| self.send(port, &frame, now)),
        }
    }

    fn send(&mut self, port: usize, frame: &Rc<[u8]>, now: Instant) {
        let taken = self.rate.map_or(Duration::ZERO, |rate| {
            Duration::from_nanos((frame.len() as u64).saturating_mul(8_000_000_000) / rate)
        });
        let port = &mut self.ports[port];
        if port.frames.len() >= QUEUE {
            return;
        }
        let begin = port.free.map_or(now, |free| free.max(now));
        port.free = Some(begin + taken);
        port.frames.push_back((begin + taken + self.latency, Rc::clone(frame)));
    }

    /// A frame that has arrived at a port.
    fn give(&mut self, port: usize, now: Instant) -> Option<Rc<[u8]>> {
        let frames = &mut self.ports[port].frames;
        let has_arrived = frames.front().is_some_and(|(time, _)| *time <= now);
        has_arrived.then(|| frames.pop_front()).flatten().map(|(_, frame)| frame)
    }
}

/// Destination and source.
fn addresses(frame: &[u8]) -> Option<([u8; 6], [u8; 6])> {
    Some((frame.get(..6)?.try_into().ok()?, frame.get(6..12)?.try_into().ok()?))
}

fn failed(what: &str) -> String {
    format!("{what}: {}", std::io::Error::last_os_error())
}

/// Makes this thread use the network of a process.
fn enter_network(process: u32) -> Result<(), String> {
    let name = format!("/proc/{process}/ns/net");
    let network = File::open(&name).map_err(|error| format!("{name}: {error}"))?;
    // SAFETY: a descriptor that is open during the call.
    let status = unsafe { libc::setns(network.as_raw_fd(), libc::CLONE_NEWNET) };
    if status == 0 { Ok(()) } else { Err(failed(&name)) }
}

/// A new interface of the current network, which this program is the other end of.
fn tap(name: &str) -> Result<File, String> {
    let path = "/dev/net/tun";
    let file = OpenOptions::new().read(true).write(true).custom_flags(libc::O_NONBLOCK).open(path);
    let file = file.map_err(|error| format!("{path}: {error}"))?;
    // SAFETY: zeros are an empty name and no flags.
    let mut request: libc::ifreq = unsafe { std::mem::zeroed() };
    for (to, from) in request.ifr_name.iter_mut().zip(name.bytes()) {
        *to = from as libc::c_char;
    }
    request.ifr_ifru.ifru_flags = (libc::IFF_TAP | libc::IFF_NO_PI) as libc::c_short;
    // SAFETY: the request lives during the call.
    if unsafe { libc::ioctl(file.as_raw_fd(), libc::TUNSETIFF, &raw mut request) } != 0 {
        return Err(failed(&format!("{path}, {name}")));
    }
    request.ifr_ifru.ifru_mtu = MTU;
    // SAFETY: any socket of the network will do; it is closed below, and the request lives during the call.
    let status = unsafe {
        let socket = libc::socket(libc::AF_INET, libc::SOCK_DGRAM, 0);
        let status = libc::ioctl(socket, libc::SIOCSIFMTU, &raw mut request);
        libc::close(socket);
        status
    };
    if status == 0 { Ok(file) } else { Err(failed(&format!("{name}, frames of {MTU} bytes"))) }
}

/// Asks the kernel for waits that end in time.
fn in_time() {
    let priority = libc::sched_param { sched_priority: 1 };
    // SAFETY: the parameter lives during the call; without permission nothing changes.
    unsafe {
        libc::sched_setscheduler(0, libc::SCHED_FIFO, &raw const priority);
        libc::prctl(libc::PR_SET_TIMERSLACK, 1);
    }
}

/// Waits for a frame of a tap, at most until a time.
fn wait(taps: &[File], until: Option<Instant>) -> Result<(), String> {
    let of = |tap: &File| libc::pollfd { fd: tap.as_raw_fd(), events: libc::POLLIN, revents: 0 };
    let mut polled: Vec<libc::pollfd> = taps.iter().map(of).collect();
    let time = until.map(|until| {
        let left = until.saturating_duration_since(Instant::now());
        libc::timespec { tv_sec: left.as_secs() as libc::time_t, tv_nsec: left.subsec_nanos().into() }
    });
    let time = time.as_ref().map_or(std::ptr::null(), std::ptr::from_ref);
    // SAFETY: an array of this length, and a time that lives during the call or none.
    let status =
        unsafe { libc::ppoll(polled.as_mut_ptr(), polled.len() as libc::nfds_t, time, std::ptr::null()) };
    let was_interrupted = || std::io::Error::last_os_error().kind() == ErrorKind::Interrupted;
    if status >= 0 || was_interrupted() { Ok(()) } else { Err(failed("ppoll")) }
}

/// Passes on frames that a tap has.
fn receive(tap: &File, mut each: impl FnMut(&[u8])) -> Result<(), String> {
    let mut frame = [0; MTU as usize + HEADER];
    for _ in 0..TURN {
        match (&mut &*tap).read(&mut frame) {
            Ok(length) => each(&frame[..length]),
            Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted) => break,
            Err(error) => return Err(format!("a tap: {error}")),
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(to: u8, from: u8, bytes: usize) -> Vec<u8> {
        let mut frame = vec![0; bytes];
        frame[..6].fill(to);
        frame[6..12].fill(from);
        frame
    }

    #[test]
    fn arguments_are_read_as_they_are_written() {
        for rate in [None, Some(1_000_000_000)] {
            let plan = Plan { processes: vec![7, 9], latency: Duration::from_micros(100), rate };
            assert_eq!(Plan::of(&plan.arguments()), Some(plan));
        }
        assert_eq!(Plan::of(&["relay".into(), "x".into(), "0".into()]), None);
        assert_eq!(Plan::of(&["bench".into(), "1".into(), "0".into()]), None);
    }

    #[test]
    fn a_frame_arrives_after_the_latency_where_its_destination_has_been_seen() {
        let latency = Duration::from_micros(100);
        let mut switch = Switch::new(3, &Plan { processes: Vec::new(), latency, rate: None });
        let begin = Instant::now();
        // To all ports but its own, because nobody has been seen.
        switch.take(0, &frame(2, 1, 60), begin);
        assert_eq!(switch.next(), Some(begin + latency));
        let given = |switch: &mut Switch, time| [0, 1, 2].map(|port| switch.give(port, time).is_some());
        assert_eq!(given(&mut switch, begin), [false; 3]);
        assert_eq!(given(&mut switch, begin + latency), [false, true, true]);
        switch.take(1, &frame(1, 2, 60), begin);
        assert_eq!(given(&mut switch, begin + latency), [true, false, false]);
        switch.take(0, &frame(2, 1, 60), begin);
        assert_eq!(given(&mut switch, begin + latency), [false, true, false]);
        assert_eq!(switch.next(), None);
    }

    #[test]
    fn frames_of_a_port_leave_one_after_the_other() {
        let latency = Duration::from_micros(10);
        let plan = Plan { processes: Vec::new(), latency, rate: Some(8_000_000_000) };
        let (mut switch, begin) = (Switch::new(2, &plan), Instant::now());
        for _ in 0..2 {
            switch.take(0, &frame(2, 1, 1000), begin);
        }
        let after = |micros| begin + Duration::from_micros(micros);
        assert!(switch.give(1, after(10)).is_none() && switch.give(1, after(11)).is_some());
        assert!(switch.give(1, after(11)).is_none() && switch.give(1, after(12)).is_some());
    }
}
