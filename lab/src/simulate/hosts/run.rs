//! What a driver does for a row, and for which hosts.

pub const HCUBE: &str = "hcube";
pub const LIBRARY: &str = "library";

/// Hosts of a machine, and their MPI library by the name of its launcher.
pub struct Hosts<'a> {
    pub mpi: &'a str,
    pub ranks: usize,
    pub ranks_per_host: usize,
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
