//! What ranks do with a panel: its root writes it, all read it, and compute meanwhile.

use std::hint::black_box;
use std::time::{Duration, Instant};

/// Time in which the rate of the loop is found.
const CALIBRATION: Duration = Duration::from_millis(5);
/// Steps between two looks at the clock.
const STEPS: u64 = 1000;

/// A step of the computation: it needs the one before.
fn step(value: u64) -> u64 {
    value.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1)
}

/// Computes for a number of steps.
pub fn compute(steps: u64) {
    black_box((0..steps).fold(black_box(1), |value, _| step(value)));
}

/// Steps per microsecond.
pub fn calibrate() -> f64 {
    let (begin, mut steps) = (Instant::now(), 0);
    while begin.elapsed() < CALIBRATION {
        compute(STEPS);
        steps += STEPS;
    }
    steps as f64 / (1e6 * begin.elapsed().as_secs_f64())
}

/// What the root of a panel has computed, but for its first word, which is the number of the panel.
pub fn contents(words: usize) -> Vec<u64> {
    (0..words as u64).map(|place| place.wrapping_mul(0x9e37_79b9_7f4a_7c15)).collect()
}

/// What a reader makes of a panel.
pub fn sum(panel: &[u64]) -> u64 {
    panel.iter().fold(0, |sum, &word| sum.wrapping_add(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn panels_differ_by_their_number() {
        let mut panel = contents(100);
        let sums: Vec<u64> = (0..3)
            .map(|number| {
                panel[0] = number;
                sum(&panel)
            })
            .collect();
        assert_eq!((sums[1], sums[2]), (sums[0] + 1, sums[0] + 2));
        compute(0);
    }
}
