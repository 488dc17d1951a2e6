//! The location of the blocks of a transposition, and the order of their bytes.
//!
//! Both ranks of a pair must use the same order of a block's elements. From a lower to a higher rank the
//! first axis of a block is the sender's row index, from a higher to a lower rank its column
//! index: so in place a rank reads and writes its block in the same order. The order inside tiles alternates
//! if one side is row-major and the other column-major; if both have the same order, it is this order.

use super::shape::{Layout, Shape};
use hcube_core::memory::Region;
use hcube_core::memory::blocks;
use hcube_core::memory::datatype::Block;
use hcube_core::memory::grid::{Axis, Grid, Order};
use std::ops::Range;

/// All blocks of one rank, of whole elements or of the same part of each element.
#[derive(Debug, Clone)]
pub struct Blocks<'s> {
    shape: &'s Shape,
    own: usize,
    ranks: usize,
    /// The part of each element, in bytes.
    slice: Range<usize>,
}

/// A dimension of the matrix.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Dimension {
    Row,
    Column,
}

/// Where a block lies, and the ranks between which it goes.
struct Place {
    start: usize,
    from: usize,
    to: usize,
    /// From row to row of the matrix.
    row: Axis,
    /// From column to column.
    column: Axis,
}

impl<'s> Blocks<'s> {
    /// The blocks of a rank.
    pub fn new(shape: &'s Shape, own: usize, ranks: usize) -> Self {
        Self { shape, own, ranks, slice: 0..shape.element_bytes }
    }

    /// A list for an exchange.
    pub fn listed(blocks: Vec<Block<'_>>) -> blocks::Blocks<'_> {
        blocks::Blocks::listed(blocks)
    }

    /// The same blocks, of a part of each element.
    pub fn slice(&self, slice: Range<usize>) -> Self {
        Self { slice, ..*self }
    }

    /// The blocks to each rank, in this rank's part before.
    pub fn outgoing<'a>(&self, part: Region<'a>) -> Vec<Block<'a>> {
        let Shape { columns, element_bytes, column_block, before, .. } = *self.shape;
        let rows = self.shape.rows_of(self.own);
        let (row_stride, column_stride) = match before {
            Layout::RowMajor => (columns * element_bytes, element_bytes),
            Layout::ColumnMajor => (element_bytes, rows * element_bytes),
        };
        self.all(part, |other| Place {
            start: column_block.saturating_mul(other).saturating_mul(column_stride),
            from: self.own,
            to: other,
            row: Axis { count: rows, stride: row_stride },
            column: Axis { count: self.shape.columns_of(other), stride: column_stride },
        })
    }

    /// The blocks from each rank, in this rank's part afterwards.
    pub fn incoming<'a>(&self, part: Region<'a>) -> Vec<Block<'a>> {
        let Shape { rows, element_bytes, row_block, after, .. } = *self.shape;
        let columns = self.shape.columns_of(self.own);
        let (row_stride, column_stride) = match after {
            Layout::RowMajor => (element_bytes, rows * element_bytes),
            Layout::ColumnMajor => (columns * element_bytes, element_bytes),
        };
        self.all(part, |other| Place {
            start: row_block.saturating_mul(other).saturating_mul(row_stride),
            from: other,
            to: self.own,
            row: Axis { count: self.shape.rows_of(other), stride: row_stride },
            column: Axis { count: columns, stride: column_stride },
        })
    }

    /// A block for every rank.
    fn all<'a>(&self, part: Region<'a>, place: impl Fn(usize) -> Place) -> Vec<Block<'a>> {
        let block = |other| {
            let Place { start, from, to, row, column } = place(other);
            if row.count == 0 || column.count == 0 {
                return Block::contiguous(part.part(0..0));
            }
            let (axes, first) =
                if from <= to { ([row, column], Dimension::Row) } else { ([column, row], Dimension::Column) };
            let grid = Grid { element_bytes: self.slice.len(), axes, order: self.order(first) };
            let start = start + self.slice.start;
            let end = grid.end().expect("a part of the matrix");
            Block::grid(part.part(start..start + end), grid)
        };
        (0..self.ranks).map(block).collect()
    }

    /// The order inside tiles, the first axis going from row to row or from column to column.
    fn order(&self, first: Dimension) -> Order {
        let fast = match (self.shape.before, self.shape.after) {
            (Layout::ColumnMajor, Layout::RowMajor) => Dimension::Row,
            (Layout::RowMajor, Layout::ColumnMajor) => Dimension::Column,
            _ => return Order::Alternating,
        };
        if fast == first { Order::First } else { Order::Second }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Where both sides are stored alike nothing is transposed: the bytes go in the order of memory on the
    /// side where the block is contiguous, from the lower to the higher rank and back.
    #[test]
    fn blocks_that_are_not_transposed_go_in_the_order_of_memory() {
        for (before, after) in
            [(Layout::ColumnMajor, Layout::RowMajor), (Layout::RowMajor, Layout::ColumnMajor)]
        {
            let shape = Shape {
                rows: 6,
                columns: 10,
                element_bytes: 8,
                row_block: 3,
                column_block: 5,
                before,
                after,
            };
            let mut memory: Vec<u8> = (0..240).collect();
            for (own, other) in [(0, 1), (1, 0)] {
                // SAFETY: the memory is borrowed for the life of the region.
                let part = unsafe { Region::new(memory.as_mut_ptr(), memory.len()) };
                let blocks = Blocks::new(&shape, own, 2);
                let (list, start) = match before {
                    Layout::ColumnMajor => (blocks.outgoing(part), 120 * other),
                    Layout::RowMajor => (blocks.incoming(part), 120 * other),
                };
                let mut packed = [0; 120];
                list[other].pack(0, &mut packed);
                let bytes: Vec<u8> = (start..start + 120).map(|byte| byte as u8).collect();
                assert_eq!(packed[..], bytes[..], "{own} and {other}, {before:?}");
            }
        }
    }
}
