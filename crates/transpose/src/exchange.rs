//! The exchange of a transposition.

use hcube_alltoall::select::Blocks;
use hcube_alltoall::{Conditions, ExchangeState, Outcome, Report, Task};
use hcube_core::comm::Comm;
use hcube_core::error::{Error, Result};

/// Collective: an exchange for which MPI has no function, on ranks that agree on the shape.
///
/// # Errors
/// As [`hcube_alltoall::exchange()`].
pub fn exchange_all<C: Comm>(
    comm: &C,
    state: &mut ExchangeState,
    agreement: u64,
    task: &Result<Task<'_>>,
) -> Result<Report> {
    // A rank that refuses its arguments does not know whether the others exchange in place.
    let led = state.situation().leads(true).then_some(Blocks::Any);
    let conditions = Conditions { beyond_library: true, led, agreement, ..Conditions::default() };
    match hcube_alltoall::exchange(comm, state, task, conditions, None)? {
        Outcome::Done(report) => Ok(report),
        Outcome::Library(reason) => {
            Err(Error::Internal(format!("the exchange was not forwarded to a library: {reason}")))
        }
    }
}

/// A number, not 0, that identifies a list of values, from a number for their kind: two different ones have
/// the same with a probability of 2^-63.
pub(crate) fn fingerprint(start: u64, values: impl Iterator<Item = u64>) -> u64 {
    // Fibonacci hashing, with a rotation so that the order counts.
    let mix = |sum: u64, value: u64| (sum.rotate_left(23) ^ value).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    values.fold(start, mix) | 1
}
