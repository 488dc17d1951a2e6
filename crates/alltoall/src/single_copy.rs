//! Large blocks inside a node: directly between the memories of processes.
//!
//! Idea: out of place, every rank reads its blocks from the memory of their senders. In place, the two blocks
//! of a pair are swapped, the first half by the lower rank and the second half by the other, through a
//! piece of scratch memory that should stay in the cache. No other rank accesses these blocks, so pairs need
//! no order; a rank returns when all ranks of the node have finished.
//!
//! Restrictions: the kernel permits process_vm_readv and process_vm_writev between all ranks of the node;
//! contiguous blocks.
//! Cost: 1 copy per byte, in place 1.5; one round of notices and one of flags. Extra memory: one piece of at
//! most 64 KiB.
//! Source: the swap is the pairwise exchange of Hofmann and Ruenger, EuroMPI 2013, §3; single copy and halves
//! are our own.

use super::copies::copy_own;
use super::node::{Node, partners, wait};
use super::task::Task;
use super::work::COPY;
use hcube_core::comm::Comm;
use hcube_core::error::{Error, Result};
use hcube_core::memory::Region;
use hcube_core::node::single_copy::Process;
use hcube_core::progress::wait::Patience;

/// Makes the exchange between the ranks of the node, which have announced the addresses of their blocks.
/// `idle` is called between partners and while waiting.
///
/// # Errors
/// Those of the kernel and of `idle`; other ranks are waiting then, so the job must end.
///
/// # Safety
/// The votes of all ranks have shown that the lengths of all blocks match, that all ranks exchange in place or none
/// does, and that all blocks are contiguous; the notices of this round were seen, with the addresses of the
/// blocks of these tasks; all ranks of the node call this function for them. After an error or a panic the job ends
/// before the memory of the task is given up.
pub unsafe fn exchange<C: Comm + ?Sized>(
    comm: &C,
    node: &mut Node,
    task: &Task<'_>,
    streaming: bool,
    patience: Patience,
    mut idle: impl FnMut() -> Result<()>,
) -> Result<()> {
    let Node { ranks, board, processes, chunk, .. } = node;
    let processes = processes.as_ref().expect("chosen where it works");
    let piece = chunk.take(chunk.size()).expect("nothing else uses this memory");
    let region = chunk.region(&piece);
    for (partner, rank) in partners(ranks, board.own()) {
        let Some(mine) = task.incoming(rank).region() else { continue };
        let (process, address) = (processes[partner], board.address(partner));
        let copied = if task.is_in_place() {
            // SAFETY: the partner has posted this address for the block that this rank exchanges with it, of this
            // length; it swaps the other half, and returns when this rank has finished below.
            unsafe { swap_half(process, address, mine, partner > board.own(), region) }
        } else {
            process.read(address, mine)
        };
        copied.map_err(|error| Error::Memory(format!("single copy with rank {rank}: {error}")))?;
        // In place a half: to the piece of scratch memory, to the partner, and from the piece.
        comm.charge(COPY.of(if task.is_in_place() { mine.len() / 2 * 3 } else { mine.len() }));
        idle()?;
    }
    chunk.give(piece);
    copy_own(comm, task, chunk, streaming);
    comm.settle();
    board.finish();
    (0..ranks.len()).try_for_each(|partner| wait(comm, patience, || board.has_finished(partner), &mut idle))
}

/// Swaps one half of two blocks of equal length.
///
/// # Safety
/// In the round of these notices the process has posted `address` for a block of the length of `mine`, by the votes.
/// Only this rank accesses this half of it, and the process waits until this rank has finished.
unsafe fn swap_half(
    process: Process,
    address: u64,
    mine: Region<'_>,
    first: bool,
    chunk: Region<'_>,
) -> std::io::Result<()> {
    let middle = mine.len() / 2 / 64 * 64;
    let range = if first { 0..middle } else { middle..mine.len() };
    for start in range.clone().step_by(chunk.len()) {
        let end = range.end.min(start + chunk.len());
        let (mine, theirs) = (mine.part(start..end), address + start as u64);
        let chunk = chunk.part(0..end - start);
        process.read(theirs, chunk)?;
        // SAFETY: a part of this half of the partner's block, by the contract of this function.
        unsafe { process.write(theirs, mine) }?;
        chunk.copy_to(mine);
    }
    Ok(())
}
