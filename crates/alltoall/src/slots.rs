//! Blocks of any size inside a node: through the slots of shared memory, in rounds.
//!
//! Idea: in every round a rank writes a piece of each of its blocks into its slot of the board and copies the
//! pieces for it out of the slots of the others. The received piece replaces the piece that was written in
//! this round, so the exchange may be in place.
//!
//! Restriction: ranks that share memory. Blocks may be non-contiguous.
//! Cost: a round per slot of bytes; 2 copies per byte. Extra memory: the slots of the board.
//! Source: our own.

#[cfg(hcube_model)]
pub mod model;

use super::copies::{copy_own, piece_bytes, write_pieces};
use super::node::{Node, Transfer, partners, wait};
use super::select::MAX_ENCLOSED_BYTES;
use super::task::Task;
use hcube_core::comm::Comm;
use hcube_core::error::Result;
use hcube_core::machine::work::COPY;
use hcube_core::node::board::WORDS;

/// Pieces that a block is cut into, and the size of a piece below which there are fewer.
const PIECES: usize = 5;
const MIN_PIECE_BYTES: usize = 32 << 10;

/// Makes the exchange between the ranks of the node, which call it together. `idle` is called while waiting.
///
/// # Errors
/// Errors of `idle`; other ranks are waiting then, so the job must end.
pub fn exchange<C: Comm + ?Sized>(
    comm: &C,
    node: &mut Node,
    task: &Task<'_>,
    Transfer { largest, streaming, patience }: Transfer,
    mut idle: impl FnMut() -> Result<()>,
) -> Result<()> {
    let Node { ranks, board, chunk, pace, .. } = node;
    let own = board.own();
    if largest == 0 {
        copy_own(comm, task, chunk, streaming);
    }
    if largest * (ranks.len() - 1) > MAX_ENCLOSED_BYTES {
        board.populate();
    }
    let room = (board.capacity() / (ranks.len() - 1)).max(1);
    // Where every rank has a core, one rank reads a piece while another writes the next; where ranks share
    // cores, every round costs a turn of all ranks.
    let cut = MIN_PIECE_BYTES.max(largest.div_ceil(PIECES));
    let piece = if patience.shares_cores() { room } else { room.min(cut) };
    for start in (0..largest).step_by(piece) {
        let range = start..start + piece;
        let others = ranks.iter().enumerate().filter(|&(index, _)| index != own);
        let all = others.map(|(_, &rank)| piece_bytes(&task.outgoing(rank), &range)).sum();
        comm.charge(COPY.of(all));
        comm.settle();
        board.post([0; WORDS], all, |draft| write_pieces(draft, ranks, own, task, range, pace));
        if start == 0 {
            // While the others write theirs.
            copy_own(comm, task, chunk, streaming);
        }
        for (partner, rank) in partners(ranks, own) {
            wait(comm, patience, || board.has_posted(partner), &mut idle)?;
            let bytes = board.bytes(partner);
            match bytes {
                [] => {}
                _ if streaming => task.incoming(rank).unpack_streaming(start, bytes),
                _ => task.incoming(rank).unpack(start, bytes),
            }
            comm.charge(COPY.of(bytes.len()));
        }
    }
    Ok(())
}
