//! The exchange by messages, in the order of a schedule.
//!
//! Idea: the blocks of all partners, in the order of the schedule, are cut into pieces. In place, a piece is
//! copied to scratch memory and sent from there, and the partner's piece is received into its place. The
//! scratch memory bounds the number of outstanding pieces, of one partner or of several. With scratch memory
//! for all blocks, all exchanges are outstanding at the same time, as with 1000 MB in §4.3 of Hofmann and
//! Ruenger 2013. With less, further pieces start as memory becomes free; §3.4 there performs one blocking
//! exchange after the other. Out of place, contiguous blocks need no scratch memory.
//!
//! No deadlock: both partners of a pair cut the block into the same pieces, and the schedules order the pairs
//! of all ranks without a cycle. The first unfinished piece in this order has therefore been started on both
//! sides, and it waits for no later piece.
//!
//! Outstanding memory belongs to a [`scope`], as in [`hcube_core::comm::requests`]: the scope returns only
//! when all pieces are complete, and ends the job if they cannot complete.
//!
//! Restrictions: none.
//! Cost: a message per piece and direction. In addition to the copies of the MPI library, 1 copy per byte in
//! place, and for non-contiguous blocks on each side. Extra memory: the scratch memory.
//! Source: Hofmann and Ruenger, EuroMPI 2013, §3; pieces and several partners at the same time are our own.

use super::copies::write_piece;
use super::task::Selected;
use hcube_core::comm::{Comm, tags};
use hcube_core::error::{Error, Result};
use hcube_core::machine::work::COPY;
use hcube_core::memory::Region;
use hcube_core::memory::scratch::{self, Lent, Scratch};
use hcube_core::node::pace::Pace;
use hcube_core::progress::wait::Patience;
use std::ops::Range;

/// Messages of one pair keep their order.
const TAG: i32 = tags::ALLTOALL_PIECES.tag(0);
/// Pieces that fit into the scratch memory at the same time where blocks are larger than it.
const PIECES: usize = 4;
/// Smallest piece of a block that does not fit as a whole.
const MIN_PIECE_BYTES: usize = 2 << 10;
/// Largest piece that is copied: it should stay in the cache between the copy and the send.
const MAX_COPIED_BYTES: usize = 256 << 10;
/// Largest message without a copy, below the limit of MPI's counts.
const MAX_DIRECT_BYTES: usize = 1 << 30;
/// Maximum number of outstanding pieces; it bounds the time of a poll.
pub const MAX_PIECES_UNDER_WAY: usize = 64;

/// Size of the pieces that a block is cut into where pieces are copied, with `scratch` bytes of scratch
/// memory and `ranks` ranks.
pub fn copied_piece(block: usize, scratch: usize, ranks: usize) -> usize {
    let share = scratch / ranks / 2;
    if block <= share.min(MAX_COPIED_BYTES) {
        block
    } else {
        (scratch / PIECES).clamp(MIN_PIECE_BYTES, MAX_COPIED_BYTES)
    }
}

/// The bytes of a piece of a block of `bytes` bytes that is cut into pieces of `length` bytes.
fn piece_of(bytes: usize, length: usize, piece: usize) -> Range<usize> {
    bytes.min(piece * length)..bytes.min((piece + 1) * length)
}

/// A piece of the blocks of a pair, outstanding in both directions.
struct Piece<'a, C: Comm> {
    partner: usize,
    send: Option<C::Transfer<'a>>,
    receive: Option<C::Transfer<'a>>,
    /// Scratch memory that is sent.
    sent: Option<Lent>,
    /// Scratch memory that is received into, and the range of the block that its bytes belong to.
    received: Option<(Lent, Range<usize>)>,
}

/// The resources of an exchange by messages.
pub struct Exchange<'t, 'a> {
    pub task: Selected<'t, 'a>,
    /// Of the same size on all ranks, 8 KiB or more.
    pub scratch: &'t mut Scratch,
    pub pace: &'t mut Pace,
    /// The partners, in this order.
    pub partners: Box<dyn Iterator<Item = usize> + 't>,
    /// A rank has non-contiguous blocks.
    pub packed: bool,
    pub patience: Patience,
}

/// An exchange by messages that advances when it is polled.
pub struct Messages<'t, 'a, C: Comm> {
    comm: &'t C,
    task: Selected<'t, 'a>,
    scratch: &'t mut Scratch,
    pace: &'t mut Pace,
    partners: Box<dyn Iterator<Item = usize> + 't>,
    /// Whether pieces are cut to be copied, which all ranks must do alike.
    copied: bool,
    /// The partner whose blocks are being started, and the number of their next piece.
    partner: Option<usize>,
    piece: usize,
    under_way: Vec<Piece<'a, C>>,
}

/// Runs `work` with an exchange that it may poll, and returns when all pieces are complete.
///
/// # Errors
/// Errors of `work`, and errors of MPI when nothing is outstanding any more. An error while pieces are
/// outstanding ends the job: the partner may never reply, and the memory may not be freed before it has.
pub fn scope<'t, 'a, C: Comm, T>(
    comm: &'t C,
    exchange: Exchange<'t, 'a>,
    work: impl FnOnce(&mut Messages<'t, 'a, C>) -> Result<T>,
) -> Result<T> {
    let Exchange { task, scratch, pace, mut partners, packed, patience } = exchange;
    let copied = packed || task.is_in_place();
    let (partner, piece, under_way) = (partners.next(), 0, Vec::new());
    let mut messages = Messages { comm, task, scratch, pace, partners, copied, partner, piece, under_way };
    let result = work(&mut messages).and_then(|value| messages.finish(patience).map(|()| value));
    if let (Err(error), false) = (&result, messages.under_way.is_empty()) {
        // Where ending the job is a panic (threads), nothing reaches the memory by itself.
        messages.under_way.clear();
        comm.abort(error);
    }
    result
}

impl<'a, C: Comm> Messages<'_, 'a, C> {
    /// Starts pieces and completes those that have arrived; whether all are complete.
    ///
    /// # Errors
    /// Of MPI.
    pub fn poll(&mut self) -> Result<bool> {
        let mut index = 0;
        while index < self.under_way.len() {
            if self.advance(index)? {
                let piece = self.under_way.remove(index);
                // SAFETY: both transfers have been removed, each after the communicator has reported that it
                // has finished.
                unsafe { self.retire(piece) };
            } else {
                index += 1;
            }
        }
        while let Some(partner) = self.partner.filter(|_| self.under_way.len() < MAX_PIECES_UNDER_WAY) {
            if !self.start_next(partner)? {
                break;
            }
        }
        Ok(self.partner.is_none() && self.under_way.is_empty())
    }

    /// Waits until all pieces are complete.
    ///
    /// # Errors
    /// As [`Self::poll`].
    fn finish(&mut self, patience: Patience) -> Result<()> {
        // A poll costs some calls of MPI.
        let mut wait = patience.for_costly_polls().wait();
        while !self.poll()? {
            if self.comm.simulated() {
                self.rest_until_any()?;
            } else {
                wait.pause(self.comm);
            }
        }
        Ok(())
    }

    /// Waits in the simulator until a transfer has finished.
    fn rest_until_any(&mut self) -> Result<()> {
        let pieces = self.under_way.iter_mut();
        let mut transfers: Vec<_> = pieces
            .flat_map(|piece| [&mut piece.send, &mut piece.receive])
            .filter_map(Option::as_mut)
            .collect();
        self.comm.rest_until_any(&mut transfers)
    }

    /// Whether a piece has finished.
    fn advance(&mut self, index: usize) -> Result<bool> {
        let piece = &mut self.under_way[index];
        for transfer in [&mut piece.send, &mut piece.receive] {
            if let Some(under_way) = transfer
                && self.comm.has_finished(under_way)?
            {
                *transfer = None;
            }
        }
        Ok(piece.send.is_none() && piece.receive.is_none())
    }

    /// Unpacks a piece that has arrived, and releases its scratch memory.
    ///
    /// # Safety
    /// Both transfers of the piece have finished.
    unsafe fn retire(&mut self, piece: Piece<'a, C>) {
        if let Some((lent, place)) = piece.received {
            let block = self.task.incoming(piece.partner);
            // SAFETY: only the receive of this piece was started with the region, and it has finished.
            let scratch = unsafe { self.scratch.reclaim(lent) };
            block.unpack(place.start, &self.scratch.bytes(&scratch)[..place.len()]);
            self.comm.charge(COPY.of(place.len()));
            self.scratch.give(scratch);
        }
        if let Some(lent) = piece.sent {
            // SAFETY: only the send of this piece was started with the region, and it has finished.
            let scratch = unsafe { self.scratch.reclaim(lent) };
            self.scratch.give(scratch);
        }
    }

    /// The range of a piece in a block of `bytes` bytes; the same for sender and receiver.
    fn range(&self, bytes: usize, piece: usize) -> Range<usize> {
        let (scratch, ranks) = (self.scratch.size(), self.task.ranks());
        let length = if self.copied { copied_piece(bytes, scratch, ranks) } else { MAX_DIRECT_BYTES };
        piece_of(bytes, length, piece)
    }

    /// Starts the next piece of the blocks of a partner; false if no scratch memory is free for it.
    fn start_next(&mut self, partner: usize) -> Result<bool> {
        let task = self.task;
        let (out, into) = (task.outgoing(partner), task.incoming(partner));
        let (sent, received) = (self.range(out.bytes(), self.piece), self.range(into.bytes(), self.piece));
        if sent.is_empty() && received.is_empty() {
            (self.partner, self.piece) = (self.partners.next(), 0);
            return Ok(true);
        }
        let direct_send = if task.is_in_place() { None } else { out.region() };
        let direct_receive = into.region();
        let Some([send_scratch, receive_scratch]) = self.take([
            if direct_send.is_none() { sent.len() } else { 0 },
            if direct_receive.is_none() { received.len() } else { 0 },
        ]) else {
            return Ok(false);
        };
        if let Some(scratch) = &send_scratch {
            // The other process has read the previous contents.
            let bytes = &mut self.scratch.bytes(scratch)[..sent.len()];
            write_piece(&out, sent.start, bytes, self.pace);
            self.comm.charge(COPY.of(sent.len()));
        }
        let [send_scratch, receive_scratch] =
            [send_scratch, receive_scratch].map(|piece| piece.map(|piece| self.scratch.lend(piece)));
        let place = |direct: Option<Region<'a>>, scratch: &Option<Lent>, range: &Range<usize>| {
            let staged = |scratch: &Lent| scratch.region().part(0..range.len());
            scratch
                .as_ref()
                .map(staged)
                .or_else(|| Some(direct?.part(range.clone())))
                .filter(|region| !region.is_empty())
        };
        let from = place(direct_send, &send_scratch, &sent);
        let to = place(direct_receive, &receive_scratch, &received);
        let received = receive_scratch.map(|scratch| (scratch, received));
        self.under_way.push(Piece { partner, send: None, receive: None, sent: send_scratch, received });
        let piece = self.under_way.last_mut().expect("just put there");
        // SAFETY: scratch memory is pinned until `retire`, or for ever; blocks are there for 'a, which
        // outlives the scope, and the scope returns when all transfers have finished, or ends the job.
        piece.receive =
            to.map(|to| unsafe { self.comm.start_receive_bytes(to, partner, TAG) }).transpose()?;
        // SAFETY: scratch memory and blocks stay as long as the memory of the receive.
        piece.send =
            from.map(|from| unsafe { self.comm.start_send_bytes(from, partner, TAG) }).transpose()?;
        self.piece += 1;
        Ok(true)
    }

    /// Scratch memory of two lengths, nothing for 0; `None` where not enough is free.
    fn take(&mut self, [first, second]: [usize; 2]) -> Option<[Option<scratch::Piece>; 2]> {
        let taken = match first {
            0 => None,
            _ => Some(self.scratch.take(first)?),
        };
        if second == 0 {
            return Some([taken, None]);
        }
        let further = self.scratch.take(second);
        if further.is_none() {
            if let Some(taken) = taken {
                self.scratch.give(taken);
            }
            return None;
        }
        Some([taken, further])
    }
}

impl<C: Comm> Drop for Messages<'_, '_, C> {
    /// Reached with outstanding pieces only by a panic: the blocks would be freed while MPI uses them.
    fn drop(&mut self) {
        if !self.under_way.is_empty() {
            self.comm.abort(&Error::Internal("a panic while pieces were under way".into()));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::task::Task;
    use hcube_core::comm::threads;
    use hcube_core::memory::blocks::Blocks;
    use hcube_testing::sizes::{sizes, sizes_within};
    use proptest::prelude::*;

    /// An exchange of rank 0 that fails, after a poll or before. The other rank does nothing.
    fn failing(polls: bool) -> Vec<Result<()>> {
        threads::run(2, 2, |comm| {
            let mut memory = [0u8; 128];
            // SAFETY: the memory lives until the end of the exchange and is used by nobody else.
            let blocks = unsafe { Blocks::even(memory.as_mut_ptr(), 64, 2) }.expect("small");
            let (task, mut scratch) = (Task::in_place(blocks), Scratch::new(8 << 10).expect("memory"));
            let (mut pace, partners) = (Pace::default(), Box::new(comm.rank() + 1..2));
            let exchange = Exchange {
                task: task.of_lengths(0..=usize::MAX),
                scratch: &mut scratch,
                pace: &mut pace,
                partners,
                packed: false,
                patience: Patience::new(true, false),
            };
            scope(comm, exchange, |messages| {
                if polls {
                    messages.poll()?;
                }
                if comm.rank() == 0 { Err(Error::Internal("on purpose".into())) } else { Ok(()) }
            })
        })
    }

    #[test]
    #[should_panic(expected = "a rank panicked")]
    fn an_error_while_pieces_are_under_way_ends_the_job() {
        failing(true);
    }

    #[test]
    fn an_error_before_the_first_piece_is_passed_on() {
        assert_eq!(failing(false), [Err(Error::Internal("on purpose".into())), Ok(())]);
    }

    proptest! {
        /// Of blocks that memory may have, up to the first piece behind the last.
        #[test]
        fn pieces_of_blocks_of_any_size_follow_one_another(
            bytes in sizes_within(0, isize::MAX as usize), scratch in sizes_within(8 << 10, isize::MAX as usize),
            ranks in sizes_within(2, i32::MAX as usize), piece in sizes(), copied in any::<bool>(),
        ) {
            let length = if copied { copied_piece(bytes, scratch, ranks) } else { MAX_DIRECT_BYTES };
            let pieces = bytes.checked_div(length).unwrap_or(0) + 1;
            let piece = piece % (pieces + 1);
            let range = piece_of(bytes, length, piece);
            let bound = |piece: usize| (piece as u128 * length as u128).min(bytes as u128) as usize;
            prop_assert_eq!(range, bound(piece)..bound(piece + 1));
            prop_assert_eq!(piece_of(bytes, length, pieces), bytes..bytes);
            prop_assert!(!copied || length <= MAX_COPIED_BYTES);
        }
    }
}
