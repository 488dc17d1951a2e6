//! The blocks of one buffer, one per rank, as the arguments of MPI's functions describe them.

use super::Region;
use super::datatype::Block;
use std::ffi::c_int;

/// The blocks of one buffer. Elements without gaps, which most programs exchange, are described by
/// the caller's own arrays, so that a small exchange needs no memory for its description.
#[derive(Debug, Clone)]
pub enum Blocks<'a> {
    /// One after the other, all of the same length.
    Even {
        /// Start of the first.
        first: *mut u8,
        /// Bytes of each.
        bytes: usize,
        /// How many.
        ranks: usize,
    },
    /// By the arrays of `MPI_Alltoallv`.
    Counted {
        /// Where displacement 0 is.
        origin: *mut u8,
        /// Elements of each, 0 or more.
        counts: &'a [c_int],
        /// Where each starts, in elements.
        displacements: &'a [c_int],
        /// Bytes of an element, which is also its extent.
        size: usize,
    },
    /// Any others.
    Listed(Vec<Block<'a>>),
}

impl<'a> Blocks<'a> {
    /// How many.
    pub fn ranks(&self) -> usize {
        match self {
            Self::Even { ranks, .. } => *ranks,
            Self::Counted { counts, .. } => counts.len(),
            Self::Listed(blocks) => blocks.len(),
        }
    }

    /// Bytes of each, where all are contiguous and have the same length.
    pub fn even(&self) -> Option<usize> {
        match self {
            Self::Even { bytes, .. } => Some(*bytes),
            _ => None,
        }
    }

    /// The block for a rank.
    pub fn block(&self, rank: usize) -> Block<'a> {
        let (address, bytes) = match *self {
            Self::Even { first, bytes, .. } => (first.wrapping_add(bytes * rank), bytes),
            Self::Counted { origin, counts, displacements, size } => {
                let distance = displacements[rank] as isize * size as isize;
                (origin.wrapping_offset(distance), counts[rank] as usize * size)
            }
            Self::Listed(ref blocks) => return blocks[rank].clone(),
        };
        // SAFETY: whoever has made this value from the caller's arguments has promised that all its
        // blocks are such memory.
        Block::contiguous(unsafe { Region::new(address, bytes) })
    }
}
