//! The inner loops: generate, divide by owner, update. Chosen once at run time for the processor at
//! hand; every level gives the same results as the portable one, and a test says so.
//!
//! The loops are written once, in `portable.rs`; `avx2.rs` and `avx512.rs` compile them for wider
//! vectors and replace what a compiler does not find (dividing a list in two by a comparison).

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod portable;
pub mod update;

use super::stream::{Recurrence, Stream};
use super::table::Index;

/// Which instructions the inner loops use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// What every processor of the architecture has.
    Portable,
    /// 256-bit vectors.
    Avx2,
    /// 512-bit vectors with compress.
    Avx512,
}

impl Level {
    /// The best level of this processor.
    pub fn detect() -> Self {
        Self::available().last().copied().unwrap_or(Self::Portable)
    }

    /// All levels of this processor, slowest first.
    pub fn available() -> Vec<Self> {
        let mut levels = vec![Self::Portable];
        #[cfg(target_arch = "x86_64")]
        {
            if is_x86_feature_detected!("avx2") {
                levels.push(Self::Avx2);
            }
            if is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512dq") {
                levels.push(Self::Avx512);
            }
        }
        levels
    }

    /// The name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Portable => "portable",
            Self::Avx2 => "AVX2",
            Self::Avx512 => "AVX-512",
        }
    }
}

/// Calls the function of a level. A level exists only where [`Level::available`] has found its
/// instructions, because nothing else makes one.
macro_rules! dispatch {
    ($level:expr, $function:ident ( $($argument:expr),* )) => {
        match $level {
            #[cfg(target_arch = "x86_64")]
            // SAFETY: the level was found by Level::available, so the processor has the instructions.
            Level::Avx512 => unsafe { avx512::$function($($argument),*) },
            #[cfg(target_arch = "x86_64")]
            // SAFETY: as above.
            Level::Avx2 => unsafe { avx2::$function($($argument),*) },
            _ => portable::$function($($argument),*),
        }
    };
}

/// Fills `out` with the next values of a stream.
pub fn generate<R: Recurrence>(level: Level, stream: &mut Stream<R>, out: &mut [u64]) {
    dispatch!(level, generate(stream, out));
}

/// Appends the values whose index is below `bound` to `low`, the others to `high`; order is kept.
pub fn halve(
    level: Level,
    values: &[u64],
    index: Index,
    bound: u64,
    low: &mut Vec<u64>,
    high: &mut Vec<u64>,
) {
    dispatch!(level, halve(values, index, bound, low, high));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random_access::stream::{lcg::Lcg, polynomial::Polynomial};

    fn values(count: usize) -> Vec<u64> {
        let mut values = vec![0; count];
        Stream::<Lcg>::new(77).fill(&mut values);
        values
    }

    fn generated<R: Recurrence>(level: Level) -> Vec<u64> {
        let (mut stream, mut all) = (Stream::<R>::new(1000), Vec::new());
        for length in [0, 1, 8, 7, 512, 9, 3, 64, 1023] {
            let mut piece = vec![0; length];
            generate(level, &mut stream, &mut piece);
            all.extend(piece);
        }
        all
    }

    #[test]
    fn all_levels_generate_the_same() {
        for level in Level::available() {
            assert_eq!(generated::<Polynomial>(level), generated::<Polynomial>(Level::Portable), "{level:?}");
            assert_eq!(generated::<Lcg>(level), generated::<Lcg>(Level::Portable), "{level:?}");
        }
    }

    #[test]
    fn all_levels_halve_alike_and_keep_the_order() {
        for level in Level::available() {
            for count in (0..40).chain([511, 512, 513, 4096]) {
                for (shift, log2) in [(0, 10), (54, 10), (0, 1), (63, 1), (4, 60)] {
                    let index = Index { shift, mask: (1 << log2) - 1 };
                    for bound in [0, 1, 1 << (log2 - 1), (1 << log2) / 3, 1 << log2] {
                        let input = values(count);
                        let (mut low, mut high) = (vec![1], vec![2]);
                        halve(level, &input, index, bound, &mut low, &mut high);
                        let expected: (Vec<u64>, Vec<u64>) =
                            input.iter().partition(|&&v| index.of(v) < bound);
                        assert_eq!(
                            (&low[1..], &high[1..]),
                            (&expected.0[..], &expected.1[..]),
                            "{level:?} {count}"
                        );
                    }
                }
            }
        }
    }
}
