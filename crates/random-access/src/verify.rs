//! Verification: replays the updates, counts the words that do not come out as they were, and
//! restores them.
//!
//! Idea: an update is an exclusive or, so applying all of them again gives the first contents, word
//! i = i, back. The replay must not share the faults of what it checks: it finds the owner by a
//! division per value, exchanges through the library's own all-to-all, and applies one by one.
//! Restrictions: the table must have held word i = i before the updates.
//! Cost: as many updates again, slower; about 50 bytes per rank and three times 4096 words of memory,
//! more where a stream is skewed towards one rank.
//! Source: the verification that the benchmark prescribes.

use super::kernel::Level;
use super::options::Options;
use super::table::Distribution;
use super::update::{Source, Updates, check};
use hcube_core::comm::Comm;
use hcube_core::error::Result;

/// Values per rank and exchange.
const BATCH: usize = 4096;

/// Collective: the number of words, on all ranks together, that the updates had left wrong. The
/// table holds word i = i afterwards, whatever the count.
pub fn verify<C: Comm + ?Sized>(
    comm: &C,
    distribution: Distribution,
    words: &mut [u64],
    updates: &Updates,
) -> Result<u64> {
    check(comm, distribution, words, updates, &Options::default())?;
    let (index, first) = (distribution.index(updates.kind), distribution.start(comm.rank()));
    let mut most = [updates.count];
    comm.all_reduce_max(&mut most)?;
    let mut source = Source::new(updates, Level::PORTABLE);
    let mut values = Vec::new();
    let mut parts = vec![Vec::new(); comm.size()];
    for _ in 0..(most[0] as u64).div_ceil(BATCH as u64) {
        source.generate(BATCH, &mut values);
        for &value in &values {
            parts[distribution.owner_by_division(index.of(value))].push(value);
        }
        for value in comm.all_to_all(&parts)? {
            words[(index.of(value) - first) as usize] ^= value;
        }
        parts.iter_mut().for_each(Vec::clear);
    }
    let mut errors = 0;
    for (expected, word) in (first..).zip(words) {
        errors += u64::from(*word != expected);
        *word = expected;
    }
    Ok(comm.all_gather(&[errors])?.iter().sum())
}
