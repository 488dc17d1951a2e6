//! Runs a loop with the instructions of a [`Level`].

use super::instructions::Level;
#[cfg(target_arch = "x86_64")]
use super::instructions::{Avx2, Avx512};
use super::vector::{Portable, Vector};

/// A loop that is written for any [`Vector`]. Its functions are `#[inline(always)]`: code that is not inlined
/// is compiled without the instructions.
pub trait Work {
    /// The loop.
    fn run<V: Vector>(self, proof: V::Proof);
}

/// Runs a loop.
pub fn dispatch<W: Work>(level: Level, work: W) {
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx512f,avx512dq,avx2,fma")]
    fn avx512<W: Work>(work: W, proof: Avx512) {
        work.run::<super::avx512::Wide>(proof);
    }
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2,fma")]
    fn avx2<W: Work>(work: W, _: Avx2) {
        work.run::<Portable<true>>(());
    }
    match level {
        // SAFETY: the argument proves that the processor has AVX-512F, AVX-512DQ, AVX2 and FMA.
        #[cfg(target_arch = "x86_64")]
        Level::Avx512(proof) => unsafe { avx512(work, proof) },
        // SAFETY: the argument proves that the processor has AVX2 and FMA.
        #[cfg(target_arch = "x86_64")]
        Level::Avx2(proof) => unsafe { avx2(work, proof) },
        _ => work.run::<Portable<false>>(()),
    }
}
