//! What is known of a computation before it begins: the matrix, the kernel, the grid, and the time that it
//! will take.

use crate::cost::{self, Machine, Problem};
use crate::grid::Grid;
use crate::kernel::Kernel;
use crate::rate;
use hcube_core::Error;
use hcube_core::machine::instructions::Level;

/// A computation that has not begun.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Plan {
    /// The matrix: lengths of both strings without what both have at their ends and without symbols that only
    /// one of them has, and the bits that travel per row.
    pub problem: Problem,
    /// What the numbers of all symbols are below.
    pub alphabet: usize,
    /// The algorithm.
    pub kernel: Kernel,
    /// The instructions that it uses on this rank.
    pub level: Level,
    /// The blocks.
    pub grid: Grid,
    /// Seconds, as the cost model predicts them.
    pub seconds: f64,
}

/// Entries of a matrix from which on the kernel's rate is measured for a prediction: it takes the time of
/// some milliseconds, and the matrix more than ten times as long.
const MIN_MEASURED_ENTRIES: u64 = 1 << 34;

/// The figures of a machine with the rate of the kernel on this processor, where the matrix is worth its
/// measurement.
///
/// # Errors
/// [`Error::Memory`] where there is no room for the measurement.
pub(crate) fn with_rate(
    machine: Machine,
    entries: u64,
    alphabet: usize,
    kernel: Kernel,
    level: Level,
) -> Result<Machine, Error> {
    if entries < MIN_MEASURED_ENTRIES {
        return Ok(machine);
    }
    Ok(Machine { entry: rate::entry_seconds(alphabet, kernel, level)?, ..machine })
}

impl Plan {
    /// Entries of the matrix.
    pub fn entries(&self) -> u64 {
        entries(&self.problem)
    }

    pub(crate) fn predicted(self, machine: &Machine) -> Self {
        Self { seconds: cost::seconds(&self.problem, &self.grid, machine), ..self }
    }
}

/// Entries of the matrix of a problem.
pub(crate) fn entries(problem: &Problem) -> u64 {
    (problem.columns as u64).saturating_mul(problem.rows as u64)
}
