//! Seconds of calls, agreed by all ranks.

use hcube_core::Result;
use hcube_core::comm::{Comm, agree};
use std::time::Instant;

/// Seconds that a batch of calls takes at least: far more than reading the clock and leaving a barrier.
const MIN_BATCH_SECONDS: f64 = 1e-3;
/// Seconds that a batch may take of the slowest case, where the fastest needs many calls.
const MAX_BATCH_SECONDS: f64 = 20e-3;
/// Calls of a batch.
const MAX_BATCH_CALLS: u32 = 1000;

/// Collective: the largest value of all ranks.
pub fn slowest(comm: &impl Comm, seconds: f64) -> Result<f64> {
    let mut nanoseconds = [(seconds * 1e9) as i64];
    comm.all_reduce_max(&mut nanoseconds)?;
    Ok(nanoseconds[0] as f64 * 1e-9)
}

/// Collective: seconds that the work takes on the slowest rank, from a barrier on.
///
/// # Errors
/// On all ranks where the work fails on one.
pub fn timed<T>(comm: &impl Comm, work: impl FnOnce() -> Result<T>) -> Result<(f64, T)> {
    comm.barrier()?;
    let begin = Instant::now();
    let done = work();
    let seconds = begin.elapsed().as_secs_f64();
    let done = agree(comm, done)?;
    Ok((slowest(comm, seconds)?, done))
}

/// How many calls are timed together, from the seconds of one call of each case.
pub fn batch(seconds: &[f64]) -> u32 {
    let fastest = seconds.iter().copied().fold(MAX_BATCH_SECONDS, f64::min).max(1e-9);
    let slowest = seconds.iter().copied().fold(1e-9, f64::max);
    let (needed, bound) = ((MIN_BATCH_SECONDS / fastest).ceil(), (MAX_BATCH_SECONDS / slowest).floor());
    (needed.min(bound) as u32).clamp(1, MAX_BATCH_CALLS)
}

#[cfg(test)]
mod tests {
    use super::*;
    use hcube_core::Error;
    use hcube_core::comm::threads;

    #[test]
    fn batches_are_long_enough_and_not_too_long() {
        assert_eq!(batch(&[10e-6, 50e-6]), 100);
        assert_eq!(batch(&[1e-3, 2.0]), 1);
        // The slow one would take 100 ms.
        assert_eq!(batch(&[10e-6, 1e-3]), 20);
        assert_eq!((batch(&[0.0]), batch(&[])), (MAX_BATCH_CALLS, 1));
    }

    #[test]
    fn all_ranks_get_the_same_time_or_an_error() {
        let times = threads::run(3, 3, |comm| timed(comm, || Ok(())).expect("timed").0);
        assert!(times.iter().all(|&time| time == times[0]), "{times:?}");
        let failed = threads::run(3, 3, |comm| {
            let work = || if comm.rank() == 1 { Err(Error::Memory("none".to_owned())) } else { Ok(()) };
            timed(comm, work).expect_err("failed").to_string()
        });
        assert!(failed.iter().all(|message| message.ends_with("none")), "{failed:?}");
    }
}
