//! What a run of HPCC has left.

use super::hpl::Solution;
use super::parse::Section;
use std::collections::BTreeMap;

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
    /// HPCC's summary, empty for a run that was stopped.
    pub summary: BTreeMap<String, f64>,
    /// HPL's solutions.
    pub solutions: Vec<Solution>,
    /// How the launcher has ended by itself, if it reports a failure.
    pub failure: Option<String>,
    /// Kernels that hcube has announced, by their titles.
    pub active: Vec<String>,
    /// What hcube says of kernels that it does not serve: their titles and the lines.
    pub fallbacks: Vec<(String, String)>,
    /// Seconds of the run.
    pub seconds: f64,
    /// Share of the machine's processor time that other work has used meanwhile; `None` if unknown.
    pub others: Option<f64>,
    /// The last lines of the output, if results are missing, with the name of its file.
    pub tail: String,
}
