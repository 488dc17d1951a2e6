//! Operations of coarrays, measured.

use super::beside::Beside;
use super::section::Section;
use super::sources::{BENCH, Inputs, runs};
use super::table::NONE;
use hcube_results::caf::figure::{over_sizes, spawned, times};
use hcube_results::caf::{DRAWN, MEMCPY, MPI, OPENSHMEM, Run, VARIANTS, places};
use hcube_results::numbers::whole_bytes;
use hcube_results::table::Column;

/// All operations, with the times of hcube and its speed-ups.
pub const BESIDE: Beside<Run> = Beside {
    caption: "Times of an operation, and speed-ups of hcube",
    subject: &[
        ("ranks", |run| run.subject.place.ranks()),
        ("operation", |run| run.subject.operation.clone()),
        ("bytes", |run| match run.subject.bytes {
            0 => NONE.to_owned(),
            bytes => whole_bytes(bytes),
        }),
    ],
    variants: VARIANTS,
};

/// Times of operations, of puts and gets over their size, and rates of shipped functions.
pub fn coarrays(inputs: &Inputs) -> Section {
    let mut section = Section::new(
        "coarrays",
        "Coarrays",
        "Time of an operation by hcube's C functions, by the corresponding MPI functions (one-sided operations with \
         MPI_Win_flush), and by OpenSHMEM where it is installed. One-sided operations go from rank 0 to rank 1, while all \
         others wait in a barrier. memcpy is a copy between the same two pages as a put or get: a bound, not a competitor.",
    );
    let runs = runs(&inputs.caf);
    section.chart(times(runs, Some("coarrays-times")));
    section.chart(spawned(runs, Some("coarrays-spawn")));
    // The table has the others.
    if let Some(place) = places(runs).into_iter().find(|place| place.ranks > 1) {
        for (operation, file) in DRAWN.into_iter().zip(["coarrays-put", "coarrays-get"]) {
            section.chart(over_sizes(runs, place, operation, Some(file)));
        }
    }
    let rate: Column<Run> = ("rate", |run| run.rate().unwrap_or_else(|| NONE.to_owned()));
    let others = [(MPI, "MPI"), (OPENSHMEM, "OpenSHMEM"), (MEMCPY, "memcpy")];
    section.table(BESIDE.table(runs, &[rate], &others));
    section.lacks(runs.is_empty(), "operations of coarrays, measured", BENCH);
    section
}
