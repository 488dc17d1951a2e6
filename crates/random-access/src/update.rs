//! The driver: a run from arguments to statistics.

use super::divide::Divider;
use super::local_table::LocalTable;
use super::options::Options;
use super::source::{Source, Updates};
use super::state::UpdateState;
use super::statistics::Statistics;
use super::table::Distribution;
use super::{on_node, one_rank, rounds};
use hcube_core::comm::{Comm, agree, agree_on};
use hcube_core::error::{Error, Result};
use hcube_core::machine::instructions::Level;
use hcube_core::node::huge_pages;
use std::time::Instant;

/// Collective: applies the updates of all ranks to the table whose local parts are `words`.
///
/// Every value is applied exactly once, duplicates included. The state must have
/// been created on the same communicator with options that it [serves](UpdateState::serves).
///
/// # Errors
/// On all ranks, if a rank refuses an argument; then no rank has written anything.
pub fn run<C: Comm + ?Sized>(
    comm: &C,
    state: &mut UpdateState,
    distribution: Distribution,
    words: &mut [u64],
    updates: &Updates,
    options: &Options,
) -> Result<Statistics> {
    let on_one_node = state.on_one_node();
    let statistics = run_by(comm, (distribution, state.level), words, updates, options, |source, table| {
        let index = distribution.index(updates.kind);
        if comm.size() == 1 {
            return Ok(one_rank::run(comm, options, source, table));
        }
        if on_one_node {
            let stage = &state.plan.stages[0];
            let divider = Divider::new(&stage.parting, stage.parts, distribution, index, state.level);
            let mailbox = &mut state.mailboxes[0];
            return Ok(on_node::run(comm, mailbox, divider, (options, state.patience), source, table));
        }
        let mut largest = [updates.count];
        comm.all_reduce_max(&mut largest)?;
        let rounds = (largest[0] as u64).div_ceil(options.round() as u64);
        // Other ranks wait for this rank's messages: an error cannot be returned any more.
        Ok(rounds::run(comm, state, (options, rounds), (distribution, index), source, table)
            .unwrap_or_else(|error| comm.abort(&error)))
    })?;
    state.statistics = Statistics { stages: state.plan.stages.len() as u64, ..statistics };
    Ok(state.statistics)
}

/// Collective: as [`run`], by an exchange that moves the values of this rank to their owners, and has applied
/// all values that this rank owns when it returns, except those in the delay line.
///
/// # Errors
/// As [`run`], and errors of the exchange.
pub fn run_by<C: Comm + ?Sized>(
    comm: &C,
    (distribution, level): (Distribution, Level),
    words: &mut [u64],
    updates: &Updates,
    options: &Options,
    exchange: impl FnOnce(&mut Source, &mut LocalTable<'_>) -> Result<Statistics>,
) -> Result<Statistics> {
    check(comm, distribution, words, updates, options)?;
    let begin = Instant::now();
    let mut paging = huge_pages::Report::default();
    if options.huge_pages {
        // On average the number of updates that arrive is the number generated.
        paging = huge_pages::collapse(words, updates.count as u64);
    }
    let paging_seconds = begin.elapsed().as_secs_f64();
    let index = distribution.index(updates.kind);
    let mut source = Source::new(updates, level);
    let mut table = LocalTable::new(words, distribution.start(comm.rank()), index);
    let mut statistics = exchange(&mut source, &mut table)?;
    table.flush();
    comm.settle();
    let foreign = table.foreign();
    if foreign > 0 {
        let text = format!("{foreign} values reached rank {}, which does not own them", comm.rank());
        return Err(Error::Internal(text));
    }
    statistics.generated = updates.count as u64;
    statistics.applied = table.applied();
    statistics.open_bound = options.look_ahead as u64 * if options.relaxed { 3 } else { 1 };
    statistics.huge_pages = paging.pages as u64;
    statistics.paging = paging_seconds;
    statistics.finish(begin.elapsed().as_secs_f64());
    Ok(statistics)
}

/// Collective: checks the arguments of a run or a verification on all ranks.
pub(super) fn check<C: Comm + ?Sized>(
    comm: &C,
    distribution: Distribution,
    words: &[u64],
    updates: &Updates,
    options: &Options,
) -> Result<()> {
    let local = || {
        updates.check()?;
        options.check()?;
        if distribution.ranks() != comm.size() {
            let (ranks, size) = (distribution.ranks(), comm.size());
            return Err(Error::Distribution(format!(
                "a table on {ranks} ranks for a communicator of {size}"
            )));
        }
        distribution.check_local(comm.rank(), words.len() as i64, distribution.start(comm.rank()) as i64)
    };
    agree(comm, local())?;
    let mut common =
        vec![("table.global_length", distribution.length() as i64), ("updates.stream", updates.kind as i64)];
    common.extend(options.agreement());
    agree_on(comm, &common)
}
