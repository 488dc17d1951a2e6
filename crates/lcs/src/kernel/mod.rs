//! Blocks of the matrix: columns that go through the rows of a text, as [`columns`](crate::columns) describes.
//!
//! | file | holds |
//! |---|---|
//! | [`standard`] | every entry by dynamic programming |
//! | [`words`] | bit-parallel rows in words |

pub mod standard;
pub mod words;

pub(crate) use crate::columns::WORD;
use hcube_core::machine::instructions::Level;
use std::ops::ControlFlow;

/// Told the entries of the matrix that were computed since the last call; may end the computation.
pub type Tick<'a> = dyn FnMut(u64) -> ControlFlow<()> + 'a;

/// A loop that is compiled for the instructions of each level.
pub(crate) trait Loop {
    /// Runs it. `#[inline(always)]`, as all that it calls: code that is not inlined is compiled without the instructions.
    fn run(self);
}

/// Runs a loop.
pub(crate) fn dispatch(level: Level, work: impl Loop) {
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2,fma")]
    fn avx2(work: impl Loop) {
        work.run();
    }
    match level {
        Level::Portable => work.run(),
        // SAFETY: the level proves that the processor has AVX2 and FMA.
        #[cfg(target_arch = "x86_64")]
        _ => unsafe { avx2(work) },
        #[cfg(not(target_arch = "x86_64"))]
        _ => work.run(),
    }
}

/// An algorithm for blocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kernel {
    /// [`standard`].
    Standard,
    /// [`words`].
    Words,
}

impl Kernel {
    /// All kernels, and their names.
    pub const ALL: [(Self, &'static str); 2] = [(Self::Standard, "standard"), (Self::Words, "words")];

    /// The fastest for symbols below `alphabet`.
    pub fn choose(_alphabet: usize, _level: Level) -> Self {
        Self::Words
    }

    /// Whether the kernel has instructions of this level.
    pub fn uses(self, level: Level) -> bool {
        match self {
            Self::Standard => !matches!(level, Level::Avx512(_)),
            Self::Words => level == Level::Portable,
        }
    }
}
