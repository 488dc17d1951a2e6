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

/// Calls a function, whose code is inlined, compiled for the instructions of a level.
pub(crate) fn dispatch<T>(level: Level, argument: T, function: impl FnOnce(T)) {
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2,fma")]
    fn avx2<T>(argument: T, function: impl FnOnce(T)) {
        function(argument);
    }
    match level {
        Level::Portable => function(argument),
        // SAFETY: the level proves that the processor has AVX2 and FMA.
        #[cfg(target_arch = "x86_64")]
        _ => unsafe { avx2(argument, function) },
        #[cfg(not(target_arch = "x86_64"))]
        _ => function(argument),
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
