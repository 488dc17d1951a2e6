//! Options of coarray programs.

use hcube_core::options::{Kind, RANKS_PER_NODE, Spec};

/// Spawned functions between two looks for those of others.
pub const DEFAULT_LOOK: usize = 32;

hcube_core::options_table! {
    /// The options of a program.
    pub struct Options {
        /// Number of functions that an image ships to others before it looks once for functions that others have shipped
        /// to it, so that theirs do not wait until it waits itself.
        pub look: usize = Spec::new("HCUBE_CAF_LOOK", Kind::Count { min: 1, max: 1 << 20, unit: "functions" }, DEFAULT_LOOK as i64),
        /// See [`RANKS_PER_NODE`].
        pub ranks_per_node: usize = RANKS_PER_NODE,
    }
}
