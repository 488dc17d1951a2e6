//! What is compared: updates of HPCC and MPI libraries.

use clap::ValueEnum;

/// RandomAccess updates of HPCC.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Variant {
    /// HPCC's standard algorithm
    Stock,
    /// Sandia's optimised algorithm (RA_SANDIA_OPT2)
    Sandia,
    /// hcube's, plugged in
    Hcube,
}

impl Variant {
    /// All, in the order of the table.
    pub const ALL: [Self; 3] = [Self::Stock, Self::Sandia, Self::Hcube];

    /// The name of the folder, in JSON and in tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::Stock => "stock",
            Self::Sandia => "sandia",
            Self::Hcube => "hcube",
        }
    }
}

/// MPI libraries of HPCC.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Mpi {
    /// Open MPI
    Openmpi,
    /// MPICH
    Mpich,
}

impl Mpi {
    /// The name of the folder and in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Openmpi => "openmpi",
            Self::Mpich => "mpich",
        }
    }

    /// The name in texts.
    pub fn title(self) -> &'static str {
        match self {
            Self::Openmpi => "Open MPI",
            Self::Mpich => "MPICH",
        }
    }
}
