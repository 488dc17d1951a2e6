//! Real programs with the preload library.

use super::section::Section;
use super::sources::{BENCH, Inputs};
use super::table::{Table, cell, times};
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
    section.table(Table::of(
        "Run times",
        rows(),
        &[
            ("program", None, &|row| row.case.clone()),
            ("ranks", None, &|row| row.ranks.to_string()),
            ("without hcube", Some(Measured), &|row| time(row.reference.median)),
            ("with hcube", Some(Measured), &|row| time(row.measured.median)),
            ("speed-up", Some(Measured), &|row| times(row.speed_up())),
            ("spread without", Some(Measured), &|row| percent(row.reference.spread)),
            ("spread with", Some(Measured), &|row| percent(row.measured.spread)),
            ("results", Some(Measured), &|row| {
                cell(row.same_results, |same| if same { "identical" } else { "different" }.to_owned())
            }),
        ],
    ));
    for reason in inputs.programs.iter().flat_map(|results| &results.skipped) {
        section.say(&format!("Skipped: {reason}."));
    }
    section.lacks(rows().next().is_none(), "programs, measured", BENCH);
    section
}
