//! Fourier transforms by six steps: `hcube bench fft`.
//!
//! Only hcube's: FFTW's planner estimates which of its own plans the competitor is.

use super::run::{Hosts, Run, of_hcube};
use hcube_fft::COMPLEX;

/// The driver.
pub const DRIVER: &str = "fft";
/// Logarithms of lengths, as `hcube-lab hosts bench` measures them.
const LOG2_LENGTHS: [u32; 2] = [20, 22];
/// Parts of this length that a rank has: both ends, and what the algorithm keeps.
const PARTS: u64 = 6;

/// All lengths.
pub fn runs(hosts: &Hosts<'_>) -> Vec<Run> {
    let ranks = hosts.ranks as u64;
    let run = |log2_length: u32| {
        let subject = format!("2^{log2_length}, {ranks} ranks");
        let part = (1_u64 << log2_length) / ranks;
        let text = format!("algorithm=six-step,part={part}");
        let bytes_per_rank = PARTS * COMPLEX as u64 * part;
        Run { driver: DRIVER, bytes_per_rank, computes: true, ..of_hcube(subject, text) }
    };
    LOG2_LENGTHS.into_iter().map(run).collect()
}
