//! Runs a loop with the instructions of a [`Level`].

use super::vector::{Portable, Vector};
use super::{Instructions, Level};

/// A loop that is written for any [`Vector`]. Its functions are `#[inline(always)]`: code that is not inlined is compiled
/// without the instructions.
pub trait Work {
    /// The loop.
    fn run<V: Vector>(self);
}

/// Runs a loop.
pub fn dispatch<W: Work>(level: Level, work: W) {
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx512f,avx2,fma")]
    fn avx512<W: Work>(work: W) {
        work.run::<super::avx512::Wide>();
    }
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2,fma")]
    fn avx2<W: Work>(work: W) {
        work.run::<Portable<true>>();
    }
    match level.0 {
        // SAFETY: only Level::available makes this level, and it has found the instructions.
        #[cfg(target_arch = "x86_64")]
        Instructions::Avx512 => unsafe { avx512(work) },
        // SAFETY: as above.
        #[cfg(target_arch = "x86_64")]
        Instructions::Avx2 => unsafe { avx2(work) },
        Instructions::Portable => work.run::<Portable<false>>(),
    }
}
