//! Fallback for an exchange by single copy in which the kernel refuses a copy: slots of shared memory move
//! the rest.
//!
//! Idea: permission to access another process may end at any time (`prctl(PR_SET_DUMPABLE, 0)`, `setuid`,
//! seccomp), and some memory is not readable for other processes (`memfd_secret`). The flags of single copy
//! tell all ranks of the node that some rank has not finished. They post their progress in a further round of
//! notices. Out of place, the send buffers are unchanged, and the exchange is repeated. In place, the two
//! notices of a pair tell which bytes of the two halves of its block are not yet swapped, and only these are
//! exchanged, the first halves before the second halves.
//! If a copy is forbidden, single copy is disabled immediately, otherwise after the second refusal,
//! consistently on all ranks of the node. Other nodes need not know, because the algorithm inside a node does
//! not concern them.
//!
//! Cost: as for the slots ([`slots`]), in place with twice the number of rounds. Extra memory: the slots of
//! the board.
//! Source: our own.

use super::exchange::{self, Part, half};
use crate::node::{Node, Transfer, partners, wait};
use crate::slots;
use crate::task::Task;
use hcube_core::comm::Comm;
use hcube_core::error::Result;
use hcube_core::memory::blocks::Blocks;
use hcube_core::memory::datatype::Block;
use hcube_core::node::board::{Board, DETAILS};
use hcube_core::progress::wait::Patience;

/// Number of refusals after which single copy is disabled if they may concern only single buffers.
const MAX_REFUSALS: u32 = 2;

/// Makes the exchange by single copy, and what that has not done by slots; whether nothing was left.
///
/// # Errors
/// As [`exchange::exchange`].
///
/// # Safety
/// As [`exchange::exchange`].
pub unsafe fn exchange<C: Comm + ?Sized>(
    comm: &C,
    node: &mut Node,
    task: &Task<'_>,
    transfer: Transfer,
    mut idle: impl FnMut() -> Result<()>,
) -> Result<bool> {
    // SAFETY: the votes of all ranks have shown that lengths match and that all blocks are contiguous; the
    // notices of this round were seen, and all ranks of the node call this function.
    let part = unsafe { exchange::exchange(comm, node, task, transfer, &mut idle) }?;
    if part.complete {
        return Ok(true);
    }
    match unmoved(comm, node, task, &part, transfer.patience, &mut idle)? {
        None => slots::exchange(comm, node, task, transfer, idle)?,
        Some(halves) => {
            for half in halves {
                slots::exchange(comm, node, &half, transfer, &mut idle)?;
            }
        }
    }
    Ok(false)
}

/// Tells the ranks of the node how far single copy came; what is left of the halves of all blocks in place,
/// `None` for everything out of place.
#[cold]
fn unmoved<'a, C: Comm + ?Sized>(
    comm: &C,
    node: &mut Node,
    task: &Task<'a>,
    part: &Part,
    patience: Patience,
    idle: &mut impl FnMut() -> Result<()>,
) -> Result<Option<[Task<'a>; 2]>> {
    let Node { ranks, board, processes, refusals, .. } = node;
    let own = board.own();
    board.post([u64::from(part.forbidden), 0], 0, |draft| {
        for (number, (partner, rank)) in partners(ranks, own).enumerate() {
            let swapped = match number {
                _ if number < part.partners => half(task.incoming(rank).bytes(), own, partner).len(),
                _ if number == part.partners => part.swapped,
                _ => 0,
            };
            draft.details[DETAILS + partner] = swapped as u64;
        }
    });
    let mut forbidden = false;
    for partner in 0..ranks.len() {
        wait(comm, patience, || board.has_posted(partner), idle)?;
        forbidden |= board.words(partner)[0] != 0;
    }
    *refusals += 1;
    if forbidden || *refusals == MAX_REFUSALS {
        *processes = None;
    }
    // Before the next round overwrites the notices.
    let halves = || [true, false].map(|first| unswapped(task, ranks, board, first));
    Ok(task.is_in_place().then(halves))
}

/// The bytes of the first or of the second halves of all blocks in place that are not swapped.
fn unswapped<'a>(task: &Task<'a>, ranks: &[usize], board: &Board, first: bool) -> Task<'a> {
    let own = board.own();
    let block = |rank| {
        let block = task.incoming(rank);
        let partner = ranks.binary_search(&rank).ok().filter(|&partner| partner != own);
        let (Some(partner), Some(region)) = (partner, block.region()) else { return block };
        // The lower rank swaps the first half.
        let (by, of) = if (own < partner) == first { (own, partner) } else { (partner, own) };
        let half = half(region.len(), by, of);
        let swapped = board.detail(by, DETAILS + of) as usize;
        Block::contiguous(region.part(half.start + swapped..half.end))
    };
    Task::in_place(Blocks::listed((0..task.ranks()).map(block).collect()))
}
