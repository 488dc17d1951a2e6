//! Transforms of a batch of [`LANES`] vectors in the cache, with the instructions of a
//! [`Level`](instructions::Level).
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
//! | [`dispatch`] | loops of other systems with these instructions |

pub(crate) use hcube_core::machine::instructions;

/// The functions for each level of instructions.
macro_rules! levels {
    ($($(#[$text:meta])* $name:ident: $argument:ty => $generic:ident,)+) => {$(
        $(#[$text])*
        pub fn $name(level: $crate::kernel::instructions::Level, argument: &$argument, workspace: &mut Workspace) {
            #[cfg(target_arch = "x86_64")]
            #[target_feature(enable = "avx512f,avx512dq,avx2,fma")]
            fn avx512(argument: &$argument, workspace: &mut Workspace, proof: $crate::kernel::instructions::Avx512) {
                $generic::<$crate::kernel::avx512::Wide>(argument, workspace, proof);
            }
            #[cfg(target_arch = "x86_64")]
            #[target_feature(enable = "avx2,fma")]
            fn avx2(argument: &$argument, workspace: &mut Workspace, _: $crate::kernel::instructions::Avx2) {
                $generic::<$crate::kernel::vector::Portable<true>>(argument, workspace, ());
            }
            match level {
                // SAFETY: the argument proves that the processor has AVX-512F, AVX-512DQ, AVX2 and FMA.
                #[cfg(target_arch = "x86_64")]
                $crate::kernel::instructions::Level::Avx512(proof) => unsafe { avx512(argument, workspace, proof) },
                // SAFETY: the argument proves that the processor has AVX2 and FMA.
                #[cfg(target_arch = "x86_64")]
                $crate::kernel::instructions::Level::Avx2(proof) => unsafe { avx2(argument, workspace, proof) },
                _ => $generic::<$crate::kernel::vector::Portable<false>>(argument, workspace, ()),
            }
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

/// Vectors of a batch: as many as a register of AVX-512 has numbers, and two lines of the cache of complex numbers.
pub const LANES: usize = 8;
