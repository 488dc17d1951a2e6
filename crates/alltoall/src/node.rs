//! The ranks of a node, and their shared resources for exchanges.

use super::task::Task;
use hcube_core::comm::Comm;
use hcube_core::error::Result;
use hcube_core::memory::scratch::Scratch;
use hcube_core::node::board::{Board, DETAILS};
use hcube_core::node::pace::Pace;
use hcube_core::node::single_copy::Process;
use hcube_core::progress::wait::Patience;

/// Ranks of this node and what they share.
#[derive(Debug)]
pub struct Node {
    /// Ranks in ascending order, including this one.
    pub(super) ranks: Vec<usize>,
    /// Their notice board.
    pub(super) board: Board,
    /// Their processes in the same order, if single copy works on all nodes, until it is disabled.
    pub(super) processes: Option<Vec<Process>>,
    /// Exchanges in which the kernel has refused a copy.
    pub(super) refusals: u32,
    /// Memory for single copy.
    pub(super) chunk: Scratch,
    /// The speed of writes to slots.
    pub(super) pace: Pace,
}

/// How the blocks of one exchange are moved inside a node.
#[derive(Debug, Clone, Copy)]
pub struct Transfer {
    /// Bytes of the largest block on the node; the same on all its ranks.
    pub(super) largest: usize,
    /// Whether blocks are written past the cache.
    pub(super) streaming: bool,
    pub(super) patience: Patience,
}

/// The other ranks of a node, as numbers on the node and ranks, in an order in which every step consists of
/// pairs.
pub(super) fn partners(ranks: &[usize], own: usize) -> impl Iterator<Item = (usize, usize)> + '_ {
    let count = ranks.len();
    (0..count)
        .map(move |step| (step + count - own) % count)
        .filter(move |&partner| partner != own)
        .map(|partner| (partner, ranks[partner]))
}

/// Writes the addresses of a rank's contiguous blocks for the ranks of its node to the details of a notice.
pub(super) fn tell_addresses(details: &mut [u64], ranks: &[usize], task: &Task<'_>) {
    for (address, &rank) in details[DETAILS..].iter_mut().zip(ranks) {
        let region = task.outgoing(rank).region();
        *address = region.map_or(0, |region| region.address().addr() as u64);
    }
}

/// Waits until `done`, and calls `idle` meanwhile.
pub(super) fn wait<C: Comm + ?Sized>(
    comm: &C,
    patience: Patience,
    mut done: impl FnMut() -> bool,
    idle: &mut impl FnMut() -> Result<()>,
) -> Result<()> {
    let mut wait = patience.wait();
    while !done() {
        idle()?;
        wait.pause(comm);
    }
    Ok(())
}
