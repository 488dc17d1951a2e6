//! What simulations of coarrays have found.

use serde::Deserialize;

/// A simulated team of a coarray program.
#[derive(Debug, Clone, Deserialize)]
pub struct CoarrayTeam {
    pub machine: String,
    pub ranks: usize,
    /// `world`, `all`, `row` or `column`.
    pub team: String,
    pub members: usize,
    /// That an image keeps for it.
    pub words: u64,
    /// 0 for the team of all images.
    pub split_seconds: f64,
    pub barrier_seconds: f64,
    /// To get a word of a member for the first time, and again.
    pub lookup_seconds: f64,
    pub access_seconds: f64,
    /// Links that a lookup has read on other images, at most.
    pub reads: u64,
    /// Wrong words.
    pub errors: u64,
}

/// Simulated RandomAccess on coarrays.
#[derive(Debug, Clone, Deserialize)]
pub struct CoarrayUpdates {
    pub machine: String,
    pub ranks: usize,
    pub ranks_per_node: usize,
    /// `events` or `spawn`.
    pub by: String,
    pub gups: f64,
    /// Wrong words of the table.
    pub errors: u64,
}
