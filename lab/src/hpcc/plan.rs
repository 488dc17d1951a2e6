//! The runs of a comparison: numbers of ranks, variants, and how long they take.

use super::variant::Variant;

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

/// Variants that run on a number of ranks, one after the other.
pub type Group = (usize, Vec<Variant>);

/// Numbers of ranks of `--full`.
pub const FULL_RANKS: [usize; 5] = [1, 2, 3, 4, 8];

/// Cores of this machine.
pub fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, std::num::NonZero::get)
}

/// Runs of each variant on each number of ranks, where a time limit decides.
pub const MAX_REPEATS: u32 = 5;

/// hcube's HPCC and the stock one follow each other, so that they meet the same machine.
fn in_order(variants: &[Variant]) -> Vec<Variant> {
    let mut ordered = variants.to_vec();
    ordered.sort_by_key(|&variant| variant != Variant::Sandia);
    ordered
}

/// The given variants on each of these numbers of ranks.
pub fn on_ranks(ranks: &[usize], variants: &[Variant]) -> Vec<Group> {
    ranks.iter().map(|&ranks| (ranks, in_order(variants))).collect()
}

/// All cores first, then half of them. Oversubscribed, stock HPCC uses up its limit of 60 s for each of both streams.
pub fn usual(cores: usize, variants: &[Variant]) -> Vec<Group> {
    let mut ranks = vec![cores];
    if cores > 1 {
        ranks.push(cores / 2);
    }
    on_ranks(&ranks, variants)
}

/// Whether a further group of runs may begin: those of the same repetition and number of ranks, so that no variant lacks
/// a result. The first group always does.
pub fn fits(ended: usize, elapsed: f64, group: f64, budget: f64) -> bool {
    ended == 0 || elapsed + group <= budget
}

/// How long runs take that have not begun, from those that have ended.
#[derive(Debug)]
pub struct Estimate {
    cores: usize,
    /// Runs and their seconds.
    ended: Vec<(Run, f64)>,
}

impl Estimate {
    /// Before the first run.
    pub fn new(cores: usize) -> Self {
        Self { cores, ended: Vec::new() }
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

    /// Seconds on two cores with the usual table.
    fn usual(&self, run: &Run) -> f64 {
        match run.variant {
            Variant::Stock if run.ranks > self.cores => 130.0,
            Variant::Stock => 60.0,
            Variant::Sandia => 12.0,
            Variant::Hcube => 35.0,
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
    fn hcube_and_stock_follow_each_other() {
        let all = vec![Sandia, Hcube, Stock];
        assert_eq!(
            usual(2, &[Stock, Hcube, Sandia]),
            [(2, vec![Sandia, Stock, Hcube]), (1, vec![Sandia, Stock, Hcube])]
        );
        assert_eq!(usual(1, &[Stock]), [(1, vec![Stock])]);
        assert_eq!(on_ranks(&[3], &[Hcube, Stock, Sandia]), [(3, all)]);
    }

    #[test]
    fn groups_begin_while_there_is_time() {
        assert!(fits(0, 0.0, 1000.0, 300.0) && fits(3, 200.0, 100.0, 300.0));
        assert!(!fits(3, 200.0, 101.0, 300.0) && fits(3, 1e9, 1e9, f64::INFINITY));
    }

    #[test]
    fn runs_take_as_long_as_those_before() {
        let run = |variant, ranks| Run { variant, ranks, repeat: 0, whole: false };
        let mut estimate = Estimate::new(2);
        let pending = [run(Stock, 1), run(Stock, 4)];
        assert_eq!(estimate.seconds(&pending), 190.0);
        estimate.add(run(Stock, 2), 30.0);
        assert_eq!(estimate.seconds(&pending), 30.0 + 0.5 * 130.0);
        assert_eq!([99.0, 150.4].map(in_words), ["99 s", "2 min 30 s"]);
    }
}
