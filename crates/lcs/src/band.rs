//! Consecutive columns of the matrix, which one process computes row by row.

use crate::columns::{first_row, growth, words};
use crate::kernel::planes::{MAX_PLANES, Planes};
use crate::kernel::standard::Entries;
use crate::kernel::vector::Portable;
use crate::kernel::words::Places;
use crate::kernel::{Kernel, Tick, clear_behind};
#[cfg(target_arch = "x86_64")]
use crate::kernel::{avx2, avx512};
use crate::symbol::Id;
use hcube_core::Error;
use hcube_core::machine::instructions::Level;
use std::ops::ControlFlow;

/// Columns in the row up to which they were computed.
#[derive(Debug)]
pub struct Band<I> {
    symbols: Vec<I>,
    columns: Vec<u64>,
    memory: Memory,
}

/// What the kernel keeps.
#[derive(Debug)]
enum Memory {
    Standard(Entries),
    Words(Places),
    Portable(Planes<Portable>),
    #[cfg(target_arch = "x86_64")]
    Avx2(Planes<avx2::Wide>),
    #[cfg(target_arch = "x86_64")]
    Avx512(Planes<avx512::Wide>),
}

impl Memory {
    fn new<I: Id>(symbols: &[I], alphabet: usize, kernel: Kernel, level: Level) -> Result<Self, Error> {
        Ok(match (kernel, level) {
            (Kernel::Standard, _) => Self::Standard(Entries::new(alphabet, level)),
            (Kernel::Planes, _) if alphabet > 1 << MAX_PLANES => Self::Words(Places::new(alphabet)),
            (Kernel::Words, _) => Self::Words(Places::new(alphabet)),
            #[cfg(target_arch = "x86_64")]
            (Kernel::Planes, Level::Avx2(proof)) => Self::Avx2(Planes::new(proof, symbols, alphabet)?),
            #[cfg(target_arch = "x86_64")]
            (Kernel::Planes, Level::Avx512(proof)) => Self::Avx512(Planes::new(proof, symbols, alphabet)?),
            (Kernel::Planes, _) => Self::Portable(Planes::new((), symbols, alphabet)?),
        })
    }
}

impl<I: Id> Band<I> {
    /// The columns of these symbols of string A, which are below `alphabet`, in row 0.
    ///
    /// # Errors
    /// [`Error::Memory`] where there is no room for what the kernel keeps.
    pub fn new(symbols: Vec<I>, alphabet: usize, kernel: Kernel, level: Level) -> Result<Self, Error> {
        let memory = Memory::new(&symbols, alphabet, kernel, level)?;
        Ok(Self { columns: first_row(symbols.len())?, symbols, memory })
    }

    /// The kernel that computes the rows, which may be another one than was asked for.
    pub fn kernel(&self) -> Kernel {
        match &self.memory {
            Memory::Standard(_) => Kernel::Standard,
            Memory::Words(_) => Kernel::Words,
            _ => Kernel::Planes,
        }
    }

    /// Number of columns.
    pub fn width(&self) -> usize {
        self.symbols.len()
    }

    /// How much the length grows over these columns in the current row.
    pub fn growth(&self) -> usize {
        growth(&self.columns)
    }

    /// Computes the rows of the next symbols of string B. `carries` has a bit per row: on entry the carry of
    /// the columns on the left, on return the carry of these columns. After a break neither the carries nor
    /// the columns have a meaning.
    ///
    /// # Panics
    /// Where there are not as many carries as rows, or a symbol is not below the alphabet.
    pub fn advance(&mut self, text: &[I], carries: &mut [u64], tick: &mut Tick<'_>) -> ControlFlow<()> {
        assert_eq!(carries.len(), words(text.len()), "words of carries for {} rows", text.len());
        clear_behind(carries, text.len());
        let (symbols, columns) = (&self.symbols[..], &mut self.columns[..]);
        match &mut self.memory {
            Memory::Standard(entries) => entries.advance(symbols, columns, text, carries, tick),
            Memory::Words(places) => places.advance(symbols, columns, text, carries, tick),
            Memory::Portable(planes) => planes.advance(symbols, columns, text, carries, tick),
            #[cfg(target_arch = "x86_64")]
            Memory::Avx2(planes) => planes.advance(symbols, columns, text, carries, tick),
            #[cfg(target_arch = "x86_64")]
            Memory::Avx512(planes) => planes.advance(symbols, columns, text, carries, tick),
        }
    }
}
