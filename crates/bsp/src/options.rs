//! Options of BSP programs.

use hcube_core::options::{Kind, RANKS_PER_NODE, Spec};

/// Default of [`Options::memory`].
pub const DEFAULT_MEMORY_BYTES: usize = 1 << 20;
/// Largest value that is accepted, 1 TiB: a larger one is a typing error.
const MAX_MEMORY_BYTES: i64 = 1 << 40;
/// Default of [`Options::single_copy`].
pub const DEFAULT_SINGLE_COPY_BYTES: usize = 16 << 10;

hcube_core::options_table! {
    /// The options of a program.
    pub struct Options {
        /// Size from which bsp_hpput, bsp_hpget, and bsp_get into memory that is not registered, copy
        /// directly between the memory of two processes of a node, in bytes; 0 buffers all of them.
        pub single_copy: usize = Spec::new(
            "HCUBE_BSP_SINGLE_COPY",
            Kind::Bytes { max: MAX_MEMORY_BYTES },
            DEFAULT_SINGLE_COPY_BYTES as i64,
        ),
        /// Bound on the length of messages between nodes, in bytes: longer ones are sent in pieces.
        pub memory: usize = Spec::new(
            "HCUBE_MEMORY",
            Kind::Bytes { max: MAX_MEMORY_BYTES },
            DEFAULT_MEMORY_BYTES as i64,
        ),
        /// See [`RANKS_PER_NODE`].
        pub ranks_per_node: usize = RANKS_PER_NODE,
    }
}
