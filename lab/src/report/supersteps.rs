//! Supersteps of BSP programs.

use super::beside::Beside;
use super::section::Section;
use super::sources::{BENCH, Inputs, runs};
use super::table::NONE;
use hcube_results::bsp::figure::{latency, over_sizes, ranks};
use hcube_results::bsp::{HCUBE, MPI, Run, SWEPT, VARIANTS, variants};
use hcube_results::numbers::whole_bytes;

/// All supersteps, with the times of hcube and its speed-ups.
pub const BESIDE: Beside<Run> = Beside {
    caption: "Times of a superstep, and speed-ups of hcube",
    subject: &[
        ("ranks", |run| run.superstep.place.ranks()),
        ("operation", |run| run.superstep.operation.clone()),
        ("bytes", |run| swept(run, whole_bytes(run.superstep.bytes))),
        ("messages", |run| swept(run, run.superstep.messages.to_string())),
    ],
    variants: VARIANTS,
};

/// What only supersteps of the sweep have.
fn swept(run: &Run, text: String) -> String {
    if run.superstep.is_swept() { text } else { NONE.to_owned() }
}

/// Times of supersteps, and of messages over their size.
pub fn supersteps(inputs: &Inputs) -> Section {
    let mut section = Section::new(
        "bsp",
        "Supersteps of BSP programs",
        "Time of a superstep by hcube's BSPlib, by the corresponding MPI functions (MPI_Barrier, MPI_Alltoall, MPI_Put \
         and MPI_Get with MPI_Win_fence, MPI_Isend and MPI_Irecv), and by other BSP libraries where they were measured. In \
         the sweep, every process transfers messages to or from the next one; times per message are the time of the \
         superstep divided by its messages.",
    );
    let runs = runs(&inputs.bsp);
    section.chart(latency(runs, Some("bsp-latency")));
    let files = ["bsp-put", "bsp-hpput", "bsp-get", "bsp-hpget", "bsp-send"];
    // The table has the others.
    if let Some(ranks) = ranks(runs).into_iter().find(|&ranks| ranks > 1) {
        for (operation, file) in SWEPT.into_iter().zip(files) {
            section.chart(over_sizes(runs, ranks, operation, Some(file)));
        }
    }
    let others = variants(runs).into_iter().filter(|&variant| variant != HCUBE);
    let named = others.map(|other| (other, if other == MPI { "MPI" } else { other }));
    section.table(BESIDE.table(runs, &[], &named.collect::<Vec<_>>()));
    section.lacks(runs.is_empty(), "supersteps of BSP programs, measured", BENCH);
    section
}
