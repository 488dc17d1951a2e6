//! What a user can choose.

/// How products are computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Algorithm {
    /// hcube chooses.
    #[default]
    Auto,
    /// SUMMA.
    Summa,
    /// HSUMMA.
    Hsumma,
    /// ScaLAPACK's own.
    Library,
}

/// Which matrix stays where it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Stationary {
    /// hcube chooses.
    #[default]
    Auto,
    /// C.
    C,
    /// A.
    A,
    /// B.
    B,
}

/// How panels are broadcast between nodes or groups.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum BroadcastChoice {
    /// hcube chooses.
    #[default]
    Auto,
    /// A binomial tree.
    Binomial,
    /// A pipelined ring.
    Ring,
    /// Scatter, then allgather.
    ScatterAllgather,
}

/// The options of a communicator; the same on all ranks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Options {
    /// How products are computed.
    pub algorithm: Algorithm,
    /// Groups of process rows and of process columns; 0 where hcube chooses.
    pub group_rows: usize,
    /// As above.
    pub group_columns: usize,
    /// Inner indices that travel at a time inside a group; 0 where hcube chooses.
    pub inner_block: usize,
    /// Inner indices of a panel, which travel at a time between groups; 0 where hcube chooses.
    pub outer_block: usize,
    /// Bytes beside the matrices, per rank.
    pub memory: usize,
    /// Which matrix stays where it is.
    pub stationary: Stationary,
    /// How panels are broadcast.
    pub broadcast: BroadcastChoice,
    /// Levels of groups; 0 where hcube chooses.
    pub levels: usize,
    /// Ranks per node; 0 for the nodes as they are.
    pub ranks_per_node: usize,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            algorithm: Algorithm::Auto,
            group_rows: 0,
            group_columns: 0,
            inner_block: 0,
            outer_block: 0,
            memory: 32 << 20,
            stationary: Stationary::Auto,
            broadcast: BroadcastChoice::Auto,
            levels: 0,
            ranks_per_node: 0,
        }
    }
}
