//! Whole rounds of RandomAccess with many look-aheads, by messages alone and through shared memory.

use super::fit::{Quantity, Sample};
use crate::gups::arguments::{Case, mode_name};
use crate::gups::bench::Bench;
use crate::numbers;
use crate::progress::Progress;
use hcube::Result;
use hcube::comm::Comm;
use hcube::hypercube::Topology;
use hcube::model::Placement;
use hcube::model::random_access::Traffic;
use hcube::random_access::{Mode, Options, Prepared, StreamKind};

/// The look-aheads: where latency counts, where values do, and between.
const LOOK_AHEADS: [usize; 5] = [16, 64, 256, 1024, 4096];
/// Those of one rank alone: its rounds cost nothing but values.
const ALONE: [usize; 2] = [1024, 4096];
/// Seconds of one measurement, of which the median counts.
const SHORT: f64 = 0.05;
const TIMES: usize = 3;
/// Rounds of the first run, which tells how many take so long; and a bound for them.
const FEWEST: f64 = 4.0;
const MOST: f64 = 1e7;

/// Collective: what is measured, the same on all ranks; shared memory where several ranks have it.
pub fn cases(comm: &impl Comm, nodes: &[u32]) -> Vec<Case> {
    let case = |mode| {
        move |&look_ahead: &usize| Case {
            stream: StreamKind::Polynomial,
            options: Options { mode, look_ahead, ..Options::default() },
        }
    };
    if comm.size() == 1 {
        return ALONE.iter().map(case(Mode::Message)).collect();
    }
    let mut cases: Vec<Case> = LOOK_AHEADS.iter().map(case(Mode::Message)).collect();
    let shared = Topology::from_node_numbers(nodes, None).most_ranks_per_node() > 1;
    if shared && Prepared::new(comm, &case(Mode::Node)(&LOOK_AHEADS[0]).options).is_ok() {
        cases.extend(LOOK_AHEADS.iter().map(case(Mode::Node)));
    }
    cases
}

/// Collective: seconds of a round of each case, the same on all ranks, and how many words verification
/// has found wrong.
pub fn measure(
    comm: &impl Comm,
    bench: &mut Bench,
    cases: &[Case],
    progress: &mut Progress,
) -> Result<(Vec<Sample>, u64)> {
    let placement =
        Placement { ranks: comm.size(), ranks_per_node: bench.node_sizes.first().map_or(1, |&size| size) };
    let (mut samples, mut errors) = (Vec::new(), 0);
    for case in cases {
        let Options { look_ahead, mode, .. } = case.options;
        let way = if comm.size() == 1 { "alone".to_owned() } else { format!("mode {}", mode_name(mode)) };
        let (name, values) = (format!("round, {way}, Q = {look_ahead}"), case.options.round());
        progress.step(|| name.clone());
        let mut prepared = Prepared::new(comm, &case.options)?;
        let count = |rounds: f64| rounds as i64 * values as i64;
        errors += bench.errors(&mut prepared, case, count(FEWEST))?;
        let once = bench.seconds(&mut prepared, case, count(FEWEST))? / FEWEST;
        // The first runs are so short that starting and ending them counts: the second tells more.
        let more = (SHORT / 4.0 / once.max(1e-9)).clamp(FEWEST, MOST).floor();
        let once = bench.seconds(&mut prepared, case, count(more))? / more;
        let rounds = (SHORT / once.max(1e-9)).clamp(FEWEST, MOST).floor();
        let all = (0..TIMES).map(|_| bench.seconds(&mut prepared, case, count(rounds)));
        let seconds = numbers::median(&all.collect::<Result<Vec<f64>>>()?) / rounds;
        let traffic = Box::new(Traffic::new(&placement, mode, case.options.dimensions));
        let quantity = Quantity::Round { traffic, values, updates: (values * comm.size()) as u64 };
        samples.push(Sample { name, quantity, seconds });
    }
    Ok((samples, errors))
}
