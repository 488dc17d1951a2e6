//! Statistics of calls, in rows whose meaning is defined by each library. All ranks have the same rows in the
//! same order.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// Figures of one row on this rank.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Figures {
    /// Calls.
    pub calls: u64,
    /// Floating-point operations.
    pub flops: u64,
    /// Bytes that this rank has sent.
    pub bytes: u64,
    /// Time within these calls.
    pub nanoseconds: u64,
    /// The largest memory that hcube held for such a call, in bytes.
    pub memory: u64,
}

/// Figures of one row on all ranks that have sent theirs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Total {
    /// Calls, operations and bytes are sums over ranks, time and memory are the maximum.
    pub figures: Figures,
    /// Sum of the time of all ranks.
    pub nanoseconds: u64,
}

impl Total {
    /// The statistics of one rank.
    pub const fn of(figures: Figures) -> Self {
        Self { figures, nanoseconds: figures.nanoseconds }
    }

    /// Adds the statistics of other ranks.
    pub fn add(&mut self, other: &Self) {
        let (sum, figures) = (&mut self.figures, &other.figures);
        sum.calls += figures.calls;
        sum.flops += figures.flops;
        sum.bytes += figures.bytes;
        sum.nanoseconds = sum.nanoseconds.max(figures.nanoseconds);
        sum.memory = sum.memory.max(figures.memory);
        self.nanoseconds += other.nanoseconds;
    }

    /// Seconds of the slowest rank.
    pub fn seconds_max(&self) -> f64 {
        self.figures.nanoseconds as f64 * 1e-9
    }

    /// Seconds on average over ranks.
    pub fn seconds_mean(&self, ranks: usize) -> f64 {
        self.nanoseconds as f64 * 1e-9 / ranks as f64
    }

    /// An amount per second of a rank's time within the calls, in 10^9.
    fn rate(&self, amount: u64) -> f64 {
        if self.nanoseconds == 0 { 0.0 } else { amount as f64 / self.nanoseconds as f64 }
    }

    /// Bytes per second and rank within the calls, in 10^6.
    pub fn megabytes_per_second(&self) -> f64 {
        self.rate(self.figures.bytes) * 1e3
    }

    /// Floating-point operations per second and rank within the calls, in 10^9.
    pub fn gigaflops(&self) -> f64 {
        self.rate(self.figures.flops)
    }
}

/// Counters of one row. They are independent sums, so no order among their updates is needed.
#[derive(Debug, Default)]
pub struct Counters {
    calls: AtomicU64,
    flops: AtomicU64,
    bytes: AtomicU64,
    nanoseconds: AtomicU64,
    memory: AtomicU64,
}

impl Counters {
    /// Counts one call.
    pub fn count(&self, time: Duration, flops: u64, bytes: u64, memory: u64) {
        self.calls.fetch_add(1, Ordering::Relaxed);
        self.flops.fetch_add(flops, Ordering::Relaxed);
        self.bytes.fetch_add(bytes, Ordering::Relaxed);
        self.nanoseconds.fetch_add(time.as_nanos() as u64, Ordering::Relaxed);
        self.memory.fetch_max(memory, Ordering::Relaxed);
    }

    /// The counters.
    pub fn figures(&self) -> Figures {
        Figures {
            calls: self.calls.load(Ordering::Relaxed),
            flops: self.flops.load(Ordering::Relaxed),
            bytes: self.bytes.load(Ordering::Relaxed),
            nanoseconds: self.nanoseconds.load(Ordering::Relaxed),
            memory: self.memory.load(Ordering::Relaxed),
        }
    }
}
