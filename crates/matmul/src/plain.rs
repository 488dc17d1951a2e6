//! The product of two blocks, for programs without BLAS.
//!
//! Idea: tiles of A, B and C are copied into memory of this function, which fits into the second-level cache. A kernel
//! of 4 x 4 elements keeps its sums in registers.
//!
//! Restrictions: a program's BLAS is several times faster, since it uses all instructions of the processor.
//! Cost: m n k multiplications and additions; memory for three tiles of 64 x 64 elements. Source: our own, after Goto and
//! van de Geijn, "Anatomy of High-Performance Matrix Multiplication", ACM TOMS 34, 2008.

use crate::block::{Block, Sizes};

/// Rows and columns of a tile.
const TILE: usize = 64;
/// Rows and columns that the kernel computes at a time.
const STEP: usize = 4;

/// A tile of each matrix, stored by columns.
struct Tiles {
    a: Vec<f64>,
    b: Vec<f64>,
    c: Vec<f64>,
}

/// C := A B, or C := C + A B if `accumulate`.
pub fn multiply(sizes: Sizes, a: Block, b: Block, c: Block, accumulate: bool) {
    let mut tiles = Tiles { a: vec![0.0; TILE * TILE], b: vec![0.0; TILE * TILE], c: vec![0.0; TILE * TILE] };
    for column in (0..sizes.columns).step_by(TILE) {
        for row in (0..sizes.rows).step_by(TILE) {
            let shape = [TILE.min(sizes.rows - row), TILE.min(sizes.columns - column)];
            if accumulate {
                read(c, [row, column], shape, &mut tiles.c);
            } else {
                tiles.c.fill(0.0);
            }
            for inner in (0..sizes.inner).step_by(TILE) {
                let depth = TILE.min(sizes.inner - inner);
                read(a, [row, inner], [shape[0], depth], &mut tiles.a);
                read(b, [inner, column], [depth, shape[1]], &mut tiles.b);
                tiles.multiply(depth, shape);
            }
            write(c, [row, column], shape, &tiles.c);
        }
    }
}

/// Copies a part of a block into a tile, whose columns have [`TILE`] elements.
fn read(block: Block, [row, column]: [usize; 2], [rows, columns]: [usize; 2], tile: &mut [f64]) {
    for (number, into) in tile.chunks_exact_mut(TILE).take(columns).enumerate() {
        block.read(row, column + number, &mut into[..rows]);
    }
}

/// The inverse of [`read`].
fn write(block: Block, [row, column]: [usize; 2], [rows, columns]: [usize; 2], tile: &[f64]) {
    for (number, from) in tile.chunks_exact(TILE).take(columns).enumerate() {
        block.write(row, column + number, &from[..rows]);
    }
}

impl Tiles {
    /// C := C + A B for tiles; what lies behind the rows and columns of the tiles is computed as well, and not used.
    fn multiply(&mut self, depth: usize, [rows, columns]: [usize; 2]) {
        for column in (0..columns).step_by(STEP) {
            for row in (0..rows).step_by(STEP) {
                let mut sums = [[0.0; STEP]; STEP];
                let b: [&[f64]; STEP] =
                    std::array::from_fn(|number| &self.b[(column + number) * TILE..][..depth]);
                for (inner, a) in self.a.chunks_exact(TILE).take(depth).enumerate() {
                    let a: &[f64; STEP] = a[row..row + STEP].try_into().expect("rows of the kernel");
                    for (sums, b) in sums.iter_mut().zip(b) {
                        sums.iter_mut().zip(a).for_each(|(sum, a)| *sum += a * b[inner]);
                    }
                }
                for (number, sums) in sums.iter().enumerate() {
                    let c = &mut self.c[(column + number) * TILE + row..][..STEP];
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
            [(1, 1, 1), (0, 3, 2), (3, 2, 0), (7, 5, 9), (128, 128, 128), (129, 131, 260), (4, 300, 1)]
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
