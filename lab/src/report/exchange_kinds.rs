//! The kinds of exchanges besides the blocking one of all ranks.

use super::section::Section;
use super::sources::{BENCH, Inputs};
use hcube_results::alltoall::kinds::{Run, figure};

/// All of them that were measured.
pub fn runs(inputs: &Inputs) -> &[Run] {
    inputs.alltoall.as_ref().map_or(&[], |results| &results.kinds)
}

/// Times of each kind.
pub fn kinds(inputs: &Inputs) -> Section {
    let mut section = Section::new(
        "alltoall-kinds",
        "General, neighbour and nonblocking exchanges",
        "Times of one exchange and of the MPI library's functions for the same purpose: a copy of the buffer and its \
         MPI_Alltoallv, its exchanges between neighbours, and its nonblocking exchanges, by themselves and overlapped with a \
         computation.",
    );
    for chart in figure::panels(runs(inputs)) {
        section.chart(chart);
    }
    let missing = "general, neighbour and nonblocking exchanges, measured";
    section.lacks(runs(inputs).is_empty(), missing, BENCH);
    section
}
