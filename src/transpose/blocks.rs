//! Where the blocks of a transposition lie, and in which order their bytes go.
//!
//! Both ranks of a pair must name the same order of a block's elements. Of what goes from a lower to a
//! higher rank the first axis is along the rows of the sender, and the other way round along its
//! columns: so in place a rank goes through its block in the same order for what leaves and for what
//! arrives. The order inside tiles alternates where one side is stored along rows and the other along
//! columns; where both are stored alike, it is theirs.

use super::{Layout, Shape};
use crate::comm::blocks;
use crate::comm::datatype::Block;
use crate::comm::grid::{Axis, Grid, Order};
use crate::comm::memory::Region;

/// All blocks of one rank.
#[derive(Debug, Clone, Copy)]
pub struct Blocks<'s> {
    shape: &'s Shape,
    own: usize,
    ranks: usize,
}

/// An axis of the matrix.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Along {
    Rows,
    Columns,
}

impl<'s> Blocks<'s> {
    /// Those of a rank.
    pub fn new(shape: &'s Shape, own: usize, ranks: usize) -> Self {
        Self { shape, own, ranks }
    }

    /// What goes to each rank, from this rank's part before.
    pub fn outgoing<'a>(&self, part: Region<'a>) -> blocks::Blocks<'a> {
        let Shape { columns, element, column_block, before, .. } = *self.shape;
        let rows = self.shape.rows_of(self.own);
        let (across, along) = match before {
            Layout::Rows => (columns * element, element),
            Layout::Columns => (element, rows * element),
        };
        self.all(part, |other| {
            let width = self.shape.columns_of(other);
            let row = Axis { count: rows, stride: across as isize };
            let column = Axis { count: width, stride: along as isize };
            (column_block.saturating_mul(other).saturating_mul(along), self.own, other, row, column)
        })
    }

    /// What comes from each rank, into this rank's part afterwards.
    pub fn incoming<'a>(&self, part: Region<'a>) -> blocks::Blocks<'a> {
        let Shape { rows, element, row_block, after, .. } = *self.shape;
        let width = self.shape.columns_of(self.own);
        let (across, along) = match after {
            Layout::Rows => (element, rows * element),
            Layout::Columns => (width * element, element),
        };
        self.all(part, |other| {
            let row = Axis { count: self.shape.rows_of(other), stride: across as isize };
            let column = Axis { count: width, stride: along as isize };
            (row_block.saturating_mul(other).saturating_mul(across), other, self.own, row, column)
        })
    }

    /// A block for every rank: where it starts, its sender, its receiver, its axes along the sender's
    /// rows and columns.
    fn all<'a>(
        &self,
        part: Region<'a>,
        block: impl Fn(usize) -> (usize, usize, usize, Axis, Axis),
    ) -> blocks::Blocks<'a> {
        let list = (0..self.ranks).map(|other| {
            let (start, from, to, row, column) = block(other);
            if row.count == 0 || column.count == 0 {
                return Block::contiguous(part.part(0..0));
            }
            let (axes, first) =
                if from <= to { ([row, column], Along::Rows) } else { ([column, row], Along::Columns) };
            let grid = Grid { element: self.shape.element, axes, order: self.order(first) };
            let end = grid.end().expect("a part of the matrix");
            Block::grid(part.part(start..start + end), grid)
        });
        blocks::Blocks::Listed(list.collect())
    }

    /// The order inside tiles, the first axis being along rows or columns of the sender.
    fn order(&self, first: Along) -> Order {
        let fast = match (self.shape.before, self.shape.after) {
            (Layout::Columns, Layout::Rows) => Along::Rows,
            (Layout::Rows, Layout::Columns) => Along::Columns,
            _ => return Order::Alternating,
        };
        if fast == first { Order::First } else { Order::Second }
    }
}
