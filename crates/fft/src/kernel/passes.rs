//! Transforms of blocks of eight columns, or of eight rows, of a matrix of complex numbers, from memory to
//! memory.
//!
//! Columns are read from rows of the caller, or from the node's memory in blocks of eight columns, and
//! written to the same blocks, with separate real and imaginary parts ([`Row`]), multiplied by the twiddle
//! factors. Rows are read from these blocks, transposed, and written to rows of the caller or to blocks of
//! the node's memory.
//!
//! Several blocks are read together, so that each access to a row of the caller is some hundred bytes long.
//! Writes are as long, except to huge pages, where pieces of two cache lines are as fast (2^20 points on 1, 2
//! and 8 ranks: 7.6, 7.6 and 7.5 ms, with longer pieces 8.6, 10.0 and 9.9 ms). Streaming stores make the
//! writes fast (machine of 2026 with AVX-512, 4 KiB pages, pieces of 128 bytes with a stride of 32 KiB: 14
//! GB/s against 3 GB/s).
//!
//! Cost: each number is read and written once; the batches in between stay in the second-level cache.

use super::LANES;
use super::transform::{Finish, Transform, run};
use super::vector::{Complex, Pairs, Row, Vector, flat};
use super::view::View;
use crate::phases::Phases;
use std::ops::Range;

/// Real numbers in a row of a block.
pub const BLOCK_ROW: usize = 2 * LANES;

/// Memory of a rank for what it transforms.
#[derive(Debug, Default)]
pub struct Workspace {
    /// Batches: the points of one batch after the points of the other.
    batches: Vec<Row>,
    /// Rows of the result, as long as there are batches.
    pub(super) staged: Vec<Pairs>,
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
    /// Whether they lie on huge pages, so that pieces of two cache lines are stored at the rate of long
    /// pieces.
    pub large_pages: bool,
}

impl Direct<'_> {
    /// Where a part of a row begins.
    #[inline(always)]
    fn place(&self, row: usize, column: usize) -> usize {
        2 * ((row - self.rows.start) * self.length + column)
    }

    /// Up to eight numbers of a row, followed by zeros.
    #[inline(always)]
    pub(super) fn take(&self, row: usize, block: usize) -> [f64; BLOCK_ROW] {
        let column = block * LANES;
        self.data.read_pairs(self.place(row, column), (self.length - column).min(LANES))
    }

    /// Changes eight numbers of a row, or those that it has there.
    #[inline(always)]
    fn put_block<V: Vector>(&self, row: usize, block: usize, [low, high]: [V; 2], proof: V::Proof) {
        let column = block * LANES;
        if self.length - column < LANES {
            let mut pairs = [Pairs::default()];
            pairs[0].store(low, high);
            return self.put::<V>(row, block, &pairs, proof);
        }
        let place = self.place(row, column);
        self.data.stream(place, low);
        self.data.stream(place + LANES, high);
    }

    /// Changes the numbers of a row from one column on, past the cache.
    #[inline(always)]
    pub(super) fn put<V: Vector>(&self, row: usize, block: usize, pairs: &[Pairs], proof: V::Proof) {
        let column = block * LANES;
        let count = (self.length - column).min(LANES * pairs.len());
        self.data.stream_all::<V>(self.place(row, column), &flat(pairs)[..2 * count], proof);
    }
}

/// A matrix of which some rows lie in memory of callers, and the others in blocks.
#[derive(Debug, Clone)]
pub struct Matrix<'a> {
    direct: Vec<Direct<'a>>,
    gaps: Vec<Range<usize>>,
    /// For each row, which of the direct ones has it; [`IN_BLOCKS`] for none.
    owners: Vec<usize>,
}

/// No caller's memory has the row.
const IN_BLOCKS: usize = usize::MAX;

impl<'a> Matrix<'a> {
    /// `rows` rows; rows of callers are in order.
    pub fn new(direct: Vec<Direct<'a>>, rows: usize) -> Self {
        let ends = direct.iter().map(|direct| direct.rows.end);
        let begins = direct.iter().map(|direct| direct.rows.start);
        let gaps = std::iter::once(0).chain(ends).zip(begins.chain([rows])).map(|(end, begin)| end..begin);
        let gaps = gaps.filter(|gap| !gap.is_empty()).collect();
        let mut owners = vec![IN_BLOCKS; rows];
        for (owner, direct) in direct.iter().enumerate() {
            owners[direct.rows.clone()].fill(owner);
        }
        Self { direct, gaps, owners }
    }
}

/// Blocks of columns.
#[derive(Debug, Clone)]
pub struct Columns<'a> {
    /// The transform of a column.
    pub transform: &'a Transform,
    /// Which blocks.
    pub blocks: Range<usize>,
    /// The matrix.
    pub matrix: &'a Matrix<'a>,
    /// The memory of all blocks.
    pub memory: View<'a>,
    /// The factors that follow.
    pub phases: &'a Phases,
    /// The index of the first block, among the factors.
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
    /// The result, with a column for each row here.
    pub matrix: &'a Matrix<'a>,
    /// The memory of all blocks of rows, for rows of the result that lie in blocks.
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
struct Blocked<'a, 'b, V: Vector> {
    columns: &'b Columns<'a>,
    /// Where the block begins.
    start: usize,
    number: usize,
    steps: [Complex<V>; LANES],
    proof: V::Proof,
}

impl<V: Vector> Finish<V> for Blocked<'_, '_, V> {
    #[inline(always)]
    fn finish<const R: usize>(&mut self, first: usize, step: usize, points: [Complex<V>; R]) {
        let factor = self.columns.phases.first::<V>(self.number, first, self.proof);
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
struct Transposed<'a, 'b, V: Vector> {
    rows: &'b Rows<'a>,
    block: usize,
    staged: &'b mut [Pairs],
    proof: V::Proof,
}

impl<V: Vector> Finish<V> for Transposed<'_, '_, V> {
    #[inline(always)]
    fn finish<const R: usize>(&mut self, first: usize, step: usize, points: [Complex<V>; R]) {
        let Rows { transform, blocks, matrix, target, backward, .. } = self.rows;
        for (point, &value) in points.iter().enumerate() {
            let place = first + point * step;
            let value = value.swap_if(*backward);
            let [low, high] = V::pair([value.re, value.im]);
            let Some(direct) = matrix.direct.get(matrix.owners[place]) else {
                let place = BLOCK_ROW * (self.block * transform.length() + place);
                target.stream(place, low);
                target.stream(place + LANES, high);
                continue;
            };
            if direct.large_pages {
                direct.put_block(place, self.block, [low, high], self.proof);
            } else {
                self.staged[place * blocks.len() + self.block - blocks.start].store(low, high);
            }
        }
    }
}

#[inline(always)]
fn take<V: Vector>(row: &mut Row, pairs: [f64; BLOCK_ROW], backward: bool, proof: V::Proof) {
    let [re, im] = V::divide(proof, &pairs);
    Complex { re, im }.swap_if(backward).store(row);
}

#[inline(always)]
fn columns_by<V: Vector>(columns: &Columns<'_>, workspace: &mut Workspace, proof: V::Proof) {
    let Columns { transform, blocks, matrix, memory, phases, backward, .. } = columns;
    let points = transform.length();
    let batches = &mut workspace.batches[..points * blocks.len()];
    for direct in &matrix.direct {
        for row in direct.rows.clone() {
            for block in blocks.clone() {
                let batch = (block - blocks.start) * points;
                take::<V>(&mut batches[batch + row], direct.take(row, block), *backward, proof);
            }
        }
    }
    for (block, batch) in blocks.clone().zip(batches.chunks_exact_mut(points)) {
        let start = block_length(points) * block;
        for gap in &matrix.gaps {
            for row in gap.clone() {
                take::<V>(&mut batch[row], memory.read(start + BLOCK_ROW * row), *backward, proof);
            }
        }
        let number = columns.number + block - blocks.start;
        let steps = phases.steps(number, proof);
        run::<V>(transform, batch, &mut Blocked { columns, start, number, steps, proof }, proof);
    }
    V::fence();
}

/// Eight numbers of eight rows, transposed.
#[inline(always)]
fn tile<V: Vector>(blocks: View<'_>, start: usize, proof: V::Proof) -> [V; LANES] {
    let mut rows = [V::all(proof, 0.0); LANES];
    for (lane, row) in rows.iter_mut().enumerate() {
        *row = V::load(proof, &blocks.read::<LANES>(start + BLOCK_ROW * lane));
    }
    V::transpose(rows)
}

#[inline(always)]
fn rows_by<V: Vector>(rows: &Rows<'_>, workspace: &mut Workspace, proof: V::Proof) {
    let Rows { transform, blocks, memory, height, matrix, .. } = rows;
    let Workspace { batches, staged } = workspace;
    let batch = &mut batches[..transform.length()];
    for block in blocks.clone() {
        for (number, points) in batch.chunks_mut(LANES).enumerate() {
            let start = block_length(*height) * number + BLOCK_ROW * LANES * block;
            let (re, im) = (tile::<V>(*memory, start, proof), tile::<V>(*memory, start + LANES, proof));
            for (lane, point) in points.iter_mut().enumerate() {
                Complex { re: re[lane], im: im[lane] }.store(point);
            }
        }
        run::<V>(transform, batch, &mut Transposed { rows, block, staged, proof }, proof);
    }
    for direct in matrix.direct.iter().filter(|direct| !direct.large_pages) {
        for row in direct.rows.clone() {
            direct.put::<V>(row, blocks.start, &staged[row * blocks.len()..][..blocks.len()], proof);
        }
    }
    V::fence();
}

levels! {
    /// Transforms columns: from the matrix to blocks.
    columns: Columns => columns_by,
    /// Transforms rows: from blocks to the matrix that is the result.
    rows: Rows => rows_by,
}
