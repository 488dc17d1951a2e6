//! The table, the JSON and the problems of the runs.

use super::arguments::Arguments;
use super::merits;
use super::outcome::Outcome;
use super::parse::Section;
use super::plan::{self, Run};
use super::variant::{Mpi, Variant};
use hcube_results::hpcc::hpl::{self, Grid};
use hcube_results::hpcc::{self, Compared, MIN_PAIRS, control, figure};
use hcube_results::measured::distinct;
use hcube_results::noise;
use hcube_results::numbers::{median, percent, significant, spread};
use hcube_results::table::Table;
use hcube_results::taken::Taken;
use hcube_tool::output;
use serde::{Deserialize, Serialize};
use std::fmt::Write;
use std::path::Path;

/// The results as they are written in JSON.
#[derive(Debug, Serialize, Deserialize)]
pub struct Results {
    pub mpi: String,
    #[serde(skip)]
    title: &'static str,
    /// Where and when.
    #[serde(flatten)]
    pub taken: Taken,
    /// Order of HPL's matrix; older files do not have it.
    #[serde(default)]
    pub n: Option<u32>,
    pub runs: Vec<Entry>,
    /// Figures of merit of whole runs.
    #[serde(default)]
    pub figures: Vec<Compared>,
    /// HPL of whole runs, by process grids.
    #[serde(default)]
    hpl: Vec<Grid>,
}

/// Medians of the runs of one variant on one number of ranks.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
pub struct Entry {
    /// `stock`, `sandia` or `hcube`.
    pub variant: String,
    pub ranks: usize,
    /// With the polynomial stream.
    pub gups: f64,
    pub gups_lcg: f64,
    /// Wrong words of the table, at most.
    pub errors: u64,
    pub errors_lcg: u64,
    pub log2_table: u32,
    /// Runs with both results.
    #[serde(default)]
    pub repeats: usize,
    #[serde(skip)]
    spread: f64,
}

impl Entry {
    /// The speed-up over another variant in updates per second, where there are enough runs of both.
    fn over(&self, other: &Self, lcg: bool) -> Option<f64> {
        let enough = self.repeats.min(other.repeats) >= MIN_PAIRS && other.rate(lcg) > 0.0;
        enough.then(|| self.rate(lcg) / other.rate(lcg))
    }

    pub fn rate(&self, lcg: bool) -> f64 {
        if lcg { self.gups_lcg } else { self.gups }
    }

    pub fn errors(&self, lcg: bool) -> u64 {
        if lcg { self.errors_lcg } else { self.errors }
    }

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
            variant: variant.name().to_owned(),
            ranks,
            gups: median(&polynomial),
            gups_lcg: median(&lcg),
            errors: both.iter().map(|(polynomial, _)| polynomial.errors).max()?,
            errors_lcg: both.iter().map(|(_, lcg)| lcg.errors).max()?,
            log2_table: first.log2_table,
            repeats: both.len(),
            spread: spread(&polynomial).max(spread(&lcg)),
        })
    }
}

/// Numbers of ranks and variants of the runs, in the order of the table.
fn kinds(outcomes: &[(Run, Outcome)]) -> Vec<(usize, Variant)> {
    let mut kinds = distinct(outcomes.iter().map(|(run, _)| (run.ranks, run.variant)));
    kinds.sort_by_key(|&(ranks, variant)| (ranks, Variant::ALL.iter().position(|&one| one == variant)));
    kinds
}

impl Results {
    pub fn new(mpi: Mpi, n: u32, outcomes: &[(Run, Outcome)]) -> Self {
        let entry = |(ranks, variant)| Entry::new(variant, ranks, outcomes);
        let runs = kinds(outcomes).into_iter().filter_map(entry).collect();
        let (figures, hpl) = (merits::compared(outcomes), merits::grids(outcomes));
        let taken = Taken { machine: mpi.title().to_owned(), ..Taken::default() };
        Self { mpi: mpi.name().to_owned(), title: mpi.title(), taken, n: Some(n), runs, figures, hpl }
    }

    /// Writes the picture, if there are figures of whole runs.
    pub fn draw(&self, path: &Path) -> Result<(), String> {
        let subject = format!("HPCC 1.5.0, N = {}", self.order());
        figure::sheet(&self.figures, &subject, &self.taken)
            .map_or(Ok(()), |sheet| output::write("--plot", path, &output::PLOT, &sheet.svg()))
    }

    /// The sentence to quote: hcube on all cores, or on the most ranks that are no more, beside the others.
    /// Without enough runs, or for a problem smaller than the problem of `make run`, it states no speed-up.
    pub fn sentence(&self, cores: usize) -> Option<String> {
        let ours = self.runs.iter().filter(|entry| entry.variant == Variant::Hcube.name());
        let ours = ours.max_by_key(|entry| (entry.ranks <= cores, entry.ranks))?;
        let of = |variant, title: &str| {
            let other = self.entry(variant, ours.ranks)?;
            Some(format!(
                "{} over {title} ({} GUP/s, {} errors)",
                ratio(self.speed_up(variant, ours.ranks).or_else(|| ours.over(other, false))?),
                significant(other.gups),
                other.errors
            ))
        };
        let others = [of(Variant::Stock, "stock HPCC"), of(Variant::Sandia, "Sandia's update")];
        let others: Vec<String> = others.into_iter().flatten().collect();
        let (own, usual) = (self.order(), plan::size(cores));
        let speed_up = if own < usual {
            format!(
                ". N = {own} is too small for a speed-up to quote: use {usual}, the default here, or more"
            )
        } else if others.is_empty() {
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

    /// Over stock HPCC, with the polynomial stream: the figure of the table.
    fn speed_up(&self, variant: Variant, ranks: usize) -> Option<f64> {
        let key = "MPIRandomAccess_GUPs";
        let own = self.figures.iter().find(|one| (one.ranks, one.key.as_str()) == (ranks, key));
        own.filter(|_| variant == Variant::Stock)?.speed_up()
    }

    fn order(&self) -> u32 {
        self.n.unwrap_or_default()
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

/// The table of the figures of merit, the table of RandomAccess where Sandia's variant or only RandomAccess
/// was run, and how they were measured.
pub fn text(results: &Results, arguments: &Arguments, outcomes: &[(Run, Outcome)]) -> String {
    let log2 = results.runs.iter().map(|entry| entry.log2_table).max();
    let mut text = format!(
        "\nHPCC 1.5.0, {}, N = {}, table of {} words\n\n",
        results.title,
        results.order(),
        cell(log2, |log2| format!("2^{log2}")),
    );
    text.push_str(&hpcc::text(&results.figures));
    if arguments.compares_hpl() {
        let _ = write!(text, "\nHPL, stock with the best of its broadcasts\n\n{}", hpl::text(&results.hpl));
    }
    if results.figures.is_empty() || arguments.variants().contains(&Variant::Sandia) {
        let gap = if results.figures.is_empty() { "" } else { "\n" };
        let _ = write!(text, "{gap}{}", random_access(results, outcomes));
    }
    let _ = write!(text, "\n{}", what_was_done(arguments, results, outcomes));
    text
}

/// The table of RandomAccess for all variants.
fn random_access(results: &Results, outcomes: &[(Run, Outcome)]) -> String {
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
        headings.extend(others.iter().map(|variant| format!("speed-up over {}", variant.name())));
    }
    let mut table = Table::new(headings);
    for &ranks in &ranks {
        for lcg in [false, true] {
            table.row(row(results, ranks, lcg, &variants, &others));
        }
    }
    table.render()
}

fn row(results: &Results, ranks: usize, lcg: bool, variants: &[Variant], others: &[Variant]) -> Vec<String> {
    let rate = |variant| results.entry(variant, ranks).map(|entry| entry.rate(lcg));
    let errors = |variant| results.entry(variant, ranks).map(|entry| entry.errors(lcg));
    let mut cells = vec![ranks.to_string(), if lcg { "lcg" } else { "polynomial" }.to_owned()];
    cells.extend(variants.iter().map(|&variant| cell(rate(variant), significant)));
    cells.extend(variants.iter().map(|&variant| cell(errors(variant), |errors| errors.to_string())));
    if variants.contains(&Variant::Hcube) {
        let ratio = |other| results.entry(Variant::Hcube, ranks)?.over(results.entry(other, ranks)?, lcg);
        cells.extend(others.iter().map(|&other| cell(ratio(other), |ratio| format!("{ratio:.2}"))));
    }
    cells
}

/// Share of the machine's processor time from which other work is mentioned.
const BUSY: f64 = 0.05;

/// Whether the machine has done other work meanwhile.
fn busy(outcomes: &[(Run, Outcome)]) -> Option<String> {
    let shares: Vec<f64> = outcomes.iter().filter_map(|(_, outcome)| outcome.others).collect();
    let busy = shares.iter().filter(|&&share| share > BUSY).count();
    let most = shares.iter().copied().reduce(f64::max)?;
    (busy > 0).then(|| {
        format!(
            "The machine was busy: in {busy} of {} runs other work, or the hypervisor for other guests, has used more than {} of the \
             processor time, at most {}. Repeat on a machine that does nothing else.",
            shares.len(),
            percent(BUSY),
            percent(most)
        )
    })
}

fn what_was_done(arguments: &Arguments, results: &Results, outcomes: &[(Run, Outcome)]) -> String {
    let mut text = String::new();
    let variants = arguments.variants();
    let runs = outcomes.iter().map(|(run, _)| run.repeat + 1).max().unwrap_or(0);
    if runs > 1 {
        let widest = results.runs.iter().map(|entry| entry.spread).fold(0.0, f64::max);
        let _ = writeln!(
            text,
            "Medians of up to {runs} runs, in pairs; speed-up: median over the pairs. Largest spread of RandomAccess {}.",
            percent(widest)
        );
    }
    for sentence in control::sentences(&results.figures) {
        let _ = writeln!(text, "{sentence}");
    }
    if let Some(sentence) = busy(outcomes) {
        let _ = writeln!(text, "{sentence}");
    }
    text += &noise::sentence(&hpcc::spreads(&results.figures));
    let errors = |variant| {
        let own = results.runs.iter().filter(|entry: &&Entry| entry.variant == Variant::name(variant));
        own.map(|entry| entry.errors.max(entry.errors_lcg)).max()
    };
    let errors: Vec<String> = variants
        .iter()
        .filter_map(|&variant| Some(format!("{} {}", variant.name(), errors(variant)?)))
        .collect();
    if !errors.is_empty() {
        let _ = writeln!(text, "Largest number of errors of RandomAccess: {}.", errors.join(", "));
    }
    let lines = outcomes.iter().flat_map(|(_, outcome)| outcome.fallbacks.iter().map(|(_, line)| line));
    let mut fallbacks: Vec<&String> = lines.collect();
    fallbacks.sort_unstable();
    fallbacks.dedup();
    for line in fallbacks {
        let _ = writeln!(text, "{line}");
    }
    let names = |whole: bool| {
        let chosen = variants.iter().filter(|&&variant| arguments.whole(variant) == whole);
        chosen.map(|variant| variant.name()).collect::<Vec<_>>().join(", ")
    };
    let (whole, brief) = (names(true), names(false));
    if !whole.is_empty() {
        let _ = writeln!(text, "All of HPCC was run: {whole}.");
    }
    if !brief.is_empty() {
        let _ = writeln!(
            text,
            "Stopped after both MPIRandomAccess sections: {brief} (--complete runs all of HPCC)."
        );
    }
    text
}

#[cfg(test)]
pub mod tests {
    use super::*;

    /// What a run that was stopped after RandomAccess has left.
    pub fn outcome(gups: f64, errors: u64) -> Outcome {
        let section = Some(Section { gups, errors, passed: true, log2_table: 20 });
        Outcome { polynomial: section, lcg: section, success: true, ..Outcome::default() }
    }

    /// Such a run, on two ranks.
    pub fn run(variant: Variant) -> Run {
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
    fn the_sentence_names_speed_ups_of_enough_runs_and_errors() {
        let outcomes = |repeats| {
            let kinds = [
                (run(Variant::Hcube), outcome(0.3, 0)),
                (run(Variant::Stock), outcome(0.01, 12)),
                (run(Variant::Sandia), outcome(0.1, 3)),
                (Run { ranks: 4, ..run(Variant::Hcube) }, outcome(0.2, 0)),
            ];
            let repeated = |(run, outcome): &(Run, Outcome)| {
                let (run, outcome) = (*run, outcome.clone());
                (0..repeats).map(move |repeat| (Run { repeat, ..run }, outcome.clone()))
            };
            kinds.iter().flat_map(repeated).collect::<Vec<_>>()
        };
        let sentence_of = |n, of: &[(Run, Outcome)]| Results::new(Mpi::Openmpi, n, of).sentence(2);
        let sentence = |of: &[(Run, Outcome)]| sentence_of(4000, of);
        let expected = "On 2 ranks (Open MPI, table of 2^20 words, polynomial stream) HPCC RandomAccess with hcube \
                        reaches 0.3000 GUP/s with 0 errors: a speed-up of 30 over stock HPCC (0.01000 GUP/s, 12 \
                        errors) and of 3.0 over Sandia's update (0.1000 GUP/s, 3 errors).";
        assert_eq!(sentence(&outcomes(3)).as_deref(), Some(expected));
        for few in [&outcomes(2)[..], &outcomes(3)[..3]] {
            assert!(sentence(few).is_some_and(|text| text.ends_with("with 0 errors.")));
        }
        assert_eq!(sentence(&outcomes(1)[1..3]), None);
        let small = sentence_of(1000, &outcomes(3)).expect("a sentence");
        assert!(
            small.contains("0 errors. N = 1000 is too small") && !small.contains("speed-up of"),
            "{small}"
        );
    }

    #[test]
    fn a_busy_machine_is_mentioned() {
        let shares = |shares: &[Option<f64>]| {
            let one = |&others| (run(Variant::Stock), Outcome { others, ..outcome(0.1, 0) });
            busy(&shares.iter().map(one).collect::<Vec<_>>())
        };
        assert_eq!((shares(&[]), shares(&[None]), shares(&[Some(0.04), Some(0.0)])), (None, None, None));
        let sentence = shares(&[Some(0.04), Some(0.3), None]).expect("busy");
        assert!(sentence.contains("in 1 of 2 runs") && sentence.contains("at most 30%"), "{sentence}");
    }
}
