//! Mailboxes in shared memory: every rank of a node writes *pieces* for all others, sorted by receiver,
//! and the others read their slices in place.
//!
//! Idea: a few slots per rank (`slots.rs`) and a counter per writer in every rank's region, by which a reader
//! acknowledges the pieces that it no longer needs. A slot is reused when all others have acknowledged its
//! piece; only the number of slots limits how far ranks run ahead of each other.
//!
//! Cost: per piece one store by the writer and one by each reader; no locks, no barrier, no copy on the
//! reading side. Memory per rank: the slots and, per rank of the node, 8 bytes and 4 more per slot.

use super::slots::{self, NUMBER_BYTES, Slots};
use crate::atomic::Ordering;
use crate::comm::Comm;
use crate::error::{Error, Result};

/// Bytes of a line of the cache.
const LINE: usize = 64;

/// Sizes of the mailboxes of a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shape {
    /// Ranks of the node.
    pub ranks: usize,
    /// Pieces of a rank that others may still be reading.
    pub slots: usize,
    /// Words in a slot.
    pub capacity: usize,
}

/// Byte offsets in the contents of a slot: the bounds of the slices, so that on small nodes a reader touches
/// one line of the cache before the values, then the values from the next line on.
#[derive(Debug, Clone, Copy)]
struct Layout {
    bounds_end: usize,
    words: usize,
    words_end: usize,
}

impl Layout {
    /// The layout for a shape, and the layout of its slots.
    fn new(shape: Shape) -> Result<(Self, slots::Layout)> {
        let layout = || {
            let bounds_end = shape.ranks.checked_add(1)?.checked_mul(size_of::<u32>())?;
            // The number comes before the contents.
            let words =
                (NUMBER_BYTES.checked_add(bounds_end)?).checked_next_multiple_of(LINE)? - NUMBER_BYTES;
            let words_end = words.checked_add(shape.capacity.checked_mul(size_of::<u64>())?)?;
            Some(Self { bounds_end, words, words_end })
        };
        let layout = layout().ok_or_else(|| Error::Memory(format!("{shape:?}: too large")))?;
        Ok((layout, slots::Layout::new(LINE, shape.ranks, shape.slots, layout.words_end)?))
    }
}

impl Shape {
    /// Bytes of one rank.
    pub fn bytes_per_rank(self) -> usize {
        Layout::new(self).map_or(usize::MAX, |(_, slots)| slots.region())
    }
}

/// The mailboxes of a node, seen from one of its ranks.
#[derive(Debug)]
pub struct Mailbox {
    slots: Slots,
    shape: Shape,
    layout: Layout,
    /// Pieces that this rank has written.
    written: u64,
    /// Pieces of this rank that each rank had acknowledged at the last check.
    read_by: Vec<u64>,
    /// Pieces of each rank that this rank has taken.
    read: Vec<u64>,
}

/// A piece of another rank: the slice for this rank.
#[derive(Debug)]
pub struct Piece<'a> {
    /// The values.
    pub words: &'a [u64],
    /// Whether the writer has announced it as the last of a series.
    pub last: bool,
}

impl Mailbox {
    /// Collective over `comm`: mailboxes for each node. `ranks` are the ranks of this rank's node, in node
    /// order; every rank of `comm` calls it, with the same shape on a node.
    ///
    /// # Errors
    /// On all ranks of `comm`, if a rank cannot reach the shared memory of its node.
    pub fn create<C: Comm + ?Sized>(comm: &C, ranks: &[usize], shape: Shape) -> Result<Self> {
        assert_eq!(ranks.len(), shape.ranks);
        let (layout, slots) = Layout::new(shape)?;
        Ok(Self::on(Slots::create(comm, ranks, slots)?, shape, layout))
    }

    /// The mailboxes on slots for this shape, before the first piece.
    fn on(slots: Slots, shape: Shape, layout: Layout) -> Self {
        let none = vec![0; shape.ranks];
        Self { slots, shape, layout, written: 0, read_by: none.clone(), read: none }
    }

    /// The sizes it was created with.
    pub fn shape(&self) -> Shape {
        self.shape
    }

    /// This rank's number on the node.
    #[inline]
    pub fn own(&self) -> usize {
        self.slots.own()
    }

    /// How many of this rank's pieces all others have acknowledged.
    #[inline]
    pub fn read_by_all(&mut self) -> u64 {
        let (own, written) = (self.slots.own(), self.written);
        let mut least = written;
        for reader in (0..self.shape.ranks).filter(|&reader| reader != own) {
            if self.read_by[reader] < written {
                // Acquire: the reader's loads come before what this rank writes to the slot next.
                self.read_by[reader] = self.slots.counter(reader, own).load(Ordering::Acquire);
            }
            least = least.min(self.read_by[reader]);
        }
        least
    }

    /// Pieces that this rank has written.
    #[inline]
    pub fn written(&self) -> u64 {
        self.written
    }

    /// Whether a slot is free for the next piece.
    #[inline]
    pub fn is_free(&mut self) -> bool {
        self.written - self.read_by_all() < self.shape.slots as u64
    }

    /// Writes the next piece into a free slot and announces it. `fill` gets the words of the slot and the
    /// bounds to set: slice i, `bounds[i] .. bounds[i + 1]`, is for rank i.
    ///
    /// # Panics
    /// Where no slot [is free](Self::is_free), and for bounds that are not ascending or outside of the slot.
    #[inline]
    pub fn write(&mut self, last: bool, fill: impl FnOnce(&mut [u64], &mut [u32])) {
        assert!(self.is_free(), "a slot is written while it is read");
        let (piece, layout) = (self.written + 1, self.layout);
        // SAFETY: there are at least `shape.slots` slots, and fewer pieces are not acknowledged by all
        // others, so what this slot held is. A reader acknowledges a piece when no reference to it is left
        // (see `acknowledge`), and reads no further before the next number is published.
        let contents = unsafe { self.slots.own_contents(piece) };
        let (bounds, words) = contents.split_at_mut(layout.words);
        let bounds = slots::numbers_mut(&mut bounds[..layout.bounds_end]);
        fill(slots::numbers_mut(words), bounds);
        assert!(bounds.is_sorted() && bounds[self.shape.ranks] as usize <= self.shape.capacity);
        self.written = piece;
        self.slots.publish(piece, last);
    }

    /// This rank's slice of the piece of `writer` that follows those taken, if it has been written.
    #[inline]
    pub fn next(&self, writer: usize) -> Option<Piece<'_>> {
        let piece = self.read[writer] + 1;
        let last = self.slots.published(writer, piece)?;
        // SAFETY: published, and not acknowledged: `acknowledge` accepts pieces that were taken, and `take`
        // must be called for this one, which borrows the mailbox mutably and ends the result.
        let contents = unsafe { self.slots.contents(writer, piece) };
        let bound = |number: usize| slots::u32_at(contents, number * size_of::<u32>()) as usize;
        let [from, to] = [self.own(), self.own() + 1].map(bound);
        let words: &[u64] = slots::numbers(&contents[self.layout.words..self.layout.words_end]);
        Some(Piece { words: words.get(from..to).expect("a mailbox of this node is damaged"), last })
    }

    /// Counts the next piece of `writer` as taken; returns how many of its pieces are.
    #[inline]
    pub fn take(&mut self, writer: usize) -> u64 {
        self.read[writer] += 1;
        self.read[writer]
    }

    /// Announces that this rank no longer needs the first `pieces` pieces of `writer`.
    ///
    /// # Panics
    /// For a piece that was not [taken](Self::take).
    #[inline]
    pub fn acknowledge(&mut self, writer: usize, pieces: u64) {
        assert!(pieces <= self.read[writer], "a piece is acknowledged that was not taken");
        // Release: this rank's loads from the pieces come before the writer's next stores to their slots.
        self.slots.counter(self.slots.own(), writer).store(pieces, Ordering::Release);
    }
}

#[cfg(hcube_model)]
pub mod model;
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
    #[should_panic(expected = "a rank panicked")]
    fn a_slot_that_others_read_is_not_written() {
        threads::run(2, 2, |comm| {
            let shape = Shape { ranks: 2, slots: 2, capacity: 8 };
            let mut mailbox = Mailbox::create(comm, &[0, 1], shape).expect("shared memory");
            (0..3).for_each(|_| mailbox.write(false, |_, bounds| bounds.fill(0)));
        });
    }

    #[test]
    #[should_panic(expected = "a rank panicked")]
    fn bounds_outside_of_a_slot_are_not_announced() {
        threads::run(2, 2, |comm| {
            let shape = Shape { ranks: 2, slots: 2, capacity: 8 };
            let mut mailbox = Mailbox::create(comm, &[0, 1], shape).expect("shared memory");
            mailbox.write(false, |_, bounds| bounds.copy_from_slice(&[0, 4, 9]));
        });
    }

    #[test]
    #[should_panic(expected = "a rank panicked")]
    fn only_what_was_taken_is_acknowledged() {
        threads::run(1, 1, |comm| {
            let shape = Shape { ranks: 1, slots: 2, capacity: 8 };
            let mut mailbox = Mailbox::create(comm, &[0], shape).expect("shared memory");
            mailbox.acknowledge(0, 1);
        });
    }

    #[test]
    fn sizes_above_an_address_space_are_refused() {
        let refused = threads::run(1, 1, |comm| {
            let create = |shape| Mailbox::create(comm, &[0], shape).is_err();
            [usize::MAX, usize::MAX / 8, usize::MAX / 16].map(|capacity| {
                let shape = Shape { ranks: 1, slots: 2, capacity };
                create(shape)
            })
        });
        assert_eq!(refused, [[true; 3]]);
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
