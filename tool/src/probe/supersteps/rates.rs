//! The time of an operation on all processes at once: dot products and matrix products, by loops as a
//! compiler translates them and by the BLAS, and the operations of the programs that are predicted.
//!
//! A multiplication with its addition is one operation. The vectors are longer than a cache, the matrices as
//! large as blocks of programs.
//!
//! Source: Krusche 2005, §3.1.

use crate::bench::timing::{slowest, timed};
use crate::bsp::calls::blas::{Blas, Local};
use crate::bsp::program::SYMBOLS;
use crate::progress::Progress;
use hcube_core::Result;
use hcube_core::comm::{Comm, agree};
use hcube_core::machine::instructions::Level;
use hcube_core::memory::{Region, bytes_of_mut};
use hcube_lcs::Kernel;
use hcube_lcs::rate::entry_seconds;
use hcube_matmul::{Block, Sizes};
use hcube_results::bsp::samples::Operation;
use std::hint::black_box;
use std::ops::{Add, Mul};
use std::time::{Duration, Instant};

/// Elements of a vector.
const LENGTH: usize = 1 << 21;
/// Rows and columns of a matrix.
const SIDE: usize = 256;
/// Repetitions also where the time is used up: noise needs as many.
pub const MIN_REPEAT: usize = 3;
/// Steps of progress.
pub const STEPS: usize = 9;

/// A number in loops.
trait Element64: Copy + Default + Add<Output = Self> + Mul<Output = Self> + From<u8> {}
impl Element64 for f64 {}
impl Element64 for i32 {}

fn vector<T: Element64>(length: usize) -> Vec<T> {
    (0..length).map(|place| T::from((place % 3) as u8)).collect()
}

fn dot<T: Element64>(a: &[T], b: &[T]) -> T {
    a.iter().zip(b).fold(T::default(), |sum, (&a, &b)| sum + a * b)
}

/// C = C + A B in the order in which rows are contiguous.
fn product<T: Element64>(a: &[T], b: &[T], c: &mut [T]) {
    for (a, c) in a.chunks_exact(SIDE).zip(c.chunks_exact_mut(SIDE)) {
        for (&a, b) in a.iter().zip(b.chunks_exact(SIDE)) {
            for (c, &b) in c.iter_mut().zip(b) {
                *c = *c + a * b;
            }
        }
    }
}

/// Collective: what is measured, in turn.
struct Rates<'a, C: Comm> {
    comm: &'a C,
    /// Repetitions of an operation; there are fewer where they take longer than this time.
    repeat: usize,
    time: Duration,
    progress: &'a mut Progress,
    all: Vec<Operation>,
}

impl<C: Comm> Rates<'_, C> {
    /// Collective: nanoseconds of an operation of the slowest process, in each repetition.
    fn repeat(&mut self, name: &str, mut nanoseconds: impl FnMut(&C) -> Result<f64>) -> Result<()> {
        self.progress.step(|| name.to_owned());
        let (begin, mut all) = (Instant::now(), Vec::new());
        while all.len() < self.repeat {
            all.push(nanoseconds(self.comm)?);
            let spent = slowest(self.comm, begin.elapsed().as_secs_f64())?;
            if all.len() >= MIN_REPEAT && spent > self.time.as_secs_f64() {
                break;
            }
        }
        self.all.push(Operation { name: name.to_owned(), nanoseconds: all });
        Ok(())
    }

    /// Collective: times work that does this many operations.
    fn measure(&mut self, name: &str, operations: usize, mut work: impl FnMut()) -> Result<()> {
        work();
        self.repeat(name, |comm| {
            let (seconds, ()) = timed(comm, || {
                work();
                Ok(())
            })?;
            Ok(1e9 * seconds / operations as f64)
        })
    }

    fn loops<T: Element64>(&mut self, name: &str) -> Result<()> {
        let (a, b) = (vector::<T>(LENGTH), vector::<T>(LENGTH));
        self.measure(&format!("dot-product-{name}"), LENGTH, || {
            black_box(dot(black_box(&a), black_box(&b)));
        })?;
        let [a, b] = [(); 2].map(|()| vector::<T>(SIDE * SIDE));
        let mut c = vec![T::default(); SIDE * SIDE];
        self.measure(&format!("matrix-product-{name}"), SIDE * SIDE * SIDE, || {
            c.fill(T::default());
            product(black_box(&a), black_box(&b), black_box(&mut c));
        })
    }

    fn blas(&mut self, blas: &Blas) -> Result<()> {
        let (a, b) = (vector::<f64>(LENGTH), vector::<f64>(LENGTH));
        self.measure("dot-product-double-blas", LENGTH, || {
            black_box(blas.dot(black_box(&a), black_box(&b)));
        })?;
        let mut square = Square::new(Some(blas), SIDE);
        self.measure("matrix-product-double-blas", SIDE * SIDE * SIDE, || square.multiply())
    }

    /// The operations of programs: a block of a matrix product, and a block of the matrix of a subsequence.
    fn programs(&mut self, blas: Option<&Blas>) -> Result<()> {
        let mut square = Square::new(blas, SIDE);
        self.measure("matmul", SIDE * SIDE * SIDE, || square.multiply())?;
        let level = Level::detect();
        let kernels =
            [("llcs-standard", Kernel::Standard), ("llcs-bit-parallel", Kernel::choose(SYMBOLS, level))];
        for (name, kernel) in kernels {
            self.repeat(name, |comm| {
                comm.barrier()?;
                let own = agree(comm, entry_seconds(SYMBOLS, kernel, level))?;
                // The clock of `slowest` counts nanoseconds, and an entry takes less.
                slowest(comm, 1e9 * own)
            })?;
        }
        Ok(())
    }
}

/// Square blocks that are multiplied as in programs.
pub struct Square {
    local: Local,
    side: usize,
    blocks: [Block; 3],
}

impl Square {
    /// The memory stays until the process ends.
    pub fn new(blas: Option<&Blas>, side: usize) -> Self {
        let block = |()| {
            let words: Vec<u64> = vector::<f64>(side * side).into_iter().map(f64::to_bits).collect();
            Block { memory: Region::of(bytes_of_mut(Box::leak(words.into_boxed_slice()))), leading: side }
        };
        Self { local: Local::new(blas), side, blocks: [(); 3].map(block) }
    }

    pub fn multiply(&mut self) {
        let sizes = Sizes { rows: self.side, columns: self.side, inner: self.side };
        self.local.multiply(sizes, self.blocks, false);
    }
}

/// Collective: measures all operations in about this time; the BLAS only if all processes have one.
pub fn measure(
    comm: &impl Comm,
    blas: Option<&Blas>,
    (repeat, time): (usize, Duration),
    progress: &mut Progress,
) -> Result<Vec<Operation>> {
    let mut rates = Rates { comm, repeat, time: time / STEPS as u32, progress, all: Vec::new() };
    rates.loops::<f64>("double")?;
    rates.loops::<i32>("int")?;
    let missing = comm.all_gather(&[u64::from(blas.is_none())])?.contains(&1);
    match blas.filter(|_| !missing) {
        Some(blas) => rates.blas(blas)?,
        None => rates.progress.skip(2.0),
    }
    rates.programs(blas.filter(|_| !missing))?;
    Ok(rates.all)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loops_multiply() {
        assert_eq!(dot(&[1, 2, 3], &[4, 5, 6]), 32);
        let (a, b) = (vector::<f64>(SIDE * SIDE), vector::<f64>(SIDE * SIDE));
        let mut c = vec![0.0; SIDE * SIDE];
        product(&a, &b, &mut c);
        let (row, column) = (17, 5);
        let expected: f64 = (0..SIDE).map(|inner| a[row * SIDE + inner] * b[inner * SIDE + column]).sum();
        assert_eq!(c[row * SIDE + column], expected);
    }
}
