//! The general exchange in place: send and receive blocks in one buffer, with separate counts and
//! displacements.
//!
//! Idea: a byte can be received as soon as its place contains nothing that is still to be sent. A rank
//! requests every part of its receive blocks that is free in this sense. The sender sends the part, which may
//! free parts of the sender's own receive blocks. If no part is free, a rank moves the data that blocks a
//! part to extra memory, and sends it from there later. This cannot deadlock, even with one byte of extra
//! memory per rank: an arriving byte fills one free place and frees another, so the number of free bytes of
//! all ranks never falls below their extra memory; if all ranks that still expect bytes had no free byte,
//! more bytes would be outstanding than are expected. If the extra memory of all ranks holds everything they
//! send, all of it is copied there, and the exchange is out of place.
//!
//! Restrictions: contiguous blocks; send blocks do not overlap each other, nor do receive blocks.
//! Cost: two messages for each part, a request of 24 bytes and the data; in addition to the copies of the MPI
//! library at most one copy per byte, of data that is moved to extra memory. Between ranks of a node with
//! single copy, the sender writes the bytes to the memory of the requesting rank, and the second message is
//! empty. Extra
//! memory: as passed by the caller, and lists of parts.
//! Source: our own. Hofmann and Ruenger, An in-place algorithm for irregular all-to-all communication with
//! limited memory, EuroMPI 2010, state the problem; their algorithm moves data in rounds.

mod direct;
mod ledger;
#[cfg(hcube_model)]
pub mod model;
mod traffic;

use super::conditions::Conditions;
use super::exchange::{Outcome, exchange};
use super::mismatch;
use super::report::{Report, UsedPath};
use super::state::ExchangeState;
use super::task::Task;
use direct::{Direct, Done};
use hcube_core::comm::requests::scope;
use hcube_core::comm::{Comm, agree};
use hcube_core::error::{Error, Result};
use hcube_core::machine::work::COPY;
use hcube_core::memory::blocks::Blocks;
use hcube_core::memory::datatype::Block;
use hcube_core::memory::scratch::Scratch;
use hcube_core::progress::wait::Patience;
use ledger::Ledger;
use std::ops::Range;
use traffic::Traffic;

/// Collective: performs the exchange of a task between two sets of blocks that may overlap. A rank whose
/// arguments are invalid passes the error, so that no other rank waits for it. `extra` has the same size on
/// all ranks, 1 or more bytes.
///
/// # Errors
/// On all ranks, with nothing written: a rank's own error, [`Error::Remote`] with the error of another
/// rank, [`Error::Truncate`] for counts that do not match.
pub fn exchange_general<C: Comm>(
    comm: &C,
    state: &mut ExchangeState,
    extra: &mut Scratch,
    task: Result<Task<'_>>,
) -> Result<Report> {
    let task = task.and_then(|task| {
        Ok((Ledger::new(places(comm, &task, true)?, places(comm, &task, false)?, extra.size())?, task))
    });
    let sent = task.as_ref().map_or(0, |(_, task)| sent(comm, task));
    let mut words = [i64::from(task.is_err()), sent as i64];
    comm.all_reduce_max(&mut words)?;
    let (ledger, task) = if words[0] != 0 { agree(comm, task)? } else { task? };
    if words[1] as usize <= extra.size()
        && let Some(report) = between_buffers(comm, state, extra, &task)?
    {
        return Ok(report);
    }
    mismatch::require_equal(comm, &task)?;
    comm.open_messages()?;
    let direct = Direct::new(state.node_by_single_copy(), comm.size(), state.may_not_write);
    let partners = direct.partners(comm.rank());
    let done = move_parts(comm, &task, ledger, extra, direct, state.patience);
    state.may_not_write = done.forbidden;
    let path = match done {
        _ if comm.size() == 1 => UsedPath::Alone,
        _ if partners == 0 => UsedPath::Message,
        // Short parts are messages in any case.
        Done { written: 0, sent: 1.., .. } => UsedPath::Message,
        _ if partners + 1 == comm.size() => UsedPath::SingleCopy,
        _ => UsedPath::Mixed,
    };
    Ok(Report {
        path,
        bytes: task.bytes_sent(comm.rank()),
        memory: state.memory() + extra.touched_bytes() as u64,
    })
}

/// Moves all blocks of a task whose counts match on all ranks, in parts. `ledger` was created from the
/// addresses of its blocks and the size of `extra`.
fn move_parts<C: Comm>(
    comm: &C,
    task: &Task<'_>,
    ledger: Ledger,
    extra: &mut Scratch,
    direct: Direct,
    patience: Patience,
) -> Done {
    let piece = extra.take(extra.size()).expect("nothing else uses this memory");
    let region = extra.region(&piece);
    let moved = scope(comm, patience, |requests| {
        Traffic::new(comm, task, ledger, (region, direct), requests).run(patience)
    });
    extra.give(piece);
    // Other ranks are waiting for this one.
    moved.unwrap_or_else(|error| comm.abort(&error))
}

/// The addresses of the blocks of a task, by rank.
fn places<C: Comm>(comm: &C, task: &Task<'_>, sent: bool) -> Result<Vec<Range<usize>>> {
    let place = |rank: usize| {
        let block = if sent { task.outgoing(rank) } else { task.incoming(rank) };
        let Some(region) = block.region() else {
            return Err(Error::Datatype(
                "the datatype is non-contiguous: expected one whose elements are contiguous, as the exchange is in place".into(),
            ));
        };
        let start = region.address().addr();
        Ok(start..start + region.len())
    };
    (0..comm.size()).map(place).collect()
}

fn sent<C: Comm>(comm: &C, task: &Task<'_>) -> usize {
    (0..comm.size()).map(|rank| task.outgoing(rank).bytes()).sum()
}

/// Collective: copies all send blocks to extra memory, which is sufficient on all ranks, and performs the
/// exchange from there. `None` if the MPI library would have to perform it.
fn between_buffers<C: Comm>(
    comm: &C,
    state: &mut ExchangeState,
    extra: &mut Scratch,
    task: &Task<'_>,
) -> Result<Option<Report>> {
    let piece = extra.take(sent(comm, task)).expect("nothing else uses this memory");
    let region = extra.region(&piece);
    let mut end = 0;
    let copies = (0..comm.size()).map(|rank| {
        let from = task.outgoing(rank).region().expect("contiguous");
        let to = region.part(end..end + from.len());
        end += from.len();
        from.copy_to(to);
        Block::contiguous(to)
    });
    let sends = Blocks::listed(copies.collect());
    comm.charge(COPY.of(region.len()));
    let receives = (0..comm.size()).map(|rank| task.incoming(rank)).collect();
    let copied = Ok(Task::between(sends, Blocks::listed(receives)));
    let outcome = exchange(comm, state, &copied, Conditions::default(), None);
    drop(copied);
    extra.give(piece);
    Ok(match outcome? {
        Outcome::Done(report) => {
            Some(Report { memory: report.memory + extra.touched_bytes() as u64, ..report })
        }
        Outcome::Library(_) => None,
    })
}
