//! How far a computation is, how it ends, and what its result says.

use crate::kernel::Kernel;
use std::ops::ControlFlow;

/// How far a computation is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress {
    /// Entries of the matrix that were computed.
    pub done: u64,
    /// Entries of the matrix.
    pub total: u64,
    /// The algorithm that computes them; nothing for strings so short that their length is found at once.
    pub kernel: Option<Kernel>,
}

/// Called many times per second, and not where a rank has nothing to compute, as for equal strings; a break
/// ends the computation.
pub type Observer<'a> = dyn FnMut(Progress) -> ControlFlow<()> + 'a;

/// How a computation has ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// The length.
    Length(usize),
    /// The length is below the bound of interest.
    Below,
    /// The observer has ended it.
    Interrupted,
}

/// The length divided by the length of the longer string: 1 for equal strings, also for empty ones.
pub fn similarity(length: usize, a: usize, b: usize) -> f64 {
    match a.max(b) {
        0 => 1.0,
        longer => length as f64 / longer as f64,
    }
}
