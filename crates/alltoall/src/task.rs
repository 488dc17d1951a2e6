//! The blocks that one rank sends and receives.

use hcube_core::memory::Region;
use hcube_core::memory::blocks::Blocks;
use hcube_core::memory::datatype::Block;
use std::ops::RangeInclusive;

/// The blocks of one rank, one per rank of the communicator.
#[derive(Debug)]
pub struct Task<'a> {
    /// The blocks to each rank; `None` where the exchange is in place.
    send: Option<Blocks<'a>>,
    /// The blocks from each rank, in place also those to each rank.
    receive: Blocks<'a>,
}

impl<'a> Task<'a> {
    /// An exchange in place: block i is replaced by the block of rank i for this rank.
    pub fn in_place(blocks: Blocks<'a>) -> Self {
        Self { send: None, receive: blocks }
    }

    /// An exchange between two buffers that do not overlap.
    pub fn between(send: Blocks<'a>, receive: Blocks<'a>) -> Self {
        assert_eq!(send.ranks(), receive.ranks());
        Self { send: Some(send), receive }
    }

    /// Whether it is in place.
    #[inline]
    pub fn is_in_place(&self) -> bool {
        self.send.is_none()
    }

    /// The block for a rank.
    #[inline(always)]
    pub fn outgoing(&self, rank: usize) -> Block<'a> {
        self.send.as_ref().unwrap_or(&self.receive).block(rank)
    }

    /// The block that receives from a rank.
    #[inline(always)]
    pub fn incoming(&self, rank: usize) -> Block<'a> {
        self.receive.block(rank)
    }

    /// The sizes of an outgoing and of an incoming block, if all blocks are contiguous and have the same
    /// length.
    #[inline(always)]
    pub fn even(&self) -> Option<[usize; 2]> {
        let into = self.receive.even_bytes()?;
        Some([self.send.as_ref().map_or(Some(into), Blocks::even_bytes)?, into])
    }

    /// Number of ranks.
    pub fn ranks(&self) -> usize {
        self.receive.ranks()
    }

    /// Its blocks of these lengths.
    pub(super) fn of_lengths(&self, lengths: RangeInclusive<usize>) -> Selected<'_, 'a> {
        Selected { task: self, lengths: (*lengths.start(), *lengths.end()) }
    }

    /// Bytes for ranks other than `own`.
    #[inline]
    pub fn bytes_sent(&self, own: usize) -> u64 {
        if let Some([out, _]) = self.even() {
            return out as u64 * (self.ranks() as u64 - 1);
        }
        (0..self.ranks()).filter(|&rank| rank != own).map(|rank| self.outgoing(rank).bytes() as u64).sum()
    }
}

/// The blocks of a task whose lengths are in a range; the others are empty here.
#[derive(Debug, Clone, Copy)]
pub struct Selected<'t, 'a> {
    task: &'t Task<'a>,
    /// The shortest and the longest.
    lengths: (usize, usize),
}

impl<'a> Selected<'_, 'a> {
    fn select(&self, block: Block<'a>) -> Block<'a> {
        let (least, most) = self.lengths;
        if (least..=most).contains(&block.bytes()) { block } else { Block::contiguous(Region::of(&mut [])) }
    }

    /// The block for a rank.
    pub fn outgoing(&self, rank: usize) -> Block<'a> {
        self.select(self.task.outgoing(rank))
    }

    /// The block that receives from a rank.
    pub fn incoming(&self, rank: usize) -> Block<'a> {
        self.select(self.task.incoming(rank))
    }

    /// As [`Task::ranks`].
    pub fn ranks(&self) -> usize {
        self.task.ranks()
    }

    /// As [`Task::is_in_place`].
    pub fn is_in_place(&self) -> bool {
        self.task.is_in_place()
    }
}
