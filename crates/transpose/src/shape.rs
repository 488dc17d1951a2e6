//! The shape of a distributed matrix and its transposition.

use crate::exchange::fingerprint;
use hcube_core::error::{Error, Result};
use hcube_core::memory::Region;

/// How a rank's part of a matrix is stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Layout {
    /// Row by row: before the transposition a row of the matrix, afterwards a row of the transposed one.
    RowMajor,
    /// Column by column.
    ColumnMajor,
}

/// A matrix of `rows` x `columns` elements: rank r has the rows from `row_block * r` on, and afterwards, as
/// rows of the transposed matrix, the columns from `column_block * r` on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shape {
    /// Rows of the matrix.
    pub rows: usize,
    /// Columns of the matrix.
    pub columns: usize,
    /// Bytes of an element.
    pub element_bytes: usize,
    /// Rows of a rank; the last rank with rows may have fewer.
    pub row_block: usize,
    /// Columns of a rank afterwards; the last rank with columns may have fewer.
    pub column_block: usize,
    /// How the parts are stored before.
    pub before: Layout,
    /// How the parts are stored afterwards.
    pub after: Layout,
}

/// The share of a rank in `all` that are divided into blocks.
fn share(all: usize, block: usize, rank: usize) -> usize {
    all.saturating_sub(block.saturating_mul(rank)).min(block)
}

impl Shape {
    /// Checks the shape on `ranks` ranks; returns the sizes of this rank's part before and afterwards.
    ///
    /// # Errors
    /// [`Error::Argument`] with the name of the field.
    pub fn check(&self, rank: usize, ranks: usize) -> Result<[usize; 2]> {
        for (name, value) in [
            ("shape.rows", self.rows),
            ("shape.columns", self.columns),
            ("shape.element_bytes", self.element_bytes),
            ("shape.row_block", self.row_block),
            ("shape.column_block", self.column_block),
        ] {
            if value == 0 {
                return Err(Error::argument(name, value, "1 or more"));
            }
        }
        for (name, block, all) in [
            ("shape.row_block", self.row_block, self.rows),
            ("shape.column_block", self.column_block, self.columns),
        ] {
            let min = all.div_ceil(ranks);
            if block < min {
                let expected = format!("{min} or more, for {all} on {ranks} ranks");
                return Err(Error::argument(name, block, expected));
            }
        }
        // All parts together, so that no rank refuses what another accepts.
        let total = self.rows.checked_mul(self.columns).and_then(|all| all.checked_mul(self.element_bytes));
        if total.is_none_or(|total| isize::try_from(total).is_err()) {
            let matrix = format!("{} x {} x {}", self.rows, self.columns, self.element_bytes);
            let expected = "a matrix of less than 2^63 bytes";
            return Err(Error::argument("shape.rows x columns x element_bytes", matrix, expected));
        }
        Ok([
            self.rows_of(rank) * self.columns * self.element_bytes,
            self.columns_of(rank) * self.rows * self.element_bytes,
        ])
    }

    /// Whether a block for another rank lies where that rank's block for this one will lie, so that the two
    /// can change places.
    pub fn is_symmetric(&self) -> bool {
        self.rows == self.columns
            && self.row_block.min(self.rows) == self.column_block.min(self.columns)
            && self.before == self.after
    }

    /// A number, not 0, that identifies a shape: two different ones have the same with a probability of
    /// 2^-63.
    pub(super) fn fingerprint(&self) -> u64 {
        let sizes = [self.rows, self.columns, self.element_bytes, self.row_block, self.column_block];
        let layouts = [self.before, self.after].map(|layout| usize::from(layout == Layout::RowMajor));
        fingerprint(1, sizes.into_iter().chain(layouts).map(|value| value as u64))
    }

    /// Rows that a rank has before.
    pub fn rows_of(&self, rank: usize) -> usize {
        share(self.rows, self.row_block, rank)
    }

    /// Columns that a rank has afterwards.
    pub fn columns_of(&self, rank: usize) -> usize {
        share(self.columns, self.column_block, rank)
    }

    /// A rank's own block in its part, in place, if it has one, with its elements per side and the bytes from
    /// row to row.
    pub(super) fn own_block<'a>(&self, rank: usize, part: Region<'a>) -> Option<(Region<'a>, usize, usize)> {
        let side = self.rows_of(rank);
        if side == 0 {
            return None;
        }
        let first = self.column_block * rank * self.element_bytes;
        let (start, stride) = match self.before {
            Layout::RowMajor => (first, self.columns * self.element_bytes),
            Layout::ColumnMajor => (first * side, side * self.element_bytes),
        };
        Some((part.part(start..start + (side - 1) * stride + side * self.element_bytes), side, stride))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::blocks::Blocks;
    use hcube_testing::sizes::{sizes, sizes_within};
    use proptest::prelude::*;

    const SQUARE: Shape = Shape {
        rows: 10,
        columns: 10,
        element_bytes: 8,
        row_block: 4,
        column_block: 4,
        before: Layout::RowMajor,
        after: Layout::RowMajor,
    };

    #[test]
    fn the_last_rank_has_what_is_left() {
        let shares: Vec<usize> = (0..5).map(|rank| SQUARE.rows_of(rank)).collect();
        assert_eq!(shares, [4, 4, 2, 0, 0]);
        assert_eq!(SQUARE.check(2, 5), Ok([160, 160]));
        assert_eq!(share(5, usize::MAX, 3), 0);
    }

    #[test]
    fn what_cannot_be_done_is_refused_by_name_and_value() {
        for (shape, name, value) in [
            (Shape { rows: 0, ..SQUARE }, "shape.rows", "0"),
            (Shape { element_bytes: 0, ..SQUARE }, "shape.element_bytes", "0"),
            (Shape { row_block: 3, ..SQUARE }, "shape.row_block", "3"),
            (Shape { column_block: 2, ..SQUARE }, "shape.column_block", "2"),
            (
                Shape {
                    rows: 1 << 40,
                    columns: 1 << 30,
                    row_block: 1 << 40,
                    column_block: 1 << 30,
                    ..SQUARE
                },
                "shape.rows x columns x element_bytes",
                "1099511627776 x 1073741824 x 8",
            ),
        ] {
            match shape.check(0, 3) {
                Err(Error::Argument { name: found, value: text, .. }) => {
                    assert_eq!((found, text.as_str()), (name, value));
                }
                other => panic!("{shape:?}: {other:?}"),
            }
        }
    }

    #[test]
    fn in_place_needs_a_square_with_equal_blocks() {
        assert!(SQUARE.is_symmetric());
        assert!(Shape { row_block: 10, column_block: 12, ..SQUARE }.is_symmetric());
        for other in [
            Shape { rows: 11, ..SQUARE },
            Shape { row_block: 5, ..SQUARE },
            Shape { before: Layout::ColumnMajor, ..SQUARE },
        ] {
            assert!(!other.is_symmetric());
        }
    }

    proptest! {
        #[test]
        fn parts_of_matrices_of_any_size_are_exact_or_refused(
            [rows, columns, element_bytes] in [sizes(), sizes(), sizes()], blocks in [sizes(), sizes()],
            ranks in 1..6_usize, layouts in [any::<bool>(), any::<bool>()],
        ) {
            let layout = |is_row: bool| if is_row { Layout::RowMajor } else { Layout::ColumnMajor };
            let [before, after] = layouts.map(layout);
            let [row_block, column_block] = [(blocks[0], rows), (blocks[1], columns)]
                .map(|(block, all)| block.max(all.div_ceil(ranks)));
            let shape = Shape { rows, columns, element_bytes, row_block, column_block, before, after };
            let sizes = [rows, columns, element_bytes].map(|size| size as u128);
            let total = (sizes[0] * sizes[1]).checked_mul(sizes[2]).filter(|&bytes| bytes <= isize::MAX as u128);
            let parts: Result<Vec<_>> = (0..ranks).map(|rank| shape.check(rank, ranks)).collect();
            prop_assert_eq!(parts.is_ok(), total.is_some_and(|total| total > 0));
            let Ok(parts) = parts else { return Ok(()) };
            for side in [0, 1] {
                let all: u128 = parts.iter().map(|part| part[side] as u128).sum();
                prop_assert_eq!(Some(all), total);
            }
            for (rank, bytes) in parts.iter().enumerate() {
                let share = |all: usize, block: usize| {
                    (all as u128).saturating_sub(block as u128 * rank as u128).min(block as u128) as usize
                };
                prop_assert_eq!(shape.rows_of(rank), share(rows, row_block));
                prop_assert_eq!(shape.columns_of(rank), share(columns, column_block));
                // Regions contain their blocks, or this panics.
                // SAFETY: never accessed.
                let part = |side: usize| unsafe { Region::new(std::ptr::null_mut(), bytes[side]) };
                let of_rank = Blocks::new(&shape, rank, ranks);
                for (list, side) in [(of_rank.outgoing(part(0)), 0), (of_rank.incoming(part(1)), 1)] {
                    let all: usize = list.iter().map(|block| block.bytes()).sum();
                    prop_assert_eq!(all, bytes[side]);
                }
                if shape.is_symmetric() && let Some((own, side, stride)) = shape.own_block(rank, part(0)) {
                    prop_assert_eq!(own.len(), (side - 1) * stride + side * element_bytes);
                }
            }
        }

        #[test]
        fn square_matrices_of_any_size_have_their_own_blocks(
            side in sizes_within(1, 1 << 31), element_bytes in sizes_within(1, 1 << 12), ranks in 1..6_usize,
            is_row in any::<bool>(), more in sizes(),
        ) {
            let block = side.div_ceil(ranks).saturating_add(more);
            let before = if is_row { Layout::RowMajor } else { Layout::ColumnMajor };
            let shape = Shape {
                rows: side, columns: side, element_bytes, row_block: block, column_block: block, before, after: before,
            };
            for rank in 0..ranks {
                let Ok([bytes, _]) = shape.check(rank, ranks) else { return Ok(()) };
                // SAFETY: never accessed.
                let part = unsafe { Region::new(std::ptr::null_mut(), bytes) };
                let own = shape.own_block(rank, part);
                prop_assert_eq!(own.map_or(0, |(_, side, _)| side), shape.rows_of(rank));
                if let Some((region, side, stride)) = own {
                    let first = block as u128 * rank as u128 * element_bytes as u128;
                    let start = if is_row { first } else { first * side as u128 };
                    prop_assert_eq!(region.address().addr() as u128, start);
                    prop_assert_eq!(region.len(), (side - 1) * stride + side * element_bytes);
                }
            }
        }
    }
}
