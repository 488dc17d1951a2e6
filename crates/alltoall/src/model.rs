//! Time of an all-to-all exchange in place, all blocks of the same size.
//!
//! Idea: count the operations of the production code, with its own constants: steps of the schedules, pieces
//! that fit into the scratch memory, stages and records of the bundles, copies inside a node. A vote precedes
//! every exchange: an all-reduce; node leaders send it with the blocks.
//!
//! - *Schedules*: S steps; a rank exchanges in P - 1 steps and is idle in the others. An idle step costs as
//!   much as a busy one if one exchange is outstanding at a time, and less if several are. The processor is
//!   busy for the share `BUSY` of a message's latency; the outstanding pieces share the rest. One copy per
//!   byte, to the scratch memory.
//! - *Hypercube*: the stages of the plan; every record that is held is put on a list, every record that is
//!   sent is copied into a message and out of it.
//! - *Shared, single copy*: 2 and 1.5 copies per byte; one latency per slot, or two.
//! - *Node leaders*: the messages of the rank that leads the most routes; two notices inside the node; three
//!   copies.
//! - *Nodes*: hierarchical sets between nodes, the faster of shared and single copy inside, one after the
//!   other.
//!
//! Omitted, in addition to the points in [`hcube_core::machine::parameters`]: system calls of single copy,
//! the search of the MPI library for a message among many, the overlap of copies inside nodes with messages
//! between nodes, and the contention of outstanding messages. In the model, more memory is therefore never
//! slower. Hofmann and Ruenger 2013 measured the opposite (§4.3, JuRoPA): beyond 32 processes additional
//! memory increases the run time of hierarchical sets, and no additional memory is fastest.
//! Source: Hofmann and Ruenger, EuroMPI 2013, §3 (steps), §3.4 (extra memory); everything else is counted
//! from the code of this crate.

pub mod led;

use crate::bundles;
use crate::choice::Choice;
use crate::leaders;
use crate::messages::{MAX_PIECES_UNDER_WAY, copied_piece};
use crate::options::{Path, Schedule};
use crate::select::{self, MAX_ENCLOSED_BYTES, Situation};
use crate::state::{BASE_MEMORY_BYTES, Shares};
use crate::trials::Trials;
use crate::vote::{Property, Vote};
use hcube_core::machine::traffic::{Load, Parts, Traffic};
use hcube_core::machine::{Link, Parameters, Placement, log2};
use hcube_core::plan::Routing;

/// Share of a message's latency for which the processor is busy, so that no other message hides it. An
/// estimate: one half for sending, the other half in the network. Simulations (`hcube-lab simulate`) use the
/// same share, of the shorter of both latencies, as SimGrid has one figure for all messages.
const BUSY: f64 = 0.5;
/// Bytes of the header of a record, before the bytes of its block.
const HEADER: usize = 16;

/// How the exchange is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Algorithm {
    /// Messages in MPICH's order.
    Mpich,
    /// Messages by linear shift.
    LinearShift,
    /// Messages by hierarchical sets.
    HierarchicalSets,
    /// Small blocks, bundled.
    Hypercube,
    /// All ranks on one node, through slots of shared memory.
    Shared,
    /// All ranks on one node, from memory to memory.
    SingleCopy,
    /// Hierarchical sets between nodes, shared memory or single copy inside.
    Nodes,
    /// Messages between the leaders of each pair of nodes.
    NodeLeaders,
}

impl Algorithm {
    /// All with their names.
    pub const NAMES: [(&'static str, Self); 8] = [
        (Schedule::Mpich.name(), Self::Mpich),
        (Schedule::LinearShift.name(), Self::LinearShift),
        (Schedule::HierarchicalSets.name(), Self::HierarchicalSets),
        (Schedule::Hypercube.name(), Self::Hypercube),
        (Path::Shared.name(), Self::Shared),
        (Path::SingleCopy.name(), Self::SingleCopy),
        ("nodes", Self::Nodes),
        (Schedule::NodeLeaders.name(), Self::NodeLeaders),
    ];
}

/// An exchange in place whose time is predicted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Exchange {
    /// Where the ranks are.
    pub placement: Placement,
    /// Bytes of a rank's buffer: as many for each rank.
    pub bytes: usize,
    /// The bound of extra memory.
    pub memory: usize,
}

/// Steps of a schedule in which each rank exchanges with one other.
pub fn steps(schedule: Schedule, ranks: usize) -> usize {
    match schedule {
        _ if ranks < 2 => 0,
        Schedule::Mpich => 2 * ranks - 3,
        Schedule::LinearShift if ranks > 2 => ranks,
        Schedule::LinearShift => 1,
        // The ranks of the larger half, then the steps inside of it.
        _ => ranks.div_ceil(2) + steps(schedule, ranks.div_ceil(2)),
    }
}

impl Exchange {
    fn ranks(&self) -> usize {
        self.placement.ranks
    }

    fn block(&self) -> usize {
        self.bytes / self.ranks()
    }

    /// Memory that is divided among slots, pieces and messages.
    fn budget(&self) -> usize {
        self.memory + BASE_MEMORY_BYTES
    }

    fn one_node(&self) -> bool {
        self.placement.nodes() == 1
    }

    /// Seconds; `None` where the algorithm cannot make this exchange.
    pub fn seconds(&self, algorithm: Algorithm, parameters: &Parameters) -> Option<f64> {
        if self.ranks() == 1 {
            return None;
        }
        let vote = match algorithm {
            Algorithm::NodeLeaders => self.notices(parameters),
            _ => self.vote(parameters),
        };
        let schedule = |schedule| Some(self.by_schedule(schedule, parameters));
        let inside = match algorithm {
            Algorithm::Mpich => schedule(Schedule::Mpich),
            Algorithm::LinearShift => schedule(Schedule::LinearShift),
            Algorithm::HierarchicalSets => schedule(Schedule::HierarchicalSets),
            Algorithm::Hypercube => self.bundled(parameters),
            Algorithm::Shared => self.one_node().then(|| self.shared(parameters)),
            Algorithm::SingleCopy => self.one_node().then(|| self.single_copy(parameters)),
            Algorithm::Nodes => self.over_nodes(parameters),
            Algorithm::NodeLeaders => self.by_leaders(parameters),
        };
        inside.map(|seconds| vote + seconds)
    }

    /// The decision of the production code by default, for contiguous blocks of several sizes if single copy
    /// is permitted; `None` if nothing is exchanged, or the MPI library performs the exchange.
    pub fn automatic(&self, parameters: &Parameters) -> Option<Algorithm> {
        let shared = self.one_node();
        let (schedule, path) = (Schedule::Auto, Path::Auto);
        let (ranks, nodes) = (self.ranks(), self.placement.nodes());
        let fewest = ranks - (nodes - 1) * self.placement.max_on_node();
        let leads_in_place = select::may_lead_in_place(ranks, nodes, fewest);
        let is_compared = ranks >= select::MIN_LED_RANKS;
        let led =
            self.largest_led().filter(|_| is_compared).map_or(0, |most| most.min(select::MAX_LED_BYTES));
        let situation = Situation { ranks, shared, single_copy: true, led, leads_in_place, schedule, path };
        if self.ranks() == 1 || select::forwarded_before_votes(&situation, true, false).is_some() {
            return None;
        }
        let sent = self.bytes - self.block();
        let slot = Shares::of(self.budget(), false).slot;
        let mut vote = Vote::default()
            .with(Property::InPlace, true)
            .with(Property::Small, select::may_bundle(&situation, self.block(), self.largest_bundled()))
            .with(Property::Enclosed, shared && sent <= slot.min(MAX_ENCLOSED_BYTES))
            .with(Property::Led, leads_in_place && self.block() <= led);
        vote.bytes = sent as u64;
        let mut sum = Vote::default();
        (0..self.ranks()).for_each(|_| sum.add_brief(vote.brief()));
        // Between nodes the first one that is tried.
        match select::choose(&situation, &sum, &mut Trials::default(), false) {
            Choice::Alone => None,
            Choice::Hypercube => Some(Algorithm::Hypercube),
            Choice::Messages(..) if self.placement.max_on_node() > 1 => Some(Algorithm::Nodes),
            Choice::Messages(..) => Some(Algorithm::HierarchicalSets),
            Choice::Enclosed => Some(Algorithm::Shared),
            Choice::Leaders => Some(Algorithm::NodeLeaders),
            // Both are tried, and the faster one is used.
            Choice::Slots | Choice::SingleCopy | Choice::Library => {
                let faster = self.single_copy(parameters) < self.shared(parameters);
                Some(if faster { Algorithm::SingleCopy } else { Algorithm::Shared })
            }
        }
    }

    /// A round of notices inside the node.
    fn notices(&self, parameters: &Parameters) -> f64 {
        if self.placement.max_on_node() > 1 { parameters.node.latency } else { 0.0 }
    }

    fn vote(&self, parameters: &Parameters) -> f64 {
        self.notices(parameters) + f64::from(log2(self.placement.nodes())) * parameters.network.latency
    }

    /// Only messages, partner after partner.
    fn by_schedule(&self, schedule: Schedule, parameters: &Parameters) -> f64 {
        let near = self.placement.max_on_node() - 1;
        let far = self.ranks() - self.placement.max_on_node();
        self.messages(schedule, [near, far], self.budget(), parameters)
    }

    /// Messages with `near` partners inside the node and `far` outside of it.
    fn messages(
        &self,
        schedule: Schedule,
        [near, far]: [usize; 2],
        scratch: usize,
        parameters: &Parameters,
    ) -> f64 {
        let partners = (near + far) as f64;
        if self.block() == 0 || near + far == 0 {
            return 0.0;
        }
        let piece = copied_piece(self.block(), scratch, self.ranks());
        let pieces = self.block().div_ceil(piece) as f64;
        let under_way = ((scratch / piece).clamp(1, MAX_PIECES_UNDER_WAY) as f64).min(partners * pieces);
        // Idle steps in proportion to the partners that are met by messages.
        let all = (self.ranks() - 1) as f64;
        let idle = (steps(schedule, self.ranks()) as f64 - all) * partners / all;
        let exchanges = partners + idle / (under_way / pieces).max(1.0);
        let latency = |link: &Link| link.latency * (BUSY + (1.0 - BUSY) / under_way);
        let block = self.block() as f64;
        let sharing = self.placement.max_on_node() as f64;
        let one = |link: &Link, sharing: f64| pieces * latency(link) + link.transfer(block * sharing);
        let each = near as f64 * one(&parameters.node, 1.0) + far as f64 * one(&parameters.network, sharing);
        exchanges / partners * each + partners * block * parameters.copy
    }

    fn largest_bundled(&self) -> Option<usize> {
        bundles::largest(self.ranks(), self.budget() / 4)
    }

    fn bundled(&self, parameters: &Parameters) -> Option<f64> {
        self.largest_bundled().filter(|&most| self.block() <= most)?;
        let traffic = Traffic::new(&self.placement, false, Routing::default());
        let records = (self.ranks() - 1) as f64;
        let bytes = records * (HEADER + self.block().next_multiple_of(8)) as f64;
        let Parameters { network, node, divide, copy, .. } = parameters;
        let stage = |load: &Load| {
            let sent = load.near.words + load.far.words;
            Parts {
                divide: load.divided * records * divide,
                copy: (load.divided + 2.0 * sent) * bytes * copy,
                latency: load.far.messages * network.latency + load.near.messages * node.latency,
                transfer: network.transfer(load.far.words * bytes * load.sharing)
                    + node.transfer(load.near.words * bytes),
                ..Parts::default()
            }
        };
        Some(traffic.slowest(stage).map(|parts| parts.total()).sum())
    }

    /// Bytes for the other ranks of the node.
    fn inside(&self) -> f64 {
        ((self.placement.max_on_node() - 1) * self.block()) as f64
    }

    fn shared(&self, parameters: &Parameters) -> f64 {
        let slot = Shares::of(self.budget(), !self.one_node()).slot as f64;
        let rounds = (self.inside() / slot).ceil();
        rounds * parameters.node.latency + 2.0 * self.inside() * parameters.copy
    }

    fn single_copy(&self, parameters: &Parameters) -> f64 {
        2.0 * parameters.node.latency + 1.5 * self.inside() * parameters.copy
    }

    fn over_nodes(&self, parameters: &Parameters) -> Option<f64> {
        if self.one_node() || self.placement.max_on_node() == 1 {
            return None;
        }
        let scratch = Shares::of(self.budget(), true).scratch;
        let far = self.ranks() - self.placement.max_on_node();
        let between = self.messages(Schedule::HierarchicalSets, [0, far], scratch, parameters);
        Some(between + self.shared(parameters).min(self.single_copy(parameters)))
    }

    /// Largest block that node leaders can exchange in one round.
    fn largest_led(&self) -> Option<usize> {
        let several = self.placement.max_on_node() > 1;
        several.then(|| led::longest_piece(&self.placement, self.memory)).flatten()
    }

    fn by_leaders(&self, parameters: &Parameters) -> Option<f64> {
        self.largest_led().filter(|&most| self.block() <= most)?;
        let (nodes, here) = (self.placement.nodes(), self.placement.max_on_node());
        let routes = leaders::routes_to_all(here, nodes);
        let led = routes.div_ceil(here) as f64;
        let far = ((self.ranks() - here) * self.block()) as f64;
        let latency = led * parameters.network.latency * (BUSY + (1.0 - BUSY) / led);
        // The bytes that a rank encloses, forwards and receives.
        let copies = (3.0 * far + 2.0 * self.inside()) * parameters.copy;
        Some(parameters.node.latency + latency + parameters.network.transfer(far * here as f64) + copies)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schedule::partners;
    use hcube_core::machine::EXAMPLE;

    fn exchange(ranks: usize, ranks_per_node: usize, bytes: usize, memory: usize) -> Exchange {
        Exchange { placement: Placement { ranks, ranks_per_node }, bytes, memory }
    }

    /// Steps in which every rank does its exchanges one after the other.
    fn enumerated(schedule: Schedule, ranks: usize) -> usize {
        let order: Vec<Vec<usize>> =
            (0..ranks).map(|rank| partners(schedule, rank, ranks).collect()).collect();
        let (mut done, mut steps) = (vec![0; ranks], 0);
        while done.iter().any(|&done| done + 1 < ranks) {
            let next = |rank: usize| order[rank].get(done[rank]).copied();
            let meets = |rank: usize| next(rank).is_some_and(|partner| next(partner) == Some(rank));
            let busy: Vec<usize> = (0..ranks).filter(|&rank| meets(rank)).collect();
            busy.iter().for_each(|&rank| done[rank] += 1);
            steps += 1;
        }
        steps
    }

    #[test]
    fn steps_are_those_of_the_schedules() {
        for ranks in 2..=130 {
            for schedule in [Schedule::Mpich, Schedule::LinearShift] {
                assert_eq!(
                    steps(schedule, ranks),
                    enumerated(schedule, ranks),
                    "{schedule:?}, {ranks} ranks"
                );
            }
            let counted = enumerated(Schedule::HierarchicalSets, ranks);
            let formula = steps(Schedule::HierarchicalSets, ranks);
            // The most that the halves can take; pairs that are ready early may save steps.
            assert!(counted <= formula && formula <= ranks + log2(ranks) as usize - 2, "{ranks} ranks");
            assert!(!ranks.is_power_of_two() || formula == ranks - 1, "{ranks} ranks");
        }
    }

    #[test]
    fn two_ranks_by_hand() {
        // A block of 32 KiB is one piece that fits: one latency and one transfer after the vote, a copy.
        let exchange = exchange(2, 1, 64 << 10, 1 << 20);
        let bytes = f64::from(32 << 10);
        let expected = 2.0 * 2e-6 + bytes / 3e9 + bytes * 0.2e-9;
        for algorithm in [Algorithm::Mpich, Algorithm::LinearShift, Algorithm::HierarchicalSets] {
            let seconds = exchange.seconds(algorithm, &EXAMPLE).expect("possible");
            assert!((seconds - expected).abs() < 1e-12, "{algorithm:?}: {seconds} for {expected}");
        }
    }

    #[test]
    fn half_of_the_latency_is_hidden() {
        // Three outstanding messages: each has half a latency for itself, and the three share the other half
        // of one. The vote takes two latencies.
        let seconds = exchange(4, 1, 32, 1 << 20).seconds(Algorithm::HierarchicalSets, &EXAMPLE);
        let expected = (2.0 + 3.0 * 0.5 + 0.5) * 2e-6 + 24.0 / 3e9 + 24.0 * 0.2e-9;
        assert!(seconds.is_some_and(|seconds| (seconds - expected).abs() < 1e-12), "{seconds:?}");
    }

    /// A property of the model, which has no contention, and not a fact: in Hofmann and Ruenger 2013, §4.3,
    /// hierarchical sets on more than 32 processes of JuRoPA are slower with additional memory than without.
    #[test]
    fn more_memory_and_fewer_bytes_are_never_slower() {
        for (ranks, ranks_per_node) in [(2, 1), (7, 1), (64, 8), (100, 16), (8, 8)] {
            for (_, algorithm) in Algorithm::NAMES {
                let mut before = 0.0;
                for exponent in (10..26).step_by(2) {
                    let of = |memory| exchange(ranks, ranks_per_node, 1 << exponent, memory);
                    let seconds =
                        [0, 1 << 16, 1 << 20, 1 << 30].map(|memory| of(memory).seconds(algorithm, &EXAMPLE));
                    let known: Vec<f64> = seconds.iter().flatten().copied().collect();
                    let falls = known.windows(2).all(|pair| pair[1] <= pair[0] * 1.0001);
                    assert!(falls, "{algorithm:?}, {ranks} ranks, 2^{exponent} bytes: {seconds:?}");
                    let Some(&most) = known.last() else { continue };
                    assert!(most >= before, "{algorithm:?}, {ranks} ranks, 2^{exponent} bytes");
                    before = most;
                }
            }
        }
    }

    /// Without additional memory as in §4.2, where MPICH order takes about twice as long as the best other
    /// schedule on JuRoPA. That memory for all blocks compensates for this is a prediction: Hofmann and
    /// Ruenger 2013 have not measured MPICH order with additional memory.
    #[test]
    fn idle_steps_cost_where_memory_is_short() {
        let of = |algorithm, memory| {
            exchange(64, 1, 64 << 20, memory).seconds(algorithm, &EXAMPLE).expect("possible")
        };
        assert!(of(Algorithm::Mpich, 0) > 1.5 * of(Algorithm::HierarchicalSets, 0));
        assert!(of(Algorithm::Mpich, 1 << 30) < 1.05 * of(Algorithm::HierarchicalSets, 1 << 30));
    }

    #[test]
    fn what_cannot_be_has_no_time() {
        let possible = |exchange: Exchange| -> Vec<&str> {
            let known = |(_, algorithm): &(&str, Algorithm)| exchange.seconds(*algorithm, &EXAMPLE).is_some();
            Algorithm::NAMES.into_iter().filter(known).map(|(name, _)| name).collect()
        };
        let messages = ["mpich", "linear-shift", "hierarchical-sets"];
        let with = |more: &[&'static str]| [&messages[..], more].concat();
        assert!(possible(exchange(1, 1, 1 << 20, 1 << 20)).is_empty());
        assert_eq!(possible(exchange(64, 1, 64 << 10, 1 << 20)), messages);
        assert_eq!(possible(exchange(64, 1, 64 << 8, 1 << 20)), with(&["hypercube"]));
        assert_eq!(possible(exchange(8, 8, 1 << 20, 1 << 20)), with(&["shared", "single-copy"]));
        assert_eq!(possible(exchange(16, 8, 1 << 20, 1 << 20)), with(&["nodes"]));
        assert_eq!(possible(exchange(16, 8, 1 << 14, 1 << 20)), with(&["nodes", "node-leaders"]));
    }

    #[test]
    fn the_choice_is_that_of_the_production_code() {
        for (ranks, ranks_per_node, bytes, expected) in [
            (1, 1, 1 << 20, None),
            (8, 8, 8, Some(Algorithm::Shared)),
            (8, 8, 64 << 10, Some(Algorithm::Shared)),
            (8, 8, 64 << 20, Some(Algorithm::SingleCopy)),
            (64, 8, 64 << 4, Some(Algorithm::NodeLeaders)),
            (64, 8, 64 << 12, Some(Algorithm::Nodes)),
            (64, 1, 64 << 4, Some(Algorithm::Hypercube)),
            (64, 8, 64 << 20, Some(Algorithm::Nodes)),
            (64, 1, 64 << 20, Some(Algorithm::HierarchicalSets)),
            (3_000_000, 1, 1 << 30, None),
        ] {
            let found = exchange(ranks, ranks_per_node, bytes, 1 << 20).automatic(&EXAMPLE);
            assert_eq!(found, expected, "{ranks} ranks, {ranks_per_node} per node, {bytes} bytes");
        }
    }

    #[test]
    fn bundles_win_for_small_blocks_on_many_ranks() {
        let of = |ranks, algorithm| exchange(ranks, 1, 8 * ranks, 1 << 20).seconds(algorithm, &EXAMPLE);
        assert!(of(512, Algorithm::Hypercube) < of(512, Algorithm::HierarchicalSets));
        assert!(of(2, Algorithm::Hypercube) > of(2, Algorithm::HierarchicalSets));
    }
}
