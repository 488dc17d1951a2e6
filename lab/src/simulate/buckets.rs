//! RandomAccess as HPCC ships it, by a model of its algorithm (`lab/simgrid/buckets.c`), beside Table 1 of
//! Plimpton et al. 2006.
//!
//! The time of an update follows from the published rate on one processor, as the hypercube algorithm's does
//! from its own. The rates on more processors are simulated.

use super::columns::{Layout, maybe, printed};
use super::place::Place;
use super::row::{Outcome, Row, Site};
use crate::records::Record;
use hcube_results::numbers::{self, significant};
use hcube_results::published;
use serde::{Deserialize, Serialize};

/// The look-ahead of HPCC's rules.
const LOOK_AHEAD: u64 = 1024;
/// Words of the table per rank.
const LOG2_WORDS: u32 = 8;
/// Microseconds in which messages of the ranks lose their common beginning: ten messages of each and more.
const WARMUP_US: u64 = 200;
/// Ranks up to which the longer of both windows is counted.
const MAX_RANKS_LONG: usize = 256;
/// Microseconds of the windows: twenty messages of each rank and more.
const WINDOWS_US: [u64; 2] = [1000, 300];

/// A run of the algorithm with buckets.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Buckets {
    #[serde(flatten)]
    pub site: Site,
    /// Values of a rank that are generated and not sent.
    pub look_ahead: u64,
    /// Of a value, generated and applied.
    pub update_ns: f64,
    /// Of all ranks, in the time.
    pub updates: u64,
    pub messages: u64,
    /// Simulated.
    pub seconds: f64,
    pub gups: f64,
    pub published_gups: Option<f64>,
    #[serde(flatten)]
    pub outcome: Outcome,
}

impl Buckets {
    /// Values in a message. One rank sends none.
    pub fn values_per_message(&self) -> Option<f64> {
        (self.messages > 0).then(|| self.updates as f64 / self.messages as f64)
    }
}

impl Row for Buckets {
    fn driver(&self) -> (&'static str, Option<String>) {
        ("buckets", Some(LOG2_WORDS.to_string()))
    }

    fn text(&self) -> String {
        let Self { look_ahead, update_ns, .. } = self;
        let window = WINDOWS_US[usize::from(self.site.ranks > MAX_RANKS_LONG)];
        format!("look_ahead={look_ahead},update={update_ns},warmup={WARMUP_US},window={window}")
    }

    fn fill(&mut self, record: &Record) -> Result<(), String> {
        self.seconds = record.number("seconds")?;
        self.updates = record.count("updates")?;
        self.messages = record.count("messages")?;
        self.gups = numbers::gups(self.updates, self.seconds);
        Ok(())
    }

    fn place(&self) -> (&Site, &Outcome) {
        (&self.site, &self.outcome)
    }

    fn outcome(&mut self) -> &mut Outcome {
        &mut self.outcome
    }

    fn positive(&self) -> Vec<(&'static str, f64)> {
        let figures = vec![
            ("look_ahead", self.look_ahead as f64),
            ("update_ns", self.update_ns),
            ("updates", self.updates as f64),
            ("seconds", self.seconds),
            ("gups", self.gups),
        ];
        [self.site.positive(), figures].concat()
    }

    /// A bucket for each rank, in lists.
    fn bytes_per_rank(&self) -> u64 {
        24 * self.site.ranks as u64 + 64 * self.look_ahead
    }
}

/// The run on a number of ranks. Where nothing is published an update takes the time of the machine's file.
pub fn cases(place: &Place<'_>, ranks: usize) -> Vec<Buckets> {
    let published = |ranks| place.is_published().then(|| published::stock(ranks)).flatten();
    let of_file = place.machine.costs.generate_ns + place.machine.costs.update_ns;
    vec![Buckets {
        site: place.site(ranks),
        look_ahead: LOOK_AHEAD,
        update_ns: published(1).map_or(of_file, |gups| 1.0 / gups),
        published_gups: published(ranks),
        ..Buckets::default()
    }]
}

/// Rates beside published ones.
pub const LAYOUT: Layout<Buckets> = Layout {
    title: "RandomAccess by buckets",
    columns: &[
        printed("ranks", |line| line.row.site.ranks.to_string()),
        printed("per node", |line| line.row.site.ranks_per_node.to_string()),
        printed("look-ahead", |line| line.row.look_ahead.to_string()),
        printed("GUP/s", |line| significant(line.row.gups)),
        printed("published", |line| maybe(line.row.published_gups, significant)),
        printed("values a message", |line| maybe(line.row.values_per_message(), significant)),
        printed("messages", |line| line.row.messages.to_string()),
        printed("errors", |line| line.row.outcome.errors.to_string()),
    ],
    has_line: |_| true,
};
