//! What a run of HPCC has left.

use super::parse::Section;

/// The result of a run.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Outcome {
    /// Results of the polynomial stream; `None` if missing.
    pub polynomial: Option<Section>,
    /// Results of the LCG stream; `None` if missing.
    pub lcg: Option<Section>,
    /// The time limit was reached.
    pub timed_out: bool,
    /// HPCC's summary reports success.
    pub success: bool,
    /// The announcement of the plug-in is in the output.
    pub active: bool,
    /// Seconds of the run.
    pub seconds: f64,
    /// The last lines of the output, if results are missing.
    pub tail: String,
}
