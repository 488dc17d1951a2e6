//! Mailboxes in shared memory: every rank of a node owns a few slots, writes a *piece* for all
//! others into one of them, sorted by receiver, and announces it by a number; the others read
//! their slices in place and announce that they have. No locks, no barrier, no copy on the reading
//! side.
//!
//! Cost per rank: the slots and, per rank of the node, 24 bytes and 4 more per slot; per piece one
//! store by the writer and one by each reader.

use super::segment::{self, Segment};
use crate::comm::Comm;
use crate::error::Result;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

/// Flags of different ranks never share a line of the cache.
const LINE: usize = 64;

/// Sizes of the mailboxes of a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shape {
    /// Ranks of the node.
    pub ranks: usize,
    /// Slots of every rank.
    pub slots: usize,
    /// Words in a slot.
    pub capacity: usize,
}

/// Byte offsets within the region of one rank: what it has read, then its slots. A slot starts with
/// its number and the bounds of its slices, so that on small nodes a reader touches one line of the
/// cache before the values.
#[derive(Debug, Clone, Copy)]
struct Layout {
    slot: usize,
    words: usize,
    first_slot: usize,
    region: usize,
}

impl Shape {
    fn layout(self) -> Layout {
        let round = |bytes: usize| bytes.next_multiple_of(LINE);
        let first_slot = round(self.ranks * size_of::<AtomicU64>());
        let words = round(size_of::<AtomicU64>() + (self.ranks + 1) * size_of::<u32>());
        let slot = words + round(self.capacity * size_of::<u64>());
        Layout { slot, words, first_slot, region: first_slot + self.slots * slot }
    }

    /// Bytes of one rank.
    pub fn bytes_per_rank(self) -> usize {
        self.layout().region
    }
}

/// The mailboxes of a node, seen from one of its ranks.
#[derive(Debug)]
pub struct Mailbox {
    segment: Segment,
    shape: Shape,
    layout: Layout,
    own: usize,
    /// Pieces that this rank has written.
    written: u64,
    /// Pieces of this rank that each rank had read when last looked at.
    read_by: Vec<u64>,
    /// Pieces of each rank that this rank has taken.
    read: Vec<u64>,
}

/// A piece of another rank, as far as it is meant for this one.
#[derive(Debug)]
pub struct Piece<'a> {
    /// The values.
    pub words: &'a [u64],
    /// Whether the writer has announced it as the last of a series.
    pub last: bool,
}

/// Where the bounds start in a slot, behind the number.
const BOUNDS: usize = size_of::<AtomicU64>();

/// What a slot's number says: how many pieces its writer has written with this one, and whether it
/// is the last of a series.
fn announcement(written: u64, last: bool) -> u64 {
    written << 1 | u64::from(last)
}

impl Mailbox {
    /// Collective over `comm`: one mailbox set for each node. `ranks` are the ranks of this rank's
    /// node, in node order; every rank calls it, those alone on a node too.
    ///
    /// # Errors
    /// On all ranks of `comm`, if any rank cannot reach the shared memory of its node.
    pub fn create<C: Comm + ?Sized>(comm: &C, ranks: &[usize], shape: Shape) -> Result<Self> {
        assert_eq!(ranks.len(), shape.ranks);
        let own = ranks.iter().position(|&rank| rank == comm.rank()).expect("a rank is on its own node");
        let layout = shape.layout();
        let segment = segment::share(comm, ranks, layout.region * shape.ranks)?;
        let none = vec![0; shape.ranks];
        Ok(Self { segment, shape, layout, own, written: 0, read_by: none.clone(), read: none })
    }

    /// The sizes it was created with.
    pub fn shape(&self) -> Shape {
        self.shape
    }

    /// This rank's number on the node.
    pub fn own(&self) -> usize {
        self.own
    }

    /// How many of this rank's pieces all others have read. At most `slots` pieces may be unread.
    pub fn read_by_all(&mut self) -> u64 {
        let (own, written) = (self.own, self.written);
        let mut least = written;
        for reader in (0..self.shape.ranks).filter(|&reader| reader != own) {
            if self.read_by[reader] < written {
                self.read_by[reader] = self.seen(reader, own).load(Ordering::Acquire);
            }
            least = least.min(self.read_by[reader]);
        }
        least
    }

    /// Pieces that this rank has written.
    pub fn written(&self) -> u64 {
        self.written
    }

    /// Whether a slot is free for the next piece: all others have read what it held.
    pub fn is_free(&mut self) -> bool {
        self.written - self.read_by_all() < self.shape.slots as u64
    }

    /// Writes the next piece into the free slot and announces it. `fill` gets the slot's words and
    /// the bounds to set: slice i, `bounds[i] .. bounds[i + 1]`, is for rank i.
    ///
    /// Call only while fewer than `slots` pieces are unread.
    pub fn write(&mut self, last: bool, fill: impl FnOnce(&mut [u64], &mut [u32])) {
        assert!(self.is_free(), "a slot is written while it is read");
        let slot = self.slot_offset(self.own, self.written);
        // SAFETY: the slot lies in this rank's own region; all others have read what it held and
        // read no further before its number changes, so this rank alone accesses words and bounds.
        let (words, bounds) = unsafe {
            let start = self.segment.address().add(slot);
            (
                std::slice::from_raw_parts_mut(
                    start.add(self.layout.words).cast().as_ptr(),
                    self.shape.capacity,
                ),
                std::slice::from_raw_parts_mut(start.add(BOUNDS).cast().as_ptr(), self.shape.ranks + 1),
            )
        };
        fill(words, bounds);
        assert!(bounds.is_sorted() && bounds[self.shape.ranks] as usize <= self.shape.capacity);
        self.written += 1;
        self.number(slot).store(announcement(self.written, last), Ordering::Release);
    }

    /// This rank's slice of the piece of `writer` that follows those taken, if it is there. Its
    /// words stay until [`Self::acknowledge`].
    pub fn next(&self, writer: usize) -> Option<Piece<'_>> {
        let read = self.read[writer];
        let slot = self.slot_offset(writer, read);
        let number = self.number(slot).load(Ordering::Acquire);
        let last = number == announcement(read + 1, true);
        if !last && number != announcement(read + 1, false) {
            return None;
        }
        let range = self.slice_bounds(slot);
        // SAFETY: the piece is announced, so its writer changes it no more until `done`; the range
        // has been checked against the slot.
        let words = unsafe {
            let start = self.segment.address().add(slot + self.layout.words).cast::<u64>();
            std::slice::from_raw_parts(start.as_ptr().add(range.start), range.len())
        };
        Some(Piece { words, last })
    }

    /// Counts the next piece of `writer` as taken; returns how many of its pieces are.
    pub fn take(&mut self, writer: usize) -> u64 {
        self.read[writer] += 1;
        self.read[writer]
    }

    /// Announces that this rank no longer needs the first `pieces` pieces of `writer`.
    pub fn acknowledge(&mut self, writer: usize, pieces: u64) {
        assert!(pieces <= self.read[writer], "a piece is acknowledged that was not taken");
        self.seen(self.own, writer).store(pieces, Ordering::Release);
    }

    fn slice_bounds(&self, slot: usize) -> Range<usize> {
        // SAFETY: inside the slot and announced (see `next`), so nobody writes to it.
        let bounds = unsafe {
            let start = self.segment.address().add(slot + BOUNDS).cast::<u32>();
            start.add(self.own).cast::<[u32; 2]>().read()
        };
        let range = bounds[0] as usize..bounds[1] as usize;
        assert!(
            range.start <= range.end && range.end <= self.shape.capacity,
            "a mailbox of this node is damaged"
        );
        range
    }

    fn slot_offset(&self, rank: usize, piece: u64) -> usize {
        let slot = (piece % self.shape.slots as u64) as usize;
        rank * self.layout.region + self.layout.first_slot + slot * self.layout.slot
    }

    fn number(&self, slot: usize) -> &AtomicU64 {
        // SAFETY: inside the segment, aligned to a line, an atomic.
        unsafe { self.segment.address().add(slot).cast::<AtomicU64>().as_ref() }
    }

    /// How many pieces of `writer` the rank `reader` has read.
    fn seen(&self, reader: usize, writer: usize) -> &AtomicU64 {
        let offset = reader * self.layout.region + writer * size_of::<AtomicU64>();
        // SAFETY: inside the segment, aligned, an atomic.
        unsafe { self.segment.address().add(offset).cast::<AtomicU64>().as_ref() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::comm::threads;
    use crate::progress::wait::Patience;

    /// Every rank sends numbered words to every other; the receiver checks that each arrives once
    /// and in order, through slots that hold far less than the whole.
    fn exchange(ranks: usize, slots: usize, capacity: usize, pieces: u64) {
        threads::run(ranks, ranks, |comm| {
            let all: Vec<usize> = (0..ranks).collect();
            let mut mailbox =
                Mailbox::create(comm, &all, Shape { ranks, slots, capacity }).expect("shared memory");
            let own = mailbox.own() as u64;
            let (mut sent, mut expected, mut finished) = (0, vec![0u64; ranks], 1);
            let mut wait = Patience::new(true, false).wait();
            while sent < pieces || finished < ranks {
                let mut idle = true;
                if sent < pieces && mailbox.is_free() {
                    mailbox.write(sent + 1 == pieces, |words, bounds| {
                        let each = capacity / ranks;
                        for (rank, bound) in bounds.iter_mut().enumerate() {
                            *bound = (rank * each) as u32;
                        }
                        for (at, word) in words[..each * ranks].iter_mut().enumerate() {
                            *word = own << 48
                                | ((at / each) as u64) << 32
                                | (sent * each as u64 + (at % each) as u64);
                        }
                    });
                    sent += 1;
                    idle = false;
                }
                for writer in (0..ranks).filter(|&writer| writer as u64 != own) {
                    let Some(piece) = mailbox.next(writer) else { continue };
                    for &word in piece.words {
                        assert_eq!(word, (writer as u64) << 48 | own << 32 | expected[writer]);
                        expected[writer] += 1;
                    }
                    finished += usize::from(piece.last);
                    let pieces = mailbox.take(writer);
                    mailbox.acknowledge(writer, pieces);
                    idle = false;
                }
                if idle {
                    wait.pause(comm);
                }
            }
            while mailbox.read_by_all() < mailbox.written() {
                wait.pause(comm);
            }
        });
    }

    #[test]
    fn pieces_arrive_once_and_in_order() {
        exchange(1, 2, 8, 10);
        exchange(2, 1, 2, 500);
        exchange(3, 2, 64, 300);
        exchange(8, 2, 512, 50);
        exchange(9, 4, 128, 50);
    }
}
