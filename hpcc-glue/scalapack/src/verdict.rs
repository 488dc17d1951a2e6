//! The outcome of a call, and its reason.

use hcube_gemm::report::Report;

/// What becomes of a call.
#[derive(Debug, Clone)]
pub enum Verdict {
    /// hcube has computed the product.
    Served(Report),
    /// ScaLAPACK's, for this reason.
    Original(Reason),
}

/// Why a call is forwarded to ScaLAPACK.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reason {
    /// The program uses another MPI library than hcube.
    OtherMpi,
    /// No BLACS.
    NoBlacs,
    /// MPI is not initialised, or finalised.
    Inactive,
    /// The program has 64-bit integers.
    Wide,
    /// This process is not in the grid.
    NotInGrid,
    /// Arguments that ScaLAPACK reports.
    Invalid,
    /// No `?gemm_`.
    NoBlas,
    /// The ranks of the communicator are not the ranks of the grid in row-major order.
    OtherOrder,
    /// `HCUBE_GEMM=library`.
    Chosen,
}

impl Reason {
    /// All of them, in the order of their numbers.
    pub const ALL: [Self; 9] = [
        Self::OtherMpi,
        Self::NoBlacs,
        Self::Inactive,
        Self::Wide,
        Self::NotInGrid,
        Self::Invalid,
        Self::NoBlas,
        Self::OtherOrder,
        Self::Chosen,
    ];

    /// As statistics print it.
    pub const fn text(self) -> &'static str {
        match self {
            Self::OtherMpi => "another MPI library",
            Self::NoBlacs => "no BLACS found",
            Self::Inactive => "MPI is not active",
            Self::Wide => "64-bit integers",
            Self::NotInGrid => "not in the grid",
            Self::Invalid => "arguments that are not valid",
            Self::NoBlas => "no BLAS found",
            Self::OtherOrder => "ranks of the grid in another order",
            Self::Chosen => "HCUBE_GEMM=library",
        }
    }
}
