//! A single rank: generate and apply.
//!
//! Idea: the loop of the benchmark, with the maximum number of values at a time that the look-ahead permits.
//! Restriction: one rank. Cost: no communication. Extra memory: the values of a round.
//! Source: the benchmark; the delay line of [`super::kernel::update`] is our own.

use super::local_table::LocalTable;
use super::options::Options;
use super::source::Source;
use super::statistics::Statistics;
use super::work::{GENERATE, UPDATE};
use hcube_core::comm::Comm;

/// Runs until all values are generated; the last ones may still be in the delay line.
pub fn run<C: Comm + ?Sized>(
    comm: &C,
    options: &Options,
    source: &mut Source,
    table: &mut LocalTable,
) -> Statistics {
    let (mut statistics, mut values) = (Statistics::default(), Vec::new());
    while source.left() > 0 {
        // Values in the delay line are not applied yet and count.
        let room = options.look_ahead.saturating_sub(table.waiting()).min(options.round());
        if room == 0 {
            table.flush();
            continue;
        }
        source.generate(room, &mut values);
        table.update(&values);
        comm.charge(GENERATE.of(values.len()));
        comm.charge(UPDATE.of(values.len()));
        statistics.rounds += 1;
    }
    statistics.memory = (values.capacity() * size_of::<u64>()) as u64;
    statistics
}
