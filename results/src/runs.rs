//! What the results of all benchmarks have in common: runs, notes, and what is printed and drawn of them.
//!
//! A benchmark declares its run as a type, from which its JSON follows, and in [`Row`] what its columns,
//! ratios and pictures are.

use crate::measured::{Timing, distinct};
use crate::noise::{self, Spread};
use crate::numbers::{percent, significant};
use crate::plot::Sheet;
use crate::table::{self, Column, SPEED_UP, Table, cell, ratio, speed_up_over};
use crate::taken::add_date;
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

    /// What was timed, and the spread of its times.
    fn spreads(&self) -> Vec<Spread>;

    /// What the mark in the tables means, where there is one.
    fn marks(&self) -> &'static str {
        if self.tables().iter().any(Table::has_marks) { noise::LEGEND } else { "" }
    }

    /// The last line: whether the spreads are too large to quote the times.
    fn noise(&self) -> String {
        noise::sentence(&self.spreads())
    }

    /// The tables and the lines below them.
    fn text(&self) -> String {
        table::text(&self.tables(), &(self.below() + &self.noise()))
    }
}

/// Results of several jobs that can be joined. Ratios stay as each job has them: the same may have been
/// measured in several.
pub trait Joined: Report + DeserializeOwned + Default {
    fn add(&mut self, other: Self);
}

/// One variant of what is measured: a line of the table, unless variants have columns.
pub trait Row: Clone + Default + Serialize + DeserializeOwned + 'static {
    /// What all variants do.
    type Subject: PartialEq;
    /// The columns of the table; where variants stand beside each other, those that name a row.
    const COLUMNS: &'static [Column<Self>];
    /// The speed-ups, behind the column [`SPREAD`]; none where variants stand beside each other.
    const SPEED_UPS: &'static [SpeedUp<Self>] = &[];

    /// What was done, by which variant, and its median time.
    fn measured(&self) -> (&Self::Subject, &str, f64);
    /// The times of all measurements.
    fn timing(&self) -> Timing;
    /// (largest - smallest) / median of the times.
    fn spread(&self) -> f64 {
        self.timing().spread
    }
    /// What was done, in words.
    fn subject_name(&self) -> String;
    /// What verification has found; nothing where not verified.
    fn errors(&self) -> Option<u64>;
    fn tables(runs: &[Self]) -> Vec<Table> {
        vec![table_of(Self::COLUMNS, Self::SPEED_UPS, runs.iter(), runs)]
    }
    /// Fills in the ratios.
    fn compare(runs: &mut [Self]);
    /// What the columns mean.
    fn legend(runs: &[Self]) -> String;
}

/// The heading of spreads.
pub const SPREAD: &str = "spread";

/// A column of speed-ups.
pub struct SpeedUp<R> {
    pub heading: &'static str,
    pub value: fn(&R) -> Option<f64>,
    /// The variants with which a run is compared, of which the fastest counts.
    pub over: &'static [&'static str],
}

impl<R: Row> SpeedUp<R> {
    /// The cell of a run among all.
    fn cell(&self, run: &R, all: &[R]) -> String {
        let (subject, own, _) = run.measured();
        if self.over.contains(&own) {
            // Itself.
            return ratio((self.value)(run));
        }
        let is_other = |other: &&R| {
            let (its, variant, _) = other.measured();
            its == subject && self.over.contains(&variant)
        };
        let other = all.iter().filter(is_other).min_by(|a, b| a.measured().2.total_cmp(&b.measured().2));
        noise::speed_up((self.value)(run), [run].into_iter().chain(other).map(R::spread))
    }
}

/// A table of some runs among all, with the speed-ups behind the column [`SPREAD`].
pub fn table_of<'a, R: Row>(
    columns: &[Column<R>],
    speed_ups: &[SpeedUp<R>],
    runs: impl IntoIterator<Item = &'a R>,
    all: &[R],
) -> Table {
    Table::of(runs.into_iter().map(|run| {
        let mut cells: Vec<(&str, String)> = Vec::new();
        for (heading, cell) in columns {
            cells.push((heading, cell(run)));
            if *heading == SPREAD {
                cells.extend(speed_ups.iter().map(|one| (one.heading, one.cell(run, all))));
            }
        }
        cells
    }))
}

/// The spread of each run.
pub fn spreads<R: Row>(runs: &[R]) -> Vec<Spread> {
    let spread = |run: &R| (format!("{}, {}", run.subject_name(), run.measured().1), run.spread());
    runs.iter().map(spread).collect()
}

/// Runs that have a picture.
pub trait Pictured: Row {
    /// Why some results have no picture.
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
        R::legend(&self.runs) + self.marks() + &lines(&self.notes)
    }

    fn errors(&self) -> Vec<Option<u64>> {
        self.runs.iter().map(R::errors).collect()
    }

    fn spreads(&self) -> Vec<Spread> {
        spreads(&self.runs)
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
        // A single competitor needs no name.
        let several = variants.iter().filter(|&&variant| variant != "hcube").count() > 1;
        let heading = |variant: &str| if several { speed_up_over(variant) } else { SPEED_UP.to_owned() };
        Table::of(by_subject(runs).into_iter().map(|runs| {
            let named = R::COLUMNS.iter().map(|(heading, cell)| ((*heading).to_owned(), cell(runs[0])));
            let mut cells: Vec<(String, String)> = named.collect();
            for &variant in variants {
                let run = of_variant(&runs, variant);
                let timing = run.map(self.timing);
                let hcube = of_variant(&runs, "hcube");
                cells.push((format!("{variant} us"), cell(timing.map(|one| significant(one.median_us)))));
                cells.push((SPREAD.to_owned(), cell(timing.map(|one| percent(one.spread)))));
                cells.push(match variant {
                    "hcube" => {
                        (self.own_heading.to_owned(), cell(run.map(|run| (self.own_cell)(run, &runs))))
                    }
                    _ => {
                        let compared = run.into_iter().chain(hcube).map(|run| R::spread(run));
                        (heading(variant), noise::speed_up(run.and_then(self.speed_up), compared))
                    }
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

    /// A row of each result kind in which variants are compared.
    fn fixture<R: Row>(name: &str) -> String {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../lab/tests/fixtures");
        let text = std::fs::read_to_string(folder.join(name)).expect("a fixture");
        serde_json::from_str::<Results<R>>(&text).expect("results").text()
    }

    #[test]
    fn tables_have_one_word_for_speed_ups() {
        let texts = [
            fixture::<crate::alltoall::Run>("alltoall.json"),
            fixture::<crate::bsp::Run>("bsp.json"),
            fixture::<crate::caf::Run>("caf.json"),
            fixture::<crate::fft::Run>("fft.json"),
            fixture::<crate::gemm::Run>("gemm.json"),
            fixture::<crate::gfortran::Run>("gfortran.json"),
            fixture::<crate::llcs::Run>("llcs.json"),
            fixture::<crate::panels::Run>("panels.json"),
            fixture::<crate::stream::Run>("stream.json"),
            crate::fftw::tests::results().text(),
            crate::preload::tests::results(Vec::new()).text(),
        ];
        for text in texts {
            assert!(text.contains("speed-up"), "{text}");
            // In headings, a word of its own behind two blanks or at the beginning of a line.
            for word in ["x ", "x:", "ratio", "gain ", "over FFTW", "over plain C"] {
                let is_heading = |line: &str| line.starts_with(word) || line.contains(&format!("  {word}"));
                assert!(!text.lines().any(is_heading), "{word}: {text}");
            }
        }
    }

    #[test]
    fn noise_is_told() {
        let times = |variant: &str, us: [f64; 3]| crate::panels::Run {
            variant: variant.to_owned(),
            timing: Timing::of_us(us.to_vec()),
            ..crate::panels::Run::default()
        };
        let quiet = [times("hcube", [10.0, 10.1, 9.9]), times("mpi-bcast", [12.0, 12.1, 11.9])];
        let text = Results::new(quiet.to_vec(), Vec::new()).text();
        assert!(has_line(&text, "0 0 0 mpi-bcast 12.00 2% 1.20 -"), "{text}");
        assert!(!text.contains('~') && !text.contains("NOISE"), "{text}");
        // The spread of hcube's times exceeds its gain over the broadcast.
        let noisy = [times("hcube", [10.0, 14.0, 8.0]), times("mpi-bcast", [12.0, 12.1, 11.9])];
        let text = Results::new(noisy.to_vec(), Vec::new()).text();
        assert!(has_line(&text, "0 0 0 mpi-bcast 12.00 2% 1.20~ -"), "{text}");
        assert!(text.contains("\n~ spread larger than the gain: not a measured difference\n"), "{text}");
        assert!(text.ends_with("a larger --repeat.\n") && text.contains("NOISE: 1 of 2 times"), "{text}");
        assert!(text.contains("0 B, 0 us of work, 0 ranks, hcube (60%)"), "{text}");
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
