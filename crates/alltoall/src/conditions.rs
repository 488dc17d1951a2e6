//! What a rank states about its arguments in addition to the blocks.

use super::select::Blocks;

/// Conditions of one rank for an exchange.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Conditions {
    /// Blocks lie in memory that other processes and plain copies cannot reach.
    pub unreachable: bool,
    /// The MPI library's function cannot represent the counts.
    pub beyond_library: bool,
    /// A rank may expect more than is sent to it, out of place; the same on all ranks.
    pub tolerant: bool,
    /// The caller records the time of a forwarded exchange, so that the MPI library's function may be
    /// compared with other algorithms; the same on all ranks.
    pub timed: bool,
    /// The caller forwards short exchanges without votes if this is faster; the same on all ranks.
    pub may_skip_votes: bool,
    /// A time in nanoseconds that is stated with the vote, for [`Self::may_skip_votes`]; all ranks have one
    /// or none.
    pub stated: Option<u64>,
    /// If node leaders pass on the votes, what is known of the blocks; the same on all ranks, by
    /// [`Situation::leads`](crate::select::Situation::leads).
    pub led: Option<Blocks>,
    /// A number for arguments, in addition to the counts, that must be the same on all ranks; 0 for none.
    pub agreement: u64,
    /// The number of the communicator among those that use the state; the same on all ranks.
    pub user: u64,
}
