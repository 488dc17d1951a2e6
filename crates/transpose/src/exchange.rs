//! The exchange of a transposition.

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
    let conditions = Conditions { beyond_library: true, agreement, ..Conditions::default() };
    match hcube_alltoall::exchange(comm, state, task, conditions, None)? {
        Outcome::Done(report) => Ok(report),
        Outcome::Library(reason) => {
            Err(Error::Internal(format!("no library has made the exchange: {reason}")))
        }
    }
}
