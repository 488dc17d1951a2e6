//! Transforms of a batch of [`LANES`] vectors in the cache, with the instructions of this processor.
//!
//! | file | holds |
//! |---|---|
//! | [`vector`] | a number of every vector of the batch, and its arithmetic on any processor |
//! | `avx512` | the same in registers of AVX-512 |
//! | `butterfly` | transforms of 2, 3, 4, 5 and 8 points |
//! | [`transform`] | the transform of a batch, by decimation in frequency |
//! | [`passes`] | transforms of the columns and of the rows of a matrix, from memory to memory |
//! | [`view`] | this memory |
//! | [`dispatch`] | loops of other systems with these instructions |

#[cfg(target_arch = "x86_64")]
mod avx512;
mod butterfly;
pub mod dispatch;
pub mod passes;
pub mod transform;
pub mod vector;
pub mod view;

/// Vectors of a batch: as many as a register of AVX-512 has numbers, and two lines of the cache of complex numbers.
pub const LANES: usize = 8;

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
    /// The best level of this processor.
    pub fn detect() -> Self {
        Self::available().last().copied().unwrap_or(Self(Instructions::Portable))
    }

    /// All levels of this processor, slowest first.
    pub fn available() -> Vec<Self> {
        #[cfg_attr(not(target_arch = "x86_64"), expect(unused_mut, reason = "one level there"))]
        let mut levels = vec![Self(Instructions::Portable)];
        #[cfg(target_arch = "x86_64")]
        {
            if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
                levels.push(Self(Instructions::Avx2));
                if is_x86_feature_detected!("avx512f") {
                    levels.push(Self(Instructions::Avx512));
                }
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
