//! The inner loops: generate, divide by owner, update. The level of instructions is chosen at run time for the
//! processor; tests compare every level with the portable one.
//!
//! The loops stand in `portable.rs`; `avx2.rs` and `avx512.rs` compile them for wider vectors and replace the
//! one that compilers do not vectorise (dividing a list in two by a comparison).

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod portable;
pub mod update;

use super::stream::{Recurrence, Stream};
use super::table::Index;

/// The instructions that the inner loops use. Only [`Level::available`] creates a level above the portable one,
/// after it has found the instructions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Level(Instructions);

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Instructions {
    Portable,
    #[cfg(target_arch = "x86_64")]
    Avx2,
    #[cfg(target_arch = "x86_64")]
    Avx512,
}

impl Level {
    /// Instructions that every processor of the architecture has.
    pub const PORTABLE: Self = Self(Instructions::Portable);

    /// The best level of this processor.
    pub fn detect() -> Self {
        Self::available().last().copied().unwrap_or(Self::PORTABLE)
    }

    /// All levels of this processor, slowest first.
    pub fn available() -> Vec<Self> {
        #[cfg_attr(not(target_arch = "x86_64"), expect(unused_mut, reason = "one level there"))]
        let mut levels = vec![Self::PORTABLE];
        #[cfg(target_arch = "x86_64")]
        {
            // 256-bit vectors.
            if is_x86_feature_detected!("avx2") {
                levels.push(Self(Instructions::Avx2));
            }
            // 512-bit vectors with compress and 64-bit products.
            if is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512dq") {
                levels.push(Self(Instructions::Avx512));
            }
        }
        levels
    }

    /// The name in reports.
    pub fn name(self) -> &'static str {
        match self.0 {
            Instructions::Portable => "portable",
            #[cfg(target_arch = "x86_64")]
            Instructions::Avx2 => "AVX2",
            #[cfg(target_arch = "x86_64")]
            Instructions::Avx512 => "AVX-512",
        }
    }
}

/// Calls the function of a level.
macro_rules! dispatch {
    ($level:expr, $function:ident ( $($argument:expr),* )) => {
        match $level.0 {
            #[cfg(target_arch = "x86_64")]
            // SAFETY: only Level::available makes this level, and it has found the instructions.
            Instructions::Avx512 => unsafe { avx512::$function($($argument),*) },
            #[cfg(target_arch = "x86_64")]
            // SAFETY: as above.
            Instructions::Avx2 => unsafe { avx2::$function($($argument),*) },
            Instructions::Portable => portable::$function($($argument),*),
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
    use crate::stream::{lcg::Lcg, polynomial::Polynomial};

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
            assert_eq!(generated::<Polynomial>(level), generated::<Polynomial>(Level::PORTABLE), "{level:?}");
            assert_eq!(generated::<Lcg>(level), generated::<Lcg>(Level::PORTABLE), "{level:?}");
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
