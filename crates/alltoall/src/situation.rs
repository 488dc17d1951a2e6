//! The inputs of decisions, in addition to the votes.

use super::options::{Path, Schedule};

/// Properties that are the same for all exchanges on a communicator.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Situation {
    /// Number of ranks of the communicator.
    pub ranks: usize,
    /// All ranks are on one node and share memory.
    pub shared: bool,
    /// Single copy works between all ranks of a node.
    pub single_copy: bool,
    /// Largest of equal blocks that node leaders exchange together with the votes; 0 if they do not.
    pub led: usize,
    /// Whether they also do so in place.
    pub leads_in_place: bool,
    /// The schedule requested.
    pub schedule: Schedule,
    /// The path requested.
    pub path: Path,
}

impl Situation {
    /// Whether a schedule or a path was requested: nothing is forwarded for speed then.
    pub fn is_asked(&self) -> bool {
        self.schedule != Schedule::Auto || self.path != Path::Auto
    }

    /// Whether the votes of an exchange of equal blocks are sent with the blocks. On request this holds for
    /// all of these exchanges, so that no rank is left waiting for a rank with invalid arguments. `block`:
    /// the size of the blocks, if the arguments that determine it are valid.
    pub fn leads_equal(&self, in_place: bool, block: impl FnOnce() -> Option<usize>) -> Led {
        if self.led == 0 {
            return Led::No;
        }
        if self.schedule == Schedule::NodeLeaders {
            return Led::Yes;
        }
        if in_place && !self.leads_in_place {
            return Led::No;
        }
        match block() {
            Some(bytes) if (1..=self.led).contains(&bytes) => Led::Yes,
            Some(_) => Led::No,
            None => Led::Unknown,
        }
    }
}

/// Whether node leaders exchange equal blocks together with the votes; the same on all ranks whose arguments
/// are valid.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Led {
    /// They do.
    Yes,
    /// They do not.
    No,
    /// They may on other ranks: arguments of this rank are invalid, so that it can vote neither with the
    /// blocks nor without them.
    Unknown,
}

/// What an exchange permits in addition to its votes; the same on all ranks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Permitted {
    /// The MPI library's function may be compared with other algorithms.
    pub library: bool,
    /// Single copy between nodes: the notices of this round contain the addresses of blocks.
    pub addresses: bool,
}
