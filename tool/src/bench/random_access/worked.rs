//! Which algorithm has updated the table, from the statistics of its runs.

use crate::bench::proof::{Claim, Counts};
use hcube_random_access::{Mode, Statistics};

/// Counters by name.
const SHARED: &str = "values applied to the shared table";
const PRIVATE: &str = "values applied to private tables";
const MESSAGES: &str = "messages";
const IN_MEMORY: &str = "bytes through shared memory";
const EVENTS: &str = "rounds of copies with events";
const FUNCTIONS: &str = "rounds of shipped functions";
const NAMES: [&str; 6] = [SHARED, PRIVATE, MESSAGES, IN_MEMORY, EVENTS, FUNCTIONS];

/// Sums over all runs of this rank.
#[derive(Debug, Clone, Copy, Default)]
pub struct Worked([u64; NAMES.len()]);

impl Worked {
    /// Adds a run on the shared table, of a state that describes itself like this.
    pub fn add(&mut self, description: &str, statistics: &Statistics) {
        // What the modes on coarrays do they tell in their description; all others route values.
        let rounds = |words: &str| if description.contains(words) { statistics.rounds } else { 0 };
        let counts = [
            if description.contains("coarrays") { 0 } else { statistics.applied },
            0,
            statistics.messages,
            statistics.shared_bytes,
            rounds("copies with events"),
            rounds("shipped functions"),
        ];
        self.0.iter_mut().zip(counts).for_each(|(sum, count)| *sum += count);
    }

    /// Adds a run on a private table.
    pub fn add_private(&mut self, statistics: &Statistics) {
        self.0[1] += statistics.applied;
    }

    pub fn counts(&self) -> Counts {
        NAMES.into_iter().zip(self.0).collect()
    }
}

/// What has to work for the bound without communication.
pub fn claim_of_bound() -> Claim {
    Claim::counted(PRIVATE)
}

/// What has to work in a mode on a number of ranks. One rank exchanges nothing, in all modes.
pub fn claim(mode: Mode, ranks: usize) -> Claim {
    match mode {
        Mode::Events if ranks > 1 => Claim::counted(EVENTS).with(&[MESSAGES, IN_MEMORY]),
        Mode::Spawn if ranks > 1 => Claim::counted(FUNCTIONS).with(&[MESSAGES, IN_MEMORY]),
        Mode::Message if ranks > 1 => Claim::counted(MESSAGES).with(&[SHARED]),
        _ => Claim::counted(SHARED).with(&[MESSAGES, IN_MEMORY]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_are_counted_by_what_they_say_of_themselves() {
        let mut worked = Worked::default();
        let statistics = Statistics { applied: 5, messages: 2, rounds: 7, ..Statistics::default() };
        worked.add("2 ranks, messages in 1 stage", &statistics);
        worked.add_private(&statistics);
        worked.add("2 ranks, 1 node, coarrays, shipped functions", &statistics);
        let counts = [(SHARED, 5), (PRIVATE, 5), (MESSAGES, 4), (IN_MEMORY, 0), (EVENTS, 0), (FUNCTIONS, 7)];
        assert_eq!(worked.counts(), counts);
    }
}
