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

/// Seconds that the calls of a long batch take together: far more than leaving a barrier, also where ranks
/// share cores.
const LONG_BATCH_SECONDS: f64 = 5e-3;
/// Batches from whose fastest the length of further ones follows: a single one may have waited for another
/// program.
const TRIALS: usize = 8;
/// Seconds of these batches, after which there are no more.
pub const TRIAL_SECONDS: f64 = 0.02;
/// Calls of a long batch.
const MAX_LONG_BATCH: f64 = 100_000.0;

/// Collective: the largest value of all ranks.
pub fn slowest(comm: &impl Comm, seconds: f64) -> Result<f64> {
    let mut nanoseconds = [(seconds * 1e9) as i64];
    comm.all_reduce_max(&mut nanoseconds)?;
    Ok(nanoseconds[0] as f64 * 1e-9)
}

/// Collective: the sum of all ranks' numbers.
pub fn sum(comm: &impl Comm, own: u64) -> Result<u64> {
    Ok(comm.all_gather(&[own])?.iter().sum())
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

/// Calls of a long batch, from the seconds of one.
fn long_batch(seconds: f64) -> u32 {
    (LONG_BATCH_SECONDS / seconds.max(1e-9)).ceil().min(MAX_LONG_BATCH) as u32
}

/// The seconds of the fastest of some trials, which end when they have taken this many seconds together.
///
/// # Errors
/// The errors of `trial`.
pub fn fastest(seconds: f64, mut trial: impl FnMut() -> Result<f64>) -> Result<f64> {
    let (mut fastest, mut spent) = (f64::INFINITY, 0.0);
    for _ in 0..TRIALS {
        let one = trial()?;
        (fastest, spent) = (fastest.min(one), spent + one);
        if spent > seconds {
            break;
        }
    }
    Ok(fastest)
}

/// How many calls of one kind are timed together, where each kind has batches of its own: about as many as
/// take 5 ms. `timed` returns the seconds of one call, from a batch of this length.
///
/// # Errors
/// The errors of `timed`.
pub fn settled(mut timed: impl FnMut(u32) -> Result<f64>) -> Result<u32> {
    let mut fastest = |calls: u32| fastest(TRIAL_SECONDS / f64::from(calls), || timed(calls));
    // A single call is shorter than the differences between ranks that leave a barrier.
    let one = fastest(1)?;
    if one >= LONG_BATCH_SECONDS {
        return Ok(1);
    }
    Ok(long_batch(fastest(long_batch(one))?))
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
    fn long_batches_have_a_length_in_time() {
        assert_eq!([long_batch(1e-6), long_batch(1.0), long_batch(0.0)], [5000, 1, 100_000]);
        let mut tried = Vec::new();
        let calls = settled(|calls| {
            tried.push(calls);
            // The first ones are slower.
            Ok(if calls == 1 { 1e-3 } else { 1e-6 })
        });
        assert_eq!((calls, &tried[..2], tried.last()), (Ok(5000), &[1, 1][..], Some(&5)));
        let mut trials = 0;
        let calls = settled(|_| {
            trials += 1;
            Ok(1.0)
        });
        assert_eq!((calls, trials), (Ok(1), 1));
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
