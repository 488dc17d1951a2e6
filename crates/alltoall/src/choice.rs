//! The algorithms from which an exchange is selected.

/// How an exchange is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Choice {
    /// No data is sent to another rank.
    Alone,
    /// The blocks are part of the first notices: [`crate::enclosed`].
    Enclosed,
    /// Through the slots of shared memory in several rounds: [`crate::slots`].
    Slots,
    /// Directly between the memories of processes: [`crate::single_copy`].
    SingleCopy,
    /// By the MPI library's function, where that is faster.
    Library,
    /// Messages ([`crate::messages`]), and slots or single copy between ranks of a node.
    Messages(Order, Inside),
    /// Small blocks along the hypercube: [`crate::bundles`].
    Hypercube,
    /// Messages between leaders of the nodes: [`crate::leaders`].
    Leaders,
}

/// The order of partners of messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// The schedule requested; hierarchical sets by default.
    Usual,
    /// Linear shift, where no schedule was requested.
    Shifted,
}

/// What ranks of a node use while messages are outstanding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Inside {
    Slots,
    SingleCopy,
}

/// The library is used if it is faster by 1/32 of its time.
const LIBRARY_MARGIN_DIVISOR: u64 = 32;

/// The time of the library by which it is compared with other algorithms.
pub fn rated_library(time: u64) -> u64 {
    time.saturating_add(time / LIBRARY_MARGIN_DIVISOR)
}

/// Whether the library is faster than another algorithm by enough to be used.
pub fn is_library_faster(library: u64, other: u64) -> bool {
    rated_library(library) < other
}
