//! Verification: repeats the updates, counts the words that do not return to their initial values, and
//! restores them.
//!
//! Idea: an update is an exclusive or, so applying all updates a second time restores the initial contents,
//! word i = i. The repetition must not share faults with the code that it checks: it computes the owner by a
//! division per value, exchanges values by the MPI library's all-to-all, and applies values one by one.
//! Restriction: the table held word i = i before the updates.
//! Cost: the same number of updates, slower; about 50 bytes per rank and three times 4096 words of memory,
//! more where a stream is skewed towards one rank.
//! Source: the verification that the benchmark prescribes.

use super::options::Options;
use super::source::{Source, Updates};
use super::table::Distribution;
use super::update::check;
use hcube_core::comm::Comm;
use hcube_core::error::Result;
use hcube_core::machine::instructions::Level;

/// Values per rank and exchange.
const BATCH_VALUES: usize = 4096;

/// Collective: the number of words, on all ranks together, that the updates have left wrong. The table
/// holds word i = i afterwards.
pub fn verify<C: Comm + ?Sized>(
    comm: &C,
    distribution: Distribution,
    words: &mut [u64],
    updates: &Updates,
) -> Result<u64> {
    check(comm, distribution, words, updates, &Options::default())?;
    let (index, first) = (distribution.index(updates.kind), distribution.start(comm.rank()));
    let mut largest = [updates.count];
    comm.all_reduce_max(&mut largest)?;
    let mut source = Source::new(updates, Level::Portable);
    let mut values = Vec::new();
    let mut parts = vec![Vec::new(); comm.size()];
    for _ in 0..(largest[0] as u64).div_ceil(BATCH_VALUES as u64) {
        source.generate(BATCH_VALUES, &mut values);
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
