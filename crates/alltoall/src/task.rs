//! What one rank has to send and to receive.

use hcube_core::memory::blocks::Blocks;
use hcube_core::memory::datatype::Block;

/// The blocks of one rank, one per rank of the communicator.
#[derive(Debug)]
pub struct Task<'a> {
    /// What goes to each rank; nothing where the exchange is in place.
    send: Option<Blocks<'a>>,
    /// What comes from each rank, and in place what goes there, too.
    receive: Blocks<'a>,
}

impl<'a> Task<'a> {
    /// An exchange in place: block i is replaced by what rank i has for this rank.
    pub fn in_place(blocks: Blocks<'a>) -> Self {
        Self { send: None, receive: blocks }
    }

    /// An exchange between two buffers that do not overlap.
    pub fn between(send: Blocks<'a>, receive: Blocks<'a>) -> Self {
        assert_eq!(send.ranks(), receive.ranks());
        Self { send: Some(send), receive }
    }

    /// Whether it is in place.
    pub fn is_in_place(&self) -> bool {
        self.send.is_none()
    }

    /// What goes to a rank.
    pub fn outgoing(&self, rank: usize) -> Block<'a> {
        self.send.as_ref().unwrap_or(&self.receive).block(rank)
    }

    /// Where it arrives from a rank.
    pub fn incoming(&self, rank: usize) -> Block<'a> {
        self.receive.block(rank)
    }

    /// Where all blocks are contiguous and have the same length: the bytes of one that goes out, and of
    /// one that comes in.
    pub fn even(&self) -> Option<[usize; 2]> {
        let into = self.receive.even_bytes()?;
        Some([self.send.as_ref().map_or(Some(into), Blocks::even_bytes)?, into])
    }

    /// Number of ranks.
    pub fn ranks(&self) -> usize {
        self.receive.ranks()
    }

    /// Bytes for other ranks than `own`.
    pub fn bytes_sent(&self, own: usize) -> u64 {
        (0..self.ranks()).filter(|&rank| rank != own).map(|rank| self.outgoing(rank).bytes() as u64).sum()
    }
}
