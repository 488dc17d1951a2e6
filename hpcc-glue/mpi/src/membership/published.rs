//! The tokens that the processes of a job have published.

/// The tokens of the processes of `MPI_COMM_WORLD`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Published {
    /// By rank: the token, and the place of its statistics, if any.
    Values(Vec<Option<String>>),
    /// The token of one of many processes, which were all started by the same command and were not queried.
    OneProgram,
}

impl Published {
    /// Whether it may be what this number of processes has published.
    pub fn is_of(&self, processes: usize) -> bool {
        match self {
            Self::Values(values) => values.len() == processes,
            Self::OneProgram => processes > 1,
        }
    }
}
