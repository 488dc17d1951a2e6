//! Figures of supersteps for machines whose files have none: by the links, as of the cost model of
//! subsequences.
//!
//! A word takes its time at the bandwidth of a rank, which shares the port of its node with the others; a
//! superstep takes the latency of a message and of a barrier of log2 p messages. Gaps do not depend on the
//! size of messages.

use super::super::lcs::entry_ns;
use hcube_core::machine::Placement;
use hcube_lcs::cost::Machine as Links;
use hcube_results::machine::Machine;
use hcube_results::machine::bsp::{Bsp, Gap, GapOperation, Latency, Operation, Pattern, Processes, VERSION};
use hcube_tool::machine::parameters;

/// Nanoseconds of a multiplication and an addition where the file of a machine does not say it.
const DEFAULT_MULTIPLY_NS: f64 = 0.25;

/// The machine with figures for a number of ranks, and whether they were in its file.
pub fn with_figures(machine: &Machine, placement: &Placement) -> (Machine, bool) {
    let bsp = machine.bsp.as_ref();
    if bsp.is_some_and(|bsp| bsp.for_processes(placement.ranks).is_ok()) {
        return (machine.clone(), true);
    }
    let mut bsp = bsp.cloned().unwrap_or_else(|| without_processes(machine));
    bsp.put(of_links(machine, placement));
    (Machine { bsp: Some(bsp), ..machine.clone() }, false)
}

fn without_processes(machine: &Machine) -> Bsp {
    let multiply_ns =
        Some(machine.costs.multiply_ns).filter(|&cost| cost > 0.0).unwrap_or(DEFAULT_MULTIPLY_NS);
    let operations = [("matmul", multiply_ns), ("llcs-standard", entry_ns(machine))]
        .map(|(name, ns)| Operation { name: name.to_owned(), ns });
    Bsp {
        version: VERSION,
        library: "derived from links".to_owned(),
        operations: operations.into(),
        processes: vec![],
    }
}

fn of_links(machine: &Machine, placement: &Placement) -> Processes {
    let links = Links::new(&parameters(machine), placement, 0.0).with_barriers(placement.ranks);
    let latency = 1e6 * links.latency;
    let gap = |pattern, operation| Gap {
        pattern,
        operation,
        g_us: 1e6 * links.gap,
        half_words: 0.0,
        overhead_words: 0.0,
        error_message: None,
        error_words: None,
        least_squares: None,
        range: None,
    };
    Processes {
        processes: placement.ranks,
        per_core: 1.0,
        latency_us: Latency { empty: latency, shift: latency, all_to_all: latency },
        gaps: vec![
            gap(Pattern::AllToAll, GapOperation::HpGet),
            gap(Pattern::RandomPermutation, GapOperation::Put),
        ],
        noise_percent: None,
        latency_spread_percent: None,
        operations: vec![],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_of_a_file_are_kept_and_others_derived() {
        let published = Machine::find("aracari-oxtool").expect("it comes with hcube");
        let on = |ranks| Placement { ranks, ranks_per_node: 1 };
        assert_eq!(with_figures(&published, &on(16)), (published.clone(), true));
        let (more, is_published) = with_figures(&published, &on(5));
        let (old, new) = (published.bsp.expect("figures"), more.bsp.expect("figures"));
        assert!(!is_published && old.operations == new.operations);
        assert_eq!(new.processes.len(), old.processes.len() + 1);
    }

    /// A message of 2 us and a barrier of ten such; 64 ranks share 24 GB/s.
    #[test]
    fn derived_figures_follow_from_the_links() {
        let machine = Machine::find("fat-nodes").expect("it comes with hcube");
        let (found, _) = with_figures(&machine, &Placement { ranks: 1024, ranks_per_node: 64 });
        assert_eq!(found.check(), Ok(()));
        let processes = found.bsp.expect("figures").for_processes(1024).expect("derived").clone();
        assert!((processes.latency_us.empty - 22.0).abs() < 1e-9, "{processes:?}");
        assert!((processes.gaps[0].g_us - 8.0 * 64.0 / 24e3).abs() < 1e-9, "{processes:?}");
    }
}
