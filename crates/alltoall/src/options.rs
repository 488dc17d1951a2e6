//! Options of the all-to-all exchange, and their names.

use hcube_core::options::{Kind, RANKS_PER_NODE, Spec};

pub use hcube_core::options::parse_bytes;

/// Default of [`Options::memory`]. Less costs little in simulations of hierarchical sets
/// (`hcube-lab simulate --sections memory`, 1 MiB per rank on 16 and 64 ranks of the machine juropa, times
/// relative to 1 MiB, which is room for all blocks: 256 KiB 1.05 and 1.01, 64 KiB 1.13 and 1.03, the minimum
/// 1.16 and 1.07).
pub const DEFAULT_MEMORY_BYTES: usize = 1 << 20;
/// Largest memory bound that is accepted, 1 TiB: a larger one is a typing error.
pub const MAX_MEMORY_BYTES: usize = 1 << 40;

hcube_core::named_values! {
    /// The order in which a rank exchanges messages with the other ranks.
    pub enum Schedule {
        /// hcube chooses, and forwards what it does not speed up to the MPI library.
        Auto = 0, "auto", "HCUBE_ALLTOALL_AUTO";
        /// The order of MPICH, which sorts the pairs of ranks lexicographically; 2P - 3 steps.
        Mpich = 1, "mpich", "HCUBE_ALLTOALL_MPICH";
        /// Linear shift: in step s, the two ranks whose sum is s modulo P exchange; P steps (1 for P = 2).
        LinearShift = 2, "linear-shift", "HCUBE_ALLTOALL_LINEAR_SHIFT";
        /// Hierarchical sets: the two halves of the ranks exchange with each other, then each half
        /// recursively; at most P + ceil(log2 P) - 2 steps.
        HierarchicalSets = 3, "hierarchical-sets", "HCUBE_ALLTOALL_HIERARCHICAL_SETS";
        /// Every exchange is forwarded to the MPI library.
        Library = 4, "library", "HCUBE_ALLTOALL_LIBRARY";
        /// Blocks of up to 256 bytes are combined along the hypercube, ceil(log2 P) messages; hierarchical
        /// sets for larger blocks.
        Hypercube = 5, "hypercube", "HCUBE_ALLTOALL_HYPERCUBE";
        /// The leader of each node combines the blocks between two nodes into few messages, if they fit into
        /// the memory bound; hierarchical sets for larger blocks.
        NodeLeaders = 6, "node-leaders", "HCUBE_ALLTOALL_NODE_LEADERS";
    }
}

hcube_core::named_values! {
    /// The path of data between ranks of a node.
    pub enum Path {
        /// The fastest path that is available.
        Auto = 0, "auto", "HCUBE_PATH_AUTO";
        /// Single copy: one process reads or writes the memory of the other; the kernel must permit it.
        SingleCopy = 1, "single-copy", "HCUBE_PATH_SINGLE_COPY";
        /// A segment of shared memory.
        Shared = 2, "shared", "HCUBE_PATH_SHARED";
        /// Messages, as between nodes.
        Message = 3, "message", "HCUBE_PATH_MESSAGE";
    }
}

hcube_core::options_table! {
    /// The options of a communicator; the same on all ranks.
    pub struct Options {
        /// Order in which a rank exchanges messages with the other ranks.
        pub schedule: Schedule =
            Spec::new("HCUBE_ALLTOALL", Kind::One(Schedule::NAMES), Schedule::Auto as i64),
        /// Path of data between ranks of a node.
        pub path: Path =
            Spec::new("HCUBE_PATH", Kind::One(Path::NAMES), Path::Auto as i64).flag("--path"),
        /// Bound on extra memory per rank and communicator, in bytes, met to within 64 KiB; 0 selects the
        /// minimum.
        pub memory: usize =
            Spec::new("HCUBE_MEMORY", Kind::Bytes { max: MAX_MEMORY_BYTES as i64 }, DEFAULT_MEMORY_BYTES as i64)
                .flag("--memory"),
        /// See [`RANKS_PER_NODE`].
        pub ranks_per_node: usize = RANKS_PER_NODE,
    }
}

impl Options {
    /// Whether the user has chosen schedule or path.
    pub fn are_chosen(&self) -> bool {
        self.schedule != Schedule::Auto || self.path != Path::Auto
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_change_the_defaults() {
        let set = |name: &str| match name {
            "HCUBE_ALLTOALL" => Some("linear-shift".into()),
            "HCUBE_MEMORY" => Some("64k".into()),
            "HCUBE_PATH" => Some(String::new()),
            _ => None,
        };
        let options = Options::from_variables(set).expect("valid");
        let expected = Options { schedule: Schedule::LinearShift, memory: 65536, ..Options::default() };
        assert_eq!(options, expected);
    }

    #[test]
    fn bad_variables_are_named_with_their_value() {
        for (name, value) in [
            ("HCUBE_ALLTOALL", "fast"),
            ("HCUBE_PATH", "singlecopy"),
            ("HCUBE_MEMORY", "-1"),
            ("HCUBE_MEMORY", "1Q"),
            ("HCUBE_MEMORY", "2T"),
            ("HCUBE_MEMORY", "99999999999T"),
            ("HCUBE_RANKS_PER_NODE", "1.5"),
        ] {
            let error =
                Options::from_variables(|asked| (asked == name).then(|| value.into())).expect_err("refused");
            assert!(error.to_string().starts_with(&format!("{name} = '{value}'")), "{error}");
        }
        let error =
            Options { memory: MAX_MEMORY_BYTES + 1, ..Options::default() }.check().expect_err("refused");
        assert!(error.to_string().starts_with("options.memory"), "{error}");
    }
}
