//! The time of a whole LU factorisation from the times of panels at some places in it.

/// Places at which panels are simulated: from 0 to this, at equal distances.
pub const PLACES: usize = 4;
/// Columns of a panel, as on the machine of Jin et al. 2011, whose local matrices are divisible by it.
pub const BLOCK: usize = 128;

/// Seconds of the whole from the seconds of a panel at each place, the first one first: Simpson's rule.
/// `None` if a place lacks.
pub fn whole(order: usize, seconds: &[f64]) -> Option<f64> {
    let weight = |place: usize| match place {
        0 | PLACES => 1.0,
        odd if odd % 2 == 1 => 4.0,
        _ => 2.0,
    };
    let sum: f64 = seconds.iter().enumerate().map(|(place, seconds)| weight(place) * seconds).sum();
    (seconds.len() == PLACES + 1).then_some(order as f64 / BLOCK as f64 * sum / (3 * PLACES) as f64)
}

/// HPL's rate.
pub fn gflops(order: usize, seconds: f64) -> f64 {
    let order = order as f64;
    1e-9 * (2.0 / 3.0 * order.powi(3) + 1.5 * order * order) / seconds
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_whole_is_the_integral_over_its_panels() {
        let is = |seconds: &[f64], expected: f64| {
            let found = whole(1280, seconds).expect("all places");
            assert!((found - expected).abs() < 1e-12, "{found}");
        };
        // As long at each place, and as the square of what is left.
        is(&[2.0; PLACES + 1], 20.0);
        let left: [f64; PLACES + 1] = std::array::from_fn(|place| 1.0 - place as f64 / PLACES as f64);
        is(&left.map(|left| 3.0 * left * left), 10.0);
        assert_eq!(whole(1280, &[2.0; PLACES]), None);
    }
}
