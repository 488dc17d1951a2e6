//! Lengths of longest common subsequences: `hcube bench llcs`.
//!
//! Only hcube's: the competitor computes on one process. The grid is the one that hcube chooses where nothing
//! is known of the machine. In the measurements, the rate of an entry decides too where the strings are long.

use super::super::lcs::{SYMBOLS, problem};
use super::run::{Hosts, Run, of_hcube};
use hcube_lcs::cost;
use hcube_lcs::distributed::Options;

/// The driver.
const DRIVER: &str = "lcs";
/// Lengths of both strings, as `hcube-lab hosts bench` measures them.
const LENGTHS: [usize; 2] = [100_000, 200_000];

/// All lengths.
pub fn runs(hosts: &Hosts<'_>) -> Vec<Run> {
    let ranks = hosts.ranks;
    let run = |length: usize| {
        let subject = format!("{length} symbols of {SYMBOLS}, {ranks} ranks");
        let grid = cost::choose(&problem(length), ranks, &Options::default().machine);
        let (alpha, block_rows) = (grid.alpha, grid.block_rows);
        let text = format!("length={length},symbols={SYMBOLS},alpha={alpha},block_rows={block_rows}");
        // The strings, their symbols and bits in block columns; both strings on the rank that computes the
        // reference.
        let bytes_per_rank = (16 * length).div_ceil(ranks) as u64;
        Run { driver: DRIVER, bytes_per_rank, computes: true, ..of_hcube(subject, text) }
    };
    LENGTHS.into_iter().map(run).collect()
}
