//! What one rank has to send and to receive.

use crate::comm::datatype::Block;

/// The blocks of one rank, one per rank of the communicator.
#[derive(Debug)]
pub struct Task<'a> {
    /// What goes to each rank; empty where the exchange is in place.
    send: Vec<Block<'a>>,
    /// What comes from each rank, and in place what goes there, too.
    receive: Vec<Block<'a>>,
    in_place: bool,
}

impl<'a> Task<'a> {
    /// An exchange in place: block i is replaced by what rank i has for this rank.
    pub fn in_place(blocks: Vec<Block<'a>>) -> Self {
        Self { send: Vec::new(), receive: blocks, in_place: true }
    }

    /// An exchange between two buffers that do not overlap.
    pub fn between(send: Vec<Block<'a>>, receive: Vec<Block<'a>>) -> Self {
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

    /// Whether the bytes of every block lie in one piece.
    pub fn is_contiguous(&self) -> bool {
        self.send.iter().chain(&self.receive).all(|block| block.region().is_some())
    }

    /// Bytes for other ranks than `own`, and the most for one of them.
    pub fn volume(&self, own: usize) -> (usize, usize) {
        (0..self.ranks()).filter(|&rank| rank != own).fold((0, 0), |(sum, most), rank| {
            let bytes = self.outgoing(rank).bytes();
            (sum + bytes, most.max(bytes))
        })
    }
}
