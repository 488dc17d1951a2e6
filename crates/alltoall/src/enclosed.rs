//! Small blocks inside a node: part of the first notices.
//!
//! Idea: before every exchange the ranks of a node post notices with their votes ([`super::ballot`]). Where
//! all blocks of a rank for others fit into its notice, they are part of it, and when the notices are there,
//! the exchange consists of copies out of them. All ranks have read a block before it is overwritten, because
//! the notice is a copy; so the exchange may be in place, and each block may go anywhere.
//!
//! Restrictions: all ranks on one node; on every rank the blocks fit into a slot of the board, and are at
//! most [`MAX_ENCLOSED_BYTES`](super::select::MAX_ENCLOSED_BYTES) where other algorithms might be faster.
//! Cost: no round beside that of the votes; 2 copies per byte. Extra memory: the slots of the board.
//! Source: our own.

use super::copies::copy_own;
use super::node::{Node, partners};
use super::task::Task;
use hcube_core::comm::Comm;
use hcube_core::machine::work::COPY;

/// Makes the exchange, after the notices of all ranks of the node were seen.
pub fn exchange<C: Comm + ?Sized>(comm: &C, node: &mut Node, task: &Task<'_>, streaming: bool) {
    let Node { ranks, board, chunk, .. } = node;
    copy_own(comm, task, chunk, streaming);
    for (partner, rank) in partners(ranks, board.own()) {
        let bytes = board.bytes(partner);
        comm.charge(COPY.of(bytes.len()));
        task.incoming(rank).unpack(0, bytes);
    }
}
