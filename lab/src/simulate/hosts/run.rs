//! What a driver does for a row, and for which hosts.

use hcube_results::machine::Machine;

pub const HCUBE: &str = "hcube";
pub const LIBRARY: &str = "library";

/// Hosts of a machine, and their MPI library by the name of its launcher.
pub struct Hosts<'a> {
    pub machine: &'a Machine,
    pub mpi: &'a str,
    pub ranks: usize,
    pub ranks_per_host: usize,
}

impl Hosts<'_> {
    /// Ranks on each of the processors that all of them share.
    pub fn share(&self) -> f64 {
        self.machine.messages.as_ref().map_or(1.0, |messages| messages.share(self.ranks))
    }
}

/// What a driver does for a row.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Run {
    /// As in `doc/results/hosts.json`.
    pub subject: String,
    pub by: &'static str,
    pub driver: &'static str,
    /// Before the cases.
    pub argument: Option<&'static str>,
    /// In the form that the driver reads.
    pub text: String,
    pub bytes_per_rank: u64,
    /// Updates whose time follows from the rate that the driver prints.
    pub updates: Option<u64>,
    /// Whether all ranks have work at the same time, which takes longer where they share cores.
    pub computes: bool,
}

/// A time of hcube.
pub fn of_hcube(subject: String, text: String) -> Run {
    Run { subject, by: HCUBE, text, ..Run::default() }
}

/// A time of the MPI library.
pub fn of_library(subject: String, text: String) -> Run {
    Run { subject, by: LIBRARY, text, ..Run::default() }
}
