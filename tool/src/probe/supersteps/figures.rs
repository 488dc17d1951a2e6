//! What follows from the measurements of a probe: the section on BSP of a machine file.

use super::estimate::{self, Sample};
use crate::machine::CALIBRATED;
use hcube_bsp::cost::{Gap as Estimate, Model};
use hcube_results::bsp::samples::{Exchange, Samples};
use hcube_results::machine::bsp::{
    Bsp, Gap, GapOperation, Latency, Operation, Pattern, Processes, Range, VERSION,
};
use hcube_results::machine::{Costs, Link, Machine};
use hcube_results::numbers::median;

/// The samples of a pattern and an operation.
pub fn of_kind(samples: &Samples, kind: (Pattern, GapOperation)) -> Vec<Sample> {
    let own = samples.exchanges.iter().filter(|exchange| (exchange.pattern, exchange.operation) == kind);
    own.map(|exchange: &Exchange| Sample {
        words: exchange.total(samples.processes) as f64,
        message: exchange.words as f64,
        seconds: samples.communication(exchange)[1],
        superstep: median(&exchange.seconds),
    })
    .collect()
}

fn gap(samples: &Samples, kind: (Pattern, GapOperation)) -> Option<Gap> {
    let all = of_kind(samples, kind);
    let found = estimate::weighted(&all)?;
    let Estimate { infinite, half, overhead } = found;
    let error = |model| Some(estimate::squared_error(&found, model, &all));
    Some(Gap {
        pattern: kind.0,
        operation: kind.1,
        g_us: 1e6 * infinite,
        half_words: half,
        overhead_words: overhead,
        error_message: error(Model::Messages),
        error_words: error(Model::Words),
        range: range(samples, kind),
        least_squares: estimate::least_squares(&all),
    })
}

/// The largest and the smallest of a quantity of the exchanges of a pattern and an operation.
fn range(samples: &Samples, kind: (Pattern, GapOperation)) -> Option<Range> {
    let own = || samples.exchanges.iter().filter(|exchange| (exchange.pattern, exchange.operation) == kind);
    let ends = |quantity: &dyn Fn(&Exchange) -> usize| {
        let all = || own().map(quantity);
        Some((all().min()? as f64, all().max()? as f64))
    };
    let (min_words, max_words) = ends(&|exchange| exchange.total(samples.processes))?;
    let (min_message_words, max_message_words) = ends(&|exchange| exchange.words)?;
    Some(Range { min_words, max_words, min_message_words, max_message_words })
}

/// For the number of processes of a probe.
pub fn processes(samples: &Samples) -> Processes {
    let [empty, shift, all_to_all] = [0, 1, 2].map(|place| median(&samples.latencies[place]));
    Processes {
        processes: samples.processes,
        per_core: samples.per_core(),
        operations: operations(samples),
        latency_us: Latency { empty, shift, all_to_all },
        gaps: samples.measured().into_iter().filter_map(|kind| gap(samples, kind)).collect(),
        noise_percent: samples.noise_percent(),
        latency_spread_percent: samples.latency_spread_percent(),
    }
}

/// Operations in nanoseconds; with the means of dot product and matrix product.
fn operations(samples: &Samples) -> Vec<Operation> {
    let mut all: Vec<Operation> = samples
        .operations
        .iter()
        .map(|one| Operation { name: one.name.clone(), ns: median(&one.nanoseconds) })
        .collect();
    for kind in ["double", "double-blas", "int"] {
        let find = |name: String| all.iter().find(|one| one.name == name).map(|one| one.ns);
        let both = find(format!("dot-product-{kind}")).zip(find(format!("matrix-product-{kind}")));
        if let Some((dot, product)) = both {
            // The mean of the rates, as in tables C.1, C.4 and C.7.
            all.push(Operation { name: format!("average-{kind}"), ns: 2.0 / (1.0 / dot + 1.0 / product) });
        }
    }
    all
}

/// The section with the figures of a probe, and those that it has for other numbers of processes.
pub fn section(samples: &Samples, former: Option<Bsp>) -> Bsp {
    let new = || Bsp {
        version: VERSION,
        library: samples.library.clone(),
        operations: Vec::new(),
        processes: Vec::new(),
    };
    let mut bsp = former.filter(|former| former.library == samples.library).unwrap_or_else(new);
    bsp.put(processes(samples));
    bsp
}

/// A machine of which nothing else is known: supersteps give the latency and the bandwidth of messages.
pub fn machine(samples: &Samples) -> Machine {
    let found = processes(samples);
    let kinds = [GapOperation::HpPut, GapOperation::Put].map(|one| (Pattern::RandomPermutation, one));
    let gap = kinds
        .into_iter()
        .find_map(|(pattern, operation)| found.gap(pattern, operation))
        .or(found.gaps.first());
    let link = Link {
        latency_us: found.latency_us.shift,
        hop_latency_us: 0.0,
        // Bytes of a word by microseconds are 10^6 bytes per second.
        bandwidth_gb_s: gap.map_or(1.0, |gap| 8e-3 / gap.g_us),
    };
    let title = format!("machine as measured ({}, {} processes)", samples.library, samples.processes);
    Machine {
        name: CALIBRATED.to_owned(),
        title,
        sources: vec![
            "Measured by a probe of its BSP library. Latency and bandwidth of messages come from supersteps with a \
             cyclic shift and with long puts."
                .to_owned(),
        ],
        topology: None,
        cores: samples.cores.max(1),
        network: link,
        network_assumed: true,
        node: link,
        costs: Costs::default(),
        fit: None,
        bsp: None,
        messages: None,
    }
}

#[cfg(test)]
pub mod tests {
    use super::*;

    /// A probe of a machine with 1 ns per word, 1000 words for the start of a superstep and 20 for a message.
    pub fn samples(processes: usize) -> Samples {
        let mut text = format!(
            "hcube-bsp-samples 1\nlibrary exact\nprocesses {processes}\ncores 4\noperation dot-product-double 1 1\n\
             operation matrix-product-double 0.5\nlatency empty 2 2\nlatency shift 3\nlatency all-to-all 4\n"
        );
        for words in [1, 16, 256, 4096] {
            for count in [1, 8, 64] {
                let total = words * count;
                let seconds = 2e-6 + 1e-9 * (1000 + 20 * count + total) as f64;
                text += &format!("gap random-permutation put {words} {count} {seconds:e}\n");
            }
        }
        Samples::parse(&(text + "end\n")).expect("valid")
    }

    #[test]
    fn the_figures_are_those_of_the_machine() {
        let bsp = section(&samples(2), None);
        assert_eq!(bsp.check(), Ok(()));
        assert!((bsp.operation("average-double", 2).expect("both") - 2.0 / 3.0).abs() < 1e-9);
        let found = bsp.for_processes(2).expect("measured");
        assert_eq!((found.latency_us.empty, found.latency_us.shift), (2.0, 3.0));
        let gap = found.gap(Pattern::RandomPermutation, GapOperation::Put).expect("measured");
        assert_eq!(gap.range.map(|range| (range.max_words, range.min_message_words)), Some((262_144.0, 1.0)));
        let fit = gap.least_squares.as_ref().expect("enough samples");
        assert!(
            (fit.g_us.value - 1e-3).abs() < 1e-8 && (fit.half_words.value - 1000.0).abs() < 1.0,
            "{fit:?}"
        );
        assert!((gap.g_us - 1e-3).abs() < 1e-5 && (gap.half_words - 1020.0).abs() < 30.0, "{gap:?}");
        assert!(gap.error_message.is_some_and(|error| error < 1e-8) && gap.error_words.is_some(), "{gap:?}");
    }

    #[test]
    fn other_numbers_of_processes_stay() {
        let both = section(&samples(4), Some(section(&samples(2), None)));
        assert_eq!(both.processes.iter().map(|one| one.processes).collect::<Vec<_>>(), [2, 4]);
        let mut other = samples(4);
        other.library = "another".to_owned();
        assert_eq!(section(&other, Some(both)).processes.len(), 1);
    }
}
