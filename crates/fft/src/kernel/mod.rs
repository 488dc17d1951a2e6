//! Transforms of a batch of [`LANES`] vectors in the cache, with the instructions of a
//! [`Level`](instructions::Level).
//!
//! Why no library: rustfft 6.4.1 reaches the rate of FFTW 3.3.10 with plans of `FFTW_MEASURE` (2^10 to 2^13
//! points in place, 0.89 to 1.01 times the rate, 2026), but needs the points of a vector contiguous, so
//! columns would have to be gathered and scattered. Here a register holds a point of eight columns, as they
//! are in memory.
//!
//! | file | holds |
//! |---|---|
//! | [`vector`] | a number of every vector of the batch, and its arithmetic on any processor |
//! | `avx512` | the same in registers of AVX-512 |
//! | `butterfly` | transforms of 2, 3, 4, 5 and 8 points |
//! | [`transform`] | the transform of a batch, by decimation in frequency |
//! | [`copies`] | copies between rows and blocks |
//! | [`passes`] | transforms of the columns and of the rows of a matrix, from memory to memory |
//! | [`view`] | this memory |
//! | [`dispatch`] | loops with these instructions |

pub(crate) use hcube_core::machine::instructions;

/// The functions that run a generic one with the instructions of a level.
macro_rules! levels {
    ($($(#[$text:meta])* $name:ident: $argument:ident => $generic:ident,)+) => {$(
        $(#[$text])*
        pub fn $name(
            level: $crate::kernel::instructions::Level,
            argument: &$argument<'_>,
            workspace: &mut Workspace,
        ) {
            struct Call<'a, 'b>(&'a $argument<'b>, &'a mut Workspace);
            impl $crate::kernel::dispatch::Work for Call<'_, '_> {
                #[inline(always)]
                fn run<V: Vector>(self, proof: V::Proof) {
                    $generic::<V>(self.0, self.1, proof);
                }
            }
            $crate::kernel::dispatch::dispatch(level, Call(argument, workspace));
        }
    )+};
}

#[cfg(target_arch = "x86_64")]
mod avx512;
mod butterfly;
pub mod copies;
pub mod dispatch;
pub mod passes;
pub mod transform;
pub mod vector;
pub mod view;

/// Vectors of a batch: the numbers in a register of AVX-512, and two cache lines of complex numbers.
pub const LANES: usize = 8;
