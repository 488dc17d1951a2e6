//! The levels whose butterflies are on one image: decimation in time with radix 2, or 4 in the first pass.
//!
//! Idea: a level with distance d combines the numbers in slots s and s + d with the factor exp(-2 pi i j /
//! 2d), j = s mod d. Eight consecutive numbers form a [`Row`], with real and imaginary parts in separate
//! registers. The first pass runs all levels inside a batch that fits in the second-level cache, on the
//! numbers that it scatters there after the exchange; each further pass runs several levels, on batches of
//! the same size from rows with a constant stride. The data is therefore read and written once per pass, not
//! once per level.
//!
//! Restrictions: at least [`MIN_PART`] numbers.
//! Cost: 5 n log2 n flops and, in further passes, 6 n for products of twiddle factors; ⌈(log2 n - 14) / 8⌉ +
//! 1 passes over 16 n bytes. Memory: 256 KiB for the batch and 256 KiB for factors; further passes of L
//! levels use (L + 2) 2^(18 - L) bytes for factors, at most 384 KiB. With more than 2^14 images the memory is
//! larger.
//! Source: Jin et al. 2011, §III-D, and §IV-B4 for a higher radix; blocking: C. van Loan,
//! Computational Frameworks for the Fast Fourier Transform, SIAM 1992.

use super::bits::Bits;
use super::pack::scatter;
use hcube_core::machine::instructions::Level;
use hcube_core::memory::Region;
use hcube_fft::kernel::LANES;
use hcube_fft::kernel::dispatch::{Work, dispatch};
use hcube_fft::kernel::transform::root;
use hcube_fft::kernel::vector::{Complex, Row, Vector};
use hcube_fft::kernel::view::View;
use hcube_fft::options::Radix;
use std::ops::Range;

/// Fewest numbers of an image: eight rows, which are transposed for the first three levels.
pub const MIN_PART: usize = LANES * LANES;
/// Levels inside of a row.
const ROW_LEVELS: u32 = LANES.ilog2();
/// Levels of the first pass, unless images are more than its numbers: 256 KiB.
const BATCH_LEVELS: u32 = 14;
/// Levels of these numbers are run one after the other: 16 KiB, and as much for their factors.
const L1_LEVELS: u32 = 10;
/// Levels of a further pass: it reads pieces of 1 KiB.
const PASS_LEVELS: u32 = 8;

/// A pass over rows that are 2^`base` numbers apart.
#[derive(Debug, Clone)]
struct Pass {
    base: u32,
    levels: u32,
    /// Factors of the columns of a batch, for each level.
    columns: Vec<Row>,
}

/// The local levels of an image.
#[derive(Debug, Clone)]
pub struct Local {
    level: Level,
    radix: Radix,
    bits: Bits,
    /// Whether real and imaginary parts change places at first: the transform between two such changes is the
    /// backward one.
    swap: bool,
    /// Levels of the first pass.
    first: u32,
    /// Factors of the levels of the first pass, beyond those inside of a row.
    factors: Vec<Row>,
    passes: Vec<Pass>,
    batch: Vec<Row>,
    /// Factors of a level for the columns of a batch, and for one of its rows; as long as a piece of the
    /// longest ones.
    scratch: [Vec<Row>; 2],
}

/// The factors exp(-2 pi i j / whole) for j < count.
pub(super) fn factors(count: usize, whole: usize) -> Vec<Row> {
    let row = |first: usize| {
        let pairs: [[f64; 2]; LANES] = std::array::from_fn(|lane| root((first + lane) as u64, whole as u64));
        Row { re: pairs.map(|[re, _]| re), im: pairs.map(|[_, im]| im) }
    };
    (0..count).step_by(LANES).map(row).collect()
}

impl Local {
    /// For an image of a distributed vector.
    pub fn new(bits: Bits, swap: bool, radix: Radix, level: Level) -> Self {
        let first = bits.part.min(BATCH_LEVELS.max(bits.images));
        let of_first = (ROW_LEVELS..first).flat_map(|log| factors(1 << log, 2 << log)).collect();
        let (mut passes, mut base) = (Vec::new(), first);
        while base < bits.part {
            let left = bits.part - base;
            let levels = left.div_ceil(left.div_ceil(PASS_LEVELS));
            let width = 1 << (first - levels);
            let columns = (0..levels).flat_map(|level| factors(width, 2 << (base + level))).collect();
            passes.push(Pass { base, levels, columns });
            base += levels;
        }
        let batch = vec![Row::default(); (1 << first) / LANES];
        let width = passes.iter().map(|pass| batch.len() >> pass.levels).max().unwrap_or(0);
        let scratch = [0, 1].map(|_| vec![Row::default(); width]);
        Self { level, radix, bits, swap, first, factors: of_first, passes, batch, scratch }
    }

    /// From the blocks that this image has received to rows, on which all local levels have been run.
    pub fn run(&mut self, blocks: Region<'_>, to: Region<'_>) {
        let to = View::of(to);
        let batch = self.batch.len() * LANES;
        for first in (0..self.bits.part()).step_by(batch) {
            scatter(self.bits, self.swap, blocks, first, &mut self.batch);
            let (radix, levels) = (self.radix, self.first);
            dispatch(
                self.level,
                FirstPass { radix, levels, factors: &self.factors, batch: &mut self.batch, to, first },
            );
        }
        for pass in &self.passes {
            let (span, width) = (1 << (pass.base + pass.levels), batch >> pass.levels);
            for outer in (0..self.bits.part()).step_by(span) {
                for column in (0..1 << pass.base).step_by(width) {
                    let (batch, scratch) = (&mut self.batch, &mut self.scratch);
                    dispatch(self.level, FurtherPass { pass, batch, scratch, data: to, outer, column });
                }
            }
        }
    }
}

/// Combines two rows.
#[inline(always)]
fn butterfly<V: Vector>(proof: V::Proof, low: &mut Row, high: &mut Row, factor: Complex<V>) {
    let (one, other) = (Complex::<V>::load(proof, low), Complex::<V>::load(proof, high).times(factor));
    one.plus(other).store(low);
    one.minus(other).store(high);
}

/// The three levels inside of eight rows, which are transposed meanwhile.
#[inline(always)]
fn inside<V: Vector>(proof: V::Proof, rows: &mut [Row; LANES]) {
    let re = V::transpose(rows.each_ref().map(|row| V::load(proof, &row.re)));
    let im = V::transpose(rows.each_ref().map(|row| V::load(proof, &row.im)));
    let mut x: [Complex<V>; LANES] = std::array::from_fn(|place| Complex { re: re[place], im: im[place] });
    for at in [0, 2, 4, 6] {
        (x[at], x[at + 1]) = (x[at].plus(x[at + 1]), x[at].minus(x[at + 1]));
    }
    for at in [0, 4] {
        (x[at], x[at + 2]) = (x[at].plus(x[at + 2]), x[at].minus(x[at + 2]));
        (x[at + 1], x[at + 3]) = (x[at + 1].add_turned(x[at + 3]), x[at + 1].sub_turned(x[at + 3]));
    }
    let eighth = |part| Complex::<V>::all(proof, root(part, 8));
    let (one, three) = (x[5].times(eighth(1)), x[7].times(eighth(3)));
    (x[0], x[4]) = (x[0].plus(x[4]), x[0].minus(x[4]));
    (x[1], x[5]) = (x[1].plus(one), x[1].minus(one));
    (x[2], x[6]) = (x[2].add_turned(x[6]), x[2].sub_turned(x[6]));
    (x[3], x[7]) = (x[3].plus(three), x[3].minus(three));
    let re = V::transpose(x.map(|number| number.re));
    let im = V::transpose(x.map(|number| number.im));
    for (place, row) in rows.iter_mut().enumerate() {
        Complex { re: re[place], im: im[place] }.store(row);
    }
}

/// A level with distance 2^`log` of consecutive rows.
#[inline(always)]
fn level<V: Vector>(proof: V::Proof, rows: &mut [Row], log: u32, all: &[Row]) {
    let distance = (1 << log) / LANES;
    let factors = &all[distance - 1..2 * distance - 1];
    for group in rows.chunks_exact_mut(2 * distance) {
        let (low, high) = group.split_at_mut(distance);
        for ((low, high), factor) in low.iter_mut().zip(high).zip(factors) {
            butterfly::<V>(proof, low, high, Complex::load(proof, factor));
        }
    }
}

/// Levels with distances 2^`log` and twice that, by butterflies of four rows: three products instead of four.
#[inline(always)]
fn two_levels<V: Vector>(proof: V::Proof, rows: &mut [Row], log: u32, all: &[Row]) {
    let distance = (1 << log) / LANES;
    let one = &all[distance - 1..2 * distance - 1];
    let two = &all[2 * distance - 1..3 * distance - 1];
    for group in rows.chunks_exact_mut(4 * distance) {
        let (low, high) = group.split_at_mut(2 * distance);
        let (a, b) = low.split_at_mut(distance);
        let (c, d) = high.split_at_mut(distance);
        for (((((a, b), c), d), one), two) in a.iter_mut().zip(b).zip(c).zip(d).zip(one).zip(two) {
            let (one, two) = (Complex::<V>::load(proof, one), Complex::<V>::load(proof, two));
            let (w, x) = (Complex::<V>::load(proof, a), Complex::<V>::load(proof, b).times(one));
            let (y, z) =
                (Complex::<V>::load(proof, c).times(two), Complex::<V>::load(proof, d).times(one.times(two)));
            let (p, q, r, t) = (w.plus(x), w.minus(x), y.plus(z), y.minus(z));
            p.plus(r).store(a);
            q.add_turned(t).store(b);
            p.minus(r).store(c);
            q.sub_turned(t).store(d);
        }
    }
}

/// Levels of these distances, two at a time with radix 4.
#[inline(always)]
fn levels<V: Vector>(proof: V::Proof, radix: Radix, (rows, all): (&mut [Row], &[Row]), logs: Range<u32>) {
    let mut log = logs.start;
    while radix == Radix::Four && log + 2 <= logs.end {
        two_levels::<V>(proof, rows, log, all);
        log += 2;
    }
    for log in log..logs.end {
        level::<V>(proof, rows, log, all);
    }
}

/// All levels of a batch of consecutive slots, from the batch to memory.
struct FirstPass<'a> {
    radix: Radix,
    levels: u32,
    factors: &'a [Row],
    batch: &'a mut [Row],
    to: View<'a>,
    first: usize,
}

impl Work for FirstPass<'_> {
    #[inline(always)]
    fn run<V: Vector>(self, proof: V::Proof) {
        let inner = self.levels.min(L1_LEVELS);
        for rows in self.batch.chunks_exact_mut((1 << inner) / LANES) {
            let (eights, _) = rows.as_chunks_mut::<LANES>();
            eights.iter_mut().for_each(|rows| inside::<V>(proof, rows));
            levels::<V>(proof, self.radix, (rows, self.factors), ROW_LEVELS..inner);
        }
        levels::<V>(proof, self.radix, (self.batch, self.factors), inner..self.levels);
        for (number, row) in self.batch.iter().enumerate() {
            write_row(self.to, 2 * self.first + 2 * LANES * number, row);
        }
    }
}

#[inline(always)]
fn write_row(to: View<'_>, at: usize, row: &Row) {
    to.write(at, row.re);
    to.write(at + LANES, row.im);
}

/// Some levels of a batch of rows that are 2^base apart, in place.
struct FurtherPass<'a> {
    pass: &'a Pass,
    batch: &'a mut [Row],
    scratch: &'a mut [Vec<Row>; 2],
    data: View<'a>,
    outer: usize,
    column: usize,
}

impl Work for FurtherPass<'_> {
    #[inline(always)]
    fn run<V: Vector>(self, proof: V::Proof) {
        let Pass { base, levels, columns } = self.pass;
        // Rows of a piece.
        let width = self.batch.len() >> levels;
        let place = |piece: usize| 2 * (self.outer + (piece << base) + self.column);
        for (piece, rows) in self.batch.chunks_exact_mut(width).enumerate() {
            for (number, row) in rows.iter_mut().enumerate() {
                let at = place(piece) + 2 * LANES * number;
                *row = Row { re: self.data.read(at), im: self.data.read(at + LANES) };
            }
        }
        let [of_columns, of_row] = self.scratch.each_mut().map(|rows| &mut rows[..width]);
        for level in 0..*levels {
            let start = Complex::<V>::all(proof, root(self.column as u64, 2 << (base + level)));
            for (to, factor) in of_columns.iter_mut().zip(&columns[level as usize * width..]) {
                Complex::load(proof, factor).times(start).store(to);
            }
            let distance = width << level;
            for row in 0..1 << level {
                let of_this = Complex::<V>::all(proof, root(row as u64, 2 << level));
                for (to, factor) in of_row.iter_mut().zip(&*of_columns) {
                    Complex::load(proof, factor).times(of_this).store(to);
                }
                for group in self.batch.chunks_exact_mut(2 * distance) {
                    let (low, high) = group.split_at_mut(distance);
                    let rows = width * row..width * (row + 1);
                    for ((low, high), factor) in
                        low[rows.clone()].iter_mut().zip(&mut high[rows]).zip(&*of_row)
                    {
                        butterfly::<V>(proof, low, high, Complex::load(proof, factor));
                    }
                }
            }
        }
        for (piece, rows) in self.batch.chunks_exact(width).enumerate() {
            for (number, row) in rows.iter().enumerate() {
                write_row(self.data, place(piece) + 2 * LANES * number, row);
            }
        }
    }
}
