//! What one rank has to send and to receive.

use crate::comm::datatype::Block;
use smallvec::SmallVec;

/// Blocks of one buffer; those of small communicators need no memory of their own.
pub type Blocks<'a> = SmallVec<[Block<'a>; 4]>;

/// The blocks of one rank, one per rank of the communicator.
#[derive(Debug)]
pub struct Task<'a> {
    /// What goes to each rank; empty where the exchange is in place.
    send: Blocks<'a>,
    /// What comes from each rank, and in place what goes there, too.
    receive: Blocks<'a>,
    in_place: bool,
}

impl<'a> Task<'a> {
    /// An exchange in place: block i is replaced by what rank i has for this rank.
    pub fn in_place(blocks: Blocks<'a>) -> Self {
        Self { send: Blocks::new(), receive: blocks, in_place: true }
    }

    /// An exchange between two buffers that do not overlap.
    pub fn between(send: Blocks<'a>, receive: Blocks<'a>) -> Self {
        assert_eq!(send.len(), receive.len());
        Self { send, receive, in_place: false }
    }

    /// Whether it is in place.
    pub fn is_in_place(&self) -> bool {
        self.in_place
    }

    /// What goes to a rank.
    pub fn outgoing(&self, rank: usize) -> &Block<'a> {
        if self.in_place { &self.receive[rank] } else { &self.send[rank] }
    }

    /// Where it arrives from a rank.
    pub fn incoming(&self, rank: usize) -> &Block<'a> {
        &self.receive[rank]
    }

    /// Number of ranks.
    pub fn ranks(&self) -> usize {
        self.receive.len()
    }

    /// Bytes for other ranks than `own`.
    pub fn bytes_sent(&self, own: usize) -> u64 {
        (0..self.ranks()).filter(|&rank| rank != own).map(|rank| self.outgoing(rank).bytes() as u64).sum()
    }
}
