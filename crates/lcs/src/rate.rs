//! The rate of a kernel on this processor, for predictions before a computation begins.
//!
//! Idea: a block of random strings is computed a few times; the shortest time counts, as disturbances only add to it. A
//! kernel does the same work for all strings of an alphabet, so that random ones stand for all.
//!
//! Cost: some milliseconds.

use crate::band::Band;
use crate::columns::words;
use crate::kernel::Kernel;
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
    block_seconds([COLUMNS, ROWS], alphabet, kernel, level)
        .map(|(seconds, [columns, rows])| seconds / (columns * rows) as f64)
}

/// Seconds of a block of the matrix, and its columns and rows: those that were passed, or fewer rows where these are many.
///
/// # Errors
/// [`Error::Memory`] where there is no room for the block.
pub fn block_seconds(
    [columns, rows]: [usize; 2],
    alphabet: usize,
    kernel: Kernel,
    level: Level,
) -> Result<(f64, [usize; 2]), Error> {
    let (columns, rows) = (columns.max(1), rows.clamp(1, (MAX_ENTRIES / columns.max(1)).max(1)));
    // Strings without a common symbol have an alphabet of none.
    let alphabet = alphabet.max(1);
    let mut strings = Random(1);
    let mut band = Band::new(strings.take(columns, alphabet), alphabet, kernel, level)?;
    let text: Vec<u32> = strings.take(rows, alphabet);
    let mut carries = vec![0; words(rows)];
    let mut once = || {
        carries.fill(0);
        let begin = Instant::now();
        // Never ended: there is nobody to end it.
        let _ = band.advance(black_box(&text), &mut carries, &mut |_| ControlFlow::Continue(()));
        black_box(&band);
        begin.elapsed().as_secs_f64()
    };
    // The first one finds its memory.
    once();
    Ok(((0..TIMES).map(|_| once()).fold(f64::INFINITY, f64::min), [columns, rows]))
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
            for alphabet in [0, 4, 256, 1000] {
                let seconds = entry_seconds(alphabet, kernel, Level::detect()).expect("memory");
                assert!(seconds > 0.0 && seconds < 1e-6, "{name}, {alphabet} symbols: {seconds} s");
            }
        }
    }
}
