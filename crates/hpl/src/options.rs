//! Options of process columns.

use hcube_core::options::RANKS_PER_NODE;

hcube_core::options_table! {
    /// The options of a column.
    pub struct Options {
        /// See [`RANKS_PER_NODE`].
        pub ranks_per_node: usize = RANKS_PER_NODE,
    }
}
