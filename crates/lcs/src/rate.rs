//! The rate of a kernel on this processor, for predictions before a computation begins.
//!
//! Idea: a block of random strings is computed a few times; the shortest time counts, as disturbances only
//! add to it. A kernel does the same work for all strings of an alphabet, so that random ones stand for all.
//!
//! Cost: some milliseconds.

use crate::band::Band;
use crate::columns::words;
use crate::kernel::Kernel;
use crate::packed::Packing;
use crate::symbol::Id;
use hcube_core::Error;
use hcube_core::machine::instructions::Level;
use std::hint::black_box;
use std::ops::ControlFlow;
use std::time::Instant;

/// Columns and rows of the block: enough to fill the pipelines of all kernels.
const COLUMNS: usize = 6144;
const ROWS: usize = 4096;
/// Computations of the block.
const TIMES: usize = 5;
/// Entries of a block that are computed at most.
const MAX_ENTRIES: usize = 1 << 30;

/// Seconds per entry of the matrix for symbols below `alphabet`.
///
/// # Errors
/// [`Error::Memory`] where there is no room for the block.
pub fn entry_seconds(alphabet: usize, kernel: Kernel, level: Level) -> Result<f64, Error> {
    // Strings without a common symbol have an alphabet of none.
    let alphabet = alphabet.max(1);
    let mut strings = Random(1);
    let mut band = Band::new(strings.take(COLUMNS, alphabet), alphabet, kernel, level)?;
    let text: Vec<u32> = strings.take(ROWS, alphabet);
    let mut carries = vec![0; words(ROWS)];
    let fastest = fastest(|| advance(&mut band, &text, &mut carries));
    Ok(fastest / (COLUMNS * ROWS) as f64)
}

/// The largest number of symbols in the alphabet of a [`SampleBlock`]: the number of values of a byte.
pub const MAX_SYMBOLS: usize = 256;

/// A block as a superstep of a program computes it, whose text comes packed in a message: of random symbols.
#[derive(Debug)]
pub struct SampleBlock {
    band: Band<u8>,
    packing: Packing,
    message: Vec<u64>,
    text: Vec<u8>,
    carries: Vec<u64>,
    sizes: [usize; 2],
}

impl SampleBlock {
    /// Of this number of columns and rows, or of fewer rows where these are many.
    ///
    /// # Errors
    /// [`Error::Memory`] where there is no room for the block.
    ///
    /// # Panics
    /// For an alphabet above [`MAX_SYMBOLS`].
    pub fn new(
        [columns, rows]: [usize; 2],
        alphabet: usize,
        kernel: Kernel,
        level: Level,
    ) -> Result<Self, Error> {
        assert!((1..=MAX_SYMBOLS).contains(&alphabet), "an alphabet of {alphabet} symbols");
        let (columns, rows) = (columns.max(1), rows.clamp(1, (MAX_ENTRIES / columns.max(1)).max(1)));
        let mut strings = Random(1);
        let mut take =
            |length| -> Vec<u8> { strings.take(length, alphabet).into_iter().map(|one| one as u8).collect() };
        let band = Band::new(take(columns), alphabet, kernel, level)?;
        let (packing, mut message) = (Packing::new(alphabet), Vec::new());
        packing.pack(&take(rows), &mut message);
        let (text, carries) = (Vec::with_capacity(rows), vec![0; words(rows)]);
        Ok(Self { band, packing, message, text, carries, sizes: [columns, rows] })
    }

    /// Its columns and rows.
    pub const fn sizes(&self) -> [usize; 2] {
        self.sizes
    }

    /// Computes it.
    pub fn compute(&mut self) {
        self.text.clear();
        self.packing.unpack(black_box(&self.message), self.sizes[1], &mut self.text);
        advance(&mut self.band, &self.text, &mut self.carries);
    }
}

/// Computes a block.
fn advance<I: Id>(band: &mut Band<I>, text: &[I], carries: &mut [u64]) {
    carries.fill(0);
    // Never ended: there is nobody to end it.
    let _ = band.advance(black_box(text), carries, &mut |_| ControlFlow::Continue(()));
    black_box(band);
}

/// The shortest time of some calls, after one that finds its memory.
fn fastest(mut work: impl FnMut()) -> f64 {
    work();
    let mut once = || {
        let begin = Instant::now();
        work();
        begin.elapsed().as_secs_f64()
    };
    (0..TIMES).map(|_| once()).fold(f64::INFINITY, f64::min)
}

/// Random strings: a linear congruential generator.
#[derive(Debug)]
pub struct Random(pub u64);

impl Random {
    /// Symbols below `alphabet`, which is 1 or more.
    pub fn take(&mut self, length: usize, alphabet: usize) -> Vec<u32> {
        let symbols = std::iter::repeat_with(|| {
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            ((self.0 >> 33) % alphabet as u64) as u32
        });
        symbols.take(length).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kernel_has_a_rate() {
        for (kernel, name) in Kernel::ALL {
            let block = SampleBlock::new([700, 1 << 30], 8, kernel, Level::detect()).expect("memory");
            assert!(block.sizes()[0] == 700 && block.sizes()[1] < 1 << 30, "{:?}", block.sizes());
            let mut block = SampleBlock::new([700, 300], 8, kernel, Level::detect()).expect("memory");
            block.compute();
            assert_eq!((block.sizes(), block.text.len()), ([700, 300], 300));
            for alphabet in [0, 4, 256, 1000] {
                let seconds = entry_seconds(alphabet, kernel, Level::detect()).expect("memory");
                assert!(seconds > 0.0 && seconds < 1e-6, "{name}, {alphabet} symbols: {seconds} s");
            }
        }
    }
}
