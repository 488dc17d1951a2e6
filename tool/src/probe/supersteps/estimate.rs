//! The gap of an operation, estimated from the times of supersteps.
//!
//! Idea: a superstep of h words in messages of h* words takes `g(h, h*) h + l_0`. Its time without l_0
//! divided by h is a sample of g. Weighted means of the samples give the parameters: the weight is
//! the cube of h for the parameters of long exchanges, and its inverse for the parameters of short exchanges
//! ([`weighted`]). The same times are a linear function of h, of the number of messages and of 1, whose
//! coefficients least squares give, with confidence intervals ([`least_squares`]). The original bspprobe used
//! only the largest and the smallest sample ([`extremes`]).
//!
//! Source: Krusche 2005, §3.2, equations 3.1 to 3.6; least squares: our own.

use hcube_bsp::cost::{Exchange, Gap, Model};
use hcube_results::machine::bsp::{Interval, LeastSquares};

/// A superstep that was measured.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sample {
    /// Words that a process sends (h).
    pub words: f64,
    /// Words of a message (h*).
    pub message: f64,
    /// Seconds without the time of an empty superstep; below 0 where measurements differ.
    pub seconds: f64,
    /// Seconds of the whole superstep, of which the error is a share.
    pub superstep: f64,
}

impl Sample {
    fn gap(&self) -> f64 {
        self.seconds / self.words
    }

    fn messages(&self) -> f64 {
        self.words / self.message
    }
}

/// A weighted mean of samples; nothing without samples.
fn mean<'a>(samples: impl Iterator<Item = &'a Sample>, weight: impl Fn(&Sample) -> f64) -> Option<f64> {
    let (mut sum, mut weights) = (0.0, 0.0);
    for sample in samples {
        let weight = weight(sample);
        sum += weight * sample.gap();
        weights += weight;
    }
    (weights > 0.0).then_some(sum / weights)
}

fn least(samples: &[Sample], value: impl Fn(&Sample) -> f64) -> f64 {
    samples.iter().map(value).fold(f64::INFINITY, f64::min)
}

/// Equations 3.2 to 3.6; nothing without samples, or where all of them are 0.
pub fn weighted(samples: &[Sample]) -> Option<Gap> {
    let infinite = mean(samples.iter(), |sample| sample.words.powi(3)).filter(|&gap| gap > 0.0)?;
    let small = mean(samples.iter(), |sample| sample.words.powi(-3))?;
    let (words, message) = (least(samples, |sample| sample.words), least(samples, |sample| sample.message));
    let shortest = samples.iter().filter(|sample| sample.message == message);
    let many = mean(shortest, |sample| sample.messages().powi(2))?;
    Some(Gap {
        infinite,
        half: (small / infinite - 1.0) * words,
        overhead: (many / infinite - 1.0) * message,
    })
}

/// Equation 3.1: the smallest sample as the gap of long exchanges, and the overhead that explains the largest
/// one. It knows no h_half.
pub fn extremes(samples: &[Sample]) -> Option<Gap> {
    let by_gap = |a: &&Sample, b: &&Sample| a.gap().total_cmp(&b.gap());
    let (smallest, largest) = (samples.iter().min_by(by_gap)?, samples.iter().max_by(by_gap)?);
    let infinite = Some(smallest.gap()).filter(|&gap| gap > 0.0)?;
    Some(Gap { infinite, half: 0.0, overhead: (largest.gap() / infinite - 1.0) * largest.words })
}

/// Mean of the squared differences between the measured seconds and the seconds that a model predicts.
pub fn squared_error(gap: &Gap, model: Model, samples: &[Sample]) -> f64 {
    let difference = |sample: &Sample| {
        let &Sample { words, message, seconds, .. } = sample;
        (gap.seconds(model, &Exchange { count: 1.0, words, message }) - seconds).powi(2)
    };
    samples.iter().map(difference).sum::<f64>() / samples.len().max(1) as f64
}

/// An estimate in other units, with the bounds that the deviation gives it.
fn interval(value: f64, deviation: f64, unit: f64) -> Interval {
    Interval { value: unit * value, low: unit * (value - deviation), high: unit * (value + deviation) }
}

/// Samples beyond the number of coefficients from which on errors are known.
const MIN_FREEDOM: usize = 3;

/// Standard deviations on each side that contain 95 %, for an error that was estimated with this number of
/// degrees of freedom: the first terms of the expansion of Student's t around a normal distribution.
fn deviations(freedom: usize) -> f64 {
    let (z, freedom) = (1.96_f64, freedom as f64);
    let second = (5.0 * z.powi(5) + 16.0 * z.powi(3) + 3.0 * z) / 96.0;
    z + (z.powi(3) + z) / (4.0 * freedom) + second / freedom.powi(2)
}

/// Coefficients of the linear function.
const TERMS: usize = 3;
type Matrix = [[f64; TERMS]; TERMS];

/// The inverse of a symmetric matrix by Gauss-Jordan elimination, or nothing where it has none.
fn inverse(mut matrix: Matrix) -> Option<Matrix> {
    let mut inverse: Matrix =
        std::array::from_fn(|row| std::array::from_fn(|column| f64::from(row == column)));
    for pivot in 0..TERMS {
        let scale = matrix[pivot][pivot];
        if scale.is_nan() || scale <= 0.0 {
            return None;
        }
        for column in 0..TERMS {
            matrix[pivot][column] /= scale;
            inverse[pivot][column] /= scale;
        }
        for row in (0..TERMS).filter(|&row| row != pivot) {
            let factor = matrix[row][pivot];
            for column in 0..TERMS {
                matrix[row][column] -= factor * matrix[pivot][column];
                inverse[row][column] -= factor * inverse[pivot][column];
            }
        }
    }
    Some(inverse)
}

/// Least squares over `seconds = g h_half + g o messages + g words`, of errors relative to the time of the
/// superstep, by which measurements differ; nothing where there are too few samples, or they determine no gap
/// above 0.
///
/// The terms are scaled by their largest values, as words and messages differ by orders of magnitude.
pub fn least_squares(samples: &[Sample]) -> Option<LeastSquares> {
    let used: Vec<&Sample> = samples.iter().filter(|sample| sample.superstep > 0.0).collect();
    let freedom = used.len().checked_sub(TERMS).filter(|&freedom| freedom >= MIN_FREEDOM)?;
    let terms = |sample: &Sample| [1.0, sample.messages(), sample.words];
    let largest: [f64; TERMS] =
        std::array::from_fn(|term| used.iter().map(|sample| terms(sample)[term]).fold(0.0, f64::max));
    let scaled = |sample: &Sample| -> [f64; TERMS] {
        let terms = terms(sample);
        std::array::from_fn(|term| terms[term] / largest[term] / sample.superstep)
    };
    let (mut normal, mut right): (Matrix, [f64; TERMS]) = Default::default();
    for sample in &used {
        let (row, share) = (scaled(sample), sample.seconds / sample.superstep);
        for one in 0..TERMS {
            right[one] += row[one] * share;
            for other in 0..TERMS {
                normal[one][other] += row[one] * row[other];
            }
        }
    }
    let inverse = inverse(normal)?;
    let solved: [f64; TERMS] =
        std::array::from_fn(|one| (0..TERMS).map(|other| inverse[one][other] * right[other]).sum());
    let residual = |sample: &&Sample| {
        let row = scaled(sample);
        let share = sample.seconds / sample.superstep;
        (share - (0..TERMS).map(|term| row[term] * solved[term]).sum::<f64>()).powi(2)
    };
    let variance = used.iter().map(residual).sum::<f64>() / freedom as f64;
    let deviations = deviations(freedom);
    let covariance =
        |one: usize, other: usize| variance * inverse[one][other] / (largest[one] * largest[other]);
    let [start, message, gap]: [f64; TERMS] = std::array::from_fn(|term| solved[term] / largest[term]);
    if gap <= 0.0 {
        return None;
    }
    // A quotient varies as its numerator and its denominator do, to first order.
    let quotient = |value: f64, term: usize| {
        let ratio = value / gap;
        let spread =
            covariance(term, term) - 2.0 * ratio * covariance(term, 2) + ratio * ratio * covariance(2, 2);
        interval(ratio, deviations * spread.max(0.0).sqrt() / gap, 1.0)
    };
    Some(LeastSquares {
        g_us: interval(gap, deviations * covariance(2, 2).max(0.0).sqrt(), 1e6),
        half_words: quotient(start, 0),
        overhead_words: quotient(message, 1),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const GAP: Gap = Gap { infinite: 2e-9, half: 700.0, overhead: 30.0 };

    /// Supersteps of a machine that behaves as the model says, each longer by a factor that depends on its
    /// number.
    fn samples(disturbed: impl Fn(usize) -> f64) -> Vec<Sample> {
        let mut all = Vec::new();
        for message in [1.0, 8.0, 64.0, 512.0, 4096.0, 32768.0] {
            for count in [1.0, 4.0, 16.0, 64.0, 256.0] {
                let words = message * count;
                let exact = GAP.seconds(Model::Messages, &Exchange { count: 1.0, words, message });
                let seconds = exact * disturbed(all.len());
                all.push(Sample { words, message, seconds, superstep: seconds });
            }
        }
        all
    }

    #[test]
    fn weights_find_the_parameters_of_the_model() {
        let found = weighted(&samples(|_| 1.0)).expect("samples");
        assert!((found.infinite / GAP.infinite - 1.0).abs() < 0.01, "{found:?}");
        // Equation 3.4 attributes also the overhead of one message to h_half, and 3.6 also the start to o.
        assert!((found.half - (GAP.half + GAP.overhead)).abs() < 0.02 * GAP.half, "{found:?}");
        assert!((found.overhead - (GAP.overhead + GAP.half / 256.0)).abs() < 0.1 * GAP.overhead, "{found:?}");
        assert_eq!(weighted(&[]), None);
        assert_eq!(weighted(&[Sample { words: 8.0, message: 8.0, seconds: 0.0, superstep: 1.0 }]), None);
    }

    #[test]
    fn the_old_formula_has_the_extremes() {
        let found = extremes(&samples(|_| 1.0)).expect("samples");
        assert!((found.infinite / GAP.infinite - 1.0).abs() < 0.02, "{found:?}");
        assert!((found.overhead - (GAP.half + GAP.overhead)).abs() < 0.02 * GAP.half, "{found:?}");
        assert_eq!(extremes(&[]), None);
    }

    /// Estimates, and the figures of the machine.
    fn bounds(fit: &LeastSquares) -> [(Interval, f64); 3] {
        let LeastSquares { g_us, half_words, overhead_words } = *fit;
        [(g_us, 1e6 * GAP.infinite), (half_words, GAP.half), (overhead_words, GAP.overhead)]
    }

    #[test]
    fn least_squares_find_the_parameters_and_how_sure_they_are() {
        let exact = least_squares(&samples(|_| 1.0)).expect("samples");
        for (found, expected) in bounds(&exact) {
            assert!((found.value / expected - 1.0).abs() < 1e-6, "{found:?}, expected {expected}");
            assert!(found.high - found.low < 1e-3 * expected, "{found:?}");
        }
        // Disturbances of 5 % in both directions.
        let noisy =
            least_squares(&samples(|number| if number % 3 == 0 { 1.05 } else { 0.975 })).expect("samples");
        for (found, expected) in bounds(&noisy) {
            assert!(found.low < expected && expected < found.high, "{found:?}, expected {expected}");
            assert!(found.high - found.low > 0.01 * expected, "{found:?}");
        }
        assert_eq!(least_squares(&samples(|_| 1.0)[..3]), None);
        assert!((deviations(10) - 2.23).abs() < 0.01 && (deviations(1000) - 1.96).abs() < 0.01);
        // The same superstep again and again does not tell words from messages.
        assert_eq!(least_squares(&[samples(|_| 1.0)[7]; 9]), None);
    }

    #[test]
    fn errors_are_those_of_the_model() {
        let exact = samples(|_| 1.0);
        assert!(squared_error(&GAP, Model::Messages, &exact) < 1e-30);
        let [constant, words] =
            [Model::Constant, Model::Words].map(|model| squared_error(&GAP, model, &exact));
        assert!(constant > words && words > 0.0, "{constant} {words}");
    }
}
