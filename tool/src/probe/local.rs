//! What local work costs a rank, measured on all ranks at once.

use super::fit::{Quantity, Sample};
use crate::bench::random_access::UpdateBench;
use crate::progress::Progress;
use hcube_core::Result;
use hcube_core::comm::{Comm, agree};
use hcube_core::machine::instructions::Level;
use hcube_lcs::{Kernel, rate};
use hcube_random_access::StreamKind;
use hcube_random_access::kernel;
use hcube_random_access::stream::{Stream, polynomial::Polynomial};
use hcube_random_access::table::Index;
use std::hint::black_box;
use std::time::Instant;

/// Steps of progress.
pub const STEPS: usize = 4;

/// Values at a time, as in a round with the usual look-ahead.
const VALUES: usize = 512;
/// Bytes copied at a time: what mailboxes and pieces of an exchange hold, so they stay in the cache.
const COPIED: usize = 64 << 10;
/// Seconds of one measurement; the shortest counts, as disturbances only add.
const MEASUREMENT_SECONDS: f64 = 0.005;
const TIMES: usize = 5;
/// Seconds of updates without communication.
const UPDATES_SECONDS: f64 = 0.05;
/// Updates of the first of them, which tells how many take so long.
const TRIAL_UPDATES: i64 = 1 << 16;
/// Bound for the number of updates, should a clock stand still.
const MAX_UPDATES: i64 = 1 << 30;

/// Collective: generating, dividing, copying, and updates without communication.
pub fn measure(comm: &impl Comm, bench: &mut UpdateBench, progress: &mut Progress) -> Result<Vec<Sample>> {
    let mut samples = Vec::new();
    let mut add = |name: &str, quantity, seconds: f64| {
        samples.push(Sample { name: name.to_owned(), quantity, seconds });
    };
    let level = Level::detect();
    let mut stream = Stream::<Polynomial>::new(comm.rank() as i64);
    let mut values = vec![0; VALUES];
    progress.step(|| "generating".to_owned());
    let generate =
        mean(comm, per_unit(VALUES, || kernel::generate(level, &mut stream, black_box(&mut values))))?;
    add("generate a value", Quantity::Generate, generate);
    progress.step(|| "dividing".to_owned());
    let (mut low, mut high) = (Vec::new(), Vec::new());
    let index = Index { shift: 0, mask: u64::MAX >> 1 };
    let divide = per_unit(VALUES, || {
        low.clear();
        high.clear();
        kernel::halve(level, black_box(&values), index, 1 << 62, &mut low, &mut high);
    });
    add("divide a value", Quantity::Divide, mean(comm, divide)?);
    progress.step(|| "copying".to_owned());
    let (from, mut to) = (vec![1u8; COPIED], vec![0u8; COPIED]);
    let copy = per_unit(COPIED, || black_box(&mut to).copy_from_slice(black_box(&from)));
    add("copy a byte", Quantity::Copy, mean(comm, copy)?);
    progress.step(|| "updates without communication".to_owned());
    add("generate and update, no communication", Quantity::Local, updates(bench)?);
    Ok(samples)
}

/// Symbols of a byte, for which the file has the rate of longest common subsequences.
pub const BYTES: usize = 256;

/// Collective: seconds of an entry of the matrix of a longest common subsequence for an alphabet, while all
/// ranks compute; their mean.
pub fn entry(comm: &impl Comm, symbols: usize) -> Result<f64> {
    let level = Level::detect();
    comm.barrier()?;
    mean(comm, agree(comm, rate::entry_seconds(symbols, Kernel::choose(symbols, level), level))?)
}

/// Seconds of an update; of the slowest rank, the same on all.
fn updates(bench: &mut UpdateBench) -> Result<f64> {
    let kind = StreamKind::Polynomial;
    let trial = bench.private_seconds(kind, TRIAL_UPDATES)?;
    let count = (TRIAL_UPDATES as f64 * UPDATES_SECONDS / trial.max(1e-9)) as i64;
    let count = count.clamp(TRIAL_UPDATES, MAX_UPDATES);
    let mut least = f64::INFINITY;
    for _ in 0..TIMES {
        least = least.min(bench.private_seconds(kind, count)?);
    }
    Ok(least / count as f64)
}

/// Seconds per unit of work; each call does `units`.
fn per_unit(units: usize, mut work: impl FnMut()) -> f64 {
    work();
    let mut once = || {
        let (begin, mut calls) = (Instant::now(), 0);
        while calls == 0 || begin.elapsed().as_secs_f64() < MEASUREMENT_SECONDS {
            // Enough work between two readings of the clock that reading it does not count.
            (0..16).for_each(|_| work());
            calls += 16;
        }
        begin.elapsed().as_secs_f64() / (calls * units) as f64
    };
    (0..TIMES).map(|_| once()).fold(f64::INFINITY, f64::min)
}

/// Collective: the mean over the ranks, the same on all.
fn mean(comm: &impl Comm, own: f64) -> Result<f64> {
    let all = comm.all_gather(&[own.to_bits()])?;
    Ok(all.iter().map(|&bits| f64::from_bits(bits)).sum::<f64>() / all.len() as f64)
}
