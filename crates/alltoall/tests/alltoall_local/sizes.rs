//! Counts as programs have them: none, odd, uneven, skewed.

use super::image::Form;

/// A name, the form of the blocks, and the bytes by sender, receiver and number of ranks.
pub type Sizes = (&'static str, Form, fn(usize, usize, usize) -> usize);

/// The same in both directions, so that they can be exchanged in place.
pub const SYMMETRIC: [Sizes; 8] = [
    ("nothing", Form::Even, |_, _, _| 0),
    ("odd", Form::Even, |_, _, _| 13),
    ("largest bundled", Form::Counted, |_, _, _| 256),
    ("uneven", Form::Counted, |from, to, _| (from + to) * 3 % 17 * 3),
    ("sparse", Form::Listed, |from, to, _| [1000, 0, 0, 7][(from + to) % 4]),
    ("only one pair", Form::Listed, |from, to, _| if from.max(to) == 1 && from != to { 999 } else { 0 }),
    (
        "skewed",
        Form::Listed,
        |from, to, ranks| {
            if from.min(to) == 0 && from.max(to) == ranks - 1 { 200_001 } else { 5 }
        },
    ),
    // More than the 128 KiB per rank from which single copy is tried, from five ranks on.
    ("large", Form::Even, |_, _, _| 40_001),
];

/// Only out of place.
pub const ASYMMETRIC: [Sizes; 2] = [
    ("one direction", Form::Counted, |from, to, _| if from < to { 6 * to } else { 0 }),
    (
        "one sender",
        Form::Listed,
        |from, to, ranks| {
            if from == 0 && to == ranks - 1 { 200_000 } else { from * 5 + to }
        },
    ),
];

/// The counts of all ranks taken together.
#[derive(Debug, Clone, Copy)]
pub struct Load {
    /// Bytes for other ranks.
    pub total: usize,
    /// Most of them from one rank.
    pub most_sent: usize,
    /// Most of them in one block.
    pub most: usize,
}

impl Load {
    pub fn of(ranks: usize, size: impl Fn(usize, usize) -> usize) -> Self {
        let mut load = Self { total: 0, most_sent: 0, most: 0 };
        for from in 0..ranks {
            let blocks = || (0..ranks).filter(|&to| to != from).map(|to| size(from, to));
            let sent = blocks().sum();
            load.total += sent;
            load.most_sent = load.most_sent.max(sent);
            load.most = load.most.max(blocks().max().unwrap_or(0));
        }
        load
    }
}
