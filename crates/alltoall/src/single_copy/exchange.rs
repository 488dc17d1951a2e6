//! Large blocks inside a node: copies between the address spaces of processes.
//!
//! Idea: out of place, every rank reads its blocks from the memory of their senders. In place, the two blocks
//! of a pair are swapped, the first half by the lower rank and the second half by the other, through a piece
//! of scratch memory that should stay in the cache. No other rank accesses these blocks, so the pairs may be
//! processed in any order; a rank returns when all ranks of the node have finished.
//!
//! If the kernel refuses a copy after it was proved to permit them, this rank stops. The flag of every rank
//! tells whether its part is complete, and [`Part`] how far it got: swapped bytes are swapped on both sides,
//! and nothing else has changed. [`super::fallback`] moves the rest.
//!
//! Restrictions: the kernel permits process_vm_readv and process_vm_writev between all ranks of the node;
//! contiguous blocks.
//! Cost: 1 copy per byte, in place 1.5; one round of notices and one of flags. Extra memory: one piece of at
//! most 64 KiB.
//! Source: the swap is the pairwise exchange of Hofmann and Ruenger, EuroMPI 2013, §3; single copy and the
//! division into halves are our own.

#[cfg(hcube_model)]
pub mod model;

use crate::copies::copy_own;
use crate::node::{Node, Transfer, partners, wait};
use crate::task::Task;
use hcube_core::comm::Comm;
use hcube_core::error::{Error, Result, reason};
use hcube_core::machine::work::COPY;
use hcube_core::memory::Region;
use hcube_core::node::single_copy::{Process, Refused};
use std::ops::Range;

/// What a rank has done of an exchange.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Part {
    /// Partners, in the order of [`partners`], with which it has finished.
    pub partners: usize,
    /// Bytes swapped of its half of the block for the partner after them.
    pub swapped: usize,
    /// Whether the kernel has refused a copy for reasons that will not pass.
    pub forbidden: bool,
    /// Whether this part, and the parts of all ranks of the node, are complete.
    pub complete: bool,
}

/// Makes the exchange between the ranks of the node, which have announced the addresses of their blocks.
/// `idle` is called between partners and while waiting.
///
/// # Errors
/// Errors of `idle`; other ranks are waiting then, so the job must end.
///
/// # Safety
/// The votes of all ranks have shown that the lengths of all blocks match, that all ranks exchange in place
/// or none does, and that all blocks are contiguous; the notices of this round have been read, with the
/// addresses of the blocks of these tasks; all ranks of the node call this function for them. After an error
/// or a panic the job ends before the memory of the task is freed.
pub unsafe fn exchange<C: Comm + ?Sized>(
    comm: &C,
    node: &mut Node,
    task: &Task<'_>,
    Transfer { streaming, patience, .. }: Transfer,
    mut idle: impl FnMut() -> Result<()>,
) -> Result<Part> {
    let Node { ranks, board, processes, chunk, .. } = node;
    let processes = processes.as_ref().expect("chosen where it works");
    // No more than is needed, so that no other pages are touched. The second half is the larger one.
    let halves = partners(ranks, board.own()).map(|(_, rank)| half(task.incoming(rank).bytes(), 1, 0).len());
    let room = if task.is_in_place() { halves.max().unwrap_or(0).min(chunk.size()) } else { 0 };
    let piece = chunk.take(room).expect("nothing else uses this memory");
    let region = chunk.region(&piece);
    let mut part = Part { partners: 0, swapped: 0, forbidden: false, complete: true };
    for (partner, rank) in partners(ranks, board.own()) {
        let mine = task.incoming(rank).region().expect("contiguous, by the votes");
        let (process, address) = (processes[partner], board.address(partner));
        let copied = if task.is_in_place() {
            let half = half(mine.len(), board.own(), partner);
            // SAFETY: the partner has posted this address for the block that this rank exchanges with it, of
            // this length; it swaps the other half, and returns when this rank has finished below.
            unsafe { swap(process, address, mine, half, region) }
        } else {
            process.read(address, mine)
        };
        if let Err(refused) = copied {
            if refused.is_lost() {
                return Err(Error::Memory(format!(
                    "single copy with rank {rank}: {}",
                    reason(&refused.error)
                )));
            }
            part.swapped = if task.is_in_place() { refused.copied } else { 0 };
            (part.forbidden, part.complete) = (refused.is_permanent(), false);
            break;
        }
        part.partners += 1;
        // In place a half: to the piece of scratch memory, to the partner, and from the piece.
        comm.charge(COPY.of(if task.is_in_place() { mine.len() / 2 * 3 } else { mine.len() }));
        idle()?;
    }
    chunk.give(piece);
    if part.complete {
        copy_own(comm, task, chunk, streaming);
    }
    comm.settle();
    board.finish(part.complete);
    for partner in 0..ranks.len() {
        wait(comm, patience, || board.finished(partner).is_some(), &mut idle)?;
        part.complete &= board.finished(partner) == Some(true);
    }
    Ok(part)
}

/// The bytes of a block that a rank swaps with a partner, by their numbers on the node; the partner swaps the
/// others.
pub fn half(bytes: usize, own: usize, partner: usize) -> Range<usize> {
    let middle = bytes / 2 / 64 * 64;
    if own < partner { 0..middle } else { middle..bytes }
}

/// Swaps a range of two blocks of equal length. Of a range that is refused the bytes that were `copied` are
/// swapped.
///
/// # Safety
/// In the round of these notices the process has posted `address` for a block of the length of `mine`, by the
/// votes. Only this rank accesses this range of it, and the process waits until this rank has finished.
unsafe fn swap(
    process: Process,
    address: u64,
    mine: Region<'_>,
    range: Range<usize>,
    chunk: Region<'_>,
) -> std::result::Result<(), Refused> {
    for start in range.clone().step_by(chunk.len()) {
        let end = range.end.min(start + chunk.len());
        let (mine, theirs) = (mine.part(start..end), address + start as u64);
        let chunk = chunk.part(0..end - start);
        let done = start - range.start;
        process.read(theirs, chunk).map_err(|refused| Refused { copied: done, ..refused })?;
        // SAFETY: a part of this half of the partner's block, by the contract of this function.
        let written = unsafe { process.write(theirs, mine) };
        // Bytes that were overwritten at the partner exist only in the piece of scratch memory.
        let length = written.as_ref().map_or_else(|refused| refused.copied, |()| mine.len());
        chunk.part(0..length).copy_to(mine.part(0..length));
        written.map_err(|refused| Refused { copied: done + length, ..refused })?;
    }
    Ok(())
}
