//! What calls use besides time.

use serde::{Deserialize, Serialize};

/// What a call uses on all ranks together, waiting included: the mean of all measurements.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Usage {
    /// Microseconds of processors, and of these in the kernel.
    pub processor_us: f64,
    pub kernel_us: f64,
    /// Context switches.
    pub switches: f64,
    /// What the network interfaces of all nodes send; nothing where all ranks are on one node.
    pub sent_packets: Option<f64>,
    pub sent_bytes: Option<f64>,
}
