//! Information of the launcher in the environment, available before `MPI_Init`.

/// A number in a variable.
pub fn number(variable: &str) -> Option<usize> {
    std::env::var(variable).ok()?.parse().ok()
}

/// Whether this is rank 0, for a process in which MPI is not initialised.
pub fn is_first_rank() -> bool {
    let names = ["OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK", "SLURM_PROCID"];
    names.iter().find_map(|name| std::env::var(name).ok()).is_none_or(|rank| rank == "0")
}

/// Processes of a launcher of another MPI library.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Strangers {
    /// How many it has started.
    pub processes: usize,
    /// Whether this is the first of them.
    pub is_first: bool,
}

/// The processes of the launcher, if it belongs to another MPI library than the program: each process is then
/// a separate job, whose `MPI_COMM_WORLD` has one rank. `is_open_mpi`: the program's library is Open MPI;
/// `ranks`: the size of `MPI_COMM_WORLD`.
pub fn strangers(is_open_mpi: bool, ranks: usize) -> Option<Strangers> {
    strangers_by(number, is_open_mpi, ranks)
}

fn strangers_by(
    number: impl Fn(&str) -> Option<usize>,
    is_open_mpi: bool,
    ranks: usize,
) -> Option<Strangers> {
    let (open_mpi, others) = (["OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK"], ["PMI_SIZE", "PMI_RANK"]);
    let (own, [size, rank]) = if is_open_mpi { (open_mpi, others) } else { (others, open_mpi) };
    // A launcher may have been started under another one.
    let processes = number(size).filter(|&size| size > 1 && ranks == 1 && number(own[0]).is_none())?;
    Some(Strangers { processes, is_first: number(rank) == Some(0) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_launcher_of_another_library_is_recognised() {
        let of_mpich = [("PMI_SIZE", 3), ("PMI_RANK", 1)];
        let of_open_mpi = [("OMPI_COMM_WORLD_SIZE", 2), ("OMPI_COMM_WORLD_RANK", 0)];
        let found = |variables: &[(&str, usize)], is_open_mpi, ranks| {
            let number = |name: &str| Some(variables.iter().find(|(known, _)| *known == name)?.1);
            strangers_by(number, is_open_mpi, ranks)
        };
        assert_eq!(found(&of_mpich, true, 1), Some(Strangers { processes: 3, is_first: false }));
        assert_eq!(found(&of_open_mpi, false, 1), Some(Strangers { processes: 2, is_first: true }));
        // Its own launcher, processes that know each other, no launcher, one launcher under another one.
        assert_eq!([found(&of_mpich, false, 1), found(&of_open_mpi, true, 1)], [None; 2]);
        assert_eq!([found(&of_mpich, true, 3), found(&[], true, 1)], [None; 2]);
        assert_eq!(found(&[of_mpich, of_open_mpi].concat(), true, 1), None);
        assert_eq!(found(&[("PMI_SIZE", 1), ("PMI_RANK", 0)], true, 1), None);
    }
}
