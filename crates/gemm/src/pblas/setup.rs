//! The agreement of all ranks of a grid at their first call.

use crate::options::Options;
use hcube_core::atomic::{AtomicBool, Ordering};
use hcube_core::comm::{Comm, agree, bounds, check_bounds};
use hcube_core::error::Result;
use hcube_core::mpi::MpiComm;
use hcube_core::options::Table;
use std::time::Duration;

/// Time in its first call after which a rank reports that it waits for others.
const LATE: Duration = Duration::from_secs(10);

/// Collective: waits for all ranks of a grid. If one never comes, because it has not loaded hcube or does not
/// make the call, the others report this, once per process.
///
/// # Errors
/// Errors of MPI.
pub fn meet(comm: &MpiComm) -> Result<()> {
    static SAID: AtomicBool = AtomicBool::new(false);
    comm.meet(LATE, || {
        // The first rank may be the one that is missing.
        if comm.rank() < 2 && !SAID.swap(true, Ordering::Relaxed) {
            eprintln!(
                "hcube: rank {} of {} has waited {} s for other ranks of its process grid in the first matrix product: \
                 if some of them do not make this call or have not loaded hcube, it does not end; load hcube in all \
                 processes or in none",
                comm.rank(),
                comm.size(),
                LATE.as_secs()
            );
        }
    })
}

/// Collective: the options of the environment, and the largest of a number that each rank passes.
///
/// # Errors
/// On all ranks, if the variables of a rank are invalid or differ from the others.
pub fn options(comm: &MpiComm, own: &Result<Options>, number: i64) -> Result<(Options, i64)> {
    let options = own.as_ref().copied().unwrap_or_default();
    let values: Vec<_> = Options::TABLE.iter().map(|row| (row.spec.variable, (row.get)(&options))).collect();
    let mut words = bounds(&values);
    words.extend([i64::from(own.is_err()), number]);
    comm.all_reduce_max(&mut words)?;
    let (bounds, last) = words.split_at(2 * values.len());
    if last[0] != 0 {
        agree(comm, own.clone().map(drop))?;
    }
    check_bounds(bounds, &values)?;
    Ok((options, last[1]))
}
