//! A stage of a plan: the part of a value, and the routes of values to the other parts.

use super::share::Overlap;
use super::topology::Topology;
use std::ops::Range;

/// The rule by which a value's owner decides the value's part in a stage.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Parting {
    /// Part i holds ranks `bounds[i] .. bounds[i + 1]`; owners lie within the outer bounds.
    Ranks(Vec<usize>),
    /// Part by owner, where parts are not intervals of ranks.
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
        Overlap { partner: 0, from: self.from_share, to: self.to_share, of: self.of }.cut(length)
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

/// The path of the values of a stage.
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
    /// The last stage on a node: every value is passed to its owner through shared memory.
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
    pub(super) fn new(topology: &Topology, bounds: Vec<usize>) -> Self {
        if topology.in_rank_order() {
            return Self::Ranks(bounds);
        }
        let entry = |rank| {
            let position = topology.position(rank);
            // Owners outside the bounds do not occur in this stage; they get any part.
            let part = bounds.partition_point(|&bound| bound <= position).clamp(1, bounds.len() - 1) - 1;
            Entry { first: part as u32, count: 1 }
        };
        Self::Entries((0..topology.size()).map(entry).collect())
    }
}
