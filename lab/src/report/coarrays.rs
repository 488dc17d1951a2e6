//! Operations of coarrays, measured.

use super::section::Section;
use super::sources::{BENCH, Inputs};
use super::table::{NONE, Table, cell};
use hcube_results::caf::figure::{over_sizes, spawned, times};
use hcube_results::caf::{DRAWN, HCUBE, MEMCPY, MPI, OPENSHMEM, Run, by_subject, of_variant, places};
use hcube_results::numbers::{percent, significant, whole_bytes};
use hcube_results::plot::Evidence::Measured;

/// The runs of all variants.
pub fn runs(inputs: &Inputs) -> &[Run] {
    inputs.caf.as_ref().map_or(&[], |results| &results.runs)
}

/// hcube's speed-ups over a competitor.
pub fn speed_ups(inputs: &Inputs, variant: &str) -> Vec<f64> {
    runs(inputs).iter().filter(|run| run.variant == variant).filter_map(|run| run.hcube_speedup).collect()
}

/// Times of operations, of puts and gets over their size, and rates of shipped functions.
pub fn coarrays(inputs: &Inputs) -> Section {
    let mut section = Section::new(
        "coarrays",
        "Coarrays",
        "Time of an operation by hcube's C functions, by MPI's functions of the same meaning (one-sided operations with \
         MPI_Win_flush), and by OpenSHMEM where it is installed. One-sided operations go from rank 0 to rank 1, while all \
         others wait in a barrier. memcpy is a copy between the same two pages as a put or get: a bound, not a competitor.",
    );
    let runs = runs(inputs);
    section.chart(times(runs, Some("coarrays-times")));
    section.chart(spawned(runs, Some("coarrays-spawn")));
    // The table has the others.
    if let Some(place) = places(runs).into_iter().find(|&(ranks, _)| ranks > 1) {
        for (operation, file) in DRAWN.into_iter().zip(["coarrays-put", "coarrays-get"]) {
            section.chart(over_sizes(runs, place, operation, Some(file)));
        }
    }
    section.table(table(runs));
    section.lacks(runs.is_empty(), "operations of coarrays, measured", BENCH);
    section
}

/// All operations, with the times of hcube and its speed-ups.
fn table(runs: &[Run]) -> Table {
    let mut columns: Vec<(String, _)> =
        ["ranks", "operation", "bytes"].map(|title| (title.to_owned(), None)).to_vec();
    columns.extend(["hcube, µs", "spread", "rate"].map(|title| (title.to_owned(), Some(Measured))));
    let others = [(MPI, "MPI"), (OPENSHMEM, "OpenSHMEM"), (MEMCPY, "memcpy")];
    for (_, name) in others {
        columns.extend([(format!("{name}, µs"), Some(Measured)), (format!("over {name}"), Some(Measured))]);
    }
    let mut table = Table::new("Times of an operation, and speed-ups of hcube", columns);
    for runs in by_subject(runs) {
        let subject = &runs[0].subject;
        let hcube = of_variant(&runs, HCUBE);
        let bytes = if subject.bytes == 0 { NONE.to_owned() } else { whole_bytes(subject.bytes) };
        let mut cells = vec![
            subject.place(),
            subject.operation.clone(),
            bytes,
            cell(hcube, |run| significant(run.timing.median_us)),
            cell(hcube, |run| percent(run.timing.spread)),
            cell(hcube.and_then(Run::rate), |rate| rate),
        ];
        for (variant, _) in others {
            let run = of_variant(&runs, variant);
            cells.push(cell(run, |run| significant(run.timing.median_us)));
            cells.push(cell(run.and_then(|run| run.hcube_speedup), |ratio| format!("×{ratio:.2}")));
        }
        table.row(cells);
    }
    table
}
