//! The statistics of a run: counters and times.

/// Statistics of one rank's last run.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Statistics {
    /// Values that this rank has generated.
    pub generated: u64,
    /// Values that this rank has applied.
    pub applied: u64,
    /// Messages that this rank has sent.
    pub messages: u64,
    /// Bytes that this rank has sent in messages.
    pub message_bytes: u64,
    /// Bytes that this rank has passed to others through shared memory.
    pub shared_bytes: u64,
    /// Stages of this rank's plan.
    pub stages: u64,
    /// Rounds, or pieces written if there are no rounds.
    pub rounds: u64,
    /// Values above Q that this rank held while routing, summed over rounds.
    pub excess: u64,
    /// The maximum number of values that this rank held at a time while routing.
    pub most_held: u64,
    /// Bound that held for values generated and not yet applied: Q when strict, 3 Q when relaxed.
    pub open_bound: u64,
    /// Pages of the table that this run has made huge.
    pub huge_pages: u64,
    /// Seconds in the run, of this rank.
    pub total: f64,
    /// Seconds spent on huge pages.
    pub paging: f64,
    /// Seconds spent generating values; like the three below estimated from a sample of rounds.
    pub generate: f64,
    /// Seconds spent dividing and copying values.
    pub route: f64,
    /// Seconds spent waiting for other ranks.
    pub wait: f64,
    /// Seconds spent applying values.
    pub update: f64,
    /// Bytes of this rank's buffers and mailboxes.
    pub memory: u64,
}

/// One round of this number is timed.
const ROUNDS_PER_SAMPLE: u64 = 32;

impl Statistics {
    /// Whether a round is timed.
    pub fn sampled(round: u64) -> bool {
        round.is_multiple_of(ROUNDS_PER_SAMPLE)
    }

    /// Scales the sampled times to the whole run: their sum stands for its time without paging.
    pub(super) fn finish(&mut self, total: f64) {
        self.total = total;
        let sampled = self.generate + self.route + self.wait + self.update;
        if sampled > 0.0 {
            let scale = (total - self.paging).max(0.0) / sampled;
            for time in [&mut self.generate, &mut self.route, &mut self.wait, &mut self.update] {
                *time *= scale;
            }
        }
    }
}
