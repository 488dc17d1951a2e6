//! Copies that several algorithms share: pieces of blocks into slots, and the block of a rank for itself.

use super::task::Task;
use hcube_core::comm::Comm;
use hcube_core::machine::work::COPY;
use hcube_core::memory::datatype::Block;
use hcube_core::memory::scratch::Scratch;
use hcube_core::memory::streaming;
use hcube_core::node::board::Draft;
use hcube_core::node::pace::{Kind, Pace};
use std::ops::Range;

/// Bytes of a rank's block for itself that are packed at a time: they should stay in the first-level cache.
const MAX_OWN_BYTES: usize = 16 << 10;

/// Bytes of a block that lie in a range.
pub fn piece_bytes(block: &Block<'_>, range: &Range<usize>) -> usize {
    block.bytes().min(range.end).saturating_sub(range.start)
}

/// Writes a piece of a block to memory that another core has read, by the kind of stores that is faster.
pub fn write_piece(block: &Block<'_>, start: usize, slot: &mut [u8], pace: &mut Pace) {
    pace.write(slot.len(), |range, kind| {
        let from = start + range.start;
        match kind {
            Kind::Cached => block.pack(from, &mut slot[range]),
            Kind::Streaming => block.pack_streaming(from, &mut slot[range]),
        }
    });
}

/// Writes the bytes of all blocks that lie in a range into a notice, for the `ranks` of a node; `own` is this
/// rank's number there.
pub fn write_pieces(
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
            let bytes = piece_bytes(&block, &range);
            if bytes > 0 {
                write_piece(&block, range.start, &mut draft.payload[end..end + bytes], pace);
            }
            end += bytes;
        }
        draft.bounds[index + 1] = end as u32;
    }
}

/// Copies a rank's block for itself, which is not longer than it expects, out of place. Nothing else uses
/// `scratch` meanwhile. `streaming`: past the cache.
pub fn copy_own<C: Comm + ?Sized>(comm: &C, task: &Task<'_>, scratch: &mut Scratch, streaming: bool) {
    if task.is_in_place() {
        return;
    }
    let own = comm.rank();
    let (from, to) = (task.outgoing(own), task.incoming(own));
    comm.charge(COPY.of(from.bytes()));
    if let (Some(from), Some(to)) = (from.region(), to.region())
        && from.len() == to.len()
    {
        if streaming {
            streaming::copy_streaming(from, to);
        } else {
            from.copy_to(to);
        }
        return;
    }
    let Some(piece) = scratch.take(scratch.size().min(MAX_OWN_BYTES).min(from.bytes())) else {
        unreachable!("nothing else uses this memory")
    };
    for start in (0..from.bytes()).step_by(piece.len()) {
        let length = (from.bytes() - start).min(piece.len());
        let bytes = &mut scratch.bytes(&piece)[..length];
        from.pack(start, bytes);
        match streaming {
            true => to.unpack_streaming(start, bytes),
            false => to.unpack(start, bytes),
        }
    }
    scratch.give(piece);
}
