//! What a user can choose.

/// The options of a communicator; the same on all ranks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Options {
    /// Bytes beside the matrices, per rank.
    pub memory: usize,
    /// Inner block.
    pub inner_block: usize,
    /// Ranks per node.
    pub ranks_per_node: usize,
}

impl Default for Options {
    fn default() -> Self {
        Self { memory: 32 << 20, inner_block: 0, ranks_per_node: 0 }
    }
}
