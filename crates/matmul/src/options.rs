//! Options of matrix products by BSP, and their names.

hcube_core::named_values! {
    /// How the matrices A, B and C are distributed.
    pub enum Distribution {
        /// Square blocks of the size that the algorithm uses, distributed cyclically over the ranks.
        Customized = 0, "customized", "HCUBE_MATMUL_CUSTOMIZED";
        /// One block per rank, on a two-dimensional grid of ranks.
        Static = 1, "static", "HCUBE_MATMUL_STATIC";
    }
}
