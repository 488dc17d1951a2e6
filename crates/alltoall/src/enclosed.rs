//! Small blocks inside a node, enclosed in the first notices.
//!
//! Idea: before every exchange the ranks of a node post notices with their votes ([`super::ballot`]). If all
//! blocks of a rank for other ranks fit into its notice, the notice contains them, and the exchange only
//! copies blocks out of the notices. A notice is a copy of the blocks, so receive buffers may be overwritten
//! at once: the exchange may be in place, with any displacements.
//!
//! Restrictions: all ranks on one node; on every rank the blocks fit into a slot of the board, and are at
//! most [`MAX_ENCLOSED_BYTES`](super::select::MAX_ENCLOSED_BYTES) if other algorithms might be faster.
//! Cost: no round in addition to the votes; 2 copies per byte. Extra memory: the slots of the board.
//! Source: our own.

use super::copies::copy_own;
use super::node::{Node, partners};
use super::task::Task;
use hcube_core::comm::Comm;
use hcube_core::machine::work::COPY;

/// Performs the exchange, after the notices of all ranks of the node have been read.
pub fn exchange<C: Comm + ?Sized>(comm: &C, node: &mut Node, task: &Task<'_>, streaming: bool) {
    let Node { ranks, board, chunk, .. } = node;
    copy_own(comm, task, chunk, streaming);
    for (partner, rank) in partners(ranks, board.own()) {
        let bytes = board.bytes(partner);
        comm.charge(COPY.of(bytes.len()));
        task.incoming(rank).unpack(0, bytes);
    }
}
