//! Blocks of the matrix: columns that go through the rows of a text, as [`columns`](crate::columns)
//! describes.
//!
//! | file | holds |
//! |---|---|
//! | [`standard`] | every entry by dynamic programming |
//! | [`words`] | bit-parallel rows in words |
//! | [`planes`] | bit-parallel rows in vector registers, symbols as bit planes |
//! | [`vector`] | the words of a register, on any processor |
//! | `avx2`, `avx512` | the same in registers of AVX2 and AVX-512 |

#[cfg(target_arch = "x86_64")]
pub mod avx2;
#[cfg(target_arch = "x86_64")]
pub mod avx512;
pub mod planes;
pub mod standard;
pub mod vector;
pub mod words;

pub(crate) use crate::columns::WORD;
use crate::options::KernelChoice;
use hcube_core::machine::instructions::Level;
use std::ops::ControlFlow;

/// Symbols up to which [`Kernel::Planes`] is chosen with AVX2.
pub const MAX_SYMBOLS_AVX2: usize = 32;
/// The same with AVX-512: all that the kernel has planes for.
pub const MAX_SYMBOLS_AVX512: usize = 256;

/// Told the entries of the matrix that were computed since the last call; may end the computation.
pub type Tick<'a> = dyn FnMut(u64) -> ControlFlow<()> + 'a;

/// Clears the bits of a word that belong to no row.
pub(crate) fn clear_behind(carries: &mut [u64], rows: usize) {
    if let (Some(last), 1..) = (carries.last_mut(), rows % WORD) {
        *last &= u64::MAX >> (WORD - rows % WORD);
    }
}

/// An algorithm for blocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kernel {
    /// [`standard`].
    Standard,
    /// [`words`].
    Words,
    /// [`planes`], for alphabets of at most 256 symbols; else [`words`].
    Planes,
}

impl Kernel {
    /// All kernels, and their names.
    pub const ALL: [(Self, &'static str); 3] =
        [(Self::Standard, "standard"), (Self::Words, "words"), (Self::Planes, "planes")];

    /// The kernel that a user has chosen; `None` for the fastest.
    pub fn chosen(choice: KernelChoice) -> Option<Self> {
        match choice {
            KernelChoice::Auto => None,
            KernelChoice::Standard => Some(Self::Standard),
            KernelChoice::Words => Some(Self::Words),
            KernelChoice::Planes => Some(Self::Planes),
        }
    }

    /// The fastest for symbols below `alphabet`.
    pub fn choose(alphabet: usize, level: Level) -> Self {
        let largest = match level {
            Level::Portable => 0,
            Level::Avx2(_) => MAX_SYMBOLS_AVX2,
            Level::Avx512(_) => MAX_SYMBOLS_AVX512,
        };
        if alphabet <= largest { Self::Planes } else { Self::Words }
    }

    /// The level of the instructions that it uses on a processor of this level.
    pub fn used(self, level: Level) -> Level {
        let fewer = || Level::available().into_iter().rfind(|&other| self.uses(other));
        if self.uses(level) { level } else { fewer().unwrap_or(Level::Portable) }
    }

    /// Whether the kernel has instructions of this level.
    pub fn uses(self, level: Level) -> bool {
        match self {
            Self::Standard => !matches!(level, Level::Avx512(_)),
            Self::Words => level == Level::Portable,
            Self::Planes => true,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_choices_are_those_of_kernels() {
        assert_eq!(Kernel::chosen(KernelChoice::Auto), None);
        for (kernel, name) in Kernel::ALL {
            let choice = KernelChoice::ALL.iter().find(|choice| choice.name() == name).expect("a choice");
            assert_eq!(Kernel::chosen(*choice), Some(kernel));
        }
    }
}
