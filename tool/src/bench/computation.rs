//! A computation beside which communication is measured: a loop whose rate is known.

use hcube_core::Result;
use hcube_core::comm::Comm;
use std::hint::black_box;
use std::time::{Duration, Instant};

/// Time in which the rate of the loop is found.
const CALIBRATION: Duration = Duration::from_millis(5);
/// Steps between two readings of the clock: a few tens of microseconds.
const STEPS: u64 = 20_000;

/// A step of the computation: it needs the one before.
fn step(value: u64) -> u64 {
    value.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1)
}

/// Computes for a number of steps.
pub fn compute(steps: u64) {
    black_box((0..steps).fold(black_box(1), |value, _| step(value)));
}

/// Steps per microsecond, when no other program takes the core.
fn calibrate() -> f64 {
    let (begin, mut fastest) = (Instant::now(), f64::INFINITY);
    while begin.elapsed() < CALIBRATION || fastest == f64::INFINITY {
        let slice = Instant::now();
        compute(STEPS);
        fastest = fastest.min(slice.elapsed().as_secs_f64().max(1e-9));
    }
    STEPS as f64 / (1e6 * fastest)
}

/// Collective: steps per microsecond on the fastest rank, so that all ranks have the same amount of work.
pub fn rate(comm: &impl Comm) -> Result<f64> {
    let mut steps = [(1e3 * calibrate()) as i64];
    comm.all_reduce_max(&mut steps)?;
    Ok(1e-3 * steps[0] as f64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use hcube_core::comm::threads;

    #[test]
    fn all_ranks_have_the_same_rate() {
        let rates = threads::run(3, 3, |comm| rate(comm).expect("agreed"));
        assert!(rates[0] > 0.0 && rates.iter().all(|&rate| rate == rates[0]), "{rates:?}");
        compute(0);
    }
}
