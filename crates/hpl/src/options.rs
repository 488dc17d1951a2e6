//! Options of process rows and columns, and their names.

use hcube_core::options::RANKS_PER_NODE;

hcube_core::named_values! {
    /// The order in which nodes pass a panel on: the broadcasts of HPL.
    pub enum Topology {
        /// hcube chooses: the modified ring.
        Auto = 0, "auto", "HCUBE_PANELS_AUTO";
        /// A ring: each node passes the panel to the next one.
        Ring = 1, "ring", "HCUBE_PANELS_RING";
        /// A ring without the node after the root's node, which has the next root and only receives.
        ModifiedRing = 2, "modified-ring", "HCUBE_PANELS_MODIFIED_RING";
        /// Two rings, each for half of the nodes.
        TwoRings = 3, "two-rings", "HCUBE_PANELS_TWO_RINGS";
        /// Two rings without the node after the root's node, which only receives.
        ModifiedTwoRings = 4, "modified-two-rings", "HCUBE_PANELS_MODIFIED_TWO_RINGS";
        /// A scatter along a tree, then an all-gather in a ring.
        Long = 5, "long", "HCUBE_PANELS_LONG";
        /// The same without the node after the root's node, which receives the whole panel.
        ModifiedLong = 6, "modified-long", "HCUBE_PANELS_MODIFIED_LONG";
    }
}

hcube_core::options_table! {
    /// The options of a process row or column; the same on all ranks.
    pub struct Options {
        /// See [`RANKS_PER_NODE`].
        pub ranks_per_node: usize = RANKS_PER_NODE,
    }
}
