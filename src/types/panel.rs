//! The types of broadcasts of panels for C.

use crate::sized::Growing;
use hcube_core::error::{Error, Result};
use hcube_core::options::{Number, choices};
use hcube_hpl::{Memory, Options, Topology};

/// The panels of a communicator; the same on all ranks. Set what is not needed to 0.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct hcube_panels_options {
    /// sizeof(hcube_panels_options) in the program of the caller.
    pub struct_size: u64,
    /// Size of the largest panel in bytes.
    pub bytes: u64,
    /// Panels of one root for which there is memory, 1 or more.
    pub slots: u64,
    /// Panels that a rank uses at once, up to 1024: it has released a panel before it begins the one that
    /// many numbers later. From this follows the memory for panels of other nodes. 0: as many as fit in
    /// the slots of roots that take turns.
    pub in_use: u64,
    /// How nodes pass a panel on, HCUBE_PANELS_*: the six broadcasts of HPL.
    pub topology: i32,
    /// Maximum number of ranks per node, for tests. 0: HCUBE_RANKS_PER_NODE, or the nodes as they are.
    pub ranks_per_node: i32,
}

// SAFETY: numbers, the size first; without padding, as test `abi` checks.
unsafe impl Growing for hcube_panels_options {
    const NAME: &'static str = "options.struct_size";
    const FILLED_BY: &'static str = "sizeof(hcube_panels_options)";
}

impl hcube_panels_options {
    /// Without choices.
    pub(crate) fn new(bytes: u64, slots: u64) -> Self {
        let struct_size = size_of::<Self>() as u64;
        Self { struct_size, bytes, slots, in_use: 0, topology: 0, ranks_per_node: 0 }
    }

    /// What it says, and the environment.
    pub(crate) fn read(&self) -> Result<(Memory, Topology, Options)> {
        let topology = Topology::from_number(self.topology.into())
            .ok_or_else(|| Error::argument("options.topology", self.topology, choices(Topology::NAMES)))?;
        let mut options = Options::from_environment()?;
        match usize::try_from(self.ranks_per_node) {
            Ok(0) => {}
            Ok(ranks) => options.ranks_per_node = ranks,
            Err(_) => {
                return Err(Error::argument("options.ranks_per_node", self.ranks_per_node, "0 or more"));
            }
        }
        let limit = hcube_hpl::panels::MAX_IN_USE as u64;
        if self.in_use > limit {
            return Err(Error::argument("options.in_use", self.in_use, format!("at most {limit}")));
        }
        let [bytes, slots, in_use] = [self.bytes, self.slots, self.in_use].map(|value| value as usize);
        Ok((Memory { bytes, slots, in_use }, topology, options))
    }
}
