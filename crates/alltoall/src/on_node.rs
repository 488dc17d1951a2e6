//! The exchange between ranks of one node.
//!
//! Three ways, all after a first round of notices in which every rank says what it has to do:
//!
//! - *Enclosed*: the notice itself holds the blocks. One round; 2 copies per byte.
//! - *Slots*: pieces of all blocks at once, as much as a slot of the board holds, round after round. A
//!   rank has copied a piece out before the partner's piece is written over it, so the exchange may
//!   be in place. 2 copies per byte, blocks with gaps included.
//! - *Single copy*: a rank copies between its own memory and that of the other process. Out of place
//!   every rank reads its blocks from their senders: 1 copy per byte. In place the two blocks of a
//!   pair are swapped, the first half by the lower rank and the second half by the other, through a
//!   piece of scratch memory: 1.5 copies per byte. Nobody else touches these blocks, so no order is
//!   needed among pairs, and nobody waits until all have finished.
//!
//! Restrictions: single copy needs blocks without gaps.
//! Extra memory: the slots of the board, one piece of scratch memory.

use super::prepare::Node;
use super::task::Task;
use super::vote::Vote;
use hcube_core::comm::Comm;
use hcube_core::error::{Error, Result};
use hcube_core::machine::work::Work;
use hcube_core::memory::Region;
use hcube_core::memory::datatype::Block;
use hcube_core::memory::scratch::Scratch;
use hcube_core::memory::streaming;
use hcube_core::node::board::{DETAILS, Draft, WORDS};
use hcube_core::node::pace::{Kind, Pace};
use hcube_core::node::single_copy::Process;
use hcube_core::progress::wait::Patience;
use std::ops::Range;

/// Pieces into which a block is cut at least, and the least size of one for which that holds.
const PIECES: usize = 5;
const LEAST_PIECE: usize = 32 << 10;
/// Bytes of a rank's block for itself that are packed at once: they should stay in the first cache.
const MOST_OWN: usize = 16 << 10;
/// Detail of a notice: the rank's time.
const TIME: usize = 0;
/// Detail of a notice: the most bytes of one of its blocks.
const LARGEST: usize = 1;

/// Posts the first notice: the vote, the addresses of contiguous blocks and, where they are `enclosed`,
/// the blocks for other ranks of the node.
pub fn announce<C: Comm + ?Sized>(
    comm: &C,
    node: &mut Node,
    task: Option<&Task<'_>>,
    vote: &Vote,
    largest: usize,
    enclosed: bool,
) {
    let Node { ranks, board, pace, .. } = node;
    let own = board.own();
    let bytes = if enclosed { vote.bytes as usize } else { 0 };
    comm.charge(Work::copied(bytes));
    comm.settle();
    board.post(vote.brief(), bytes, |draft| {
        let Some(task) = task else { return };
        // Others may have to read them although this rank's blocks fit.
        draft.details[TIME] = vote.time;
        draft.details[LARGEST] = largest as u64;
        for (address, &rank) in draft.details[DETAILS..].iter_mut().zip(ranks.iter()) {
            let region = task.outgoing(rank).region();
            *address = region.map_or(0, |region| region.address().addr() as u64);
        }
        if enclosed {
            write_pieces(draft, ranks, own, task, 0..usize::MAX, pace);
        }
    });
}

/// Writes what lies in a range of each block into a notice.
fn write_pieces(
    draft: Draft<'_>,
    ranks: &[usize],
    own: usize,
    task: &Task<'_>,
    range: Range<usize>,
    pace: &mut Pace,
) {
    let mut end = 0;
    for (index, &rank) in ranks.iter().enumerate() {
        if index != own {
            let block = task.outgoing(rank);
            let length = piece_length(&block, &range);
            if length > 0 {
                write_piece(&block, range.start, &mut draft.payload[end..end + length], pace);
            }
            end += length;
        }
        draft.bounds[index + 1] = end as u32;
    }
}

/// Bytes of a block that lie in a range.
fn piece_length(block: &Block<'_>, range: &Range<usize>) -> usize {
    block.bytes().min(range.end).saturating_sub(range.start)
}

/// Writes a piece of a block to memory that another core has read, by whichever kind of stores is faster.
pub(super) fn write_piece(block: &Block<'_>, start: usize, slot: &mut [u8], pace: &mut Pace) {
    pace.write(slot.len(), |range, kind| {
        let from = start + range.start;
        match kind {
            Kind::Cached => block.pack(from, &mut slot[range]),
            Kind::Streaming => block.pack_streaming(from, &mut slot[range]),
        }
    });
}

/// Waits for the notices of all ranks of the node; the sum of their votes, but for the time.
pub fn gather<C: Comm + ?Sized>(comm: &C, node: &Node, patience: Patience) -> Vote {
    let mut sum = Vote::default();
    for rank in 0..node.board.ranks() {
        node.board.wait_for(rank, patience, comm);
        sum.add_brief(node.board.words(rank));
    }
    sum
}

/// Where blocks were not enclosed: the sum of all times of the node, and the most bytes of one block.
pub fn gather_details(node: &Node) -> (u64, usize) {
    (0..node.board.ranks()).fold((0, 0), |(time, most), rank| {
        let [own_time, largest] = [TIME, LARGEST].map(|number| node.board.detail(rank, number));
        (time.wrapping_add(own_time), most.max(largest as usize))
    })
}

/// Waits for what a rank of the node does, with `idle` called meanwhile.
fn wait<C: Comm + ?Sized>(
    comm: &C,
    patience: Patience,
    done: impl Fn() -> bool,
    idle: &mut impl FnMut() -> Result<()>,
) -> Result<()> {
    let mut wait = patience.wait();
    while !done() {
        idle()?;
        wait.pause(comm);
    }
    Ok(())
}

/// Partners on the node in an order in which each step joins pairs.
fn partners(node: &Node) -> impl Iterator<Item = (usize, usize)> + '_ {
    let (own, count) = (node.board.own(), node.ranks.len());
    (0..count)
        .map(move |step| (step + count - own) % count)
        .filter(move |&partner| partner != own)
        .map(|partner| (partner, node.ranks[partner]))
}

/// Takes the blocks out of the notices.
pub fn open_enclosed<C: Comm + ?Sized>(comm: &C, node: &Node, task: &Task<'_>) {
    for (partner, rank) in partners(node) {
        comm.charge(Work::copied(node.board.bytes(partner).len()));
        task.incoming(rank).unpack(0, node.board.bytes(partner));
    }
}

/// Through the slots, in rounds that all ranks of the node make together; `most` is the most bytes
/// of one block on the node. `idle` is called while waiting.
pub fn through_slots<C: Comm + ?Sized>(
    comm: &C,
    node: &mut Node,
    task: &Task<'_>,
    most: usize,
    streaming: bool,
    patience: Patience,
    mut idle: impl FnMut() -> Result<()>,
) -> Result<()> {
    let room = (node.board.capacity() / (node.ranks.len() - 1)).max(1);
    // Where every rank has a core, several pieces let one rank read while another writes; where ranks
    // share cores, every round costs a turn of all of them.
    let piece = if patience.shares_cores() { room } else { room.min(LEAST_PIECE.max(most.div_ceil(PIECES))) };
    let own = node.board.own();
    for start in (0..most).step_by(piece) {
        let Node { ranks, board, pace, .. } = &mut *node;
        let range = start..start + piece;
        let others = ranks.iter().enumerate().filter(|&(index, _)| index != own);
        let all = others.map(|(_, &rank)| piece_length(&task.outgoing(rank), &range)).sum();
        comm.charge(Work::copied(all));
        comm.settle();
        board.post([0; WORDS], all, |draft| write_pieces(draft, ranks, own, task, range, pace));
        if start == 0 {
            // While the others write theirs.
            copy_own(comm, task, &mut node.chunk, streaming);
        }
        for (partner, rank) in partners(node) {
            wait(comm, patience, || node.board.has_posted(partner), &mut idle)?;
            let bytes = node.board.bytes(partner);
            match bytes {
                [] => {}
                _ if streaming => task.incoming(rank).unpack_streaming(start, bytes),
                _ => task.incoming(rank).unpack(start, bytes),
            }
            comm.charge(Work::copied(bytes.len()));
        }
    }
    Ok(())
}

/// Directly between the memories of processes; all blocks are contiguous. `idle` is called between
/// partners and while waiting.
pub fn single_copy<C: Comm + ?Sized>(
    comm: &C,
    node: &mut Node,
    task: &Task<'_>,
    streaming: bool,
    patience: Patience,
    mut idle: impl FnMut() -> Result<()>,
) -> Result<()> {
    let processes = node.processes.as_ref().expect("chosen where it works");
    let piece = node.chunk.take(node.chunk.size()).expect("nothing else uses this memory");
    let chunk = node.chunk.region(&piece);
    for (partner, rank) in partners(node) {
        let Some(mine) = task.incoming(rank).region() else { continue };
        let (process, address) = (processes[partner], node.board.address(partner));
        let copied = if task.is_in_place() {
            swap_half(process, address, mine, partner > node.board.own(), chunk)
        } else {
            process.read(address, mine)
        };
        copied.map_err(|error| Error::Memory(format!("single copy with rank {rank}: {error}")))?;
        // In place a half: to the piece of scratch memory, to the partner, and from the piece.
        comm.charge(Work::copied(if task.is_in_place() { mine.len() / 2 * 3 } else { mine.len() }));
        idle()?;
    }
    node.chunk.give(piece);
    copy_own(comm, task, &mut node.chunk, streaming);
    comm.settle();
    node.board.finish();
    (0..node.ranks.len())
        .try_for_each(|partner| wait(comm, patience, || node.board.has_finished(partner), &mut idle))
}

/// Swaps one half of two blocks of equal length.
fn swap_half(
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
        // SAFETY: a part of the block that the partner has named in its notice; by the order of the ranks only
        // this one writes this half of the two blocks, and both call until all have finished.
        unsafe { process.write(theirs, mine) }?;
        chunk.copy_to(mine);
    }
    Ok(())
}

/// A rank's block for itself, out of place. Nothing else uses `scratch` meanwhile.
pub fn copy_own<C: Comm + ?Sized>(comm: &C, task: &Task<'_>, scratch: &mut Scratch, streaming: bool) {
    if task.is_in_place() {
        return;
    }
    let own = comm.rank();
    let (from, to) = (task.outgoing(own), task.incoming(own));
    comm.charge(Work::copied(from.bytes()));
    if let (Some(from), Some(to)) = (from.region(), to.region()) {
        if streaming {
            streaming::copy_streaming(from, to);
        } else {
            from.copy_to(to);
        }
        return;
    }
    let Some(piece) = scratch.take(scratch.size().min(MOST_OWN)) else {
        unreachable!("nothing else uses this memory")
    };
    for start in (0..from.bytes()).step_by(piece.len()) {
        let length = (from.bytes() - start).min(piece.len());
        let bytes = &mut scratch.bytes(&piece)[..length];
        from.pack(start, bytes);
        to.unpack(start, bytes);
    }
    scratch.give(piece);
}
