//! The patterns of comparisons with exchanges without votes.

/// The comparison of exchanges of a kind.
#[derive(Debug, PartialEq, Eq)]
pub struct Pattern {
    /// Exchanges in a row before the first comparison.
    pub before: u64,
    /// Exchanges of a batch.
    pub batch: u64,
    /// Cycles of a comparison.
    pub cycles: u64,
    /// Exchanges without votes after each one with votes, where these are faster.
    pub forwarded_per_vote: u64,
    /// Exchanges between two comparisons.
    pub min_pause: u64,
    pub max_pause: u64,
}

impl Pattern {
    /// Exchanges of a cycle: a batch with votes, an exchange in which its time is stated, and a batch without
    /// votes.
    pub const fn cycle(&self) -> u64 {
        2 * self.batch + 1
    }
}

const EXCHANGES_BEFORE: u64 = 32;
const BATCH: u64 = 32;
const CYCLES: u64 = 4;
const FORWARDED_PER_VOTE: u64 = 63;
const MIN_PAUSE: u64 = 8 << 10;
const MAX_PAUSE: u64 = 1 << 20;

/// Between nodes an exchange takes as long as hundreds inside a node.
const BATCH_BETWEEN_NODES: u64 = 8;
const MIN_PAUSE_BETWEEN_NODES: u64 = 1 << 10;
const MAX_PAUSE_BETWEEN_NODES: u64 = 1 << 18;
/// When trials of the algorithms have used each of them.
const IN_PLACE_BEFORE: u64 = 16;
const LED_BEFORE: u64 = 2;
const LED_PER_VOTE: u64 = 255;

/// Exchanges out of place inside a node.
pub static SHORT: Pattern = Pattern {
    before: EXCHANGES_BEFORE,
    batch: BATCH,
    cycles: CYCLES,
    forwarded_per_vote: FORWARDED_PER_VOTE,
    min_pause: MIN_PAUSE,
    max_pause: MAX_PAUSE,
};

/// Exchanges in place between nodes.
pub static IN_PLACE: Pattern = Pattern {
    before: IN_PLACE_BEFORE,
    batch: BATCH_BETWEEN_NODES,
    cycles: CYCLES,
    forwarded_per_vote: FORWARDED_PER_VOTE,
    min_pause: MIN_PAUSE_BETWEEN_NODES,
    max_pause: MAX_PAUSE_BETWEEN_NODES,
};

/// Exchanges that node leaders may make.
pub static LED: Pattern = Pattern {
    before: LED_BEFORE,
    forwarded_per_vote: LED_PER_VOTE,
    batch: BATCH_BETWEEN_NODES,
    cycles: CYCLES,
    min_pause: MIN_PAUSE_BETWEEN_NODES,
    max_pause: MAX_PAUSE_BETWEEN_NODES,
};
