//! The grid of blocks: which columns and rows a block has, which rank computes it, and in which superstep.
//!
//! Idea: the matrix is cut into GX block columns and GY block rows. Block (x, y) needs the columns of block
//! (x, y - 1) and the carries of block (x - 1, y), so that all blocks with the same x + y can be computed at
//! the same time: superstep x + y, of GX + GY - 1. Block columns go to the ranks in turns, so that the
//! columns of a block stay on their rank and only carries travel, to the next rank.
//!
//! Source: Krusche 2005, §5.1, where GX = GY and is a multiple of the number of ranks.

use crate::columns::{WORD, words};
use std::ops::Range;

/// A grid on some ranks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Grid {
    /// Number of ranks, 1 or more.
    pub ranks: usize,
    /// Block columns of each rank (alpha), 1 or more.
    pub alpha: usize,
    /// Block rows (GY), 1 or more.
    pub block_rows: usize,
}

/// A block of the grid.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Block {
    /// Its block column.
    pub x: usize,
    /// Its block row.
    pub y: usize,
}

impl Grid {
    /// Block columns (GX).
    pub fn block_columns(&self) -> usize {
        self.ranks * self.alpha
    }

    /// Supersteps.
    pub fn supersteps(&self) -> usize {
        self.block_columns() + self.block_rows - 1
    }

    /// The rank that computes a block column.
    pub fn owner(&self, x: usize) -> usize {
        x % self.ranks
    }

    /// The block columns of a rank, in ascending order.
    pub fn columns_of(&self, rank: usize) -> impl Iterator<Item = usize> {
        (rank..self.block_columns()).step_by(self.ranks)
    }

    /// The blocks that a rank computes in a superstep, in ascending order of their columns.
    pub fn blocks(&self, rank: usize, superstep: usize) -> impl Iterator<Item = Block> {
        let block = move |x: usize| Some(Block { x, y: superstep.checked_sub(x)? });
        let rows = self.block_rows;
        self.columns_of(rank).filter_map(block).filter(move |block| block.y < rows)
    }

    /// The largest number of blocks that a rank computes in a superstep.
    pub fn max_blocks(&self, superstep: usize) -> usize {
        let first = (superstep + 1).saturating_sub(self.block_rows);
        let end = (superstep + 1).min(self.block_columns());
        (end - first).div_ceil(self.ranks)
    }

    /// The columns of a block column, of `columns`: whole words except at the end of the string.
    pub fn columns(&self, x: usize, columns: usize) -> Range<usize> {
        let bound = |x| (part(words(columns), x, self.block_columns()) * WORD).min(columns);
        bound(x)..bound(x + 1)
    }

    /// The rows of a block row, of `rows`.
    pub fn rows(&self, y: usize, rows: usize) -> Range<usize> {
        part(rows, y, self.block_rows)..part(rows, y + 1, self.block_rows)
    }
}

/// Where part `number` of `parts` begins.
fn part(whole: usize, number: usize, parts: usize) -> usize {
    (whole as u128 * number as u128 / parts as u128) as usize
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::distributed::MAX_LENGTH;
    use crate::options::MAX_BLOCKS;
    use hcube_testing::sizes::{sizes, sizes_within};
    use proptest::prelude::*;

    fn grids() -> impl Iterator<Item = Grid> {
        let sizes = (1..=16).chain([31, 64, 130]);
        sizes.flat_map(|ranks| {
            [(1, 1), (1, ranks), (2, 3), (3, 3 * ranks), (5, 7)].map(|(alpha, block_rows)| Grid {
                ranks,
                alpha,
                block_rows,
            })
        })
    }

    #[test]
    fn every_block_is_computed_once_and_after_those_that_it_needs() {
        for grid in grids() {
            let mut supersteps = vec![vec![None; grid.block_rows]; grid.block_columns()];
            for superstep in 0..grid.supersteps() {
                let mut most = 0;
                for rank in 0..grid.ranks {
                    let blocks: Vec<Block> = grid.blocks(rank, superstep).collect();
                    most = most.max(blocks.len());
                    for Block { x, y } in blocks {
                        assert_eq!(grid.owner(x), rank);
                        assert_eq!(supersteps[x][y].replace(superstep), None);
                    }
                }
                assert_eq!(grid.max_blocks(superstep), most, "{grid:?}, superstep {superstep}");
            }
            for x in 0..grid.block_columns() {
                for y in 0..grid.block_rows {
                    let superstep = supersteps[x][y].expect("computed");
                    assert!(x == 0 || supersteps[x - 1][y] < Some(superstep));
                    assert!(y == 0 || supersteps[x][y - 1] < Some(superstep));
                }
            }
        }
    }

    #[test]
    fn parts_follow_each_other_and_cover_the_strings() {
        for grid in grids() {
            for length in [0, 1, 63, 64, 65, 1000, 8192, 1 << 40] {
                let (mut columns, mut rows) = (0, 0);
                for x in 0..grid.block_columns() {
                    let range = grid.columns(x, length);
                    assert!(range.start == columns && range.end >= columns);
                    assert!(range.end == length || range.end % WORD == 0);
                    columns = range.end;
                }
                for y in 0..grid.block_rows {
                    let range = grid.rows(y, length);
                    assert!(range.start == rows && range.len() <= length.div_ceil(grid.block_rows));
                    rows = range.end;
                }
                assert_eq!((columns, rows), (length, length));
            }
        }
    }

    proptest! {
        #[test]
        fn blocks_of_any_size_begin_where_128_bits_say(
            ranks in sizes_within(1, i32::MAX as usize), alpha in sizes_within(1, MAX_BLOCKS), number in sizes(),
            block_rows in sizes_within(1, MAX_BLOCKS), length in sizes_within(0, MAX_LENGTH as usize),
        ) {
            let grid = Grid { ranks, alpha, block_rows };
            let bound = |whole: usize, number: usize, parts: usize| {
                (whole as u128 * number as u128 / parts as u128) as usize
            };
            let (x, y) = (number % grid.block_columns(), number % block_rows);
            let column = |x: usize| (bound(length.div_ceil(WORD), x, grid.block_columns()) * WORD).min(length);
            prop_assert_eq!(grid.columns(x, length), column(x)..column(x + 1));
            prop_assert_eq!(grid.rows(y, length), bound(length, y, block_rows)..bound(length, y + 1, block_rows));
            prop_assert_eq!(grid.block_columns() as u128, ranks as u128 * alpha as u128);
        }
    }
}
