//! Tables of operations in which other variants stand beside hcube.

use super::sources;
use super::table::{Columns, Table, cell, times};
use hcube_results::numbers::{percent, significant};
use hcube_results::plot::Evidence::Measured;
use hcube_results::runs::{self, Results, Row, by_subject, of_variant};
use hcube_results::table::{Column, SPEED_UP};

/// How hcube is called in all results.
const HCUBE: &str = "hcube";

/// What a table shows of runs.
pub struct Beside<R: Row> {
    pub caption: &'static str,
    /// What all variants of a row have done.
    pub subject: &'static [Column<R>],
    pub variants: runs::Beside<R>,
}

impl<R: Row> Beside<R> {
    /// The times of hcube, columns of its own, and times and speed-ups over others: a variant and its name.
    pub fn table(&self, runs: &[R], own: &[Column<R>], others: &[(&str, &str)]) -> Table {
        let runs::Beside { timing, speed_up, .. } = self.variants;
        let mut columns: Columns<'_, Vec<&R>> = Columns::new();
        for &(title, text) in self.subject {
            columns.add(title, None, move |runs| text(runs[0]));
        }
        let median = move |run: &R| significant(timing(run).median_us);
        let of_hcube = |runs: &Vec<&R>, text: &dyn Fn(&R) -> String| cell(of_variant(runs, HCUBE), text);
        columns.add("hcube, µs", Some(Measured), move |runs| of_hcube(runs, &median));
        let spread = move |run: &R| percent(timing(run).spread);
        columns.add("spread", Some(Measured), move |runs| of_hcube(runs, &spread));
        for &(title, text) in own {
            columns.add(title, Some(Measured), move |runs| of_hcube(runs, &text));
        }
        for &(variant, name) in others {
            let title = format!("{name}, µs");
            columns.add(title, Some(Measured), move |runs| cell(of_variant(runs, variant), median));
            let title = format!("{SPEED_UP} over {name}");
            columns
                .add(title, Some(Measured), move |runs| times(of_variant(runs, variant).and_then(speed_up)));
        }
        columns.table(self.caption, by_subject(runs))
    }
}

/// hcube's speed-ups over a variant.
pub fn speed_ups<R: Row>(results: &Option<Results<R>>, of: &Beside<R>, variant: &str) -> Vec<f64> {
    sources::runs(results)
        .iter()
        .filter(|run| run.measured().1 == variant)
        .filter_map(of.variants.speed_up)
        .collect()
}
