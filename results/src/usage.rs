//! What calls use besides time.

use serde::{Deserialize, Serialize};

/// What a call uses on all ranks together, waiting included: the mean of all measurements.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Usage {
    /// Microseconds of processors, and of these in the kernel.
    pub processor_us: f64,
    pub kernel_us: f64,
    /// Context switches.
    pub switches: f64,
    /// What the network interfaces of all nodes send; nothing where all ranks are on one node.
    pub sent_packets: Option<f64>,
    pub sent_bytes: Option<f64>,
}

/// The counters of hpcc-glue/bench/counters.h.
const COUNTERS: usize = 6;

impl Usage {
    /// From the counters of programs in other languages, summed over all processes: microseconds of
    /// processors and of these in the kernel, switches, packets, bytes, and the number of hosts on which a
    /// process has counted packets. Nothing where this is no such list.
    pub fn of_counters(counters: &[f64]) -> Option<Self> {
        let counters: [f64; COUNTERS] = counters.try_into().ok()?;
        if !counters.iter().all(|counter| counter.is_finite()) {
            return None;
        }
        // Measuring alone, which was subtracted, may have used more.
        let [processor_us, kernel_us, switches, packets, bytes, hosts] =
            counters.map(|counter| counter.max(0.0));
        let sent = |counter: f64| (hosts > 1.0).then_some(counter);
        Some(Self { processor_us, kernel_us, switches, sent_packets: sent(packets), sent_bytes: sent(bytes) })
    }

    /// Of this number of calls.
    pub fn times(self, calls: f64) -> Self {
        Self {
            processor_us: calls * self.processor_us,
            kernel_us: calls * self.kernel_us,
            switches: calls * self.switches,
            sent_packets: self.sent_packets.map(|packets| calls * packets),
            sent_bytes: self.sent_bytes.map(|bytes| calls * bytes),
        }
    }

    /// The mean of several measurements; nothing of none.
    pub fn mean(all: &[Self]) -> Option<Self> {
        let sent = |sum: Option<f64>, one: Option<f64>| Some(sum? + one?);
        let sum = all.iter().copied().reduce(|sum, one| Self {
            processor_us: sum.processor_us + one.processor_us,
            kernel_us: sum.kernel_us + one.kernel_us,
            switches: sum.switches + one.switches,
            sent_packets: sent(sum.sent_packets, one.sent_packets),
            sent_bytes: sent(sum.sent_bytes, one.sent_bytes),
        });
        sum.map(|sum| sum.times(1.0 / all.len() as f64))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counters_of_programs_become_usages_and_their_mean() {
        let one = Usage::of_counters(&[20.0, 10.0, 4.0, 6.0, 600.0, 2.0]).expect("counters");
        let other = Usage::of_counters(&[40.0, 30.0, -1.0, 8.0, 800.0, 2.0]).expect("counters");
        let expected = Usage {
            processor_us: 30.0,
            kernel_us: 20.0,
            switches: 2.0,
            sent_packets: Some(7.0),
            sent_bytes: Some(700.0),
        };
        assert_eq!(Usage::mean(&[one, other]), Some(expected));
        // Packets of one host go somewhere else.
        let alone = Usage::of_counters(&[20.0, 10.0, 4.0, 6.0, 600.0, 1.0]).expect("counters");
        assert_eq!((alone.sent_packets, alone.sent_bytes, alone.switches), (None, None, 4.0));
        assert_eq!(Usage::mean(&[one, alone]).and_then(|mean| mean.sent_packets), None);
        assert_eq!((Usage::mean(&[]), Usage::of_counters(&[1.0; 5])), (None, None));
        assert_eq!(Usage::of_counters(&[f64::NAN, 1.0, 1.0, 1.0, 1.0, 1.0]), None);
    }
}
