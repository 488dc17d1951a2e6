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
    /// Largest block that node leaders exchange; 0 if they do not.
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

    /// Whether node leaders pass on the votes of an exchange whose blocks may differ in size.
    pub fn leads(&self, in_place: bool) -> bool {
        self.led > 0 && (self.schedule == Schedule::NodeLeaders || !in_place || self.leads_in_place)
    }

    /// The same for equal blocks: not for large ones, which all ranks know to be large. On request for all,
    /// so that no rank is left waiting for a rank with invalid arguments. `block`: the size of the blocks, if
    /// the arguments that determine it are valid.
    pub fn leads_equal(&self, in_place: bool, block: impl FnOnce() -> Option<usize>) -> Led {
        if !self.leads(in_place) {
            return Led::No;
        }
        if self.schedule == Schedule::NodeLeaders {
            return Led::Yes(Blocks::Any);
        }
        match block() {
            Some(bytes) if (1..=self.led).contains(&bytes) => {
                Led::Yes(if bytes <= MAX_SHORT_BYTES { Blocks::Short } else { Blocks::Long })
            }
            Some(_) => Led::No,
            None => Led::Unknown,
        }
    }
}

/// What all ranks know in advance of the blocks that node leaders exchange.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Blocks {
    /// Equal, and so short that node leaders gain on each machine that was measured or simulated.
    Short,
    /// Equal, and longer.
    Long,
    /// Of any sizes.
    Any,
}

/// The longest of [`Blocks::Short`].
pub const MAX_SHORT_BYTES: usize = 256;

/// Whether node leaders pass on the votes of a call; the same on all ranks whose arguments are valid.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Led {
    /// They do, for these blocks.
    Yes(Blocks),
    /// They do not.
    No,
    /// They may on other ranks: arguments of this rank are invalid, so that it can vote neither with the
    /// blocks nor without them.
    Unknown,
}

impl Led {
    /// What is known of the blocks, if they do.
    pub fn blocks(self) -> Option<Blocks> {
        match self {
            Self::Yes(blocks) => Some(blocks),
            Self::No | Self::Unknown => None,
        }
    }
}
