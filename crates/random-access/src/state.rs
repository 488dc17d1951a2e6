//! The state that depends only on a communicator and the options: placement of ranks, the plan of stages, the
//! mailboxes. It is created once, outside the timed part of a benchmark, and kept for later runs.

use super::on_node;
use super::options::{Mode, Options};
use super::statistics::Statistics;
use hcube_core::comm::Comm;
use hcube_core::error::{Error, Result};
use hcube_core::machine::instructions::Level;
use hcube_core::node::mailbox::{Mailbox, Shape};
use hcube_core::node::processor::crowded;
use hcube_core::plan::{Plan, Routing, Topology, Transport, three_hop};
use hcube_core::progress::wait::Patience;

/// The route of one rank.
pub const ALONE: &str = "alone";

/// The routings: name, restriction, cost per rank and round of Q values (P ranks, M nodes of k), and when
/// [`Mode::Auto`] selects it.
pub const ROUTES: [[&str; 4]; 5] = [
    [ALONE, "one rank", "no communication", "P = 1"],
    ["on-node", "shared memory between all ranks", "1 write, 1 read per value", "M = 1"],
    [
        Mode::Node.name(),
        "shared memory inside nodes",
        "log2 M messages of Q/2",
        "M > 1, k > 1, unless three hops",
    ],
    [
        Mode::ThreeHop.name(),
        "shared memory inside nodes, M > 1",
        "(M-1)/k messages of k Q/M",
        "M > 2, k > 1, (M-1)/k <= 4 log2 M (make simulate, nodes)",
    ],
    [Mode::Message.name(), "none", "log2 P messages of Q/2", "k = 1, or no shared memory"],
];

/// The state of one rank.
#[derive(Debug)]
pub struct UpdateState {
    pub(super) topology: Topology,
    pub(super) plan: Plan,
    /// One for each stage through shared memory, in order.
    pub(super) mailboxes: Vec<Mailbox>,
    pub(super) level: Level,
    pub(super) patience: Patience,
    /// The options requested.
    options: Options,
    /// The mode chosen: never [`Mode::Auto`].
    mode: Mode,
    /// Of the last run.
    pub(super) statistics: Statistics,
}

impl UpdateState {
    /// Collective. Only messages if no node holds several ranks, and with [`Mode::Auto`] if memory cannot be
    /// shared.
    ///
    /// # Errors
    /// On all ranks, for a mode that needs shared memory if it is not available.
    pub fn new<C: Comm + ?Sized>(comm: &C, options: &Options) -> Result<Self> {
        if options.mode.uses_coarrays() && comm.size() > 1 {
            let expected = "a mode that does not use coarrays";
            return Err(Error::argument("options.mode", options.mode.name(), expected));
        }
        if options.mode != Mode::Message && comm.size() > 1 {
            let numbers = comm.node_numbers()?;
            let limit = (options.ranks_per_node > 0).then_some(options.ranks_per_node);
            let topology = Topology::from_node_numbers(&numbers, limit);
            if topology.most_on_a_node() > 1 {
                let crowded = crowded(comm, &numbers)?;
                match Self::with_nodes(comm, topology, crowded, options) {
                    Err(_) if options.mode == Mode::Auto => {}
                    result => return result,
                }
            }
        }
        let topology = Topology::without_nodes(comm.size());
        let plan =
            Plan::new(&topology, comm.rank(), Routing { dimensions: options.dimensions, three_hop: false });
        let patience = Patience::new(false, comm.simulated());
        Ok(Self::assemble(topology, plan, Vec::new(), patience, Mode::Message, options))
    }

    fn with_nodes<C: Comm + ?Sized>(
        comm: &C,
        topology: Topology,
        crowded: bool,
        options: &Options,
    ) -> Result<Self> {
        let three_hop = match options.mode {
            Mode::ThreeHop => topology.nodes() > 1,
            Mode::Auto => three_hop::worthwhile(&topology),
            _ => false,
        };
        let mode = if three_hop { Mode::ThreeHop } else { Mode::Node };
        let plan = Plan::new(&topology, comm.rank(), Routing { dimensions: options.dimensions, three_hop });
        let position = topology.position(comm.rank());
        let node = topology.node_of(position);
        let ranks: Vec<usize> =
            topology.positions(node..node + 1).map(|position| topology.rank(position)).collect();
        let shape = if topology.nodes() == 1 {
            on_node::shape(ranks.len(), crowded, options)
        } else {
            // Two slots, so that a round does not wait for the readers of the round before.
            Shape { ranks: ranks.len(), slots: 2, capacity: options.round() }
        };
        // The only rank of a node has no such stage, but creating mailboxes is collective.
        let stages = if three_hop { 2 } else { 1 };
        let mut mailboxes =
            (0..stages).map(|_| Mailbox::create(comm, &ranks, shape)).collect::<Result<Vec<_>>>()?;
        mailboxes.truncate(plan.stages.iter().filter(|stage| stage.transport == Transport::Node).count());
        let patience = Patience::new(crowded, comm.simulated());
        Ok(Self::assemble(topology, plan, mailboxes, patience, mode, options))
    }

    fn assemble(
        topology: Topology,
        plan: Plan,
        mailboxes: Vec<Mailbox>,
        patience: Patience,
        mode: Mode,
        options: &Options,
    ) -> Self {
        let (level, statistics) = (Level::detect(), Statistics::default());
        Self { topology, plan, mailboxes, level, patience, options: *options, mode, statistics }
    }

    /// Whether this state can be used for a run with these options.
    pub fn serves(&self, options: &Options) -> bool {
        let relevant = |options: &Options| {
            let Options { look_ahead, mode, dimensions, relaxed, ranks_per_node, .. } = *options;
            (look_ahead, mode, dimensions, relaxed, ranks_per_node)
        };
        relevant(&self.options) == relevant(options)
    }

    /// Whether all ranks are on one node, so that only mailboxes are used.
    pub(super) fn on_one_node(&self) -> bool {
        self.topology.nodes() == 1 && self.plan.stages.len() == 1
    }

    /// Takes over the statistics of the last run, which outlive a change of options.
    pub fn inherit(&mut self, before: &Self) {
        self.statistics = before.statistics;
    }

    /// Statistics of the last run.
    pub fn statistics(&self) -> Statistics {
        self.statistics
    }

    /// One line about what a run does, the same on all ranks except for the number of stages.
    pub fn describe(&self) -> String {
        let (size, nodes) = (self.topology.size(), self.topology.nodes());
        let plural =
            |count: usize, word: &str| format!("{count} {word}{}", if count == 1 { "" } else { "s" });
        let path = match self.mode {
            _ if size == 1 => "no communication".to_owned(),
            Mode::ThreeHop => format!("{}, three hops: local, network, local", plural(nodes, "node")),
            Mode::Node if nodes == 1 => "1 node, shared memory".to_owned(),
            Mode::Node => format!("{nodes} nodes, shared memory inside, hypercube between"),
            _ => format!("messages in {}", plural(self.plan.stages.len(), "stage")),
        };
        let rule = if self.options.relaxed { "relaxed" } else { "strict" };
        let (ranks, look_ahead, level) = (plural(size, "rank"), self.options.look_ahead, self.level.name());
        format!("{ranks}, {path}, look-ahead {look_ahead} ({rule}), {level}")
    }
}
