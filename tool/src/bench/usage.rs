//! What calls use besides time: processors, context switches, packets and bytes between nodes.
//!
//! The kernel counts the processor time of each process, its context switches, and what each network
//! interface sends. Every rank reads the counters of its process, and one rank of each node the counters of
//! the interfaces, before and after each measurement. A measurement includes barriers and the agreement on
//! its time, and in some systems what ends a batch: what these use by themselves is measured and subtracted.
//! Cards that send without the kernel (InfiniBand) count nothing; a bond or a bridge is counted beside its
//! members. What is done before a batch ([`restore`](super::frame::System::restore)) counts, too.

use super::timing;
use hcube_core::Result;
use hcube_core::comm::Comm;
use hcube_results::usage::Usage;
use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::TimeValLike;

/// Microseconds of processors, of these in the kernel, switches, sent packets, sent bytes.
const COUNTERS: usize = 5;

/// Measurements of nothing.
const EMPTY: u32 = 20;

/// Local: what the counters show, or a difference of two readings.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Reading([i64; COUNTERS]);

impl Reading {
    /// Adds what was counted between two readings.
    pub fn add(&mut self, before: Self, after: Self) {
        for (sum, (before, after)) in self.0.iter_mut().zip(before.0.into_iter().zip(after.0)) {
            *sum += after - before;
        }
    }
}

/// Reads the counters of a job.
pub struct Meter {
    /// Whether ranks are on several nodes, and whether this rank reads the interfaces of its node.
    has_network: bool,
    reads_network: bool,
    /// Of a measurement of nothing.
    empty: Empty,
}

/// The counters of a measurement without calls, of all ranks.
#[derive(Debug, Clone, Copy, Default)]
pub struct Empty([f64; COUNTERS]);

impl Meter {
    /// Collective.
    pub fn new(comm: &impl Comm) -> Result<Self> {
        let nodes = comm.node_numbers()?;
        let own = nodes[comm.rank()];
        let has_network = nodes.iter().any(|&node| node != own);
        let reads_network = has_network && !nodes[..comm.rank()].contains(&own);
        let mut meter = Self { has_network, reads_network, empty: Empty::default() };
        meter.empty = meter.of_nothing(comm, || timing::timed(comm, || Ok(())).map(drop))?;
        Ok(meter)
    }

    /// Of measurements as [`timing::timed`] makes them.
    pub fn empty(&self) -> Empty {
        self.empty
    }

    /// Collective: what a measurement without calls uses.
    pub fn of_nothing(&self, comm: &impl Comm, mut nothing: impl FnMut() -> Result<()>) -> Result<Empty> {
        let before = self.read();
        for _ in 0..EMPTY {
            nothing()?;
        }
        let mut counted = Reading::default();
        counted.add(before, self.read());
        Ok(Empty(totals(comm, counted)?.map(|total| total / f64::from(EMPTY))))
    }

    /// Local.
    pub fn read(&self) -> Reading {
        let [packets, bytes] = if self.reads_network { sent() } else { [0; 2] };
        let Ok(process) = getrusage(UsageWho::RUSAGE_SELF) else { return Reading::default() };
        let kernel = process.system_time().num_microseconds();
        let processor = process.user_time().num_microseconds() + kernel;
        // A rank that yields while it polls is switched without having asked for it, in the kernel's words.
        let switches = process.voluntary_context_switches() + process.involuntary_context_switches();
        Reading([processor, kernel, switches, packets, bytes])
    }

    /// Collective: what a call uses, from what was counted in some measurements of this number of calls each,
    /// and what one without calls uses.
    pub fn usage(
        &self,
        comm: &impl Comm,
        counted: Reading,
        (measurements, calls): (u32, u32),
        empty: Empty,
    ) -> Result<Usage> {
        let totals = totals(comm, counted)?;
        let (measurements, calls) = (f64::from(measurements), f64::from(calls));
        let of_call = |counter: usize| {
            let of_measurement = totals[counter] / measurements - empty.0[counter];
            of_measurement.max(0.0) / calls
        };
        let sent = |counter| self.has_network.then(|| of_call(counter));
        Ok(Usage {
            processor_us: of_call(0),
            kernel_us: of_call(1),
            switches: of_call(2),
            sent_packets: sent(3),
            sent_bytes: sent(4),
        })
    }
}

/// Collective: the sums of all ranks.
fn totals(comm: &impl Comm, own: Reading) -> Result<[f64; COUNTERS]> {
    let all = comm.all_gather(&own.0.map(i64::cast_unsigned))?;
    let mut totals = [0.0; COUNTERS];
    for rank in all.chunks_exact(COUNTERS) {
        totals.iter_mut().zip(rank).for_each(|(total, &one)| *total += one.cast_signed() as f64);
    }
    Ok(totals)
}

/// Packets and bytes that the network interfaces have sent, without the loopback interface.
fn sent() -> [i64; 2] {
    sent_by(&std::fs::read_to_string("/proc/self/net/dev").unwrap_or_default())
}

/// From the kernel's table, proc_pid_net(5): two lines of headings; behind the name of an interface eight
/// counters of what it has received, then bytes and packets that it has sent.
fn sent_by(table: &str) -> [i64; 2] {
    let mut sums = [0; 2];
    for (name, counters) in table.lines().skip(2).filter_map(|line| line.split_once(':')) {
        if name.trim() == "lo" {
            continue;
        }
        let mut sent = counters.split_whitespace().skip(8).map(|number| number.parse().unwrap_or(0));
        let [bytes, packets]: [i64; 2] = [sent.next().unwrap_or(0), sent.next().unwrap_or(0)];
        sums = [sums[0] + packets, sums[1] + bytes];
    }
    sums
}

#[cfg(test)]
mod tests {
    use super::*;
    use hcube_core::comm::threads;

    #[test]
    fn interfaces_but_the_loopback_one_are_added() {
        let table = "Inter-|   Receive                            |  Transmit\n \
                     face |bytes packets errs drop fifo frame compressed multicast|bytes packets errs drop\n    \
                     lo:  900  9 0 0 0 0 0 0  900  9 0 0 0 0 0 0\n  \
                     eth0: 100  1 0 0 0 0 0 0  2000  20 0 0 0 0 0 0\n  \
                     eth1: 100  1 0 0 0 0 0 0  3000  30 0 0 0 0 0 0\n";
        assert_eq!(sent_by(table), [50, 5000]);
        assert_eq!(sent_by(""), [0, 0]);
    }

    #[test]
    fn a_call_uses_its_share_of_all_ranks_without_what_measuring_uses() {
        let counted = Reading([110, 60, 15, 205, 2050]);
        let used = |has_network, nodes| {
            let meter = Meter { has_network, reads_network: false, empty: Empty::default() };
            let empty = Empty([10.0, 20.0, 100.0, 10.0, 100.0]);
            let usage = |comm: &_| meter.usage(comm, counted, (2, 5), empty).expect("usage");
            let of_ranks = threads::run(2, nodes, usage);
            of_ranks[0]
        };
        // Both ranks have counted 220 microseconds: 110 in a measurement, 10 of them of measuring.
        let expected = Usage {
            processor_us: 20.0,
            kernel_us: 8.0,
            switches: 0.0,
            sent_packets: Some(39.0),
            sent_bytes: Some(390.0),
        };
        assert_eq!(used(true, 1), expected);
        assert_eq!(used(false, 2), Usage { sent_packets: None, sent_bytes: None, ..expected });
    }

    #[test]
    fn computing_uses_a_processor() {
        let of_ranks = threads::run(1, 1, |comm| {
            let meter = Meter::new(comm).expect("a meter");
            let (begin, before) = (std::time::Instant::now(), meter.read());
            while begin.elapsed().as_millis() < 50 {
                std::hint::spin_loop();
            }
            let mut counted = Reading::default();
            counted.add(before, meter.read());
            meter.usage(comm, counted, (1, 1), meter.empty()).expect("usage")
        });
        assert!(of_ranks[0].processor_us > 0.0 && of_ranks[0].sent_bytes.is_none(), "{of_ranks:?}");
    }
}
