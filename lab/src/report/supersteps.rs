//! Supersteps of BSP programs.

use super::section::Section;
use super::sources::{BENCH, Inputs};
use super::table::{NONE, Table, cell};
use hcube_results::bsp::figure::{latency, over_sizes, ranks};
use hcube_results::bsp::{HCUBE, MPI, Run, SWEPT, by_superstep, of_variant, variants};
use hcube_results::numbers::{percent, significant, whole_bytes};
use hcube_results::plot::Evidence::Measured;

/// The runs of all variants.
pub fn runs(inputs: &Inputs) -> &[Run] {
    inputs.bsp.as_ref().map_or(&[], |results| &results.runs)
}

/// hcube's speed-ups over MPI's functions.
pub fn speed_ups(inputs: &Inputs) -> Vec<f64> {
    runs(inputs).iter().filter(|run| run.variant == MPI).filter_map(|run| run.hcube_speedup).collect()
}

/// Times of supersteps, and of messages over their size.
pub fn supersteps(inputs: &Inputs) -> Section {
    let mut section = Section::new(
        "bsp",
        "Supersteps of BSP programs",
        "Time of a superstep by hcube's BSPlib, by MPI's functions of the same meaning (MPI_Barrier, MPI_Alltoall, MPI_Put \
         and MPI_Get with MPI_Win_fence, MPI_Isend and MPI_Irecv), and by other BSP libraries where they were measured. In \
         the sweep, every process transfers messages to or from the next one; times per message are those of the whole \
         superstep by its messages.",
    );
    let runs = runs(inputs);
    section.chart(latency(runs, Some("bsp-latency")));
    let files = ["bsp-put", "bsp-hpput", "bsp-get", "bsp-hpget", "bsp-send"];
    // The table has the others.
    if let Some(ranks) = ranks(runs).into_iter().find(|&ranks| ranks > 1) {
        for (operation, file) in SWEPT.into_iter().zip(files) {
            section.chart(over_sizes(runs, ranks, operation, Some(file)));
        }
    }
    section.table(table(runs));
    section.lacks(runs.is_empty(), "supersteps of BSP programs, measured", BENCH);
    section
}

/// All supersteps, with the times of hcube and its speed-ups.
fn table(runs: &[Run]) -> Table {
    let others: Vec<&str> = variants(runs).into_iter().filter(|&variant| variant != HCUBE).collect();
    let mut columns: Vec<(String, _)> =
        ["ranks", "operation", "bytes", "messages"].map(|title| (title.to_owned(), None)).to_vec();
    columns.extend(["hcube, µs", "spread"].map(|title| (title.to_owned(), Some(Measured))));
    for other in &others {
        let name = if *other == MPI { "MPI" } else { other };
        columns.extend([(format!("{name}, µs"), Some(Measured)), (format!("over {name}"), Some(Measured))]);
    }
    let mut table = Table::new("Times of a superstep, and speed-ups of hcube", columns);
    for runs in by_superstep(runs) {
        let step = &runs[0].superstep;
        let hcube = of_variant(&runs, HCUBE);
        let swept = |text: String| if step.is_swept() { text } else { NONE.to_owned() };
        let mut cells = vec![
            step.ranks.to_string(),
            step.operation.clone(),
            swept(whole_bytes(step.bytes)),
            swept(step.messages.to_string()),
            cell(hcube, |run| significant(run.timing.median_us)),
            cell(hcube, |run| percent(run.timing.spread)),
        ];
        for other in &others {
            let run = of_variant(&runs, other);
            cells.push(cell(run, |run| significant(run.timing.median_us)));
            cells.push(cell(run.and_then(|run| run.hcube_speedup), |ratio| format!("×{ratio:.2}")));
        }
        table.row(cells);
    }
    table
}
