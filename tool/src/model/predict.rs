//! The predictions, as they are written in JSON.

use super::arguments::Arguments;
use super::published::{self, Compared};
use super::round::Round;
use crate::machine::parameters;
use hcube_alltoall::model::{Algorithm, Exchange};
use hcube_core::machine::{Parameters, Placement};
use hcube_random_access::model::{self as updates, Parts};
use hcube_random_access::state::ALONE;
use hcube_random_access::{Mode, Options};
use hcube_results::machine::{Fit, Machine};
use serde::Serialize;

/// Bytes of a value.
const WORD: f64 = 8.0;

/// Everything that was predicted.
#[derive(Debug, Serialize)]
pub struct Results {
    hcube: &'static str,
    /// With the figures that were used.
    pub machine: Machine,
    /// Why these figures mean little, where the machine was calibrated badly or not over a network.
    pub warnings: Vec<String>,
    /// Values per round.
    pub round: usize,
    /// Whether rounds are outside the benchmark's rules.
    pub relaxed: bool,
    /// A line per number of ranks and mode; none where the costs of local work are not known.
    pub random_access: Vec<Updates>,
    /// An entry per number of ranks; none where no exchange was asked for.
    pub alltoall: Vec<Exchanged>,
    /// For the machine that Plimpton et al. 2006 measured.
    pub published: Vec<Compared>,
}

/// RandomAccess. Times of a round, messages and bytes of a rank in it.
#[derive(Debug, Serialize)]
pub struct Updates {
    pub ranks: usize,
    pub ranks_per_node: usize,
    pub nodes: usize,
    pub mode: &'static str,
    /// Whether this is what mode auto chooses.
    pub automatic: bool,
    pub dimensions: usize,
    pub look_ahead: usize,
    pub gups: f64,
    /// Share of the time in which values are generated and applied.
    pub efficiency: f64,
    pub round_seconds: f64,
    pub local_seconds: f64,
    pub divide_seconds: f64,
    pub copy_seconds: f64,
    pub latency_seconds: f64,
    pub transfer_seconds: f64,
    pub messages: f64,
    pub message_bytes: f64,
}

impl Updates {
    fn new(placement: &Placement, options: &Options, parameters: &Parameters) -> Self {
        let round = Round::new(parameters, placement, options);
        let Parts { generate, update, divide, copy, latency, transfer } = round.parts;
        let (local, total) = (generate + update, round.parts.total());
        Self {
            ranks: placement.ranks,
            ranks_per_node: placement.ranks_per_node,
            nodes: placement.nodes(),
            mode: if placement.ranks == 1 { ALONE } else { options.mode.name() },
            automatic: updates::resolve(placement, Mode::Auto) == options.mode,
            dimensions: options.dimensions,
            look_ahead: options.look_ahead,
            gups: round.gups(),
            efficiency: if total > 0.0 { local / total } else { 0.0 },
            round_seconds: total,
            local_seconds: local,
            divide_seconds: divide,
            copy_seconds: copy,
            latency_seconds: latency,
            transfer_seconds: transfer,
            messages: round.traffic.messages,
            message_bytes: WORD * options.round() as f64 * round.traffic.words,
        }
    }
}

/// The exchange in place.
#[derive(Debug, Serialize)]
pub struct Exchanged {
    pub ranks: usize,
    pub ranks_per_node: usize,
    pub nodes: usize,
    pub bytes_per_rank: usize,
    pub memory: usize,
    /// What hcube chooses; nothing if that is the library's own function, or there is nothing to do.
    pub automatic: Option<&'static str>,
    pub algorithms: Vec<Timed>,
}

/// The time of an algorithm.
#[derive(Debug, Serialize)]
pub struct Timed {
    pub algorithm: &'static str,
    /// Nothing where it cannot make the exchange.
    pub seconds: Option<f64>,
}

fn exchanged(placement: Placement, (bytes, memory): (usize, usize), parameters: &Parameters) -> Exchanged {
    let exchange = Exchange { placement, bytes, memory };
    let timed = |(algorithm, which)| Timed { algorithm, seconds: exchange.seconds(which, parameters) };
    let chosen = exchange.automatic(parameters);
    let name = |chosen| Algorithm::NAMES.iter().find(|known| known.1 == chosen).map(|known| known.0);
    Exchanged {
        ranks: placement.ranks,
        ranks_per_node: placement.ranks_per_node,
        nodes: placement.nodes(),
        bytes_per_rank: bytes,
        memory,
        automatic: chosen.and_then(name),
        algorithms: Algorithm::NAMES.into_iter().map(timed).collect(),
    }
}

/// The warning on predictions of the exchange without the costs of local work.
fn costs_warning(machine: &Machine) -> Option<String> {
    (!machine.random_access_known()).then(|| {
        "the costs of local work are not known (generate_ns, update_ns, divide_ns and copy_ns are 0): RandomAccess is not \
         predicted, and the times of the exchange in place contain only messages; those inside a node, which copies \
         dominate, are far too short"
            .to_owned()
    })
}

impl Results {
    /// For these numbers of ranks, which have been checked.
    pub fn new(arguments: &Arguments, machine: &Machine, ranks: &[usize]) -> Self {
        let (parameters, options) = (parameters(machine), arguments.options());
        let (mut updates, mut exchanges) = (Vec::new(), Vec::new());
        let placements: Vec<Placement> =
            ranks.iter().map(|&ranks| arguments.placement(machine, ranks)).collect();
        for &placement in &placements {
            // Modes that resolve to the same mode are one line.
            let mut modes: Vec<Mode> = Vec::new();
            for mode in arguments.modes() {
                let mode = updates::resolve(&placement, mode);
                if !modes.contains(&mode) {
                    modes.push(mode);
                }
            }
            let line = |mode| Updates::new(&placement, &Options { mode, ..options }, &parameters);
            if machine.random_access_known() {
                updates.extend(modes.into_iter().map(line));
            }
            exchanges
                .extend(arguments.exchange().map(|exchange| exchanged(placement, exchange, &parameters)));
        }
        let several = placements.iter().filter(|placement| placement.nodes() > 1);
        let fit_warning = machine.fit.as_ref().and_then(Fit::warning);
        let network_warning = machine.network_warning(several.map(|placement| placement.ranks));
        Self {
            hcube: env!("CARGO_PKG_VERSION"),
            machine: machine.clone(),
            warnings: fit_warning.into_iter().chain(network_warning).chain(costs_warning(machine)).collect(),
            round: options.round(),
            relaxed: options.relaxed,
            random_access: updates,
            alltoall: exchanges,
            published: if arguments.published() { published::compare(&parameters) } else { Vec::new() },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::report;
    use super::*;
    use crate::command_line::parse;

    #[test]
    fn without_costs_only_the_exchange_is_predicted() {
        let arguments: Arguments = parse(["--machine", "aracari-oxtool", "--ranks", "16", "--bytes", "64k"]);
        let machine = arguments.machine().expect("a machine of hcube");
        let results = Results::new(&arguments, &machine, &[16]);
        assert_eq!((results.random_access.len(), results.alltoall.len()), (0, 1));
        let mut times = results.alltoall[0].algorithms.iter().filter_map(|timed| timed.seconds);
        assert!(times.any(|seconds| seconds > 0.0));
        let text = report::text(&results, false);
        assert!(text.contains("exchange in place, ") && !text.contains("RandomAccess, rounds"), "{text}");
        assert!(text.contains("WARNING: the costs of local work are not known"), "{text}");
    }
}
