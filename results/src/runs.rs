//! What the results of all benchmarks have in common: runs, notes, and what is printed and drawn of them.
//!
//! A benchmark declares its run as a type, from which its JSON follows, and in [`Row`] what its columns,
//! ratios and pictures are.

use crate::measured::{Timing, add_date, distinct};
use crate::numbers::{percent, significant};
use crate::plot::Sheet;
use crate::table::{self, Column, Table, cell, ratio};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

/// Results that are printed and written.
pub trait Report: Serialize {
    /// The tables. Rows of further sizes follow those that were there.
    fn tables(&self) -> Vec<Table>;
    /// The lines below the tables.
    fn below(&self) -> String;
    /// What verification has found in each line of the table; nothing where it was not verified.
    fn errors(&self) -> Vec<Option<u64>>;

    /// The tables and the lines below them.
    fn text(&self) -> String {
        table::text(&self.tables(), &self.below())
    }
}

/// Results of several jobs that can be joined. Ratios stay those of each job: the same may have been measured
/// in several.
pub trait Joined: Report + DeserializeOwned + Default {
    fn add(&mut self, other: Self);
}

/// One variant of what is measured: a line of the table, unless variants have columns.
pub trait Row: Clone + Default + Serialize + DeserializeOwned + 'static {
    /// What all variants do.
    type Subject: PartialEq;
    /// The columns of the table; where variants stand beside each other, those that name a row.
    const COLUMNS: &'static [Column<Self>];

    /// What was done, by which variant, and its median time.
    fn measured(&self) -> (&Self::Subject, &str, f64);
    /// What verification has found; nothing where not verified.
    fn errors(&self) -> Option<u64>;
    fn tables(runs: &[Self]) -> Vec<Table> {
        vec![Table::filled(Self::COLUMNS, runs)]
    }
    /// Fills in the ratios.
    fn compare(runs: &mut [Self]);
    /// What the columns mean.
    fn legend(runs: &[Self]) -> String;
}

/// Runs of which there is a picture.
pub trait Pictured: Row {
    /// Why there is none of some results.
    const UNDRAWN: &'static str = "nothing was measured: there is nothing to draw";

    /// The picture; nothing without results.
    fn sheet(runs: &[Self]) -> Option<Sheet>;
}

/// The results as they are written in JSON.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Results<R> {
    /// When it was measured; older files do not have it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub date: String,
    /// Each variant of all that was measured.
    pub runs: Vec<R>,
    /// What was left out, and why.
    #[serde(default)]
    pub notes: Vec<String>,
}

impl<R: Row> Results<R> {
    /// From all runs of a job.
    pub fn new(mut runs: Vec<R>, notes: Vec<String>) -> Self {
        R::compare(&mut runs);
        Self { date: String::new(), runs, notes }
    }
}

impl<R: Row> Report for Results<R> {
    fn tables(&self) -> Vec<Table> {
        R::tables(&self.runs)
    }

    fn below(&self) -> String {
        R::legend(&self.runs) + &lines(&self.notes)
    }

    fn errors(&self) -> Vec<Option<u64>> {
        self.runs.iter().map(R::errors).collect()
    }
}

impl<R: Row> Joined for Results<R> {
    fn add(&mut self, other: Self) {
        add_date(&mut self.date, &other.date);
        self.runs.extend(other.runs);
        add_notes(&mut self.notes, other.notes);
    }
}

/// Adds notes, each of which is told once.
pub fn add_notes(notes: &mut Vec<String>, others: Vec<String>) {
    notes.extend(others);
    notes.sort();
    notes.dedup();
}

/// Notes as lines.
pub fn lines(notes: &[String]) -> String {
    notes.iter().map(|note| format!("{note}\n")).collect()
}

/// The last line below the table.
pub fn verification(errors: &[Option<u64>]) -> String {
    match errors.iter().flatten().filter(|&&errors| errors > 0).count() {
        0 if errors.iter().all(Option::is_none) => "not verified\n".to_owned(),
        0 => "verified: 0 errors\n".to_owned(),
        wrong => format!("VERIFICATION FAILED in {wrong} line(s)\n"),
    }
}

/// Fills in ratios of each run, from the median times of the variants that have done the same beside it.
pub fn compare<R: Row>(runs: &mut [R], set: impl Fn(&mut R, &dyn Fn(&str) -> Option<f64>)) {
    for beside in runs.chunk_by_mut(|one, next| one.measured().0 == next.measured().0) {
        let variant = |run: &R| (run.measured().1.to_owned(), run.measured().2);
        let medians: Vec<(String, f64)> = beside.iter().map(variant).collect();
        let median = |variant: &str| {
            medians.iter().find(|(name, time)| name == variant && *time > 0.0).map(|(_, time)| *time)
        };
        beside.iter_mut().for_each(|run| set(run, &median));
    }
}

/// Fills in hcube's speed-up over each other variant.
pub fn compare_with_hcube<R: Row>(runs: &mut [R], speed_up: impl Fn(&mut R) -> &mut Option<f64>) {
    compare(runs, |run, median| {
        let (_, variant, own) = run.measured();
        let hcube = median("hcube").filter(|_| variant != "hcube");
        *speed_up(run) = hcube.map(|hcube| own / hcube);
    });
}

/// The variants, hcube first.
pub fn variants<R: Row>(runs: &[R]) -> Vec<&str> {
    let mut all = distinct(runs.iter().map(|run| run.measured().1));
    all.sort_by_key(|&variant| variant != "hcube");
    all
}

/// The runs of each subject, by all variants.
pub fn by_subject<R: Row>(runs: &[R]) -> Vec<Vec<&R>> {
    let subjects = distinct(runs.iter().map(|run| run.measured().0));
    subjects.into_iter().map(|one| runs.iter().filter(|run| run.measured().0 == one).collect()).collect()
}

/// The run of a variant.
pub fn of_variant<'a, R: Row>(runs: &[&'a R], variant: &str) -> Option<&'a R> {
    runs.iter().copied().find(|run| run.measured().1 == variant)
}

/// The columns of a table in which variants stand beside each other.
pub struct Beside<R: Row> {
    pub timing: fn(&R) -> &Timing,
    /// A further column of hcube: its heading, and its cell from hcube's run and those beside it.
    pub own_heading: &'static str,
    pub own_cell: fn(&R, &[&R]) -> String,
    /// hcube's speed-up over another variant.
    pub speed_up: fn(&R) -> Option<f64>,
}

impl<R: Row> Beside<R> {
    /// A row for each subject, with three columns for each of these variants.
    pub fn table(&self, runs: &[R], variants: &[&str]) -> Table {
        Table::of(by_subject(runs).into_iter().map(|runs| {
            let named = R::COLUMNS.iter().map(|(heading, cell)| ((*heading).to_owned(), cell(runs[0])));
            let mut cells: Vec<(String, String)> = named.collect();
            for &variant in variants {
                let run = of_variant(&runs, variant);
                let timing = run.map(self.timing);
                cells.push((format!("{variant} us"), cell(timing.map(|one| significant(one.median_us)))));
                cells.push(("spread".to_owned(), cell(timing.map(|one| percent(one.spread)))));
                cells.push(match variant {
                    "hcube" => {
                        (self.own_heading.to_owned(), cell(run.map(|run| (self.own_cell)(run, &runs))))
                    }
                    _ => (format!("x {variant}"), ratio(run.and_then(self.speed_up))),
                });
            }
            let errors: Vec<u64> = runs.iter().filter_map(|run| run.errors()).collect();
            let errors = (!errors.is_empty()).then(|| errors.iter().sum::<u64>());
            cells.push(("errors".to_owned(), cell(errors)));
            cells
        }))
    }
}

#[cfg(test)]
pub mod tests {
    use super::*;
    use crate::table::tests::has_line;
    use serde_json::Value;
    use std::fmt::Debug;

    /// That results have these values in JSON, below `runs`, and can be read again.
    pub fn assert_json<R: Row + Debug + PartialEq>(results: &Results<R>, expected: &[(&str, Value)]) {
        let value = serde_json::to_value(results).expect("valid");
        for (place, expected) in expected {
            let found = value["runs"].pointer(place).unwrap_or_else(|| panic!("{place} in {value}"));
            let is_near = found.as_f64().zip(expected.as_f64()).is_some_and(|(a, b)| (a - b).abs() < 1e-9);
            assert!(found == expected || is_near, "{place}: {found} instead of {expected}");
        }
        let back: Results<R> = serde_json::from_value(value).expect("what was written can be read");
        assert_eq!(back.runs.len(), results.runs.len());
    }

    /// That the text has these lines, and ends with a note.
    pub fn assert_lines<R: Row>(runs: Vec<R>, expected: &[&str]) {
        let text = Results::new(runs, vec!["a note".to_owned()]).text();
        expected.iter().for_each(|words| assert!(has_line(&text, words), "{words} expected: {text}"));
        assert!(text.ends_with("a note\n"), "{text}");
    }

    #[test]
    fn notes_are_told_once() {
        let mut notes = vec!["b".to_owned()];
        add_notes(&mut notes, vec!["a".to_owned(), "b".to_owned()]);
        assert_eq!((notes.len(), lines(&notes)), (2, "a\nb\n".to_owned()));
    }

    #[test]
    fn errors_are_counted_by_line() {
        assert_eq!(verification(&[None, None]), "not verified\n");
        assert_eq!(verification(&[None, Some(0)]), "verified: 0 errors\n");
        assert_eq!(verification(&[Some(7), None, Some(0)]), "VERIFICATION FAILED in 1 line(s)\n");
    }
}
