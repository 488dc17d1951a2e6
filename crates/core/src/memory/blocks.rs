//! The blocks of one buffer, one per rank, as described by the arguments of MPI functions.

use super::Region;
use super::datatype::Block;
use std::ffi::c_int;

/// The blocks of one buffer. Contiguous elements, which most programs exchange, are described by the
/// caller's own arrays, so that a small exchange needs no memory for its description.
///
/// Safe code cannot describe memory, only lists of blocks:
///
/// ```compile_fail,E0133
/// use hcube_core::memory::blocks::Blocks;
/// let blocks = Blocks::even(std::ptr::null_mut(), 8, 2).unwrap();
/// ```
///
/// nor change a description:
///
/// ```compile_fail,E0560
/// use hcube_core::memory::blocks::Blocks;
/// let blocks = Blocks { first: std::ptr::null_mut(), bytes: 8, ranks: 2 };
/// ```
#[derive(Debug, Clone)]
pub struct Blocks<'a>(Form<'a>);

/// How the blocks are described.
#[derive(Debug, Clone)]
enum Form<'a> {
    /// One after the other, all of the same length.
    Even {
        /// Start of the first.
        first: *mut u8,
        /// Bytes of a block.
        bytes: usize,
        /// Number of blocks.
        ranks: usize,
    },
    /// By the arrays of `MPI_Alltoallv`.
    Counted {
        /// Where displacement 0 is.
        origin: *mut u8,
        /// Elements of each block, 0 or more.
        counts: &'a [c_int],
        /// Where each starts, in elements.
        displacements: &'a [c_int],
        /// Bytes of an element, which is also its extent; fits an `i32`.
        size: usize,
    },
    /// Any others.
    Listed(Vec<Block<'a>>),
}

impl<'a> Blocks<'a> {
    /// Blocks of equal length, one after the other from `first` on; `None` if no address is that large.
    ///
    /// # Safety
    /// During `'a` the `bytes * ranks` bytes are memory as [`Region::new`] requires.
    #[inline(always)]
    pub unsafe fn even(first: *mut u8, bytes: usize, ranks: usize) -> Option<Self> {
        let all = bytes.checked_mul(ranks)?;
        isize::try_from(all).is_ok().then_some(Self(Form::Even { first, bytes, ranks }))
    }

    /// Blocks by the arrays of `MPI_Alltoallv`, of elements of `size` bytes, which is also their extent;
    /// `None` where the arrays have different lengths, a count is negative or elements are too large for
    /// their places to be computed without a check per block.
    ///
    /// # Safety
    /// During `'a` each block, `counts[i] * size` bytes at `displacements[i] * size` from `origin`, is memory
    /// as [`Region::new`] requires, and no block lies in the arrays.
    #[inline(always)]
    pub unsafe fn counted(
        origin: *mut u8,
        counts: &'a [c_int],
        displacements: &'a [c_int],
        size: usize,
    ) -> Option<Self> {
        // A product of two numbers of 32 bits is the same in 64.
        let computable = size_of::<isize>() >= 8 && i32::try_from(size).is_ok();
        let valid = counts.len() == displacements.len() && counts.iter().all(|&count| count >= 0);
        (computable && valid).then_some(Self(Form::Counted { origin, counts, displacements, size }))
    }

    /// Blocks of different lengths or datatypes, one per rank.
    pub fn listed(blocks: Vec<Block<'a>>) -> Self {
        Self(Form::Listed(blocks))
    }

    /// Number of blocks, one per rank.
    #[inline]
    pub fn ranks(&self) -> usize {
        match &self.0 {
            Form::Even { ranks, .. } => *ranks,
            Form::Counted { counts, .. } => counts.len(),
            Form::Listed(blocks) => blocks.len(),
        }
    }

    /// Bytes of each, if all are contiguous and have the same length.
    #[inline]
    pub fn even_bytes(&self) -> Option<usize> {
        match &self.0 {
            Form::Even { bytes, .. } => Some(*bytes),
            _ => None,
        }
    }

    /// The block for a rank.
    ///
    /// # Panics
    /// If the rank does not exist.
    #[inline(always)]
    pub fn block(&self, rank: usize) -> Block<'a> {
        let (address, bytes) = match self.0 {
            Form::Even { first, bytes, ranks } => {
                assert!(rank < ranks, "rank {rank} of {ranks}");
                (first.wrapping_add(bytes * rank), bytes)
            }
            Form::Counted { origin, counts, displacements, size } => {
                // Neither product overflows: see `counted`.
                let distance = displacements[rank] as isize * size as isize;
                (origin.wrapping_offset(distance), counts[rank] as usize * size)
            }
            Form::Listed(ref blocks) => return one_of(blocks, rank),
        };
        // SAFETY: one of the blocks that `even` or `counted` was told of: the rank is below their number.
        Block::contiguous(unsafe { Region::new(address, bytes) })
    }
}

/// Apart, so that the others stay short enough to be in line with their callers.
#[cold]
fn one_of<'a>(blocks: &[Block<'a>], rank: usize) -> Block<'a> {
    blocks[rank].clone()
}

#[cfg(test)]
mod tests {
    use super::*;
    use hcube_testing::sizes::{distances, sizes, sizes_within};
    use proptest::prelude::*;
    use std::ptr::without_provenance_mut;

    fn counted<'a>(
        memory: &'a mut [u8],
        counts: &'a [c_int],
        at: &'a [c_int],
        size: usize,
    ) -> Option<Blocks<'a>> {
        // SAFETY: the tests access the memory only where blocks are inside it.
        unsafe { Blocks::counted(memory.as_mut_ptr(), counts, at, size) }
    }

    fn bytes(blocks: &Blocks<'_>, rank: usize) -> Vec<u8> {
        let block = blocks.block(rank);
        let mut bytes = vec![0; block.bytes()];
        block.pack(0, &mut bytes);
        bytes
    }

    #[test]
    fn blocks_lie_where_the_arguments_say() {
        let mut memory: Vec<u8> = (0..12).collect();
        let blocks = counted(&mut memory, &[1, 0, 2], &[5, 3, 0], 2).expect("valid");
        let all = [0, 1, 2].map(|rank| bytes(&blocks, rank));
        assert_eq!((blocks.ranks(), blocks.even_bytes()), (3, None));
        assert_eq!(all, [vec![10, 11], vec![], vec![0, 1, 2, 3]]);
        // SAFETY: inside the memory, which lives as long as the blocks.
        let blocks = unsafe { Blocks::even(memory.as_mut_ptr(), 4, 3) }.expect("small");
        assert_eq!(
            (blocks.ranks(), blocks.even_bytes(), bytes(&blocks, 2)),
            (3, Some(4), vec![8, 9, 10, 11])
        );
    }

    #[test]
    fn what_cannot_be_computed_is_refused() {
        let memory = &mut [0u8; 4];
        assert!(counted(memory, &[1, -1], &[0, 0], 1).is_none(), "a negative count");
        assert!(counted(memory, &[1, 1], &[0], 1).is_none(), "a displacement short");
        assert!(counted(memory, &[1], &[0], 1 << 31).is_none(), "an element of 2 GiB");
        let extreme = counted(memory, &[c_int::MAX], &[c_int::MIN], i32::MAX as usize).expect("computable");
        assert_eq!(extreme.block(0).bytes(), (c_int::MAX as usize).pow(2));
        // SAFETY: never accessed.
        let even = |bytes, ranks| unsafe { Blocks::even(std::ptr::null_mut(), bytes, ranks) };
        assert!(even(1 << 62, 2).is_none() && even(usize::MAX, 2).is_none() && even(1 << 61, 2).is_some());
    }

    #[test]
    #[should_panic(expected = "rank 2 of 2")]
    fn a_rank_that_does_not_exist_has_no_block() {
        let mut memory = [0u8; 8];
        // SAFETY: the memory has two blocks of four bytes.
        let blocks = unsafe { Blocks::even(memory.as_mut_ptr(), 4, 2) }.expect("small");
        blocks.block(2);
    }

    proptest! {
        #[test]
        fn even_blocks_of_any_size_lie_where_128_bits_say(
            [first, bytes, ranks, rank] in [sizes(), sizes(), sizes(), sizes()],
        ) {
            // SAFETY: never accessed.
            let blocks = unsafe { Blocks::even(without_provenance_mut(first), bytes, ranks) };
            let all = bytes as u128 * ranks as u128;
            prop_assert_eq!(blocks.is_some(), all <= isize::MAX as u128);
            if let Some(blocks) = blocks.filter(|_| ranks > 0) {
                let block = blocks.block(rank % ranks);
                let begin = first as u128 + bytes as u128 * (rank % ranks) as u128;
                prop_assert_eq!((block.address().addr(), block.bytes()), (begin as usize, bytes));
            }
        }

        #[test]
        fn counted_blocks_of_any_size_lie_where_128_bits_say(
            origin in sizes(), count in distances(), displacement in distances(), size in sizes(),
        ) {
            let int = |number: isize| number.clamp(c_int::MIN as isize, c_int::MAX as isize) as c_int;
            let (counts, displacements) = ([int(count)], [int(displacement)]);
            // SAFETY: never accessed.
            let blocks = unsafe {
                Blocks::counted(without_provenance_mut(origin), &counts, &displacements, size)
            };
            prop_assert_eq!(blocks.is_some(), count >= 0 && size <= c_int::MAX as usize);
            if let Some(blocks) = blocks {
                let begin = origin as i128 + i128::from(displacements[0]) * size as i128;
                let bytes = counts[0] as u128 * size as u128;
                let block = blocks.block(0);
                prop_assert_eq!((block.address().addr(), block.bytes() as u128), (begin as usize, bytes));
            }
        }

        #[test]
        fn a_block_of_many_elements_has_its_bytes(size in sizes_within(0, 1 << 40), count in sizes_within(0, 1 << 22)) {
            let datatype = super::super::datatype::Datatype::new(
                size, size as isize, true, super::super::datatype::layout::Placed::run(size),
            );
            // SAFETY: never accessed.
            let block = unsafe { Block::new(std::ptr::null_mut(), count, &datatype) };
            prop_assert_eq!(block.bytes() as u128, size as u128 * count as u128);
        }
    }
}
