//! The headline figures, each with its evidence.

use super::beside::speed_ups;
use super::exchange_kinds;
use super::exchanges;
use super::kernels;
use super::kernels_simulated;
use super::nodes;
use super::products;
use super::rates;
use super::shared::{gups, machine_title};
use super::sources::{self, Inputs};
use super::transforms;
use super::variants;
use super::{coarrays, supersteps};
use crate::hpcc::Entry;
use crate::simulate::results::Results;
use hcube_results::alltoall::kinds;
use hcube_results::gemm::HCUBE;
use hcube_results::hpcc::MIN_PAIRS;
use hcube_results::numbers;
use hcube_results::plot::Evidence::{self, Measured, Simulated};
use hcube_results::published;
use hcube_results::runs::{self, Row};
use hcube_results::{bsp, caf, fft, llcs};

/// A figure and its meaning.
#[derive(Debug)]
pub struct Card {
    pub figure: String,
    pub evidence: Evidence,
    pub title: String,
    pub text: String,
    /// The figure shows an error.
    pub alarm: bool,
}

impl Card {
    fn new(figure: String, evidence: Evidence, title: impl Into<String>, text: String) -> Self {
        Self { figure, evidence, title: title.into(), text, alarm: false }
    }
}

/// A speed-up with few digits.
fn times(ratio: f64) -> String {
    if ratio >= 20.0 { format!("×{ratio:.0}") } else { format!("×{ratio:.1}") }
}

/// Smallest and largest.
fn ends(ratios: &[f64]) -> Option<(f64, f64)> {
    Some((ratios.iter().copied().reduce(f64::min)?, ratios.iter().copied().reduce(f64::max)?))
}

/// The mean of speed-ups, and what they are in words:
/// `over what: geometric mean over 3 things, from ×1.1 to ×2.0`.
fn mean_in_words(ratios: &[f64], over: &str, things: &str) -> Option<(String, String)> {
    let (mean, (least, most)) = numbers::geometric_mean(ratios).zip(ends(ratios))?;
    let (count, least, most) = (ratios.len(), times(least), times(most));
    let text = format!("{over}: geometric mean over {count} {things}, from {least} to {most}");
    Some((times(mean), text))
}

/// The headlines that the inputs have figures for.
pub fn cards(inputs: &Inputs) -> Vec<Card> {
    let mut cards = Vec::new();
    cards.extend(official(inputs));
    cards.extend(hpcc(inputs, "stock", "HPCC RandomAccess against HPCC as shipped", "HPCC's own update"));
    cards.extend(hpcc(
        inputs,
        "sandia",
        "HPCC RandomAccess against Sandia's update",
        "Sandia's optimised update",
    ));
    cards.extend(red_storm(inputs));
    cards.extend(node_aware(inputs));
    cards.extend(alltoall(inputs));
    cards.extend(gemm(inputs));
    cards.extend(supersteps(inputs));
    cards.extend(coarrays(inputs));
    cards.extend(errors(inputs));
    cards
}

/// All figures of merit that hcube replaces, on the most ranks.
fn official(inputs: &Inputs) -> Option<Card> {
    let replaced = kernels::figures(inputs).iter().filter(|one| one.is_replaced());
    let ratios: Vec<(usize, f64)> = replaced.filter_map(|one| Some((one.ranks, one.speed_up()?))).collect();
    let ranks = ratios.iter().map(|ratio| ratio.0).max()?;
    let own: Vec<f64> = ratios.iter().filter(|ratio| ratio.0 == ranks).map(|ratio| ratio.1).collect();
    let over = format!("over HPCC as shipped on {ranks} rank(s)");
    let (mean, text) = mean_in_words(&own, &over, "figures of merit")?;
    Some(Card::new(mean, Measured, "The official HPCC", text + "."))
}

fn hpcc(inputs: &Inputs, variant: &str, title: &str, other: &str) -> Option<Card> {
    let runs = || inputs.run.iter().flat_map(|hpcc| &hpcc.runs);
    // No single run is called a speed-up.
    let enough = |run: &&Entry| run.repeats >= MIN_PAIRS;
    let find = |name: &str, ranks: usize| {
        runs().filter(enough).find(|run| run.variant == name && run.ranks == ranks)
    };
    let rates = |run: &Entry| [run.gups, run.gups_lcg];
    let pairs: Vec<(usize, f64, f64)> = runs()
        .filter(enough)
        .filter(|run| run.variant == "hcube")
        .filter_map(|ours| Some((ours, find(variant, ours.ranks)?)))
        .flat_map(|(ours, theirs)| {
            rates(ours).into_iter().zip(rates(theirs)).map(|(ours_, theirs)| (ours.ranks, ours_, theirs))
        })
        .collect();
    let best = pairs.iter().max_by(|a, b| (a.1 / a.2).total_cmp(&(b.1 / b.2)))?;
    let (least, most) = ends(&pairs.iter().map(|(_, ours, theirs)| ours / theirs).collect::<Vec<_>>())?;
    let (ranks, ours, theirs) = *best;
    let text = format!(
        "{} instead of {} GUP/s on {ranks} rank(s), the largest speed-up over {other}; the smallest is {}.",
        gups(ours),
        gups(theirs),
        times(least)
    );
    Some(Card::new(format!("up to {}", times(most)), Measured, title, text))
}

fn red_storm(inputs: &Inputs) -> Option<Card> {
    let (variant, cases) = variants::as_users_get(&rates::simulated(inputs))?;
    let most = cases.iter().rev().find_map(|case| Some((case, published::over_ranks(case.site.ranks)?)))?;
    let (case, published) = most;
    let stock =
        published.stock.map_or(String::new(), |stock| format!(", and {} for HPCC as shipped", gups(stock)));
    let text = format!(
        "on {} ranks of a model of Red Storm ({}). The hypercube algorithm of Plimpton et al. 2006 reached {} GUP/s on it{stock} \
         (published).",
        case.site.ranks,
        variant.name,
        gups(published.hypercube)
    );
    Some(Card::new(format!("{} GUP/s", gups(case.gups)), Simulated, "RandomAccess on a large machine", text))
}

fn node_aware(inputs: &Inputs) -> Option<Card> {
    let (gain, case) = nodes::best(inputs)?;
    let text = format!(
        "speed-up over only messages, on {} ranks of a model of {} with {} ranks per node.",
        case.site.ranks,
        machine_title(inputs, &case.site.machine),
        case.site.ranks_per_node
    );
    Some(Card::new(format!("up to {}", times(gain)), Simulated, "Node-aware RandomAccess", text))
}

fn alltoall(inputs: &Inputs) -> Vec<Card> {
    let mut cards = Vec::new();
    let gains = exchanges::gains(inputs);
    if let Some((least, most)) = ends(&gains.measured.iter().map(|gain| gain.1).collect::<Vec<_>>()) {
        let ranks: Vec<String> = gains.measured.iter().map(|gain| gain.0.to_string()).collect();
        let text = format!(
            "speed-up over the MPI library in place: geometric means over all sizes, from {} to {} on {} ranks.",
            times(least),
            times(most),
            ranks.join(", ")
        );
        cards.push(Card::new(
            format!("up to {}", times(most)),
            Measured,
            "All-to-all exchange in place",
            text,
        ));
    }
    if let Some((size, ours, library)) = gains.memory {
        let text = format!(
            "in addition to the program's buffers for an exchange in place of {} per rank; the MPI library took {}.",
            numbers::whole_bytes(size),
            numbers::bytes(library as f64)
        );
        cards.push(Card::new(numbers::bytes(ours as f64), Measured, "Memory of the exchange", text));
    }
    let compared = transforms::comparisons(inputs);
    let gains: Vec<f64> = compared.iter().map(hcube_results::fftw::Comparison::gain).collect();
    let over = "speed-up over FFTW's own plans";
    if let Some((mean, text)) = mean_in_words(&gains, over, "transpositions and transforms") {
        cards.push(Card::new(mean, Measured, "FFTW with hcube's transposes", text + "."));
    }
    cards
}

fn gemm(inputs: &Inputs) -> Option<Card> {
    let [fair, installed] = products::speed_ups(inputs);
    let over = "speed-up over ScaLAPACK with wider panels";
    let (mean, mut text) = mean_in_words(&fair, over, "products and factorisations")?;
    if let Some(mean) = numbers::geometric_mean(&installed) {
        text += &format!("; over ScaLAPACK as installed {}", times(mean));
    }
    Some(Card::new(mean, Measured, "Distributed matrix multiplication", text + "."))
}

/// Of BSP programs and of coarrays.
const OVER_MPI: &str = "speed-up over the corresponding MPI functions";

fn supersteps(inputs: &Inputs) -> Option<Card> {
    let (mean, text) =
        mean_in_words(&speed_ups(&inputs.bsp, &supersteps::BESIDE, bsp::MPI), OVER_MPI, "supersteps")?;
    Some(Card::new(mean, Measured, "Supersteps of BSP programs", text + "."))
}

fn coarrays(inputs: &Inputs) -> Option<Card> {
    let (mean, mut text) =
        mean_in_words(&speed_ups(&inputs.caf, &coarrays::BESIDE, caf::MPI), OVER_MPI, "operations")?;
    if let Some(mean) = numbers::geometric_mean(&speed_ups(&inputs.caf, &coarrays::BESIDE, caf::OPENSHMEM)) {
        text += &format!("; over OpenSHMEM {}", times(mean));
    }
    Some(Card::new(mean, Measured, "Coarrays", text + "."))
}

/// What verification has found in the runs of hcube.
fn errors_of<R: Row>(results: &Option<runs::Results<R>>, is_hcube: impl Fn(&str) -> bool) -> Vec<u64> {
    sources::runs(results).iter().filter(|run| is_hcube(run.measured().1)).filter_map(R::errors).collect()
}

/// The number of verified runs and of their errors.
fn verified(inputs: &Inputs) -> [(Evidence, usize, u64); 2] {
    let mut measured: Vec<u64> = Vec::new();
    let hpcc = inputs.run.iter().flat_map(|hpcc| &hpcc.runs).filter(|run| run.variant == "hcube");
    measured.extend(hpcc.flat_map(|run| [run.errors, run.errors_lcg]));
    let sections = inputs.gups.iter().flat_map(|bench| bench.sections.values());
    measured.extend(sections.flat_map(|section| &section.lines).filter_map(|line| line.errors));
    let exchanges = inputs.alltoall.iter().flat_map(|results| &results.runs);
    let ours = exchanges.filter(|run| !run.algorithm.starts_with("library"));
    measured.extend(ours.filter_map(|run| run.errors));
    let of_hcube = exchange_kinds::runs(inputs).iter().filter(|run| run.variant == kinds::HCUBE);
    measured.extend(of_hcube.filter_map(|run| run.errors));
    let is_hcube = |variant: &str| variant == HCUBE;
    measured.extend(errors_of(&inputs.gemm, is_hcube));
    measured.extend(errors_of(&inputs.bsp, is_hcube));
    measured.extend(errors_of(&inputs.caf, is_hcube));
    measured.extend(errors_of(&inputs.fft, |algorithm| !fft::is_fftw(algorithm)));
    measured.extend(errors_of(&inputs.stream, is_hcube));
    measured.extend(errors_of(&inputs.panels, is_hcube));
    measured.extend(errors_of(&inputs.llcs, |variant| ![llcs::RAPIDFUZZ, llcs::PLAIN].contains(&variant)));
    let lists = inputs.simulated.iter().flat_map(Results::lists);
    // A factorisation is a run, not its places.
    let rows = lists.filter(|(list, _)| *list != "hpl").flat_map(|(_, rows)| rows);
    let mut simulated: Vec<u64> = rows.map(|row| row.place().1.errors).collect();
    simulated.extend(kernels_simulated::errors(inputs));
    [(Measured, measured), (Simulated, simulated)]
        .map(|(evidence, errors)| (evidence, errors.len(), errors.iter().sum()))
}

/// Errors of the other variants of HPCC, in a sentence.
fn errors_of_others(inputs: &Inputs) -> String {
    let runs = || inputs.run.iter().flat_map(|hpcc| &hpcc.runs);
    let of = |(variant, name): (&str, &str)| {
        let mut own = runs().filter(|run| run.variant == variant).peekable();
        own.peek()?;
        Some(format!("{} {name}", own.map(|run| run.errors + run.errors_lcg).sum::<u64>()))
    };
    let others = [("stock", "with the update as shipped"), ("sandia", "with Sandia's")];
    let others: Vec<String> = others.into_iter().filter_map(of).collect();
    if others.is_empty() {
        String::new()
    } else {
        format!(" Errors of HPCC in the same runs: {}.", others.join(", "))
    }
}

fn errors(inputs: &Inputs) -> Vec<Card> {
    let checked = verified(inputs).into_iter().filter(|(_, runs, _)| *runs > 0);
    let card = |(evidence, runs, errors): (Evidence, usize, u64)| {
        let mut text = format!("in {runs} verified runs of hcube.");
        if evidence == Measured {
            text.push_str(&errors_of_others(inputs));
        }
        let figure = format!("{errors} error{}", if errors == 1 { "" } else { "s" });
        Card { alarm: errors > 0, ..Card::new(figure, evidence, "Correctness", text) }
    };
    checked.map(card).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ratios_have_as_many_digits_as_they_need() {
        assert_eq!([1.346, 9.26, 140.47].map(times), ["×1.3", "×9.3", "×140"]);
        assert_eq!((ends(&[2.0, 1.0, 3.0]), ends(&[])), (Some((1.0, 3.0)), None));
    }

    #[test]
    fn errors_raise_an_alarm() {
        let text = r#"{"mpi": "x", "runs": [{"variant": "hcube", "ranks": 2, "gups": 0.2, "gups_lcg": 0.2,
            "errors": 3, "errors_lcg": 0, "log2_table": 20}]}"#;
        let mut inputs =
            Inputs { run: Some(serde_json::from_str(text).expect("valid")), ..Inputs::default() };
        let cards = errors(&inputs);
        assert!(cards.len() == 1 && cards[0].alarm && cards[0].figure == "3 errors", "{cards:?}");
        inputs.run = serde_json::from_str(&text.replace(": 3,", ": 0,")).ok();
        assert!(!errors(&inputs)[0].alarm);
    }
}
