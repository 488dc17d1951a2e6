//! The vector that is transformed: numbers that follow from their places, so that a part needs no copy to be
//! verified.

use crate::bench::random::{STEP, mix};

/// Errors above this are wrong, in rounding errors times log2 of the length: the bound of HPCC.
pub const TOLERANCE: f64 = 16.0;
/// Words of a complex number.
pub const WORDS: usize = 2;

/// A pseudorandom number between -1 and 1, by its place among all real and imaginary parts.
fn value(place: u64) -> f64 {
    let word = mix(place.wrapping_add(1).wrapping_mul(STEP));
    (word >> 11) as f64 * (2.0 / (1_u64 << 53) as f64) - 1.0
}

/// Fills the part that begins at a number of the vector.
pub fn fill(part: &mut [u64], start: usize) {
    for (place, word) in part.iter_mut().enumerate() {
        *word = value((WORDS * start + place) as u64).to_bits();
    }
}

/// The largest error of a part that was transformed forward and backward, in rounding errors times log2 of
/// the length, and how many numbers are wrong.
pub fn errors(part: &[u64], start: usize, length: usize) -> (f64, u64) {
    let unit = f64::EPSILON * (length as f64).log2().max(1.0);
    let (mut largest, mut wrong) = (0.0_f64, 0);
    for (number, words) in part.chunks_exact(WORDS).enumerate() {
        let mut worst = 0.0_f64;
        for (half, &word) in words.iter().enumerate() {
            let expected = value((WORDS * (start + number) + half) as u64);
            let error = (f64::from_bits(word) / length as f64 - expected).abs() / unit;
            // A NaN is wrong, too.
            worst = if error.is_nan() { f64::INFINITY } else { worst.max(error) };
        }
        largest = largest.max(worst);
        wrong += u64::from(worst > TOLERANCE);
    }
    (largest, wrong)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_those_of_one_vector() {
        let (mut whole, mut part) = (vec![0; 200], vec![0; 60]);
        fill(&mut whole, 0);
        fill(&mut part, 40);
        assert_eq!(part, whole[80..140]);
        let values: Vec<f64> = whole.iter().map(|&word| f64::from_bits(word)).collect();
        assert!(values.iter().all(|value| (-1.0..1.0).contains(value)));
        assert!(values.iter().sum::<f64>().abs() < 40.0);
    }

    #[test]
    fn wrong_numbers_are_counted() {
        let length = 64;
        let mut part = vec![0; 64];
        fill(&mut part, 7);
        for word in &mut part {
            *word = (f64::from_bits(*word) * length as f64).to_bits();
        }
        let (largest, wrong) = errors(&part, 7, length);
        assert!(largest < 1.0 && wrong == 0, "{largest}, {wrong}");
        part[10] = 1e9_f64.to_bits();
        part[20] = f64::NAN.to_bits();
        let (largest, wrong) = errors(&part, 7, length);
        assert!(largest.is_infinite() && wrong == 2, "{largest}, {wrong}");
        assert_eq!(errors(&part, 8, length).1, 32);
    }
}
