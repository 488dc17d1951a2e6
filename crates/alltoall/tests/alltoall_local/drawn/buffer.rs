//! A buffer with a block for each rank, and its expected contents.

use hcube_core::memory::Region;
use hcube_core::memory::blocks::Blocks;
use hcube_core::memory::datatype::Block;
use std::ffi::c_int;
use std::ops::Range;

/// Between blocks and between their parts; whoever writes there is seen.
const GAP: u8 = 0xa5;
/// Parts of a block of a datatype with gaps.
const PARTS: usize = 4;

/// How the blocks of a buffer are described.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// One after the other, of one size.
    Even,
    /// By counts and displacements.
    Counted,
    /// One by one.
    Listed,
    /// As [`Self::Listed`], of a datatype with gaps, whose parts are in descending order.
    Packed,
}

impl Form {
    pub const ALL: [Self; 4] = [Self::Even, Self::Counted, Self::Packed, Self::Listed];
}

/// The byte at a position of the block of one rank for another.
pub fn content(exchange: usize, from: usize, to: usize, at: usize) -> u8 {
    let pair = (exchange * 16 + from) * 16 + to;
    let mixed = (pair as u64 * 0x1_0000 + at as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (mixed >> 40) as u8
}

/// A buffer in memory of its own.
pub struct Buffer {
    form: Form,
    pub memory: Vec<u8>,
    /// The parts of each block, in the order of its bytes.
    parts: Vec<Vec<Range<usize>>>,
    /// As `MPI_Alltoallv` takes them.
    counts: Vec<c_int>,
    displacements: Vec<c_int>,
}

impl Buffer {
    /// Blocks of these sizes, with nothing in them.
    pub fn new(form: Form, sizes: &[usize]) -> Self {
        let is_even = sizes.iter().all(|&size| size == sizes[0]);
        let form = if form == Form::Even && !is_even { Form::Counted } else { form };
        let (mut end, mut parts) = (9, vec![Vec::new(); sizes.len()]);
        let gap = if form == Form::Even { 0 } else { 3 };
        for rank in 0..sizes.len() {
            // Where the order is free, it is not that of the ranks.
            let rank =
                if form == Form::Even { rank } else { (rank * 2 + 1) % (sizes.len() | 1) % sizes.len() };
            let rank = if parts[rank].is_empty() { rank } else { free(&parts) };
            let size = sizes[rank];
            let count = if form == Form::Packed { size.clamp(1, PARTS) } else { 1 };
            let mut placed = |number: usize| {
                let length = (number + 1) * size / count - number * size / count;
                end += gap + length;
                end - length..end
            };
            parts[rank] = (0..count).rev().map(&mut placed).collect();
            parts[rank].reverse();
        }
        let first = |parts: &Vec<Range<usize>>| parts[0].start as c_int;
        let (displacements, counts) =
            (parts.iter().map(first).collect(), sizes.iter().map(|&size| size as c_int));
        Self { form, memory: vec![GAP; end + 9], counts: counts.collect(), displacements, parts }
    }

    /// Writes the block of each rank.
    pub fn fill(&mut self, byte: impl Fn(usize, usize) -> u8) {
        for (rank, parts) in self.parts.iter().enumerate() {
            for (at, place) in parts.iter().flat_map(Clone::clone).enumerate() {
                self.memory[place] = byte(rank, at);
            }
        }
    }

    pub fn blocks(&mut self) -> Blocks<'_> {
        let start = self.memory.as_mut_ptr();
        // SAFETY: parts are inside the memory, which is borrowed as long as the blocks are.
        let region = |part: &Range<usize>| unsafe { Region::new(start.wrapping_add(part.start), part.len()) };
        match self.form {
            Form::Even => {
                let first = start.wrapping_add(self.parts[0][0].start);
                // SAFETY: parts follow one another in the memory, which is borrowed as long as the blocks.
                unsafe { Blocks::even(first, self.parts[0][0].len(), self.parts.len()) }.expect("small")
            }
            Form::Counted => {
                // SAFETY: parts are inside the memory, which is borrowed as long as the blocks are.
                unsafe { Blocks::counted(start, &self.counts, &self.displacements, 1) }.expect("valid counts")
            }
            Form::Listed | Form::Packed => {
                let block = |parts: &Vec<Range<usize>>| {
                    Block::joined(parts.iter().map(|part| Block::contiguous(region(part))).collect())
                };
                let blocks = self.parts.iter().map(|parts| block(parts).expect("contiguous parts"));
                Blocks::listed(blocks.collect())
            }
        }
    }
}

/// A rank whose block has no place.
fn free(parts: &[Vec<Range<usize>>]) -> usize {
    parts.iter().position(Vec::is_empty).expect("a rank for each block")
}
