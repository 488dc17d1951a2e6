//! The transforms of a place.

use super::super::place::Place;
use super::super::results::{Batch, Case};
use super::Transform;
use hcube_results::published::{COARRAY_FFT, COARRAY_MACHINE};

/// Numbers of a rank: 256 MiB, an eighth of the memory of a core of the paper's machine, as HPCC demands a vector that
/// fills a quarter together with its transform.
const PART: usize = 1 << 24;
/// Numbers of a simulated rank at least: 16 strips of 4 KiB, beside which notices of some dozens of bytes are short.
const MIN_PART: usize = 4096;
/// Numbers that a simulated rank has for each other one at least, for the same reason.
const MIN_BLOCK: usize = 4;
/// Ranks up to which six steps are simulated: their exchanges have a message from each rank to each.
const MAX_RANKS_SIX_STEP: usize = 256;

/// A simulation for each number of ranks that is a power of two and each algorithm.
pub fn batches(place: &Place<'_>, full: bool) -> Vec<Batch> {
    let all = |algorithm| {
        let fits = move |batch: &Batch| {
            let limit = if full { 4 * MAX_RANKS_SIX_STEP } else { MAX_RANKS_SIX_STEP };
            batch.ranks.is_power_of_two() && (algorithm == "binary-exchange" || batch.ranks <= limit)
        };
        let scaled = |batch: Batch| Batch { scale: PART / simulated(batch.ranks), ..batch };
        let batches = place.batches(|place, ranks| vec![Case::Fft(transform(place, ranks, algorithm))]);
        batches.into_iter().filter(fits).map(scaled)
    };
    ["six-step", "binary-exchange"].into_iter().flat_map(all).collect()
}

/// Numbers of a simulated rank.
fn simulated(ranks: usize) -> usize {
    (ranks.next_power_of_two() * MIN_BLOCK).max(MIN_PART)
}

fn transform(place: &Place<'_>, ranks: usize, algorithm: &'static str) -> Transform {
    let is_published = place.machine.name == COARRAY_MACHINE && algorithm == "binary-exchange";
    let published = Some(COARRAY_FFT).filter(|&(images, _)| is_published && images == ranks);
    Transform {
        section: place.section.name(),
        machine: place.machine.name.clone(),
        ranks,
        ranks_per_node: place.ranks_per_node,
        algorithm,
        part: PART,
        scale: PART / simulated(ranks),
        seconds: 0.0,
        exchange_seconds: 0.0,
        gflops: 0.0,
        errors: 0,
        links_shared: true,
        published_gflops: published.map(|(_, gflops)| gflops),
        level_ns: place.machine.costs.level_ns,
    }
}
