//! Real programs with the preload library.

use super::section::Section;
use super::sources::{BENCH, Inputs};
use super::table::{Table, cell};
use hcube_results::numbers::{percent, time};
use hcube_results::plot::Evidence::Measured;
use hcube_results::preload::plot;

/// Run times with and without hcube.
pub fn programs(inputs: &Inputs) -> Section {
    let mut section = Section::new(
        "programs",
        "Programs with the preload library",
        "Speed-up of unmodified programs over the same programs without hcube: right of 1 hcube is faster. Both were run \
         alternately, and the table shows whether their results were identical.",
    );
    let rows = || inputs.programs.iter().flat_map(|results| &results.rows);
    let chart = inputs.programs.iter().map(|results| plot::programs(&results.rows));
    chart.for_each(|chart| section.chart(chart));
    let mut table = Table::new(
        "Run times",
        [
            ("program", None),
            ("ranks", None),
            ("without hcube", Some(Measured)),
            ("with hcube", Some(Measured)),
            ("speed-up", Some(Measured)),
            ("spread without", Some(Measured)),
            ("spread with", Some(Measured)),
            ("results", Some(Measured)),
        ],
    );
    for row in rows() {
        let same = |same: bool| if same { "identical" } else { "different" }.to_owned();
        table.row([
            row.case.clone(),
            row.ranks.to_string(),
            time(row.reference.median),
            time(row.measured.median),
            cell(row.speed_up(), |speed_up| format!("×{speed_up:.2}")),
            percent(row.reference.spread),
            percent(row.measured.spread),
            cell(row.same_results, same),
        ]);
    }
    section.table(table);
    for reason in inputs.programs.iter().flat_map(|results| &results.skipped) {
        section.say(&format!("Skipped: {reason}."));
    }
    section.lacks(rows().next().is_none(), "programs, measured", BENCH);
    section
}
