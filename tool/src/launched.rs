//! Whether this process is one of several that a launcher has started.

/// Variables by which launchers tell a process its rank: Open MPI, PMIx, MPICH and relatives, Slurm.
const RANK_VARIABLES: [&str; 4] = ["OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "SLURM_PROCID"];

/// Whether a launcher of MPI programs has started this process.
pub fn by_launcher() -> bool {
    RANK_VARIABLES.iter().any(|name| std::env::var_os(name).is_some())
}
