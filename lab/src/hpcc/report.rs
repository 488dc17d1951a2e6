//! The table, the JSON and the problems of the runs.

use super::arguments::Arguments;
use super::outcome::Outcome;
use super::parse::Section;
use super::plan::Run;
use super::variant::{Mpi, Variant};
use hcube_results::numbers::{median, percent, significant, spread};
use hcube_results::table::Table;
use serde::Serialize;
use std::fmt::Write;

/// The results as they are written in JSON.
#[derive(Debug, Serialize)]
pub struct Results {
    mpi: &'static str,
    #[serde(skip)]
    title: &'static str,
    runs: Vec<Entry>,
}

/// Medians of the runs of one variant on one number of ranks.
#[derive(Debug, PartialEq, Serialize)]
struct Entry {
    variant: &'static str,
    ranks: usize,
    gups: f64,
    gups_lcg: f64,
    errors: u64,
    errors_lcg: u64,
    log2_table: u32,
    #[serde(skip)]
    spread: f64,
}

impl Entry {
    /// `None` where no run has both results.
    fn new(variant: Variant, ranks: usize, outcomes: &[(Run, Outcome)]) -> Option<Self> {
        let both: Vec<(Section, Section)> = outcomes
            .iter()
            .filter(|(run, _)| run.variant == variant && run.ranks == ranks)
            .filter_map(|(_, outcome)| outcome.polynomial.zip(outcome.lcg))
            .collect();
        let (first, _) = both.first()?;
        let polynomial: Vec<f64> = both.iter().map(|(polynomial, _)| polynomial.gups).collect();
        let lcg: Vec<f64> = both.iter().map(|(_, lcg)| lcg.gups).collect();
        Some(Self {
            variant: variant.name(),
            ranks,
            gups: median(&polynomial),
            gups_lcg: median(&lcg),
            errors: both.iter().map(|(polynomial, _)| polynomial.errors).max()?,
            errors_lcg: both.iter().map(|(_, lcg)| lcg.errors).max()?,
            log2_table: first.log2_table,
            spread: spread(&polynomial).max(spread(&lcg)),
        })
    }
}

/// Numbers of ranks and variants of the runs, in the order of the table.
fn kinds(outcomes: &[(Run, Outcome)]) -> Vec<(usize, Variant)> {
    let mut kinds = Vec::new();
    for (run, _) in outcomes {
        if !kinds.contains(&(run.ranks, run.variant)) {
            kinds.push((run.ranks, run.variant));
        }
    }
    kinds.sort_by_key(|&(ranks, variant)| (ranks, Variant::ALL.iter().position(|&one| one == variant)));
    kinds
}

impl Results {
    pub fn new(mpi: Mpi, outcomes: &[(Run, Outcome)]) -> Self {
        let entry = |(ranks, variant)| Entry::new(variant, ranks, outcomes);
        let runs = kinds(outcomes).into_iter().filter_map(entry).collect();
        Self { mpi: mpi.name(), title: mpi.title(), runs }
    }

    /// The sentence to quote: hcube on all cores, or on the most ranks that are no more, beside the others.
    pub fn sentence(&self, cores: usize) -> Option<String> {
        let ours = self.runs.iter().filter(|entry| entry.variant == Variant::Hcube.name());
        let ours = ours.max_by_key(|entry| (entry.ranks <= cores, entry.ranks))?;
        let of = |variant, title: &str| {
            let other = self.entry(variant, ours.ranks).filter(|entry| entry.gups > 0.0)?;
            Some(format!(
                "{} over {title} ({} GUP/s, {} errors)",
                ratio(ours.gups / other.gups),
                significant(other.gups),
                other.errors
            ))
        };
        let others = [of(Variant::Stock, "stock HPCC"), of(Variant::Sandia, "Sandia's update")];
        let others: Vec<String> = others.into_iter().flatten().collect();
        let speed_up = if others.is_empty() {
            String::new()
        } else {
            format!(": a speed-up of {}", others.join(" and of "))
        };
        let ranks = if ours.ranks == 1 { "rank" } else { "ranks" };
        Some(format!(
            "On {} {ranks} ({}, table of 2^{} words, polynomial stream) HPCC RandomAccess with hcube reaches {} GUP/s \
             with {} errors{speed_up}.",
            ours.ranks,
            self.title,
            ours.log2_table,
            significant(ours.gups),
            ours.errors
        ))
    }

    fn entry(&self, variant: Variant, ranks: usize) -> Option<&Entry> {
        self.runs.iter().find(|entry| entry.variant == variant.name() && entry.ranks == ranks)
    }
}

/// A speed-up with two or three digits.
fn ratio(ratio: f64) -> String {
    if ratio < 20.0 { format!("{ratio:.1}") } else { format!("{ratio:.0}") }
}

/// A cell whose value may be missing.
fn cell<T>(value: Option<T>, text: impl Fn(T) -> String) -> String {
    value.map_or("-".to_owned(), text)
}

/// The table of all variants, and how it was measured.
pub fn text(results: &Results, arguments: &Arguments, outcomes: &[(Run, Outcome)]) -> String {
    let variants: Vec<Variant> = Variant::ALL
        .into_iter()
        .filter(|variant| outcomes.iter().any(|(run, _)| run.variant == *variant))
        .collect();
    let mut ranks: Vec<usize> = outcomes.iter().map(|(run, _)| run.ranks).collect();
    ranks.sort_unstable();
    ranks.dedup();
    let others: Vec<Variant> =
        variants.iter().copied().filter(|&variant| variant != Variant::Hcube).collect();
    let mut headings = vec!["ranks".to_owned(), "stream".to_owned()];
    headings.extend(variants.iter().map(|variant| format!("{} GUP/s", variant.name())));
    headings.extend(variants.iter().map(|variant| format!("{} errors", variant.name())));
    if variants.contains(&Variant::Hcube) {
        headings.extend(others.iter().map(|variant| format!("hcube/{}", variant.name())));
    }
    let mut table = Table::new(headings);
    for &ranks in &ranks {
        for lcg in [false, true] {
            table.row(row(results, ranks, lcg, &variants, &others));
        }
    }
    let log2 = results.runs.iter().map(|entry| entry.log2_table).max();
    let mut text = format!(
        "\nHPCC 1.5.0, {}, N = {}, table of {} words\n\n{}\n",
        results.title,
        arguments.n,
        cell(log2, |log2| format!("2^{log2}")),
        table.render()
    );
    text.push_str(&what_was_done(arguments, results, &variants));
    text
}

fn row(results: &Results, ranks: usize, lcg: bool, variants: &[Variant], others: &[Variant]) -> Vec<String> {
    let rate =
        |variant| results.entry(variant, ranks).map(|entry| if lcg { entry.gups_lcg } else { entry.gups });
    let errors = |variant| {
        results.entry(variant, ranks).map(|entry| if lcg { entry.errors_lcg } else { entry.errors })
    };
    let mut cells = vec![ranks.to_string(), if lcg { "lcg" } else { "polynomial" }.to_owned()];
    cells.extend(variants.iter().map(|&variant| cell(rate(variant), significant)));
    cells.extend(variants.iter().map(|&variant| cell(errors(variant), |errors| errors.to_string())));
    if variants.contains(&Variant::Hcube) {
        let ratio = |other| Some(rate(Variant::Hcube)? / rate(other).filter(|&rate| rate > 0.0)?);
        cells.extend(others.iter().map(|&other| cell(ratio(other), |ratio| format!("{ratio:.2}"))));
    }
    cells
}

fn what_was_done(arguments: &Arguments, results: &Results, variants: &[Variant]) -> String {
    let mut text = String::new();
    if arguments.repeat > 1 {
        let widest = results.runs.iter().map(|entry| entry.spread).fold(0.0, f64::max);
        let _ = writeln!(
            text,
            "Medians of {} alternating runs; largest spread {}.",
            arguments.repeat,
            percent(widest)
        );
    }
    let names = |whole: bool| {
        let chosen = variants.iter().filter(|&&variant| arguments.whole(variant) == whole);
        chosen.map(|variant| variant.name()).collect::<Vec<_>>().join(", ")
    };
    let (whole, brief) = (names(true), names(false));
    if !whole.is_empty() {
        let _ = writeln!(text, "All of HPCC was run: {whole}.");
    }
    let lacks = |entry: &Entry| results.entry(Variant::Stock, entry.ranks).is_none();
    if arguments.ranks.is_none() && variants.contains(&Variant::Stock) && results.runs.iter().any(lacks) {
        text.push_str(
            "Stock HPCC was not run oversubscribed, where it takes its limit of 60 s per stream (--full runs it, as \
             does make run FULL=1).\n",
        );
    }
    if !brief.is_empty() {
        let _ = writeln!(
            text,
            "Stopped after both MPIRandomAccess sections: {brief} (--complete runs all of HPCC)."
        );
    }
    text
}

/// Failures of a run; each makes the command fail.
pub fn problems(run: &Run, outcome: &Outcome) -> Vec<String> {
    let ours = run.variant == Variant::Hcube;
    let name = run.name();
    if outcome.timed_out && ours {
        return vec![format!("{name}: reached the time limit")];
    }
    let mut problems = Vec::new();
    for (stream, section) in [("polynomial", outcome.polynomial), ("LCG", outcome.lcg)] {
        match section {
            // The standard algorithm may well be too slow; what it has finished must be right.
            None if outcome.timed_out => {}
            None => problems.push(format!(
                "{name}: no result for the {stream} stream; the end of its output:\n{}",
                outcome.tail
            )),
            Some(section) if !section.passed => {
                problems.push(format!("{name}: verification failed, {} errors ({stream})", section.errors));
            }
            Some(section) if ours && section.errors > 0 => {
                problems.push(format!("{name}: {} errors ({stream}), expected 0", section.errors));
            }
            Some(_) => {}
        }
    }
    if run.whole && !outcome.success {
        problems.push(format!("{name}: HPCC did not succeed (no Success=1)"));
    }
    match (ours, outcome.active) {
        (true, false) => problems.push(format!("{name}: hcube was not active: its announcement is missing")),
        (false, true) => problems.push(format!("{name}: hcube was active in a variant that is not its own")),
        _ => {}
    }
    problems
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outcome(gups: f64, errors: u64) -> Outcome {
        let section = Some(Section { gups, errors, passed: true, log2_table: 20 });
        Outcome { polynomial: section, lcg: section, success: true, ..Outcome::default() }
    }

    fn run(variant: Variant) -> Run {
        Run { variant, ranks: 2, repeat: 0, whole: false }
    }

    #[test]
    fn medians_of_repetitions_and_the_most_errors() {
        let outcomes =
            [0.1, 0.4, 0.2].map(|gups| (run(Variant::Sandia), outcome(gups, (gups * 10.0) as u64)));
        let entry = Entry::new(Variant::Sandia, 2, &outcomes).expect("results");
        assert_eq!((entry.gups, entry.errors_lcg, entry.log2_table), (0.2, 4, 20));
        assert_eq!(Entry::new(Variant::Stock, 2, &outcomes), None);
    }

    #[test]
    fn the_sentence_names_ratios_and_errors() {
        let outcomes = [
            (run(Variant::Hcube), outcome(0.3, 0)),
            (run(Variant::Stock), outcome(0.01, 12)),
            (run(Variant::Sandia), outcome(0.1, 3)),
            (Run { ranks: 4, ..run(Variant::Hcube) }, outcome(0.2, 0)),
        ];
        let sentence = |of: &[(Run, Outcome)]| Results::new(Mpi::Openmpi, of).sentence(2);
        let expected = "On 2 ranks (Open MPI, table of 2^20 words, polynomial stream) HPCC RandomAccess with hcube \
                        reaches 0.3000 GUP/s with 0 errors: a speed-up of 30 over stock HPCC (0.01000 GUP/s, 12 \
                        errors) and of 3.0 over Sandia's update (0.1000 GUP/s, 3 errors).";
        assert_eq!(sentence(&outcomes).as_deref(), Some(expected));
        assert!(sentence(&outcomes[..1]).is_some_and(|text| text.ends_with("with 0 errors.")));
        assert_eq!(sentence(&outcomes[1..3]), None);
    }

    #[test]
    fn problems_of_ours_and_of_others() {
        let mut good = outcome(0.1, 0);
        assert!(problems(&run(Variant::Stock), &good).is_empty());
        assert!(problems(&run(Variant::Hcube), &good)[0].contains("not active"));
        good.active = true;
        assert!(problems(&run(Variant::Hcube), &good).is_empty());
        assert!(problems(&run(Variant::Sandia), &good)[0].contains("not its own"));
        assert!(problems(&run(Variant::Sandia), &outcome(0.1, 9)).is_empty());
        let wrong = Outcome { active: true, ..outcome(0.1, 1) };
        assert_eq!(problems(&run(Variant::Hcube), &wrong).len(), 2);
        let late = Outcome { timed_out: true, ..Outcome::default() };
        assert_eq!(
            (problems(&run(Variant::Stock), &late).len(), problems(&run(Variant::Hcube), &late).len()),
            (0, 1)
        );
    }
}
