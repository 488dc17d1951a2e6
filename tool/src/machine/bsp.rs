//! The figures of a machine file for a program on a number of processes.

use clap::ValueEnum;
use hcube_bsp::cost::{Cost, Gap, Machine};
use hcube_results::machine::bsp::{self, GapOperation, Pattern, Processes};

/// How the figures of gaps were estimated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Estimate {
    /// Weighted means, equations 3.2 to 3.6 of the thesis
    Weighted,
    /// Least squares of relative errors, where a file has them
    LeastSquares,
}

/// The gap of an operation, per word. Estimates below 0 result from noise, and none of them makes a superstep
/// shorter.
pub fn gap(gap: &bsp::Gap, estimate: Estimate) -> Gap {
    let Gap { infinite, half, overhead } = estimated(gap, estimate);
    Gap { infinite, half: half.max(0.0), overhead: overhead.max(0.0) }
}

fn estimated(gap: &bsp::Gap, estimate: Estimate) -> Gap {
    match gap.least_squares.filter(|_| estimate == Estimate::LeastSquares) {
        Some(fit) => Gap {
            infinite: 1e-6 * fit.g_us.value,
            half: fit.half_words.value,
            overhead: fit.overhead_words.value,
        },
        None => Gap { infinite: 1e-6 * gap.g_us, half: gap.half_words, overhead: gap.overhead_words },
    }
}

/// The cost parameters of a program that communicates by an operation in a pattern, and whose own operations
/// take a time.
///
/// # Errors
/// Where the operation was not measured.
pub fn parameters(
    processes: &Processes,
    (pattern, operation): (Pattern, GapOperation),
    operation_seconds: f64,
    estimate: Estimate,
) -> Result<Machine, String> {
    let found = processes.gap(pattern, operation).ok_or_else(|| {
        format!(
            "no gap of '{}' in the pattern '{}' for {} processes: 'hcube bsp probe' measures it",
            operation.name(),
            pattern.name(),
            processes.processes
        )
    })?;
    if estimate == Estimate::LeastSquares && found.least_squares.is_none() {
        return Err(format!(
            "--estimate least-squares: the gap of '{}' in the pattern '{}' has none: expected --estimate weighted",
            operation.name(),
            pattern.name()
        ));
    }
    let latency = match pattern {
        Pattern::RandomPermutation => processes.latency_us.shift,
        Pattern::AllToAll => processes.latency_us.all_to_all,
    };
    Ok(Machine {
        operation: operation_seconds,
        gap: gap(found, estimate),
        latency: 1e-6 * latency,
        empty: 1e-6 * processes.latency_us.empty,
    })
}

/// Whether a superstep or a message of a program is outside of what was measured.
pub fn is_beyond_range(cost: &Cost, gap: Option<&bsp::Gap>) -> bool {
    let Some(range) = gap.and_then(|gap| gap.range) else { return false };
    let outside = |value: f64, low: f64, high: f64| value < low || value > high;
    cost.exchanges.iter().filter(|exchange| exchange.words > 0.0 && exchange.count > 0.0).any(|exchange| {
        outside(exchange.words, range.min_words, range.max_words)
            || outside(exchange.message, range.min_message_words, range.max_message_words)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use hcube_bsp::cost::Exchange;
    use hcube_results::machine::Machine as File;

    #[test]
    fn published_figures_are_found() {
        let file = File::find("aracari-oxtool").expect("it comes with hcube");
        let processes =
            file.bsp.as_ref().expect("a BSP machine").for_processes(16).expect("measured").clone();
        let kind = (Pattern::AllToAll, GapOperation::HpGet);
        let error =
            parameters(&processes, kind, 2.5e-9, Estimate::LeastSquares).expect_err("not in table C.9");
        assert!(error.starts_with("--estimate least-squares"), "{error}");
        let found = parameters(&processes, kind, 2.5e-9, Estimate::Weighted).expect("in table C.9");
        assert!((found.gap.infinite - 0.36214e-6).abs() < 1e-12 && found.gap.half == 92.0);
        assert!((found.latency - 575e-6).abs() < 1e-4 && found.empty < found.latency, "{found:?}");
        let mut without = processes;
        without.gaps.clear();
        let error = parameters(&without, kind, 1e-9, Estimate::Weighted).expect_err("refused");
        assert!(error.contains("'hp-get'") && error.contains("16 processes"), "{error}");
    }

    #[test]
    fn noise_makes_no_superstep_shorter() {
        let processes = crate::probe::supersteps::tests::processes();
        let found = processes.gap(Pattern::RandomPermutation, GapOperation::Put).expect("measured");
        let noisy = bsp::Gap { half_words: -500.0, overhead_words: -1.0, ..*found };
        let used = gap(&noisy, Estimate::Weighted);
        assert!(used.half == 0.0 && used.overhead == 0.0 && used.infinite > 0.0, "{used:?}");
    }

    #[test]
    fn the_range_is_that_of_the_probe() {
        let processes = crate::probe::supersteps::tests::processes();
        let mut gap = *processes.gap(Pattern::RandomPermutation, GapOperation::Put).expect("measured");
        let cost = |words, message| Cost {
            operations: 1.0,
            exchanges: vec![Exchange { count: 1.0, words, message }],
            supersteps: 1.0,
        };
        assert!(!is_beyond_range(&cost(100.0, 100.0), Some(&gap)));
        assert!(is_beyond_range(&cost(1e9, 100.0), Some(&gap)));
        assert!(is_beyond_range(&cost(1e4, 1e4), Some(&gap)));
        assert!(!is_beyond_range(&cost(0.0, 0.0), Some(&gap)));
        gap.range = None;
        assert!(!is_beyond_range(&cost(1e9, 1e9), Some(&gap)) && !is_beyond_range(&cost(1e9, 1e9), None));
    }
}
