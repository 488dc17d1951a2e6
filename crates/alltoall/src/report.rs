//! The statistics of an exchange: the path of the data, and bytes.

use super::options::{Path, Schedule};

/// The path that the data of a call has used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum UsedPath {
    /// Nothing had to be moved to another rank.
    Alone,
    /// Through shared memory of the node.
    Shared,
    /// Single copy between processes of the node.
    SingleCopy,
    /// Only messages.
    Message,
    /// Shared memory or single copy inside nodes, messages between them.
    Mixed,
    /// Small blocks bundled along the hypercube.
    Hypercube,
    /// Shared memory inside nodes, messages between leaders of the nodes; by messages of its rank a block
    /// that is too large.
    NodeLeaders,
}

impl UsedPath {
    /// All paths, in the order of their numbers.
    pub const ALL: [Self; 7] = [
        Self::Alone,
        Self::Shared,
        Self::SingleCopy,
        Self::Message,
        Self::Mixed,
        Self::Hypercube,
        Self::NodeLeaders,
    ];

    /// The name in statistics.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Alone => "alone",
            Self::Shared => Path::Shared.name(),
            Self::SingleCopy => Path::SingleCopy.name(),
            Self::Message => Path::Message.name(),
            Self::Mixed => "node+message",
            Self::Hypercube => Schedule::Hypercube.name(),
            Self::NodeLeaders => Schedule::NodeLeaders.name(),
        }
    }
}

/// The statistics of one call on this rank.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Report {
    /// The path used.
    pub path: UsedPath,
    /// Bytes that this rank gave to other ranks.
    pub bytes: u64,
    /// Bytes of extra memory that hcube has touched so far for this communicator on this rank.
    pub memory: u64,
}
