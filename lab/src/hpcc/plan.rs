//! The runs of a comparison: numbers of ranks, variants, and how long they take.

use super::variant::Variant;
use hcube_results::hpcc::MIN_PAIRS;

/// One run of HPCC.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Run {
    /// The update of HPCC.
    pub variant: Variant,
    pub ranks: usize,
    /// Number of the repetition, from 0.
    pub repeat: u32,
    /// Whether it runs all of HPCC.
    pub whole: bool,
}

impl Run {
    /// For messages.
    pub fn name(&self) -> String {
        let ranks = if self.ranks == 1 { "rank" } else { "ranks" };
        format!("{} on {} {ranks}", self.variant.name(), self.ranks)
    }
}

/// Numbers of ranks of `--full`.
pub const FULL_RANKS: [usize; 5] = [1, 2, 3, 4, 8];

/// Cores of this machine.
pub fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, std::num::NonZero::get)
}

/// Runs of each variant on each number of ranks, where a time limit decides: an odd number of pairs.
pub const MAX_REPEATS: u32 = 5;

/// Size of HPL's matrix on this number of cores: 4000 for two cores, with the same memory for each
/// core. A run of stock HPCC then takes about 15 s, most of it RandomAccess, and RandomAccess has 32 MiB of
/// table for each core, more than its caches.
pub fn size(cores: usize) -> u32 {
    (4000.0 * (cores as f64 / 2.0).sqrt()).round().clamp(1.0, 1e7) as u32
}

/// The variants in the order of one repetition: hcube's HPCC and the stock one follow each other, so that
/// they meet the same machine, and each of them comes first in every second repetition, so that what only
/// grows or falls favours neither.
fn in_order(variants: &[Variant], repeat: u32) -> Vec<Variant> {
    let mut ordered = vec![Variant::Sandia, Variant::Stock, Variant::Hcube];
    if repeat % 2 == 1 {
        ordered.swap(1, 2);
    }
    ordered.retain(|variant| variants.contains(variant));
    ordered
}

/// Runs of all variants on a number of ranks, one directly after the other.
pub type Group = (usize, u32, Vec<Variant>);

/// All groups, in their order: as many repetitions as a speed-up needs on each of these numbers of ranks,
/// then the others in turn.
pub fn groups(ranks: &[usize], variants: &[Variant], repeats: u32) -> Vec<Group> {
    let first = repeats.min(MIN_PAIRS as u32);
    let blocks = ranks.iter().flat_map(|&ranks| (0..first).map(move |repeat| (ranks, repeat)));
    let further = (first..repeats).flat_map(|repeat| ranks.iter().map(move |&ranks| (ranks, repeat)));
    blocks.chain(further).map(|(ranks, repeat)| (ranks, repeat, in_order(variants, repeat))).collect()
}

/// All cores first, then half of them. Oversubscribed, stock HPCC uses up its limit of 60 s for each of both
/// streams.
pub fn usual(cores: usize) -> Vec<usize> {
    if cores > 1 { vec![cores, cores / 2] } else { vec![cores] }
}

/// Whether a further group of runs may begin. The first always does.
pub fn fits(ended: usize, elapsed: f64, group: f64, budget: f64) -> bool {
    ended == 0 || elapsed + group <= budget
}

/// How long runs take that have not begun, from those that have ended.
#[derive(Debug)]
pub struct Estimate {
    cores: usize,
    /// Time for a size of the matrix over that for the usual one.
    scale: f64,
    /// Runs and their seconds.
    ended: Vec<(Run, f64)>,
}

impl Estimate {
    /// Before the first run.
    pub fn new(cores: usize, n: u32) -> Self {
        // RandomAccess, which takes the most time, has 4 updates for each word.
        let scale = (f64::from(n) / f64::from(size(cores))).powi(2);
        Self { cores, scale, ended: Vec::new() }
    }

    /// A run has ended.
    pub fn add(&mut self, run: Run, seconds: f64) {
        self.ended.push((run, seconds));
    }

    /// Seconds of these runs.
    pub fn seconds(&self, runs: &[Run]) -> f64 {
        runs.iter().map(|run| self.of(run)).sum()
    }

    /// As long as the same variant has taken so far, or as its usual time at the speed of this machine.
    fn of(&self, run: &Run) -> f64 {
        let crowded = |run: &Run| run.ranks > self.cores;
        let alike = self.ended.iter().filter(|(ended, _)| {
            ended.variant == run.variant && ended.whole == run.whole && crowded(ended) == crowded(run)
        });
        alike.map(|(_, seconds)| *seconds).reduce(f64::max).unwrap_or_else(|| self.speed() * self.usual(run))
    }

    /// Seconds with this table for each core, as measured on two cores of 2026.
    fn usual(&self, run: &Run) -> f64 {
        self.scale
            * match run.variant {
                Variant::Stock if run.ranks > self.cores => 65.0,
                Variant::Stock => 15.0,
                Variant::Sandia => 4.0,
                Variant::Hcube => 10.0,
            }
    }

    /// Time of the runs so far as a share of their usual time.
    fn speed(&self) -> f64 {
        let usual: f64 = self.ended.iter().map(|(run, _)| self.usual(run)).sum();
        let taken: f64 = self.ended.iter().map(|(_, seconds)| seconds).sum();
        if usual > 0.0 { taken / usual } else { 1.0 }
    }
}

/// A time as people say it.
pub fn in_words(seconds: f64) -> String {
    let seconds = seconds.round() as u64;
    if seconds < 100 { format!("{seconds} s") } else { format!("{} min {} s", seconds / 60, seconds % 60) }
}

#[cfg(test)]
mod tests {
    use super::Variant::{Hcube, Sandia, Stock};
    use super::*;

    #[test]
    fn hcube_and_stock_follow_each_other_and_take_turns_to_come_first() {
        let variants = [Hcube, Sandia, Stock];
        let (even, odd) = (vec![Sandia, Stock, Hcube], vec![Sandia, Hcube, Stock]);
        assert_eq!(
            (in_order(&variants, 0), in_order(&variants, 1), in_order(&variants, 2)),
            (even.clone(), odd.clone(), even)
        );
        assert_eq!((usual(2), usual(1), usual(5)), (vec![2, 1], vec![1], vec![5, 2]));
    }

    #[test]
    fn every_number_of_ranks_has_enough_pairs_before_further_ones() {
        let order = |repeats| {
            groups(&[2, 1], &[Stock], repeats).iter().map(|group| (group.0, group.1)).collect::<Vec<_>>()
        };
        assert_eq!(order(1), [(2, 0), (1, 0)]);
        assert_eq!(order(4), [(2, 0), (2, 1), (2, 2), (1, 0), (1, 1), (1, 2), (2, 3), (1, 3)]);
    }

    #[test]
    fn memory_of_a_core_is_the_same() {
        assert_eq!((size(2), size(8), size(128)), (4000, 8000, 32000));
    }

    #[test]
    fn groups_begin_while_there_is_time() {
        assert!(fits(0, 0.0, 1000.0, 300.0) && fits(3, 200.0, 100.0, 300.0));
        assert!(!fits(3, 200.0, 101.0, 300.0) && fits(3, 1e9, 1e9, f64::INFINITY));
    }

    #[test]
    fn runs_take_as_long_as_those_before() {
        let run = |variant, ranks| Run { variant, ranks, repeat: 0, whole: false };
        let mut estimate = Estimate::new(2, 4000);
        let pending = [run(Stock, 1), run(Stock, 4)];
        assert_eq!(estimate.seconds(&pending), 80.0);
        estimate.add(run(Stock, 2), 30.0);
        assert_eq!(estimate.seconds(&pending), 30.0 + 2.0 * 65.0);
        assert_eq!(Estimate::new(2, 8000).seconds(&pending), 320.0);
        assert_eq!([99.0, 150.4].map(in_words), ["99 s", "2 min 30 s"]);
    }
}
