//! Options of coarray programs, and the constants of the C interface.

use hcube_core::options::{Kind, RANKS_PER_NODE, Spec};

/// Number of functions that an image ships between two polls for incoming functions.
pub const DEFAULT_LOOK: usize = 256;
/// A minute, in microseconds: more is a typing error.
const MAX_PROGRESS: i64 = 60_000_000;

hcube_core::named_values! {
    /// The effect of an atomic operation on a word.
    pub enum Action {
        /// Returns the word; coarray may also be events or locks, with this operation only.
        Load = 0, "load", "HCUBE_CAF_LOAD";
        /// Replaces the word by the operand.
        Swap = 1, "swap", "HCUBE_CAF_SWAP";
        /// Adds the operand, modulo 2^64.
        Add = 2, "add", "HCUBE_CAF_ADD";
        /// Bitwise and with the operand.
        And = 3, "and", "HCUBE_CAF_AND";
        /// Bitwise or with the operand.
        Or = 4, "or", "HCUBE_CAF_OR";
        /// Bitwise exclusive or with the operand.
        Xor = 5, "xor", "HCUBE_CAF_XOR";
        /// Replaces the word by the operand if it is equal to the value to compare with.
        CompareSwap = 6, "compare-swap", "HCUBE_CAF_COMPARE_SWAP";
    }
}

hcube_core::named_values! {
    /// The status of an image.
    pub enum Status {
        /// It is alive.
        Alive = 0, "alive", "HCUBE_CAF_ALIVE";
        /// It has failed.
        Failed = 1, "failed", "HCUBE_CAF_FAILED";
        /// It has terminated normally.
        Stopped = 2, "stopped", "HCUBE_CAF_STOPPED";
    }
}

hcube_core::options_table! {
    /// The options of a program.
    pub struct Options {
        /// Number of functions that an image ships before it polls once for functions that other images have
        /// shipped to it, so that these need not wait until this image waits.
        pub look: usize = Spec::new("HCUBE_CAF_LOOK", Kind::Count { min: 1, max: 1 << 20, unit: "functions" }, DEFAULT_LOOK as i64),
        /// Polling interval of a progress thread in microseconds. 0 starts no progress thread: an image
        /// serves requests of other images only while it waits or calls hcube_caf_progress.
        pub progress: usize = Spec::new("HCUBE_CAF_PROGRESS", Kind::Count { min: 0, max: MAX_PROGRESS, unit: "microseconds" }, 0),
        /// See [`RANKS_PER_NODE`].
        pub ranks_per_node: usize = RANKS_PER_NODE,
    }
}
