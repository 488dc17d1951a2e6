//! What a probe prints: tables as C.1 to C.3 of the thesis, with least squares and the old formula beside
//! them.

use super::estimate;
use super::figures::of_kind;
use hcube_results::bsp::samples::Samples;
use hcube_results::machine::bsp::{Bsp, Gap, Interval, MAX_LATENCY_SPREAD_PERCENT, Processes};
use hcube_results::numbers::{significant, spread};
use hcube_results::table::Table;

/// How many processes a core has, where they are several.
fn sharing(processes: &Processes) -> String {
    if processes.per_core > 1.0 {
        let each = significant(processes.per_core);
        format!("{each} processes share a core: figures hold only for as many\n")
    } else {
        "each process has a core of its own\n".to_owned()
    }
}

fn operations(processes: &Processes) -> Table {
    let mut table = Table::new(["operation", "ns", "10^6 per second"]);
    for one in &processes.operations {
        table.row([one.name.clone(), significant(one.ns), format!("{:.1}", 1e3 / one.ns)]);
    }
    table
}

fn latencies(processes: &Processes, samples: &Samples) -> Table {
    let mut table = Table::new(["superstep", "us", "minimum", "spread"]);
    let latency = &processes.latency_us;
    let rows = [
        ("no communication", latency.empty),
        ("cyclic shift", latency.shift),
        ("all to all", latency.all_to_all),
    ];
    for ((name, value), times) in rows.into_iter().zip(&samples.latencies) {
        let least = times.iter().copied().fold(f64::INFINITY, f64::min);
        let percent = 100.0 * spread(times);
        let mark = if percent > MAX_LATENCY_SPREAD_PERCENT { " !" } else { "" };
        let spread = format!("{percent:.0}%{mark}");
        table.row([name.to_owned(), significant(value), significant(least), spread]);
    }
    table
}

/// A number of words.
fn words(value: f64) -> String {
    format!("{value:.0}")
}

/// An estimate with half of its interval.
fn bounded(interval: &Interval, unit: f64, written: impl Fn(f64) -> String) -> String {
    let half = (interval.high - interval.low) / 2.0;
    format!("{} +- {}", written(unit * interval.value), written(unit * half))
}

fn gaps(processes: &Processes, samples: &Samples) -> Table {
    let mut table = Table::new([
        "pattern",
        "operation",
        "g ns",
        "h_half",
        "o",
        "error g(h,h*)",
        "error g(h)",
        "least squares: g ns",
        "h_half",
        "o",
        "eq. 3.1: g ns",
        "o",
    ]);
    for gap in &processes.gaps {
        let Gap { pattern, operation, g_us, half_words, overhead_words, error_message, error_words, .. } =
            gap;
        let none = || "-".to_owned();
        let error = |error: &Option<f64>| error.map_or_else(none, |error| format!("{error:.1e}"));
        let mut cells = vec![
            pattern.name().to_owned(),
            operation.name().to_owned(),
            significant(1e3 * g_us),
            words(*half_words),
            words(*overhead_words),
            error(error_message),
            error(error_words),
        ];
        cells.extend(match &gap.least_squares {
            Some(fit) => [
                bounded(&fit.g_us, 1e3, significant),
                bounded(&fit.half_words, 1.0, words),
                bounded(&fit.overhead_words, 1.0, words),
            ],
            None => [none(), none(), none()],
        });
        let old = estimate::extremes(&of_kind(samples, (*pattern, *operation)));
        cells.extend(match old {
            Some(old) => [significant(1e9 * old.infinite), words(old.overhead)],
            None => [none(), none()],
        });
        table.row(cells);
    }
    table
}

/// What marks in the table of latencies mean, if there are any.
fn marks(samples: &Samples) -> String {
    match samples.latency_spread_percent() {
        Some(spread) if spread > MAX_LATENCY_SPREAD_PERCENT => format!(
            "!: repetitions differ by more than {MAX_LATENCY_SPREAD_PERCENT:.0} %; predictions with this latency mean little\n"
        ),
        _ => String::new(),
    }
}

fn noise(samples: &Samples) -> String {
    match samples.noise_percent() {
        Some(noise) => {
            format!(
                "noise: the median of a case exceeds its minimum by {noise:.1}% (in the median of all cases, or of a latency)"
            )
        }
        None => "noise: not known, it takes 3 measurements of each case (--repeat)".to_owned(),
    }
}

/// What was measured without a result: supersteps that were not longer than an empty one tell no gap.
pub fn without_gap(bsp: &Bsp, samples: &Samples) -> Option<String> {
    let processes = bsp.for_processes(samples.processes).ok()?;
    let missing: Vec<String> = samples
        .measured()
        .into_iter()
        .filter(|&(pattern, operation)| processes.gap(pattern, operation).is_none())
        .map(|(pattern, operation)| format!("{} {}", pattern.name(), operation.name()))
        .collect();
    (!missing.is_empty()).then(|| {
        format!(
            "no gap of {}: their supersteps took no longer than empty ones, which other work on the machine or short messages \
             explain; measure again, with more repetitions (--repeat) or longer messages (--max-words)",
            missing.join(", ")
        )
    })
}

/// All tables of a probe.
pub fn text(bsp: &Bsp, samples: &Samples) -> String {
    let Ok(processes) = bsp.for_processes(samples.processes) else { return String::new() };
    format!(
        "{} on {} processes, {}\n{}\n{}{}\n{}\n\
         g: of a word of 64 bits in long exchanges; h_half: h at which start-up doubles the cost per word; o: the same of a message\n\
         error: mean of the squared differences in s^2, with o and without; +- bounds of 95 %\n\
         {}\n",
        samples.library,
        samples.processes,
        sharing(processes),
        operations(processes).render(),
        latencies(processes, samples).render(),
        marks(samples),
        gaps(processes, samples).render(),
        noise(samples),
    )
}

#[cfg(test)]
mod tests {
    use super::super::figures::{section, tests::samples};
    use super::*;

    #[test]
    fn all_estimates_are_shown() {
        let samples = samples(2);
        let text = text(&section(&samples, None), &samples);
        for words in ["exact on 2 processes, each process has a core", "no communication", "average-double"] {
            assert!(text.contains(words), "{words} expected: {text}");
        }
        let line = text.lines().find(|line| line.starts_with("random-permutation")).expect("a gap");
        assert!(line.contains("put") && line.contains("1.000 +- 0") && line.contains("1000 +- 0"), "{line}");
        assert!(text.contains("noise: not known"), "{text}");
    }

    #[test]
    fn latencies_that_differ_too_far_are_marked() {
        let mut samples = samples(2);
        let shown = |samples: &Samples| text(&section(samples, None), samples);
        let line = |text: &str| text.lines().find(|line| line.starts_with("cyclic shift")).map(str::to_owned);
        assert!(!shown(&samples).contains('!'), "{}", shown(&samples));
        samples.latencies[1] = vec![3.0, 3.0, 3.0, 28.44];
        let text = shown(&samples);
        assert!(line(&text).is_some_and(|line| line.ends_with("848% !")), "{text}");
        assert!(text.contains("\n!: repetitions differ by more than 50 %"), "{text}");
    }

    #[test]
    fn supersteps_without_a_gap_are_named() {
        let mut samples = samples(2);
        assert_eq!(without_gap(&section(&samples, None), &samples), None);
        samples.latencies[0] = vec![1e6];
        let warning = without_gap(&section(&samples, None), &samples).expect("a warning");
        assert!(warning.contains("random-permutation put") && warning.contains("--repeat"), "{warning}");
    }
}
