//! Transforms of some blocks of eight columns, or of eight rows, of a matrix of complex numbers, from memory to memory.
//!
//! Columns come from rows of the caller's, or from the node's memory in blocks of eight columns; they go to the same
//! blocks, as parts of their own ([`Row`]), multiplied by the factors between both transforms. Rows come from these blocks,
//! transposed, and go to rows of the caller's or to blocks of the node's memory.
//!
//! Several blocks are read together, so that what is read of a row of the caller's is some hundred bytes long, and so is what
//! is written. Stores go past the cache, which is what makes them fast (machine of 2026 with AVX-512, 4 KiB pages, pieces of 128
//! bytes with a stride of 32 KiB: 14 GB/s against 3 GB/s).
//!
//! Cost: each number is read and written once; the batches between stay in the second-level cache.

use super::transform::{Finish, Transform, run};
use super::vector::{Complex, Pairs, Row, Vector, flat};
use super::view::View;
use super::{Instructions, LANES, Level};
use crate::phases::Phases;
use std::ops::Range;

/// Real numbers in a row of a block.
pub const BLOCK_ROW: usize = 2 * LANES;

/// Memory of a rank for what it transforms.
#[derive(Debug, Default)]
pub struct Workspace {
    /// Batches: the points of one after those of the other.
    batches: Vec<Row>,
    /// Rows of the result, as long as there are batches.
    staged: Vec<Pairs>,
}

/// Bytes of batches: half of a second-level cache, which also has the rows that are staged.
const CACHED_BYTES: usize = 1 << 20;

/// Blocks that are transformed together, for transforms of this many points.
fn group(points: usize) -> usize {
    (CACHED_BYTES / (points * size_of::<Row>())).clamp(1, LANES)
}

/// Blocks in such groups.
pub fn groups(blocks: &Range<usize>, points: usize) -> impl Iterator<Item = Range<usize>> {
    let (end, group) = (blocks.end, group(points));
    blocks.clone().step_by(group).map(move |begin| begin..(begin + group).min(end))
}

impl Workspace {
    /// For transforms of this many points.
    pub fn new(points: [usize; 2]) -> Self {
        let rows = points.map(|points| points * group(points)).into_iter().max().unwrap_or(0);
        Self { batches: vec![Row::default(); rows], staged: vec![Pairs::default(); rows] }
    }
}

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
    fn take(&self, row: usize, block: usize) -> [f64; BLOCK_ROW] {
        let column = block * LANES;
        self.data.read_pairs(self.place(row, column), (self.length - column).min(LANES))
    }

    /// Changes the numbers of a row from one column on, past the cache.
    #[inline(always)]
    fn put<V: Vector>(&self, row: usize, block: usize, pairs: &[Pairs]) {
        let column = block * LANES;
        let count = (self.length - column).min(LANES * pairs.len());
        self.data.stream_all::<V>(self.place(row, column), &flat(pairs)[..2 * count]);
    }
}

/// Blocks of columns.
#[derive(Debug, Clone)]
pub struct Columns<'a> {
    /// The transform of a column.
    pub transform: &'a Transform,
    /// Which blocks.
    pub blocks: Range<usize>,
    /// Rows that do not lie in the blocks.
    pub direct: Direct<'a>,
    /// The memory of all blocks.
    pub memory: View<'a>,
    /// The factors that follow.
    pub phases: &'a Phases,
    /// The first of the blocks, among those of the factors.
    pub number: usize,
    /// Whether the transform is backward.
    pub backward: bool,
}

/// Blocks of rows.
#[derive(Debug, Clone)]
pub struct Rows<'a> {
    /// The transform of a row.
    pub transform: &'a Transform,
    /// Which blocks.
    pub blocks: Range<usize>,
    /// The memory of all blocks of columns.
    pub memory: View<'a>,
    /// Rows of all blocks together.
    pub height: usize,
    /// Rows of the result that do not go to the target; a column of it for each row here.
    pub direct: Direct<'a>,
    /// The memory of all blocks of rows, for the others.
    pub target: View<'a>,
    /// Whether the transform is backward.
    pub backward: bool,
}

/// Numbers of a block of this many rows, with those that complete the last eight.
#[inline(always)]
pub fn block_length(rows: usize) -> usize {
    BLOCK_ROW * rows.next_multiple_of(LANES)
}

/// Stores columns.
struct Blocked<'a, 'b, V> {
    columns: &'b Columns<'a>,
    /// Where the block begins.
    start: usize,
    number: usize,
    steps: [Complex<V>; LANES],
}

impl<V: Vector> Finish<V> for Blocked<'_, '_, V> {
    #[inline(always)]
    fn finish<const R: usize>(&mut self, first: usize, step: usize, points: [Complex<V>; R]) {
        let factor = self.columns.phases.first::<V>(self.number, first);
        for (point, &value) in points.iter().enumerate() {
            let factor = if point == 0 { factor } else { factor.times(self.steps[point]) };
            let value = value.times(factor);
            let place = self.start + BLOCK_ROW * (first + point * step);
            self.columns.memory.stream(place, value.re);
            self.columns.memory.stream(place + LANES, value.im);
        }
    }
}

/// Stores rows as columns.
struct Transposed<'a, 'b> {
    rows: &'b Rows<'a>,
    block: usize,
    staged: &'b mut [Pairs],
}

impl<V: Vector> Finish<V> for Transposed<'_, '_> {
    #[inline(always)]
    fn finish<const R: usize>(&mut self, first: usize, step: usize, points: [Complex<V>; R]) {
        let Rows { transform, blocks, direct, target, backward, .. } = self.rows;
        for (point, &value) in points.iter().enumerate() {
            let place = first + point * step;
            let value = value.swap_if(*backward);
            let [low, high] = V::pair([value.re, value.im]);
            if direct.rows.contains(&place) {
                let number = (place - direct.rows.start) * blocks.len() + self.block - blocks.start;
                self.staged[number].store(low, high);
            } else {
                let place = BLOCK_ROW * (self.block * transform.length() + place);
                target.stream(place, low);
                target.stream(place + LANES, high);
            }
        }
    }
}

#[inline(always)]
fn take<V: Vector>(row: &mut Row, pairs: [f64; BLOCK_ROW], backward: bool) {
    let [re, im] = V::divide(&pairs);
    Complex { re, im }.swap_if(backward).store(row);
}

#[inline(always)]
fn columns_by<V: Vector>(columns: &Columns<'_>, workspace: &mut Workspace) {
    let Columns { transform, blocks, direct, memory, phases, backward, .. } = columns;
    let points = transform.length();
    let batches = &mut workspace.batches[..points * blocks.len()];
    for row in direct.rows.clone() {
        for block in blocks.clone() {
            let batch = (block - blocks.start) * points;
            take::<V>(&mut batches[batch + row], direct.take(row, block), *backward);
        }
    }
    for (block, batch) in blocks.clone().zip(batches.chunks_exact_mut(points)) {
        let start = block_length(points) * block;
        for (row, point) in batch[..direct.rows.start].iter_mut().enumerate() {
            take::<V>(point, memory.read(start + BLOCK_ROW * row), *backward);
        }
        for (row, point) in batch.iter_mut().enumerate().skip(direct.rows.end) {
            take::<V>(point, memory.read(start + BLOCK_ROW * row), *backward);
        }
        let number = columns.number + block - blocks.start;
        run::<V>(transform, batch, &mut Blocked { columns, start, number, steps: phases.steps(number) });
    }
    V::fence();
}

/// Eight numbers of eight rows, transposed.
#[inline(always)]
fn tile<V: Vector>(blocks: View<'_>, start: usize) -> [V; LANES] {
    let mut rows = [V::all(0.0); LANES];
    for (lane, row) in rows.iter_mut().enumerate() {
        *row = V::load(&blocks.read::<LANES>(start + BLOCK_ROW * lane));
    }
    V::transpose(rows)
}

#[inline(always)]
fn rows_by<V: Vector>(rows: &Rows<'_>, workspace: &mut Workspace) {
    let Rows { transform, blocks, memory, height, direct, .. } = rows;
    let Workspace { batches, staged } = workspace;
    let batch = &mut batches[..transform.length()];
    for block in blocks.clone() {
        for (number, points) in batch.chunks_mut(LANES).enumerate() {
            let start = block_length(*height) * number + BLOCK_ROW * LANES * block;
            let (re, im) = (tile::<V>(*memory, start), tile::<V>(*memory, start + LANES));
            for (lane, point) in points.iter_mut().enumerate() {
                Complex { re: re[lane], im: im[lane] }.store(point);
            }
        }
        run::<V>(transform, batch, &mut Transposed { rows, block, staged });
    }
    for (row, pairs) in direct.rows.clone().zip(staged.chunks_exact(blocks.len())) {
        direct.put::<V>(row, blocks.start, pairs);
    }
    V::fence();
}

/// Rows of the caller's to or from blocks.
#[derive(Debug, Clone)]
pub struct Copies<'a> {
    /// The rows.
    pub direct: Direct<'a>,
    /// Which blocks.
    pub blocks: Range<usize>,
    /// The memory of all blocks.
    pub memory: View<'a>,
    /// Numbers of a block.
    pub block_length: usize,
}

#[inline(always)]
fn copy_in_by<V: Vector>(copies: &Copies<'_>, _: &mut Workspace) {
    let Copies { direct, blocks, memory, block_length } = copies;
    for begin in direct.rows.clone().step_by(LANES) {
        let end = (begin + LANES).min(direct.rows.end);
        for block in blocks.clone() {
            for row in begin..end {
                let pairs = Pairs(direct.take(row, block));
                let (low, high) = pairs.load::<V>();
                let place = block_length * block + BLOCK_ROW * row;
                memory.stream(place, low);
                memory.stream(place + LANES, high);
            }
        }
    }
    V::fence();
}

#[inline(always)]
fn copy_out_by<V: Vector>(copies: &Copies<'_>, workspace: &mut Workspace) {
    let Copies { direct, blocks, memory, block_length } = copies;
    if blocks.is_empty() {
        return;
    }
    // As many rows as fit, so that pages of the blocks are used for more than one row.
    let count = blocks.len();
    let height = (workspace.staged.len() / count).clamp(1, LANES);
    workspace.staged.resize(workspace.staged.len().max(count), Pairs::default());
    for begin in direct.rows.clone().step_by(height) {
        let end = (begin + height).min(direct.rows.end);
        for block in blocks.clone() {
            for row in begin..end {
                let number = (row - begin) * count + block - blocks.start;
                workspace.staged[number] = Pairs(memory.read(block_length * block + BLOCK_ROW * row));
            }
        }
        for (row, pairs) in (begin..end).zip(workspace.staged.chunks_exact(count)) {
            direct.put::<V>(row, blocks.start, pairs);
        }
    }
    V::fence();
}

/// The functions for each level of instructions.
macro_rules! levels {
    ($($name:ident: $argument:ty => $generic:ident,)+) => {$(
        /// Does it.
        pub fn $name(level: Level, argument: &$argument, workspace: &mut Workspace) {
            #[cfg(target_arch = "x86_64")]
            #[target_feature(enable = "avx512f,avx2,fma")]
            fn avx512(argument: &$argument, workspace: &mut Workspace) {
                $generic::<super::avx512::Wide>(argument, workspace);
            }
            #[cfg(target_arch = "x86_64")]
            #[target_feature(enable = "avx2,fma")]
            fn avx2(argument: &$argument, workspace: &mut Workspace) {
                $generic::<super::vector::Portable<true>>(argument, workspace);
            }
            match level.0 {
                // SAFETY: only Level::available makes this level, and it has found the instructions.
                #[cfg(target_arch = "x86_64")]
                Instructions::Avx512 => unsafe { avx512(argument, workspace) },
                // SAFETY: as above.
                #[cfg(target_arch = "x86_64")]
                Instructions::Avx2 => unsafe { avx2(argument, workspace) },
                Instructions::Portable => $generic::<super::vector::Portable<false>>(argument, workspace),
            }
        }
    )+};
}
levels! {
    columns: Columns<'_> => columns_by,
    rows: Rows<'_> => rows_by,
    copy_in: Copies<'_> => copy_in_by,
    copy_out: Copies<'_> => copy_out_by,
}
