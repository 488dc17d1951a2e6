//! The product of two blocks, for programs without BLAS.
//!
//! Idea: tiles of A and B, which fit into the second-level cache, are copied into panels: 4 rows of A, and 4
//! columns of B, for each inner index in turn. A kernel reads two panels sequentially and keeps its 4 x 4
//! sums in registers.
//!
//! Restrictions: the BLAS of a program is several times faster, since it uses all instructions of the
//! processor.
//! Cost: m n k multiplications and additions; memory for three tiles of 64 x 64 elements. Source: our own,
//! after Goto and van de Geijn, "Anatomy of High-Performance Matrix Multiplication", ACM TOMS 34, 2008.

use crate::block::{Block, Sizes};

/// Rows and columns of a tile.
const TILE: usize = 64;
/// Rows and columns of which the kernel computes all elements.
const STEP: usize = 4;

/// A row of a panel, or a column of the sums of the kernel.
type Lane = [f64; STEP];

/// Panels of A and B, and a tile of C by columns.
struct Tiles {
    a: Vec<Lane>,
    b: Vec<Lane>,
    c: Vec<f64>,
}

/// C := A B, or C := C + A B if `accumulate`.
pub fn multiply(sizes: Sizes, a: Block, b: Block, c: Block, accumulate: bool) {
    let panels = || vec![[0.0; STEP]; TILE * TILE / STEP];
    let mut tiles = Tiles { a: panels(), b: panels(), c: vec![0.0; TILE * TILE] };
    for column in (0..sizes.columns).step_by(TILE) {
        for row in (0..sizes.rows).step_by(TILE) {
            let shape = [TILE.min(sizes.rows - row), TILE.min(sizes.columns - column)];
            tiles.c.fill(0.0);
            if accumulate {
                columns(&mut tiles.c, shape, |number, into| c.read(row, column + number, into));
            }
            for inner in (0..sizes.inner).step_by(TILE) {
                let depth = TILE.min(sizes.inner - inner);
                tiles.read_a(a, [row, inner], [shape[0], depth]);
                tiles.read_b(b, [inner, column], [depth, shape[1]]);
                tiles.multiply(depth, shape);
            }
            columns(&mut tiles.c, shape, |number, from| c.write(row, column + number, from));
        }
    }
}

/// Calls `visit` for the columns of a tile that has at most [`TILE`] rows and columns.
fn columns(tile: &mut [f64], [rows, columns]: [usize; 2], visit: impl Fn(usize, &mut [f64])) {
    for (number, column) in tile.chunks_exact_mut(TILE).take(columns).enumerate() {
        visit(number, &mut column[..rows]);
    }
}

/// Sums of products: column `number` of the result is A times column `number` of B.
fn kernel(a: &[Lane], b: &[Lane]) -> [Lane; STEP] {
    let mut sums = [[0.0; STEP]; STEP];
    for (a, b) in a.iter().zip(b) {
        for column in 0..STEP {
            for row in 0..STEP {
                sums[column][row] += a[row] * b[column];
            }
        }
    }
    sums
}

impl Tiles {
    /// Copies rows x depth elements of A into panels.
    fn read_a(&mut self, a: Block, [row, inner]: [usize; 2], [rows, depth]: [usize; 2]) {
        let mut column = [0.0; TILE];
        for number in 0..depth {
            a.read(row, inner + number, &mut column[..rows]);
            for (panel, lane) in column.as_chunks().0.iter().enumerate() {
                self.a[panel * TILE + number] = *lane;
            }
        }
    }

    /// Copies depth x columns elements of B into panels.
    fn read_b(&mut self, b: Block, [inner, column]: [usize; 2], [depth, columns]: [usize; 2]) {
        let mut values = [0.0; TILE];
        for number in 0..columns {
            b.read(inner, column + number, &mut values[..depth]);
            let panel = &mut self.b[number / STEP * TILE..][..depth];
            panel.iter_mut().zip(&values).for_each(|(lane, value)| lane[number % STEP] = *value);
        }
    }

    /// C := C + A B for tiles; elements of C outside of the shape are computed as well, and not used.
    fn multiply(&mut self, depth: usize, [rows, columns]: [usize; 2]) {
        for column in 0..columns.div_ceil(STEP) {
            for row in 0..rows.div_ceil(STEP) {
                let sums = kernel(&self.a[row * TILE..][..depth], &self.b[column * TILE..][..depth]);
                for (number, sums) in sums.iter().enumerate() {
                    let c = &mut self.c[(column * STEP + number) * TILE + row * STEP..][..STEP];
                    c.iter_mut().zip(sums).for_each(|(c, sum)| *c += sum);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::block::tests::Matrix;

    #[test]
    fn products_are_those_of_the_definition() {
        for (rows, columns, inner) in
            [(1, 1, 1), (0, 3, 2), (3, 2, 0), (7, 5, 9), (64, 64, 64), (65, 131, 130), (4, 300, 1)]
        {
            for accumulate in [false, true] {
                let value = |seed: usize| {
                    move |row: usize, column: usize| ((row * seed + column * 7) % 11) as f64 - 5.0
                };
                let (mut a, mut b) =
                    (Matrix::new(rows, inner, 3, value(3)), Matrix::new(inner, columns, 0, value(5)));
                let mut c = Matrix::new(rows, columns, 1, value(2));
                let sizes = Sizes { rows, columns, inner };
                multiply(sizes, a.block(), b.block(), c.block(), accumulate);
                let expected = |row: usize, column: usize| {
                    let terms = (0..inner).map(|at| value(3)(row, at) * value(5)(at, column));
                    terms.sum::<f64>() + if accumulate { value(2)(row, column) } else { 0.0 }
                };
                c.expect(expected);
            }
        }
    }
}
