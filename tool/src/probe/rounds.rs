//! Whole rounds of RandomAccess with many look-aheads, by messages only and through shared memory.
//!
//! The model knows full nodes in the order of ranks: other placements are fitted as if they were such, and
//! the error of the fit shows what that costs.

use super::fit::{Quantity, Sample};
use crate::bench::random_access::{Case, UpdateBench};
use crate::progress::Progress;
use hcube_core::Result;
use hcube_core::comm::Comm;
use hcube_core::machine::Placement;
use hcube_core::plan::Topology;
use hcube_hpcc::random_access::State;
use hcube_random_access::model::traffic;
use hcube_random_access::{Mode, Options, StreamKind, UpdateState, state};

/// The look-aheads: where latency counts, where values do, and between.
const LOOK_AHEADS: [usize; 5] = [16, 64, 256, 1024, 4096];
/// The look-aheads of a single rank: its rounds have no cost except for values.
const ALONE: [usize; 2] = [1024, 4096];
/// Seconds of one measurement. The shortest counts, as disturbances only add, and all cases are measured in
/// turn, so that one that lasts does not hit all measurements of a case.
const MEASUREMENT_SECONDS: f64 = 0.03;
const TIMES: usize = 7;
/// Rounds of the first run, and a bound for the others.
const MIN_ROUNDS: f64 = 4.0;
const MAX_ROUNDS: f64 = 1e7;

/// Steps of progress.
pub fn steps(cases: &[Case]) -> usize {
    cases.len() + TIMES
}

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
    let shared = Topology::from_node_numbers(nodes, None).most_on_a_node() > 1;
    if shared && UpdateState::new(comm, &case(Mode::Node)(&LOOK_AHEADS[0]).options).is_ok() {
        cases.extend(LOOK_AHEADS.iter().map(case(Mode::Node)));
    }
    cases
}

/// Collective: seconds of a round of each case, the same on all ranks, and how many words verification
/// has found wrong.
pub fn measure(
    comm: &impl Comm,
    bench: &mut UpdateBench,
    cases: &[Case],
    progress: &mut Progress,
) -> Result<(Vec<Sample>, u64)> {
    let placement =
        Placement { ranks: comm.size(), ranks_per_node: bench.node_sizes.first().map_or(1, |&size| size) };
    let (mut series, mut errors) = (Vec::new(), 0);
    for case in cases {
        progress.step(|| format!("{}, preparing", name(case, comm.size())));
        let (one, wrong) = Series::new(comm, bench, case)?;
        series.push(one);
        errors += wrong;
    }
    for turn in 0..TIMES {
        progress.step(|| format!("rounds, {} of {TIMES}", turn + 1));
        for one in &mut series {
            one.measure(bench)?;
        }
    }
    let sample = |one: Series| {
        let Options { mode, dimensions, .. } = one.case.options;
        let (traffic, values) = (Box::new(traffic(&placement, mode, dimensions)), one.case.options.round());
        let quantity = Quantity::Round { traffic, values, updates: (values * comm.size()) as u64 };
        Sample { name: name(&one.case, comm.size()), quantity, seconds: one.least }
    };
    Ok((series.into_iter().map(sample).collect(), errors))
}

fn name(case: &Case, ranks: usize) -> String {
    let Options { look_ahead, mode, .. } = case.options;
    let route = if ranks == 1 { state::ALONE.to_owned() } else { format!("mode {}", mode.name()) };
    format!("round, {route}, Q = {look_ahead}")
}

/// The measurements of a case.
struct Series {
    case: Case,
    prepared: State,
    rounds: f64,
    /// Seconds of a round in the shortest.
    least: f64,
}

impl Series {
    /// Collective: verifies a short run and makes ready for the others; also returns the number of errors.
    fn new(comm: &impl Comm, bench: &mut UpdateBench, case: &Case) -> Result<(Self, u64)> {
        let prepared = State::from(UpdateState::new(comm, &case.options)?);
        let mut series = Self { case: *case, prepared, rounds: MIN_ROUNDS, least: f64::INFINITY };
        let updates = series.updates();
        let errors = bench.errors(&mut series.prepared, case, updates)?;
        // Of a first run that is so short starting and ending it counts.
        series.measure(bench)?;
        series.least = f64::INFINITY;
        Ok((series, errors))
    }

    /// Updates of a rank.
    fn updates(&self) -> i64 {
        self.rounds as i64 * self.case.options.round() as i64
    }

    /// Collective: one measurement, which also says how many rounds the next one takes.
    fn measure(&mut self, bench: &mut UpdateBench) -> Result<()> {
        let updates = self.updates();
        let seconds = bench.seconds(&mut self.prepared, &self.case, updates)?;
        self.least = self.least.min(seconds / self.rounds);
        self.rounds = (MEASUREMENT_SECONDS / self.least.max(1e-9)).clamp(MIN_ROUNDS, MAX_ROUNDS).floor();
        Ok(())
    }
}
