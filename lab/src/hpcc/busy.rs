//! How busy the machine was with other work while a job ran.
//!
//! The kernel counts the time that all processors were not idle, and what a hypervisor has withheld; the
//! rusage of ended children says how much of it the job has used. Ranks that are not descendants of the
//! launcher, as under some batch systems, are not counted there: then nothing is known.

use nix::sys::resource::{UsageWho, getrusage};
use std::time::Instant;

/// The counters at the start of a job.
#[derive(Debug)]
pub struct Clock {
    start: Instant,
    processors: Option<Processors>,
    children_s: f64,
}

/// Sums over all processors in ticks of the kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Processors {
    count: usize,
    all: u64,
    /// Neither idle nor waiting for a device; with what a hypervisor has withheld.
    busy: u64,
}

impl Clock {
    pub fn start() -> Self {
        Self { start: Instant::now(), processors: Processors::now(), children_s: children_s() }
    }

    /// The share of the machine's processor time that others than the ended job have used since the start;
    /// `None` if unknown.
    pub fn others(&self, ranks: usize) -> Option<f64> {
        let (before, now) = (self.processors?, Processors::now()?);
        let (own_s, elapsed_s) = (children_s() - self.children_s, self.start.elapsed().as_secs_f64());
        others(before, now, own_s, elapsed_s, ranks)
    }
}

fn others(before: Processors, now: Processors, own_s: f64, elapsed_s: f64, ranks: usize) -> Option<f64> {
    let all = now.all.checked_sub(before.all).filter(|&all| all > 0)?;
    let busy = now.busy.checked_sub(before.busy)? as f64 / all as f64;
    // Ranks compute or poll all the time, so that a job that has used far less was not this process'
    // descendant.
    let seen = own_s > 0.3 * elapsed_s * ranks.min(now.count) as f64;
    seen.then(|| (busy - own_s / (elapsed_s * now.count as f64)).max(0.0))
}

impl Processors {
    fn now() -> Option<Self> {
        Self::parse(&std::fs::read_to_string("/proc/stat").ok()?)
    }

    /// From the line `cpu user nice system idle iowait irq softirq steal ...` and one line for each
    /// processor.
    fn parse(text: &str) -> Option<Self> {
        let ticks: Vec<u64> = text
            .lines()
            .find_map(|line| line.strip_prefix("cpu "))?
            .split_whitespace()
            .take(8)
            .map(|word| word.parse().ok())
            .collect::<Option<_>>()?;
        let &[user, nice, system, idle, wait, interrupts, software, stolen] = &ticks[..] else { return None };
        let busy = user + nice + system + interrupts + software + stolen;
        let count = text.lines().filter(|line| line.starts_with("cpu") && !line.starts_with("cpu ")).count();
        Some(Self { count, all: busy + idle + wait, busy })
    }
}

/// Processor time of ended children and their descendants.
pub fn children_s() -> f64 {
    let seconds = |time: nix::sys::time::TimeVal| time.tv_sec() as f64 + 1e-6 * time.tv_usec() as f64;
    getrusage(UsageWho::RUSAGE_CHILDREN)
        .map_or(0.0, |usage| seconds(usage.user_time()) + seconds(usage.system_time()))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "cpu  100 10 20 500 30 5 5 30 7 0\ncpu0 1 1 1 1\ncpu1 1 1 1 1\nintr 5\n";

    #[test]
    fn ticks_of_the_kernel() {
        assert_eq!(Processors::parse(TEXT), Some(Processors { count: 2, all: 700, busy: 170 }));
        assert_eq!(Processors::parse("cpu  1 2 3\n"), None);
        assert_eq!(Processors::parse("intr 5\n"), None);
    }

    #[test]
    fn what_the_job_has_not_used_was_used_by_others() {
        let before = Processors { count: 2, all: 0, busy: 0 };
        let now = Processors { count: 2, all: 2000, busy: 1500 };
        // 10 s on two processors, of which the job has used 12 s.
        let share = others(before, now, 12.0, 10.0, 2).expect("known");
        assert!((share - 0.15).abs() < 1e-9, "{share}");
        assert_eq!(others(before, now, 19.0, 10.0, 2), Some(0.0));
        assert_eq!(others(before, now, 0.1, 10.0, 2), None);
        assert_eq!(others(now, now, 12.0, 10.0, 2), None);
    }

    #[test]
    fn this_machine_has_counters() {
        assert!(Processors::now().is_some_and(|now| now.count > 0 && now.all >= now.busy));
    }
}
