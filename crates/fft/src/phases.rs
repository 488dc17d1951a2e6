//! The twiddle factors: exp(-2 pi i j k / n) for column j and point k of its transform.
//!
//! Idea: a column block needs a factor for each point, and a table of all factors would be as large as the
//! vector. With k = p + q s, for the points of a butterfly of the last pass p + q s with s = length / radix,
//! and p = a b + c, the factor is a product of three, from tables of length radix, about sqrt(s) and about
//! sqrt(s) for each block of columns. Each table entry is computed in the planning phase from an angle
//! without rounding error, so that the product has an error of some 3 units in the last place.
//!
//! Cost: 128 bytes x (radix + 2 sqrt(s)) per block of eight columns, 5 KiB if columns have 2048 points; two
//! complex multiplications per point. Source: our own; D. H. Bailey, FFTs in External or Hierarchical Memory,
//! J. Supercomputing 4 (1990) uses a table of all factors.

use crate::kernel::LANES;
use crate::kernel::transform::{Transform, root};
use crate::kernel::vector::{Complex, Row, Vector};

/// The factors of some blocks of columns.
#[derive(Debug, Clone)]
pub struct Phases {
    /// Points of a butterfly of the last pass.
    radix: usize,
    /// `c` is below `1 << low`.
    low: u32,
    /// Rows of a block.
    rows: usize,
    /// For each block: the multiples of `s`, the multiples of `1 << low`, those below it.
    table: Vec<Row>,
}

impl Phases {
    /// For blocks that begin at these columns of a matrix with rows of `n / length` numbers.
    pub fn new(transform: &Transform, n: usize, columns: impl Iterator<Item = usize>) -> Self {
        let radix = transform.last();
        let step = transform.length() / radix;
        let low = step.ilog2().div_ceil(2);
        let high = step.div_ceil(1 << low);
        let multiples = (0..radix)
            .map(|point| point * step)
            .chain((0..high).map(|multiple| multiple << low))
            .chain(0..1 << low)
            .collect::<Vec<usize>>();
        let row = |column: usize, point: usize| {
            let factors: [[f64; 2]; LANES] = std::array::from_fn(|lane| {
                let product = point as u128 * (column + lane) as u128 % n as u128;
                root(product as u64, n as u64)
            });
            Row { re: factors.map(|[re, _]| re), im: factors.map(|[_, im]| im) }
        };
        let table =
            columns.flat_map(|column| multiples.iter().map(move |&point| row(column, point))).collect();
        Self { radix, low, rows: multiples.len(), table }
    }

    /// The factors of a block.
    #[inline(always)]
    fn block(&self, number: usize) -> &[Row] {
        &self.table[self.rows * number..][..self.rows]
    }

    /// For the points of a butterfly, relative to its first one.
    #[inline(always)]
    pub fn steps<V: Vector>(&self, number: usize, proof: V::Proof) -> [Complex<V>; LANES] {
        let block = self.block(number);
        let mut steps = [Complex::load(proof, &block[0]); LANES];
        for (step, row) in steps.iter_mut().zip(&block[..self.radix]) {
            *step = Complex::load(proof, row);
        }
        steps
    }

    /// For the first point of a butterfly.
    #[inline(always)]
    pub fn first<V: Vector>(&self, number: usize, point: usize, proof: V::Proof) -> Complex<V> {
        let block = &self.block(number)[self.radix..];
        let lows = self.rows - self.radix - (1 << self.low);
        let (high, low) = (point >> self.low, point & ((1 << self.low) - 1));
        Complex::load(proof, &block[high]).times(Complex::load(proof, &block[lows + low]))
    }
}
