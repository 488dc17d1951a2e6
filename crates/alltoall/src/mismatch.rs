//! Counts that do not match: finds the ranks, and reports them on all ranks.

use super::task::Task;
use hcube_core::comm::{Comm, agree};
use hcube_core::error::{Error, Result};

/// Collective, after votes that do not match: exchanges the counts of all pairs. `Ok` with `tolerant` where
/// every rank sends at most what its partner expects, out of place: such an exchange is forwarded to the MPI
/// library. `agreed`: other arguments than counts had to match as well.
///
/// # Errors
/// On all ranks: on the ranks concerned with both counts and ranks, on others the first of these messages.
pub fn explain<C: Comm>(comm: &C, task: &Task<'_>, tolerant: bool, agreed: bool) -> Result<&'static str> {
    let own = comm.rank();
    let parts: Vec<Vec<u64>> = (0..comm.size())
        .map(|rank| vec![task.outgoing(rank).bytes() as u64, task.incoming(rank).bytes() as u64])
        .collect();
    let theirs = comm.all_to_all(&parts)?;
    let (mut refusal, mut too_long) = (Ok(()), !tolerant);
    for (rank, counts) in theirs.chunks_exact(2).enumerate() {
        let (arriving, expected) = (counts[0], counts[1]);
        let (sent, room) = (parts[rank][0], parts[rank][1]);
        too_long |= arriving > room || sent > expected;
        if refusal.is_ok() && arriving != room {
            refusal = Err(mismatch(rank, arriving, own, room));
        }
        if refusal.is_ok() && sent != expected {
            refusal = Err(mismatch(own, sent, rank, expected));
        }
    }
    let concerned = refusal.as_ref().err().map_or(i64::MIN, |_| -(own as i64));
    let mut any = [i64::from(too_long), concerned];
    comm.all_reduce_max(&mut any)?;
    if any[0] == 0 {
        return Ok("a rank expects more than it is sent");
    }
    let first = concerned == any[1];
    agree(comm, refusal.map_err(|message| Error::Truncate { message, first }))?;
    let message = "counts match, but shapes are not the same on all ranks".to_owned();
    Err(match agreed {
        true => Error::Truncate { message, first: own == 0 },
        false => Error::Internal("votes did not match, but counts do".into()),
    })
}

fn mismatch(from: usize, sent: u64, to: usize, expected: u64) -> String {
    format!(
        "counts do not match: rank {from} sends {sent} bytes to rank {to}, which expects {expected} bytes"
    )
}
