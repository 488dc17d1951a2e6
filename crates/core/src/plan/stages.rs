//! The plan of stages of one rank.
//!
//! Idea: the positions a value can still go to are divided into contiguous parts, which are divided
//! again, until a part is one node (or one rank, without nodes). With two parts in every stage this
//! is the hypercube for a power of two and recursive halving for any other count; with P parts in
//! one stage it is the direct exchange; between them lies every dimensionality d.
//! Restrictions: none; any number of ranks, any number of ranks per node.
//! Cost: the table in the module above.
//! Source: Plimpton et al. 2006, §2.

use super::share::overlaps;
use super::three_hop;
use super::topology::Topology;
use std::ops::Range;

/// How values shall be routed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Routing {
    /// Number of message stages d, or 0 for the hypercube's log2; more than log2 is log2.
    pub dimensions: usize,
    /// Three hops instead of the hypercube between nodes.
    pub three_hop: bool,
}

/// The rule by which a value's owner decides the value's part in a stage.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Parting {
    /// Part i holds ranks `bounds[i] .. bounds[i + 1]`; owners lie within the outer bounds.
    Ranks(Vec<usize>),
    /// Part by owner, for what is no interval of ranks.
    Entries(Vec<Entry>),
}

/// Parts `first .. first + count` take the values of an owner in turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Entry {
    /// First part.
    pub first: u32,
    /// Number of parts, at least 1.
    pub count: u32,
}

/// One outgoing message of a stage: a share of the values of a part.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Send {
    /// The part whose values it carries.
    pub part: usize,
    /// Receiving rank.
    pub to: usize,
    /// The share `from_share / of .. to_share / of` of the part's list.
    pub from_share: u64,
    /// See `from_share`.
    pub to_share: u64,
    /// See `from_share`.
    pub of: u64,
    /// Expected words per word that a rank generates, as a fraction.
    pub mean: (u64, u64),
}

impl Send {
    /// Which of `length` values of the part this message carries.
    pub fn cut(&self, length: usize) -> Range<usize> {
        super::share::Overlap { partner: 0, from: self.from_share, to: self.to_share, of: self.of }
            .cut(length)
    }
}

/// One incoming message of a stage.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Source {
    /// Sending rank.
    pub from: usize,
    /// Expected words per word that a rank generates, as a fraction: the sender's number.
    pub mean: (u64, u64),
}

/// How the values of a stage travel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Transport {
    /// By messages.
    Messages {
        /// Outgoing messages.
        sends: Vec<Send>,
        /// Incoming messages.
        receives: Vec<Source>,
    },
    /// Through shared memory; part i is the i-th rank of this node.
    Node,
}

/// One stage.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stage {
    /// Number of parts.
    pub parts: usize,
    /// The part whose values stay with this rank.
    pub own: usize,
    /// Which part a value belongs to.
    pub parting: Parting,
    /// How values reach the other parts.
    pub transport: Transport,
}

impl Stage {
    /// The last stage on a node: every value goes to its owner through shared memory.
    pub(super) fn deliver(topology: &Topology, rank: usize) -> Self {
        let position = topology.position(rank);
        let node = topology.node_of(position);
        let home = topology.positions(node..node + 1);
        let (parts, own) = (home.len(), position - home.start);
        let bounds = home.start..=home.end;
        Self { parts, own, parting: Parting::new(topology, bounds.collect()), transport: Transport::Node }
    }
}

impl Parting {
    /// Parts that are intervals of positions.
    fn new(topology: &Topology, bounds: Vec<usize>) -> Self {
        if topology.in_rank_order() {
            return Self::Ranks(bounds);
        }
        let entry = |rank| {
            let position = topology.position(rank);
            // Owners outside the bounds do not occur in this stage; any part will do for them.
            let part = bounds.partition_point(|&bound| bound <= position).clamp(1, bounds.len() - 1) - 1;
            Entry { first: part as u32, count: 1 }
        };
        Self::Entries((0..topology.size()).map(entry).collect())
    }
}

/// The stages of one rank.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    /// In the order in which they are run. Ranks of small parts may have fewer than others.
    pub stages: Vec<Stage>,
}

impl Plan {
    /// The plan of `rank`. A node of several ranks ends with a stage through shared memory.
    pub fn new(topology: &Topology, rank: usize, routing: Routing) -> Self {
        if routing.three_hop {
            return Self { stages: three_hop::stages(topology, rank) };
        }
        let node = topology.node_of(topology.position(rank));
        let (mut group, mut stages) = (0..topology.nodes(), Vec::new());
        let mut left = stage_count(topology.nodes(), routing.dimensions);
        while group.len() > 1 {
            let bounds = divide(&group, left);
            let part = bounds.partition_point(|&bound| bound <= node) - 1;
            stages.push(message_stage(topology, rank, &bounds, part));
            group = bounds[part]..bounds[part + 1];
            left = left.saturating_sub(1).max(1);
        }
        if topology.positions(group).len() > 1 {
            stages.push(Stage::deliver(topology, rank));
        }
        Self { stages }
    }
}

/// Number of message stages: d, but no more than the hypercube has.
fn stage_count(nodes: usize, dimensions: usize) -> usize {
    let hypercube = nodes.next_power_of_two().trailing_zeros() as usize;
    if dimensions == 0 { hypercube } else { dimensions.min(hypercube) }.max(1)
}

/// Bounds that divide a group as evenly as possible into as few parts as let `left` stages suffice:
/// the left-th root of its size, rounded up. The smaller parts come first.
fn divide(group: &Range<usize>, left: usize) -> Vec<usize> {
    let mut parts = 2usize;
    while parts.checked_pow(left as u32).is_some_and(|reached| reached < group.len()) {
        parts += 1;
    }
    let parts = parts.min(group.len());
    (0..=parts).map(|part| group.start + group.len() * part / parts).collect()
}

/// A stage in which the nodes `bounds[own] .. bounds[own + 1]` keep their values.
fn message_stage(topology: &Topology, rank: usize, bounds: &[usize], own: usize) -> Stage {
    let positions: Vec<usize> = bounds.iter().map(|&node| boundary(topology, node)).collect();
    let (first, last) = (positions[0], positions[bounds.len() - 1]);
    let group = (last - first) as u64;
    let (mine, parts) = (positions[own]..positions[own + 1], bounds.len() - 1);
    let index = topology.position(rank) - mine.start;
    let (mut sends, mut receives) = (Vec::new(), Vec::new());
    // Starting behind the own part spreads the load where there are many parts.
    for part in (1..parts).map(|distance| (own + distance) % parts) {
        let theirs = positions[part]..positions[part + 1];
        for overlap in overlaps(index, mine.len(), theirs.len()) {
            let partner = topology.rank(theirs.start + overlap.partner);
            // The same number in both directions: both sides derive their bounds from it.
            let mean = (overlap.to - overlap.from, group);
            let (from_share, to_share, of) = (overlap.from, overlap.to, overlap.of);
            sends.push(Send { part, to: partner, from_share, to_share, of, mean });
            receives.push(Source { from: partner, mean });
        }
    }
    let parting = Parting::new(topology, positions);
    Stage { parts, own, parting, transport: Transport::Messages { sends, receives } }
}

/// The position at which a node starts; for the number of nodes, the number of ranks.
fn boundary(topology: &Topology, node: usize) -> usize {
    topology.positions(0..node).end
}
