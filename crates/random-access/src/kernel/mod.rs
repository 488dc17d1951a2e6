//! The inner loops: generate, divide by owner, update. The level of instructions is chosen at run time for
//! the processor; tests compare every level with the portable one.
//!
//! `portable.rs` contains the loops; `avx2.rs` and `avx512.rs` compile them for wider vectors and replace the
//! loop that compilers do not vectorise (dividing a list in two by a comparison).

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod portable;
pub mod update;

use super::stream::{Recurrence, Stream};
use super::table::Index;
use hcube_core::machine::instructions::Level;

/// Calls the function of a level.
macro_rules! dispatch {
    ($level:expr, $function:ident ( $($argument:expr),* )) => {
        match $level {
            #[cfg(target_arch = "x86_64")]
            // SAFETY: the token of the level proves that the processor has AVX-512F and AVX-512DQ.
            Level::Avx512(_) => unsafe { avx512::$function($($argument),*) },
            #[cfg(target_arch = "x86_64")]
            // SAFETY: the token of the level proves that the processor has AVX2.
            Level::Avx2(_) => unsafe { avx2::$function($($argument),*) },
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
