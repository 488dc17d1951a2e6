//! What the launcher says in the environment, also before `MPI_Init`.

/// A number in a variable.
pub fn number(variable: &str) -> Option<usize> {
    std::env::var(variable).ok()?.parse().ok()
}

/// Whether this is rank 0, for a process in which MPI is not initialised.
pub fn is_first_rank() -> bool {
    let names = ["OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK", "SLURM_PROCID"];
    names.iter().find_map(|name| std::env::var(name).ok()).is_none_or(|rank| rank == "0")
}
