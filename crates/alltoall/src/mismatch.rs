//! Counts that do not match: finds the ranks, and reports them on all ranks.

use super::task::Task;
use hcube_core::comm::{Comm, agree};
use hcube_core::error::{Error, Result};

/// The result of the comparison of a rank's counts with the counts of the others.
struct Comparison {
    /// The first counts that differ.
    refusal: std::result::Result<(), String>,
    /// Whether a rank is sent more than it expects.
    too_long: bool,
}

/// Collective: exchanges the counts of all pairs.
fn compare<C: Comm>(comm: &C, task: &Task<'_>) -> Result<Comparison> {
    let own = comm.rank();
    let parts: Vec<Vec<u64>> = (0..comm.size())
        .map(|rank| vec![task.outgoing(rank).bytes() as u64, task.incoming(rank).bytes() as u64])
        .collect();
    let theirs = comm.all_to_all(&parts)?;
    let mut found = Comparison { refusal: Ok(()), too_long: false };
    for (rank, counts) in theirs.chunks_exact(2).enumerate() {
        let (arriving, expected) = (counts[0], counts[1]);
        let (sent, room) = (parts[rank][0], parts[rank][1]);
        found.too_long |= arriving > room || sent > expected;
        if found.refusal.is_ok() && arriving != room {
            found.refusal = Err(mismatch(rank, arriving, own, room));
        }
        if found.refusal.is_ok() && sent != expected {
            found.refusal = Err(mismatch(own, sent, rank, expected));
        }
    }
    Ok(found)
}

/// Collective: whether what all ranks have found is permitted: with `tolerant`, that ranks are sent less than
/// they expect.
///
/// # Errors
/// As [`explain`].
fn agreed<C: Comm>(comm: &C, found: Comparison, tolerant: bool) -> Result<bool> {
    let own = comm.rank();
    let concerned = found.refusal.as_ref().err().map_or(i64::MIN, |_| -(own as i64));
    let mut any = [i64::from(!tolerant || found.too_long), concerned];
    comm.all_reduce_max(&mut any)?;
    if any[0] != 0 {
        let first = concerned == any[1];
        agree(comm, found.refusal.map_err(|message| Error::Truncate { message, first }))?;
    }
    Ok(any[0] == 0)
}

/// Collective: nothing where the counts of all pairs are equal.
///
/// # Errors
/// As [`explain`].
pub fn require_equal<C: Comm>(comm: &C, task: &Task<'_>) -> Result<()> {
    agreed(comm, compare(comm, task)?, false).map(drop)
}

/// Collective, after votes that do not match: exchanges the counts of all pairs. `Ok` with `tolerant` where
/// every rank sends at most what its partner expects, out of place: such an exchange is forwarded to the MPI
/// library. `shapes`: other arguments than counts had to match as well.
///
/// # Errors
/// On all ranks: on the ranks concerned with both counts and ranks, on others the first of these messages.
pub fn explain<C: Comm>(comm: &C, task: &Task<'_>, tolerant: bool, shapes: bool) -> Result<&'static str> {
    if agreed(comm, compare(comm, task)?, tolerant)? {
        return Ok("a rank expects more than it is sent");
    }
    let message = "counts match, but shapes are not the same on all ranks".to_owned();
    Err(match shapes {
        true => Error::Truncate { message, first: comm.rank() == 0 },
        false => Error::Internal("votes did not match, but counts do".into()),
    })
}

fn mismatch(from: usize, sent: u64, to: usize, expected: u64) -> String {
    format!(
        "counts do not match: rank {from} sends {sent} bytes to rank {to}, which expects {expected} bytes"
    )
}
