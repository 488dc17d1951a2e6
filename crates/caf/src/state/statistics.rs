//! Counters of the operations of an image since hcube_caf_init.

use hcube_core::onesided::Counts;

/// Counts of an image.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Statistics {
    /// Puts, gets and atomic operations.
    pub access: Counts,
    /// Members of teams that were looked up, in addition to those reached by a link or an earlier lookup.
    pub lookups: u64,
    /// Links that were read at other images for them.
    pub link_reads: u64,
    /// Addresses of coarrays that were requested from other images.
    pub address_questions: u64,
    /// Functions that were shipped, and those that have run here.
    pub spawned: u64,
    /// As above.
    pub executed: u64,
    /// Reductions by which ends of finish blocks have found that all functions have ended.
    pub finish_rounds: u64,
    /// Words of the image for its teams, without cached lookups.
    pub team_words: u64,
}
