//! Transforms of eight columns, or of eight rows, of a matrix of complex numbers, from memory to memory.
//!
//! The columns come from rows of the caller's, or from the node's memory in blocks of eight columns; they go to the same
//! block, as parts of their own ([`Row`]), multiplied by the factors between both transforms. The rows come from these blocks,
//! transposed, and go to rows of the caller's or to a block of the node's memory.
//!
//! Cost: each number is read and written once; the batch between stays in the second-level cache.

use super::transform::{Finish, Transform, run};
use super::vector::{Complex, Row, Vector};
use super::view::View;
use super::{Instructions, LANES, Level};
use crate::phases::Phases;
use std::ops::Range;

/// Real numbers in a row of a block.
pub const BLOCK_ROW: usize = 2 * LANES;

/// Rows of the matrix in the caller's memory.
#[derive(Debug, Clone)]
pub struct Direct<'a> {
    /// Which rows.
    pub rows: Range<usize>,
    /// Their numbers, one row after the other.
    pub data: View<'a>,
    /// Complex numbers of a row.
    pub length: usize,
}

impl Direct<'_> {
    /// Where a part of a row begins.
    #[inline(always)]
    fn place(&self, row: usize, column: usize) -> usize {
        2 * ((row - self.rows.start) * self.length + column)
    }

    /// Up to eight numbers of a row, and zeros behind them.
    #[inline(always)]
    pub fn take(&self, row: usize, column: usize, count: usize) -> [f64; BLOCK_ROW] {
        self.data.read_pairs(self.place(row, column), count)
    }

    /// Changes up to eight numbers of a row.
    #[inline(always)]
    pub fn put(&self, row: usize, column: usize, pairs: [f64; BLOCK_ROW], count: usize) {
        self.data.write_pairs(self.place(row, column), pairs, count);
    }
}

/// Up to eight columns.
#[derive(Debug, Clone)]
pub struct Columns<'a> {
    /// The transform of a column.
    pub transform: &'a Transform,
    /// The first column.
    pub column: usize,
    /// How many.
    pub count: usize,
    /// Rows that do not lie in the block.
    pub direct: Direct<'a>,
    /// The block.
    pub block: View<'a>,
    /// The factors that follow.
    pub phases: &'a Phases,
    /// Which of the blocks of the factors.
    pub number: usize,
    /// Whether the transform is backward.
    pub backward: bool,
}

/// Up to eight rows.
#[derive(Debug, Clone)]
pub struct Rows<'a> {
    /// The transform of a row.
    pub transform: &'a Transform,
    /// The first row, a multiple of eight.
    pub row: usize,
    /// How many.
    pub count: usize,
    /// All blocks of columns.
    pub blocks: View<'a>,
    /// Rows of a block.
    pub block_rows: usize,
    /// Rows of the result that do not go to the target block; a column of it for each row here.
    pub direct: Direct<'a>,
    /// The block for the others.
    pub target: View<'a>,
    /// Whether the transform is backward.
    pub backward: bool,
}

/// Stores the columns.
struct Blocked<'a, 'b, V> {
    columns: &'b Columns<'a>,
    steps: [Complex<V>; LANES],
}

impl<V: Vector> Finish<V> for Blocked<'_, '_, V> {
    #[inline(always)]
    fn finish<const R: usize>(&mut self, first: usize, step: usize, points: [Complex<V>; R]) {
        let factor = self.columns.phases.first::<V>(self.columns.number, first);
        for (point, value) in points.into_iter().enumerate() {
            let factor = if point == 0 { factor } else { factor.mul(self.steps[point]) };
            let value = value.mul(factor);
            let mut row = [0.0; BLOCK_ROW];
            let (re, im) = row.split_at_mut(LANES);
            value.re.store(re.try_into().expect("half of it"));
            value.im.store(im.try_into().expect("half of it"));
            self.columns.block.write(BLOCK_ROW * (first + point * step), row);
        }
    }
}

/// Stores the rows as columns.
struct Transposed<'a, 'b>(&'b Rows<'a>);

impl<V: Vector> Finish<V> for Transposed<'_, '_> {
    #[inline(always)]
    fn finish<const R: usize>(&mut self, first: usize, step: usize, points: [Complex<V>; R]) {
        let Rows { row, count, direct, target, backward, .. } = self.0;
        for (point, value) in points.into_iter().enumerate() {
            let place = first + point * step;
            let value = value.swap_if(*backward);
            let mut pairs = [0.0; BLOCK_ROW];
            V::pair([value.re, value.im], &mut pairs);
            if direct.rows.contains(&place) {
                direct.put(place, *row, pairs, *count);
            } else {
                target.write(BLOCK_ROW * place, pairs);
            }
        }
    }
}

#[inline(always)]
fn columns_by<V: Vector>(columns: &Columns<'_>, rows: &mut [Row]) {
    let Columns { transform, column, count, direct, block, backward, .. } = columns;
    let rows = &mut rows[..transform.length()];
    let mut take = |row: usize, pairs: [f64; BLOCK_ROW]| {
        let [re, im] = V::divide(&pairs);
        Complex { re, im }.swap_if(*backward).store(&mut rows[row]);
    };
    for row in 0..direct.rows.start {
        take(row, block.read(BLOCK_ROW * row));
    }
    for row in direct.rows.clone() {
        take(row, direct.take(row, *column, *count));
    }
    for row in direct.rows.end..transform.length() {
        take(row, block.read(BLOCK_ROW * row));
    }
    let steps = columns.phases.steps(columns.number);
    run::<V>(transform, rows, &mut Blocked { columns, steps });
}

#[inline(always)]
fn rows_by<V: Vector>(rows: &Rows<'_>, batch: &mut [Row]) {
    let Rows { transform, row, blocks, block_rows, .. } = rows;
    let batch = &mut batch[..transform.length()];
    for (number, points) in batch.chunks_mut(LANES).enumerate() {
        let start = BLOCK_ROW * (number * block_rows + row);
        let parts = [0, LANES].map(|part| {
            V::transpose(std::array::from_fn(|lane| {
                V::load(&blocks.read::<LANES>(start + BLOCK_ROW * lane + part))
            }))
        });
        for (lane, point) in points.iter_mut().enumerate() {
            Complex { re: parts[0][lane], im: parts[1][lane] }.store(point);
        }
    }
    run::<V>(transform, batch, &mut Transposed(rows));
}

/// The functions for each level of instructions.
macro_rules! levels {
    ($($name:ident: $argument:ty => $generic:ident,)+) => {$(
        /// Transforms them; the rows are memory for the batch, one for each point.
        pub fn $name(level: Level, argument: &$argument, batch: &mut [Row]) {
            #[cfg(target_arch = "x86_64")]
            #[target_feature(enable = "avx512f,avx2,fma")]
            fn avx512(argument: &$argument, batch: &mut [Row]) {
                $generic::<super::avx512::Wide>(argument, batch);
            }
            #[cfg(target_arch = "x86_64")]
            #[target_feature(enable = "avx2,fma")]
            fn avx2(argument: &$argument, batch: &mut [Row]) {
                $generic::<super::vector::Portable<true>>(argument, batch);
            }
            match level.0 {
                // SAFETY: only Level::available makes this level, and it has found the instructions.
                #[cfg(target_arch = "x86_64")]
                Instructions::Avx512 => unsafe { avx512(argument, batch) },
                // SAFETY: as above.
                #[cfg(target_arch = "x86_64")]
                Instructions::Avx2 => unsafe { avx2(argument, batch) },
                Instructions::Portable => $generic::<super::vector::Portable<false>>(argument, batch),
            }
        }
    )+};
}
levels! {
    columns: Columns<'_> => columns_by,
    rows: Rows<'_> => rows_by,
}
