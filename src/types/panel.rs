//! The types of broadcasts of panels for C.

use crate::sized::Growing;
use hcube_core::error::{Error, Result};
use hcube_core::options::{Number, choices};
use hcube_hpl::{Memory, Options, Topology};

/// Options of hcube_panels_prepare_for; the same on all ranks. Set fields that are not needed to 0.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct hcube_panels_options {
    /// sizeof(hcube_panels_options) in the program of the caller.
    pub struct_size: u64,
    /// Size of the largest panel in bytes.
    pub bytes: u64,
    /// Number of panel buffers per root, 1 or more.
    pub slots: u64,
    /// Maximum number of panels in use at a time on a rank, up to 1024: a rank releases panel i before it
    /// begins panel i + in_use. Determines the memory for panels of other nodes. 0: the number of panels that
    /// fit into the slots if the roots alternate.
    pub in_use: u64,
    /// Topology of the broadcast between nodes, HCUBE_PANELS_*: the six broadcasts of HPL.
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

    /// The options, merged with the environment.
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
