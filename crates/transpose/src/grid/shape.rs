//! The distribution of the blocks of a block-cyclic matrix and of its transpose over the ranks.
//!
//! Rank `row * grid_columns + column` of the communicator is process (row, column). Block (i, j) of A, of
//! `row_block` x `column_block` elements, is on process (i mod grid_rows, j mod grid_columns); its transpose
//! is block (j, i) of C, of `column_block` x `row_block` elements, on process (j mod grid_rows, i mod
//! grid_columns). Parts are stored by columns.

use hcube_core::error::{Error, Result};

/// A matrix A, its blocks, and the grid of processes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shape {
    /// Rows of A, columns of C.
    pub rows: usize,
    /// Columns of A, rows of C.
    pub columns: usize,
    /// Rows of a block of A.
    pub row_block: usize,
    /// Columns of a block of A.
    pub column_block: usize,
    /// Rows of the grid of processes.
    pub grid_rows: usize,
    /// Columns of the grid of processes.
    pub grid_columns: usize,
}

/// A block of A that becomes one of C, as far as two parts are concerned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Piece {
    /// The rank at the other end: the one that has it of C for a piece of A, and the reverse.
    pub other: usize,
    /// Its first row and column in the part of A.
    pub from: [usize; 2],
    /// Its first row and column in the part of C.
    pub to: [usize; 2],
    /// Its rows and columns in A.
    pub size: [usize; 2],
}

/// How many of `all` elements in blocks a row or column of the grid has.
fn share(all: usize, block: usize, place: usize, places: usize) -> usize {
    let whole = all / block;
    let blocks = whole / places + usize::from(whole % places > place);
    let rest = if whole % places == place { all % block } else { 0 };
    blocks * block + rest
}

impl Shape {
    /// Checks the shape for a number of ranks.
    ///
    /// # Errors
    /// [`Error::Argument`] with the name of the field.
    pub fn check(&self, ranks: usize) -> Result<()> {
        for (name, value) in self.fields() {
            if value == 0 {
                return Err(Error::argument(name, value, "1 or more"));
            }
        }
        let [rows, columns] = [self.grid_rows, self.grid_columns];
        if rows.checked_mul(columns) != Some(ranks) {
            let expected = format!("a grid of all {ranks} ranks");
            return Err(Error::argument("shape.grid", format!("{rows} x {columns}"), expected));
        }
        let bytes = self.rows.checked_mul(self.columns).and_then(|all| all.checked_mul(size_of::<f64>()));
        if bytes.is_none_or(|bytes| isize::try_from(bytes).is_err()) {
            let matrix = format!("{} x {}", self.rows, self.columns);
            return Err(Error::argument(
                "shape.rows x columns",
                matrix,
                "a matrix of less than 2^60 elements",
            ));
        }
        Ok(())
    }

    fn fields(&self) -> [(&'static str, usize); 6] {
        [
            ("shape.rows", self.rows),
            ("shape.columns", self.columns),
            ("shape.row_block", self.row_block),
            ("shape.column_block", self.column_block),
            ("shape.grid_rows", self.grid_rows),
            ("shape.grid_columns", self.grid_columns),
        ]
    }

    /// What must be the same on all ranks, by name.
    pub fn agreement(&self) -> [(&'static str, i64); 6] {
        self.fields().map(|(name, value)| (name, value as i64))
    }

    /// Row and column of a rank in the grid.
    pub fn place(&self, rank: usize) -> [usize; 2] {
        [rank / self.grid_columns, rank % self.grid_columns]
    }

    /// Rows and columns of a rank's part of A.
    pub fn part(&self, rank: usize) -> [usize; 2] {
        let [row, column] = self.place(rank);
        [
            share(self.rows, self.row_block, row, self.grid_rows),
            share(self.columns, self.column_block, column, self.grid_columns),
        ]
    }

    /// Rows and columns of a rank's part of C.
    pub fn result(&self, rank: usize) -> [usize; 2] {
        let [row, column] = self.place(rank);
        [
            share(self.columns, self.column_block, row, self.grid_rows),
            share(self.rows, self.row_block, column, self.grid_columns),
        ]
    }

    /// The blocks of A that a rank needs for its part of C, with those that have them. Blocks of a row of C
    /// lie between equal columns of A: they follow one another in memory there.
    pub fn incoming(&self, rank: usize) -> impl Iterator<Item = Piece> + use<> {
        let (shape, [row, column]) = (*self, self.place(rank));
        blocks(shape.columns, shape.column_block, row, shape.grid_rows).flat_map(move |j| {
            blocks(shape.rows, shape.row_block, column, shape.grid_columns).map(move |i| {
                let owner = (i % shape.grid_rows) * shape.grid_columns + j % shape.grid_columns;
                shape.piece(i, j, owner)
            })
        })
    }

    /// The blocks of a rank's part of A, with the ranks that need them; blocks of a pair are in the order of
    /// [`incoming`](Self::incoming).
    pub fn outgoing(&self, rank: usize) -> impl Iterator<Item = Piece> + use<> {
        let (shape, [row, column]) = (*self, self.place(rank));
        blocks(shape.columns, shape.column_block, column, shape.grid_columns).flat_map(move |j| {
            blocks(shape.rows, shape.row_block, row, shape.grid_rows).map(move |i| {
                let reader = (j % shape.grid_rows) * shape.grid_columns + i % shape.grid_columns;
                shape.piece(i, j, reader)
            })
        })
    }

    /// Block (i, j) of A.
    fn piece(&self, i: usize, j: usize, other: usize) -> Piece {
        let [high, wide] = [self.row_block, self.column_block];
        Piece {
            other,
            from: [i / self.grid_rows * high, j / self.grid_columns * wide],
            to: [j / self.grid_rows * wide, i / self.grid_columns * high],
            size: [high.min(self.rows - i * high), wide.min(self.columns - j * wide)],
        }
    }
}

/// The numbers of the blocks of a row or column of the grid.
fn blocks(
    all: usize,
    block: usize,
    place: usize,
    places: usize,
) -> std::iter::StepBy<std::ops::Range<usize>> {
    (place..all.div_ceil(block)).step_by(places)
}

#[cfg(test)]
mod tests {
    use super::*;
    use hcube_testing::sizes::{sizes, sizes_within};
    use proptest::prelude::*;

    fn shape([rows, columns]: [usize; 2], [row_block, column_block]: [usize; 2], grid: [usize; 2]) -> Shape {
        Shape { rows, columns, row_block, column_block, grid_rows: grid[0], grid_columns: grid[1] }
    }

    #[test]
    fn every_element_has_one_place_on_every_grid() {
        for grid_rows in 1..=12 {
            for grid_columns in 1..=130 / grid_rows {
                let shape = shape([37, 23], [4, 3], [grid_rows, grid_columns]);
                shape.check(grid_rows * grid_columns).expect("valid");
                let ranks = 0..grid_rows * grid_columns;
                let count = |part: [usize; 2]| part[0] * part[1];
                assert_eq!(ranks.clone().map(|rank| count(shape.part(rank))).sum::<usize>(), 37 * 23);
                assert_eq!(ranks.clone().map(|rank| count(shape.result(rank))).sum::<usize>(), 37 * 23);
                for rank in ranks {
                    let part: usize = shape.outgoing(rank).map(|piece| count(piece.size)).sum();
                    let result: usize = shape.incoming(rank).map(|piece| count(piece.size)).sum();
                    assert_eq!([part, result], [count(shape.part(rank)), count(shape.result(rank))]);
                    for piece in shape.incoming(rank) {
                        let [high, wide] = piece.size;
                        let (part, result) = (shape.part(piece.other), shape.result(rank));
                        assert!(piece.from[0] + high <= part[0] && piece.from[1] + wide <= part[1]);
                        assert!(piece.to[0] + wide <= result[0] && piece.to[1] + high <= result[1]);
                    }
                }
            }
        }
    }

    #[test]
    fn pairs_agree_on_the_order_of_their_blocks() {
        for grid in [[1, 1], [1, 2], [2, 1], [2, 2], [2, 3], [3, 2], [2, 4], [4, 6], [1, 5]] {
            let shape = shape([50, 31], [5, 7], grid);
            for from in 0..grid[0] * grid[1] {
                for to in 0..grid[0] * grid[1] {
                    let of = |pieces: Vec<Piece>, other| {
                        let pieces = pieces.into_iter().filter(move |piece| piece.other == other);
                        pieces.map(|piece| (piece.from, piece.to, piece.size)).collect::<Vec<_>>()
                    };
                    let sent = of(shape.outgoing(from).collect(), to);
                    assert_eq!(sent, of(shape.incoming(to).collect(), from), "{from} to {to} on {grid:?}");
                }
            }
        }
    }

    #[test]
    fn bad_shapes_are_refused_by_name() {
        let good = shape([5, 6], [2, 3], [2, 3]);
        good.check(6).expect("valid");
        for (bad, ranks, text) in [
            (Shape { rows: 0, ..good }, 6, "shape.rows = 0"),
            (Shape { column_block: 0, ..good }, 6, "shape.column_block = 0"),
            (Shape { grid_rows: 0, ..good }, 6, "shape.grid_rows = 0"),
            (good, 5, "shape.grid = 2 x 3"),
            (Shape { grid_rows: usize::MAX, ..good }, 6, "shape.grid = "),
            (Shape { rows: 1 << 40, columns: 1 << 30, ..good }, 6, "shape.rows x columns = "),
        ] {
            let error = bad.check(ranks).expect_err(text).to_string();
            assert!(error.contains(text), "{error} instead of {text}");
        }
    }

    proptest! {
        #[test]
        fn shares_of_any_size_are_exact(
            all in sizes(), block in sizes_within(1, usize::MAX), places in sizes_within(1, i32::MAX as usize), place in sizes(),
        ) {
            let place = place % places;
            let [all_, block_, places_] = [all, block, places].map(|size| size as u128);
            let round = block_ * places_;
            let in_last = (all_ % round).saturating_sub(block_ * place as u128).min(block_);
            prop_assert_eq!(share(all, block, place, places) as u128, all_ / round * block_ + in_last);
        }

        /// Few blocks of any size.
        #[test]
        fn pieces_of_any_size_lie_in_their_parts(
            sizes in [sizes(), sizes()], blocks in [1..6_usize, 1..6_usize], grid in [1..4_usize, 1..4_usize],
        ) {
            let block = [0, 1].map(|side: usize| (sizes[side] / blocks[side]).max(1));
            let shape = shape(sizes, block, grid);
            let ranks = grid[0] * grid[1];
            let bytes = sizes[0] as u128 * sizes[1] as u128;
            let is_possible = sizes.iter().all(|&size| size > 0) && bytes <= isize::MAX as u128 / 8;
            prop_assert_eq!(shape.check(ranks).is_ok(), is_possible);
            let mut all = 0;
            for rank in (0..ranks).filter(|_| is_possible) {
                for piece in shape.incoming(rank) {
                    let [high, wide] = piece.size;
                    let (part, result) = (shape.part(piece.other), shape.result(rank));
                    prop_assert!(piece.from[0] + high <= part[0] && piece.from[1] + wide <= part[1]);
                    prop_assert!(piece.to[0] + wide <= result[0] && piece.to[1] + high <= result[1]);
                    all += high as u128 * wide as u128;
                }
            }
            prop_assert!(!is_possible || all == bytes);
        }
    }
}
