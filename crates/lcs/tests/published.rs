//! Predictions of equations 5.3 and 5.5 against the efficiencies that the thesis has measured with Oxtool.
//!
//! The rows of argus and aracari in table 5.3 are exchanged in the thesis: the quotients of its efficiencies and of these
//! predictions are those of both rates. The sequential times to which the efficiencies of the standard algorithm refer
//! were computed from the rates as printed. Rates of the bit-parallel algorithm are as printed.
//!
//! Source: Krusche 2005, tables 5.3, C.2 to C.9 and F.1 to G.3.

use hcube_bsp::cost::{Cost, Gap, Machine, Model};
use hcube_lcs::cost::thesis;

/// Operations per microsecond, as printed in table 5.3.
const SKUA: f64 = 130.0;
const ARGUS: f64 = 61.0;
const ARACARI: f64 = 86.0;

/// One machine with one number of processors.
struct Row {
    name: &'static str,
    processors: usize,
    /// Latency of a cyclic shift and the gap of Put for random permutations, microseconds.
    latency: f64,
    gap: f64,
    /// Per cent, for alpha of 1 to 5.
    published: [f64; 5],
}

const fn row(name: &'static str, processors: usize, (latency, gap): (f64, f64), published: [f64; 5]) -> Row {
    Row { name, processors, latency, gap, published }
}

const STANDARD: [Row; 10] = [
    row("skua", 4, (16.9, 0.02666), [58.05, 76.10, 81.16, 85.35, 88.21]),
    row("skua", 8, (33.9, 0.03477), [58.21, 70.39, 78.30, 82.95, 85.96]),
    row("skua", 16, (69.7, 0.03665), [52.15, 68.62, 76.76, 80.99, 83.03]),
    row("skua", 32, (136.3, 0.03892), [51.07, 66.53, 71.29, 71.20, 68.17]),
    row("argus", 4, (1599.2, 3.58051), [80.41, 101.65, 110.35, 115.51, 117.90]),
    row("argus", 10, (1047.4, 5.35441), [70.59, 90.11, 96.80, 97.79, 96.79]),
    row("aracari", 4, (64.5, 0.14070), [40.63, 51.74, 57.01, 60.14, 62.30]),
    row("aracari", 8, (146.8, 0.25384), [37.15, 48.80, 55.38, 58.92, 61.24]),
    row("aracari", 16, (309.5, 0.28516), [35.43, 47.23, 53.90, 56.83, 58.17]),
    row("aracari", 32, (634.4, 0.31482), [34.45, 45.31, 48.91, 47.57, 43.43]),
];

/// Without skua, whose measurements are far from all predictions, also from those of the thesis.
const BIT_PARALLEL: [Row; 6] = [
    row("argus", 4, (1599.2, 3.58051), [56.09, 71.43, 79.27, 83.35, 86.33]),
    row("argus", 10, (1047.4, 5.35441), [47.93, 64.12, 71.25, 74.12, 74.26]),
    row("aracari", 4, (64.5, 0.14070), [56.60, 72.06, 79.57, 84.51, 87.58]),
    row("aracari", 8, (146.8, 0.25384), [50.51, 67.46, 73.88, 81.11, 84.28]),
    row("aracari", 16, (309.5, 0.28516), [46.60, 64.86, 70.77, 77.96, 80.61]),
    row("aracari", 32, (634.4, 0.31482), [45.98, 62.04, 68.56, 70.40, 47.85]),
];

/// The mean difference between predicted and published efficiencies, in points; `rates` has the operations per microsecond
/// for a prediction and for the sequential time.
fn mean_difference(
    rows: &[Row],
    length: usize,
    rates: impl Fn(&str) -> (f64, f64),
    cost: impl Fn(usize, usize) -> Cost,
) -> f64 {
    let mut sum = 0.0;
    for &Row { name, processors, latency, gap, published } in rows {
        let (rate, sequential) = rates(name);
        let gap = Gap { infinite: gap, half: 0.0, overhead: 0.0 };
        let machine = Machine { operation: 1.0 / rate, gap, latency, empty: latency };
        for (alpha, published) in (1..).zip(published) {
            let time = cost(processors, alpha).seconds(Model::Constant, &machine);
            let efficiency = 100.0 * (length * length) as f64 / sequential / (processors as f64 * time);
            sum += (efficiency - published).abs();
        }
    }
    sum / (5 * rows.len()) as f64
}

#[test]
fn standard_algorithm() {
    const LENGTH: usize = 65_536;
    let rates = |name: &str| match name {
        "skua" => (SKUA, SKUA),
        "argus" => (ARACARI, ARGUS),
        _ => (ARGUS, ARACARI),
    };
    let cost = |processors, alpha| thesis(LENGTH, 32 + 8, processors, alpha, 0);
    let mean = mean_difference(&STANDARD, LENGTH, rates, cost);
    assert!(mean <= 1.5, "{mean} points");
    let printed = |name: &str| match name {
        "skua" => (SKUA, SKUA),
        "argus" => (ARGUS, ARGUS),
        _ => (ARACARI, ARACARI),
    };
    let as_printed = mean_difference(&STANDARD, LENGTH, printed, cost);
    assert!(as_printed > 10.0, "{as_printed} points");
}

#[test]
fn bit_parallel_algorithm() {
    const LENGTH: usize = 1 << 19;
    let rates = |name: &str| if name == "argus" { (2900.0, 2900.0) } else { (1800.0, 1800.0) };
    let cost = |processors, alpha| thesis(LENGTH, 1 + 3, processors, alpha, 1);
    let mean = mean_difference(&BIT_PARALLEL, LENGTH, rates, cost);
    assert!(mean <= 3.0, "{mean} points");
}
