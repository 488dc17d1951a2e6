//! The figures that agree best with all measurements.
//!
//! Idea: least squares of relative errors, taken as the logarithm of model over measurement, so that half as
//! long is as bad as twice as long; errors far above [`USUAL_ERROR`] count linearly and not as squares, so
//! that a disturbed measurement does not bend all figures. Local work has a weight ([`LOCAL`]), chosen by
//! hand where ranks outnumbered cores and not measured. The sum is minimised by a search along one figure at
//! a time: each is multiplied or divided by a factor as long as that helps, and the factor goes towards 1. It
//! starts from the parts that were measured separately, so that figures which rounds cannot tell apart stay
//! near them.
//!
//! No crate: those for non-linear least squares (levenberg-marquardt, argmin) need the derivatives of the
//! model and bring a library of linear algebra (nalgebra, or ndarray) for eight figures and some twenty
//! samples, for which the thirty lines of [`fit`] take milliseconds.

use hcube_core::machine::{Link, Parameters};
use hcube_random_access::model::Traffic;

/// What was measured, and how the model predicts it.
#[derive(Debug, Clone)]
pub enum Quantity {
    /// Generating a value.
    Generate,
    /// Examining a value and putting it on one of two lists.
    Divide,
    /// Copying a byte.
    Copy,
    /// Generating a value and applying it, without communication.
    Local,
    /// An exchange with a rank of another node or of the same node.
    Exchange {
        /// With another node.
        far: bool,
        /// In each direction.
        bytes: f64,
    },
    /// A round of RandomAccess.
    Round {
        /// What the plans move.
        traffic: Box<Traffic>,
        /// Values per rank.
        values: usize,
        /// Values of all ranks.
        updates: u64,
    },
}

impl Quantity {
    /// Seconds by the model.
    pub fn seconds(&self, parameters: &Parameters) -> f64 {
        match self {
            Self::Generate => parameters.generate,
            Self::Divide => parameters.divide,
            Self::Copy => parameters.copy,
            Self::Local => parameters.generate + parameters.update,
            Self::Exchange { far, bytes } => {
                let link = if *far { &parameters.network } else { &parameters.node };
                link.latency + bytes / link.bandwidth
            }
            Self::Round { traffic, values, .. } => traffic.round(parameters, *values, false).total(),
        }
    }

    /// How much an error counts.
    fn weight(&self) -> f64 {
        match self {
            Self::Generate | Self::Divide | Self::Copy | Self::Local => LOCAL,
            Self::Exchange { .. } | Self::Round { .. } => 1.0,
        }
    }
}

#[derive(Debug, Clone)]
pub struct Sample {
    /// For the table.
    pub name: String,
    pub quantity: Quantity,
    /// As measured.
    pub seconds: f64,
}

impl Sample {
    /// Deviation of the model, as a share of what was measured.
    pub fn error(&self, parameters: &Parameters) -> f64 {
        self.quantity.seconds(parameters) / self.seconds - 1.0
    }

    /// What the sum is of: the square of the error where it is small, in units of [`USUAL_ERROR`].
    fn cost(&self, parameters: &Parameters) -> f64 {
        let error = (self.quantity.seconds(parameters) / self.seconds).ln() / USUAL_ERROR;
        self.quantity.weight() * (error.hypot(1.0) - 1.0)
    }
}

/// A usual error of a measurement; figures move by ten per cent from run to run.
const USUAL_ERROR: f64 = 0.1;
/// Weight of local work, whose measurements nothing else explains: where rounds wait for a core, that is
/// latency, although updates that take as long would explain it at the cost of one measurement.
pub const LOCAL: f64 = 20.0;
/// How much figures are drawn to where they start: too little to count beside measurements, enough for one
/// that no measurement depends on (bandwidth, where every message waits for a core) to stay where it is.
const PULL: f64 = 0.01;
/// Factor of the first steps and of the last ones.
const FIRST_STEP: f64 = 1.5;
const LAST_STEP: f64 = 1.0005;
/// A bound for the work; far more than it takes.
const MAX_SWEEPS: usize = 5000;

/// The figures as an array, for the search.
const FIGURES: usize = 8;

fn to_array(parameters: &Parameters) -> [f64; FIGURES] {
    let Parameters { network, node, generate, update, divide, copy } = *parameters;
    [network.latency, network.bandwidth, node.latency, node.bandwidth, generate, update, divide, copy]
}

fn from_array(figures: [f64; FIGURES]) -> Parameters {
    let [network_latency, network_bandwidth, latency, bandwidth, generate, update, divide, copy] = figures;
    let network = Link { latency: network_latency, bandwidth: network_bandwidth };
    Parameters { network, node: Link { latency, bandwidth }, generate, update, divide, copy }
}

/// The figures that fit best.
pub fn fit(samples: &[Sample]) -> Parameters {
    let begin = to_array(&start(samples));
    let cost = |figures: [f64; FIGURES]| -> f64 {
        let parameters = from_array(figures);
        let distance = |(figure, start): (&f64, &f64)| PULL * (figure / start).ln().powi(2);
        let pull: f64 = figures.iter().zip(&begin).map(distance).sum();
        samples.iter().map(|sample| sample.cost(&parameters)).sum::<f64>() + pull
    };
    let mut figures = begin;
    let (mut least, mut step) = (cost(figures), FIRST_STEP);
    for _ in 0..MAX_SWEEPS {
        let before = least;
        for number in 0..FIGURES {
            for factor in [step, 1.0 / step] {
                let mut changed = figures;
                changed[number] *= factor;
                let found = cost(changed);
                if found < least {
                    (figures, least) = (changed, found);
                }
            }
        }
        if least < before {
            continue;
        }
        if step < LAST_STEP {
            break;
        }
        step = step.sqrt();
    }
    from_array(figures)
}

/// What the parts that were measured separately say.
fn start(samples: &[Sample]) -> Parameters {
    let of = |wanted: fn(&Quantity) -> bool| {
        // Where nothing of the kind was measured nothing depends on it either, and any figure will do.
        samples.iter().find(|sample| wanted(&sample.quantity)).map_or(1e-9, |sample| sample.seconds)
    };
    let generate = of(|quantity| matches!(quantity, Quantity::Generate));
    let local = of(|quantity| matches!(quantity, Quantity::Local));
    Parameters {
        network: start_link(samples, true),
        node: start_link(samples, false),
        generate,
        // Of an update that is as fast as generating, there is something left.
        update: (local - generate).max(0.1 * local),
        divide: of(|quantity| matches!(quantity, Quantity::Divide)),
        copy: of(|quantity| matches!(quantity, Quantity::Copy)),
    }
}

/// Latency of the shortest exchange, bandwidth of the longest.
fn start_link(samples: &[Sample], wanted: bool) -> Link {
    let mut found: Vec<(f64, f64)> = samples
        .iter()
        .filter_map(|sample| match sample.quantity {
            Quantity::Exchange { far, bytes } if far == wanted => Some((bytes, sample.seconds)),
            _ => None,
        })
        .collect();
    found.sort_by(|one, other| one.0.total_cmp(&other.0));
    let (Some(shortest), Some(longest)) = (found.first(), found.last()) else {
        return Link { latency: 1e-6, bandwidth: 1e9 };
    };
    Link { latency: shortest.1, bandwidth: longest.0 / longest.1 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hcube_core::machine::Placement;
    use hcube_random_access::Mode;

    const TRUTH: Parameters = Parameters {
        network: Link { latency: 2e-6, bandwidth: 3e9 },
        node: Link { latency: 0.5e-6, bandwidth: 5e9 },
        generate: 1e-9,
        update: 20e-9,
        divide: 3e-9,
        copy: 0.2e-9,
    };

    /// Measurements that the model would agree with, except for the factors.
    fn samples(factors: &[f64]) -> Vec<Sample> {
        let mut quantities = vec![Quantity::Generate, Quantity::Divide, Quantity::Copy, Quantity::Local];
        for far in [false, true] {
            quantities.extend([8.0, 4096.0, 262_144.0].map(|bytes| Quantity::Exchange { far, bytes }));
        }
        for (mode, values) in [(Mode::Message, 8), (Mode::Message, 512), (Mode::Node, 8), (Mode::Node, 512)] {
            let traffic = Box::new(hcube_random_access::model::traffic(
                &Placement { ranks: 8, ranks_per_node: 4 },
                mode,
                0,
            ));
            quantities.push(Quantity::Round { traffic, values, updates: 8 * values as u64 });
        }
        let sample = |(quantity, factor): (Quantity, &f64)| {
            let seconds = factor * quantity.seconds(&TRUTH);
            Sample { name: String::new(), quantity, seconds }
        };
        quantities.into_iter().zip(factors.iter().cycle()).map(sample).collect()
    }

    #[test]
    fn exact_measurements_are_found_again() {
        let samples = samples(&[1.0]);
        let fitted = fit(&samples);
        for (found, expected) in to_array(&fitted).iter().zip(to_array(&TRUTH)) {
            assert!((found / expected - 1.0).abs() < 0.02, "{fitted:?}");
        }
    }

    #[test]
    fn disturbed_measurements_are_approached() {
        let samples = samples(&[1.1, 0.9, 1.05, 1.0, 0.95]);
        let sum = |parameters: &Parameters| -> f64 { samples.iter().map(|s| s.cost(parameters)).sum() };
        let fitted = fit(&samples);
        assert!(sum(&fitted) <= sum(&TRUTH) && sum(&fitted) < sum(&start(&samples)), "{fitted:?}");
        assert!(samples.iter().all(|sample| sample.error(&fitted).abs() < 0.25), "{fitted:?}");
    }

    #[test]
    fn figures_that_nothing_depends_on_stay() {
        let mut samples = samples(&[1.0]);
        // As if every message waited for a core, and the longer ones by chance not as long.
        for sample in &mut samples {
            match sample.quantity {
                Quantity::Exchange { bytes, .. } => sample.seconds = 1e-3 / bytes.sqrt(),
                Quantity::Round { .. } => sample.seconds = 4e-3,
                _ => {}
            }
        }
        let (begin, fitted) = (start(&samples), fit(&samples));
        for (link, begin) in [(fitted.network, begin.network), (fitted.node, begin.node)] {
            assert!(link.bandwidth < 1e3 * begin.bandwidth && link.latency > 1e-4, "{fitted:?}");
        }
    }

    #[test]
    fn waiting_for_a_core_is_no_local_work() {
        let mut samples = samples(&[1.0]);
        let rounds = samples.iter_mut().filter(|sample| matches!(sample.quantity, Quantity::Round { .. }));
        rounds.for_each(|sample| sample.seconds = 4e-3);
        let fitted = fit(&samples);
        assert!(fitted.update < 2.0 * TRUTH.update && fitted.divide < 2.0 * TRUTH.divide, "{fitted:?}");
    }

    #[test]
    fn one_measurement_does_not_bend_the_others() {
        let mut samples = samples(&[1.0]);
        let wrong = samples.iter().position(|sample| matches!(sample.quantity, Quantity::Round { .. }));
        samples[wrong.expect("a round")].seconds *= 100.0;
        let fitted = fit(&samples);
        let far = samples.iter().filter(|sample| sample.error(&fitted).abs() > 0.1).count();
        assert!(far <= 2, "{fitted:?}");
    }
}
