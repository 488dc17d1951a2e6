//! The numbered steps of a run.

use crate::systems::System;
use std::collections::BTreeMap;
use std::fmt;

/// The state of a rank after a number of its steps in a source.
#[derive(Debug, Clone)]
pub struct Step {
    pub rank: usize,
    pub source: String,
    pub after: u64,
}

impl fmt::Display for Step {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} steps of rank {} in {}", self.after, self.rank, self.source)
    }
}

/// The steps of the first and the last rank, by rank and source.
pub struct Steps(BTreeMap<(usize, String), u64>);

impl fmt::Display for Steps {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let steps: u64 = self.0.values().sum();
        write!(formatter, "{steps} steps in {} sources of two ranks", self.0.len())
    }
}

/// At most `wanted` numbers from 0 to `last`, both among them, spread evenly; all of them for 0.
fn spread(last: u64, wanted: u64) -> Vec<u64> {
    if wanted == 0 || last < wanted {
        return (0..=last).collect();
    }
    if wanted == 1 {
        return vec![last / 2];
    }
    (0..wanted).map(|number| number * last / (wanted - 1)).collect()
}

impl Steps {
    /// Counts them in a run without a fault.
    pub fn counted(system: &System) -> Self {
        let outcome = system.launch().env("HCUBE_FAULT", "count").run();
        let text = outcome.stderr.clone();
        assert!(outcome.success().contains(system.said), "{}: {text}", system.name);
        let mut all = BTreeMap::new();
        for line in text.lines().filter_map(|line| line.strip_prefix("fault: steps ")) {
            let words: Vec<&str> = line.split(' ').collect();
            let [rank, source, steps] = words[..] else { panic!("{line}") };
            let rank = rank.parse().expect("a rank");
            if rank == 0 || rank + 1 == system.ranks() {
                all.insert((rank, source.to_owned()), steps.parse().expect("a number"));
            }
        }
        assert!(!all.is_empty(), "{}: no steps: {text}", system.name);
        Self(all)
    }

    /// At most this number of each rank's steps in each source; 0 for all.
    pub fn spread(&self, wanted: u64) -> Vec<Step> {
        let of_source = |(key, &last): (&(usize, String), &u64)| {
            let (rank, source) = key.clone();
            spread(last, wanted).into_iter().map(move |after| Step { rank, source: source.clone(), after })
        };
        self.0.iter().flat_map(of_source).collect()
    }

    /// The middle of each rank's source with the most steps.
    pub fn busiest(&self) -> Vec<Step> {
        let mut all: BTreeMap<usize, (u64, &str)> = BTreeMap::new();
        for ((rank, source), &last) in &self.0 {
            let busiest = all.entry(*rank).or_default();
            *busiest = (*busiest).max((last, source));
        }
        let step = |(rank, (last, source)): (usize, (u64, &str))| Step {
            rank,
            source: source.to_owned(),
            after: last / 2,
        };
        all.into_iter().map(step).collect()
    }
}

#[test]
fn the_busiest_source_of_each_rank_is_found() {
    let counts = [((0, "a"), 3), ((0, "b"), 9), ((2, "a"), 5), ((2, "b"), 1)];
    let all = Steps(counts.map(|((rank, source), steps)| ((rank, source.to_owned()), steps)).into());
    let found = all.busiest().into_iter().map(|step| step.to_string()).collect::<Vec<_>>();
    assert_eq!(found, ["4 steps of rank 0 in b", "2 steps of rank 2 in a"]);
}

#[test]
fn steps_are_spread_from_the_first_to_the_last() {
    assert_eq!(spread(3, 0), [0, 1, 2, 3]);
    assert_eq!(spread(3, 5), [0, 1, 2, 3]);
    assert_eq!(spread(10, 3), [0, 5, 10]);
    assert_eq!(spread(10, 1), [5]);
    assert_eq!(spread(5, 4), [0, 1, 3, 5]);
}
