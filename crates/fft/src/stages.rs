//! The time of each stage of a transform.

/// Seconds of the stages of a transform on one rank, in their order. Where ranks share memory, an exchange is
/// a copy to or from this memory followed by a wait, and the second one only a wait.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Stages {
    /// Exchange after which each rank has whole columns.
    pub first_exchange: f64,
    /// Wait for other ranks after the first exchange.
    pub first_wait: f64,
    /// The transforms of columns, and the factors.
    pub columns: f64,
    /// The exchange, or the wait, between columns and rows.
    pub second_exchange: f64,
    /// Transforms of the rows.
    pub rows: f64,
    /// Wait for other ranks after the transforms of rows.
    pub last_wait: f64,
    /// The exchange that brings the result into its order.
    pub last_exchange: f64,
}

/// Measures them one after the other.
#[derive(Debug)]
pub struct Laps<F> {
    clock: F,
    last: f64,
}

impl<F: Fn() -> f64> Laps<F> {
    /// Starts.
    pub fn start(clock: F) -> Self {
        let last = clock();
        Self { clock, last }
    }

    /// Seconds since the start or the last lap.
    pub fn lap(&mut self) -> f64 {
        let now = (self.clock)();
        now - std::mem::replace(&mut self.last, now)
    }
}
