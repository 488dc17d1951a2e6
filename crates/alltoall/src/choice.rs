//! The algorithms between which an exchange chooses, and when the library is one of them.

/// How an exchange is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Choice {
    /// Nothing goes to another rank.
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
    Messages,
    /// Small blocks along the hypercube: [`crate::bundles`].
    Hypercube,
    /// Messages between leaders of the nodes: [`crate::leaders`].
    Leaders,
}

/// The library is used where it is faster by 1/32 of its time.
pub const LIBRARY_MARGIN_DIVISOR: u64 = 32;
